//! What the README and the guides promise is run.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The `paycheck …` lines of the README's shell blocks.
fn examples() -> Vec<String> {
    let text = read("README.md");
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("paycheck ")).map(str::to_owned).collect()
}

/// What a run of everything may be given: files to write, but a tape, which `mutate` takes for everything.
const OUTPUTS: [&str; 3] = ["--html", "--junit", "--events"];

/// Examples that need something of the user's (a shop, a free port) are held against the argument
/// parser only: with `--help` among them they must be understood.
fn needs_the_user(example: &str) -> bool {
    example.contains("--target")
        || example.starts_with("emulate")
        || example.starts_with("init")
        || example.starts_with("notify")
        || example.starts_with("load notification")
}

/// The words of an example. A load, and a run of everything, are played as they stand there, only shorter; CI plays the main command.
fn words(example: &str) -> Vec<String> {
    // The quotes of a shell; no example has a blank between them.
    let mut words: Vec<String> = example.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect();
    let profile = root().join("load").join(format!("{}.yaml", words.get(1).map(String::as_str).unwrap_or_default()));
    if needs_the_user(example) {
        words.insert(1, "--help".to_owned());
    } else if words[0] == "verify" && words.iter().skip(1).step_by(2).all(|word| OUTPUTS.contains(&word.as_str())) {
        words.extend(["--filter".to_owned(), "refund".to_owned()]);
    } else if words[0] == "load" && profile.exists() {
        let text = std::fs::read_to_string(&profile).unwrap();
        // How fast is asked of a machine that does nothing else.
        let short = text.replace("for: 20s", "for: 2s").replace("warm-up: 2s", "warm-up: 0s").replace("< 250ms", "< 1m");
        assert_ne!(short, text, "{example}");
        let path = root().join("target/paycheck").join(profile.file_name().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, short).unwrap();
        words[1] = path.display().to_string();
    }
    words
}

#[test]
fn every_example_of_the_readme_works() {
    let examples = examples();
    assert!(examples.len() >= 5, "{examples:?}");
    for example in examples {
        let output = Command::new(env!("CARGO_BIN_EXE_paycheck")).args(words(&example)).current_dir(root()).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        // A machine that does other things at the same time can be the limit of a load.
        let busy = example.starts_with("load") && printed.contains("generator-limited");
        assert!(output.status.success() || busy, "paycheck {example}\n{printed}");
    }
}

#[test]
fn the_two_commands_are_marked_for_ci() {
    let text = read("README.md");
    for (mark, command) in [("main", "verify"), ("test", "cargo test")] {
        let block = text.split(&format!("<!-- ci: {mark} -->\n```sh\n")).nth(1).unwrap().split("```").next().unwrap();
        assert!(block.contains(command) && block.lines().count() == 1, "{mark}: {block}");
    }
}

#[test]
fn the_exit_codes_are_documented_as_they_are() {
    let output = Command::new(env!("CARGO_BIN_EXE_paycheck")).arg("exit-codes").output().unwrap();
    let documented = read("docs/exit-codes.md");
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let (code, sentence) = line.trim().split_once("  ").unwrap();
        assert!(documented.contains(&format!("| {code} | {sentence} |")), "docs/exit-codes.md lacks: {code} {sentence}");
    }
}

#[test]
fn the_links_of_the_readme_lead_somewhere() {
    for link in read("README.md").split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(link.starts_with("http") || root().join(link).exists(), "{link}");
    }
}

#[test]
fn the_target_example_is_valid() {
    use harness::spec::contract::{Contracts, Files};
    let contracts = Contracts::read(&Files::contracts()).unwrap();
    let source = harness::base::source::Source::new("docs/target.example.yaml", read("docs/target.example.yaml"));
    let target = harness::spec::target::parse(&source, &contracts, &|name| (name == "PAYCHECK_SECRET").then(|| "s".to_owned()));
    assert_eq!(target.unwrap_or_else(|problems| panic!("{problems}")).title, "Test shop");
}

#[test]
fn the_world_example_is_valid() {
    let source = harness::base::source::Source::new("docs/world.example.yaml", read("docs/world.example.yaml"));
    let settings = source.parse(&mut harness::base::source::Problems::new()).unwrap().to_json();
    let settings: emulator::WorldSettings = serde_json::from_value(settings).unwrap();
    assert_eq!(settings.merchants.len(), 1);
}
