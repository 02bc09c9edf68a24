use std::ffi::OsString;
use std::fs;
use std::path::Path;

use clap::CommandFactory as _;

use super::*;
use crate::cli::Arguments;

/// The parsed arguments, or the error.
fn reading(words: &str, variables: &[(&str, &str)], here: &Path) -> Result<String, String> {
    let words: Vec<OsString> = ["paycheck"].into_iter().chain(words.split_whitespace()).map(OsString::from).collect();
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    read::<Arguments>(&words, &environment, here).map(|arguments| format!("{:?}", arguments.command)).map_err(|error| match error {
        NoArguments::CommandLine(error, notes) => format!("{error}{}", notes.join("\n")),
        NoArguments::Settings(Failure::Problems(problems)) => problems.to_string(),
        NoArguments::Settings(failure) => failure.to_string(),
    })
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("paycheck.toml"), text).unwrap();
    folder
}

#[test]
fn the_command_line_goes_before_the_environment_and_that_before_the_file() {
    let folder = folder_with("seed = 5\n[verify]\nseed = 4\njobs = 3\n");
    let seed = |words: &str, variables: &[(&str, &str)]| {
        let read = reading(words, variables, folder.path()).unwrap();
        read.split("seed: ").nth(1).unwrap().split([',', ' ', '}']).next().unwrap().to_owned()
    };
    assert_eq!(seed("verify --seed 1", &[("PAYCHECK_VERIFY_SEED", "2"), ("PAYCHECK_SEED", "3")]), "1");
    assert_eq!(seed("verify", &[("PAYCHECK_VERIFY_SEED", "2"), ("PAYCHECK_SEED", "3")]), "2");
    assert_eq!(seed("verify", &[("PAYCHECK_SEED", "3"), ("PAYCHECK_VERIFY_SEED", "")]), "3");
    assert_eq!(seed("verify", &[]), "4");
    assert_eq!(seed("explore", &[]), "5");
    let elsewhere = tempfile::tempdir().unwrap();
    let read = reading("verify", &[], elsewhere.path()).unwrap();
    assert!(read.contains("seed: 1") && read.contains("jobs: 32"), "{read}");
}

#[test]
fn what_excludes_an_option_of_a_higher_rank_is_left_out() {
    let folder = folder_with("[verify]\nfail-fast = true\n");
    for (words, variables) in [("verify --max-failures 3", [("", "")]), ("verify", [("PAYCHECK_MAX_FAILURES", "3")])] {
        let read = reading(words, &variables, folder.path()).unwrap();
        assert!(read.contains("fail_fast: false") && read.contains("max_failures: Some(3)"), "{read}");
    }
    let both = folder_with("[verify]\nfail-fast = true\nmax-failures = 3\n");
    let error = reading("verify", &[], both.path()).unwrap_err();
    assert!(error.contains("cannot be used with") && error.contains("paycheck.toml:"), "{error}");
}

#[test]
fn flags_lists_and_paths_are_read_from_everywhere() {
    let folder = folder_with("target = 'shop.yaml'\n[verify]\nfilter = ['a', 'b, c']\nverbose = true\nfail-fast = false\n");
    let read = reading("verify", &[], folder.path()).unwrap();
    for part in [r#"filter: ["a", "b, c"]"#, "verbose: true", "fail_fast: false", r#"target: Some("shop.yaml")"#] {
        assert!(read.contains(part), "{part}: {read}");
    }
    let variables = [("PAYCHECK_FILTER", "x, y"), ("PAYCHECK_VERBOSE", "no"), ("PAYCHECK_VERIFY_FAIL_FAST", "1")];
    let read = reading("verify", &variables, folder.path()).unwrap();
    for part in [r#"filter: ["x", "y"]"#, "verbose: false", "fail_fast: true"] {
        assert!(read.contains(part), "{part}: {read}");
    }
    let wrong = reading("verify", &[("PAYCHECK_VERBOSE", "perhaps")], folder.path()).unwrap_err();
    assert!(wrong.contains("PAYCHECK_VERBOSE") && wrong.contains("true or false"), "{wrong}");
}

#[test]
fn what_takes_the_rest_of_the_line_comes_last() {
    let folder = folder_with("[notify]\norders = ['./orders.sh', '--all']\nwithin = '3s'\n");
    let read = reading("notify http://127.0.0.1:1 --slow 1s", &[], folder.path()).unwrap();
    for part in [r#"orders: ["./orders.sh", "--all"]"#, "within: 3s", "slow: 1s"] {
        assert!(read.contains(part), "{part}: {read}");
    }
    let typed = reading("notify http://127.0.0.1:1 --orders ./mine.sh", &[], folder.path()).unwrap();
    assert!(typed.contains(r#"orders: ["./mine.sh"]"#) && typed.contains("within: 3s"), "{typed}");
}

#[test]
fn options_that_need_others_find_them_wherever_they_are_set() {
    let folder = folder_with("[verify]\njunit = 'j.xml'\n");
    assert!(reading("verify --timings", &[], folder.path()).is_ok());
    assert!(reading("coverage --run", &[("PAYCHECK_TARGET", "t.yaml")], folder.path()).is_ok());
    let read = reading("load notification http://127.0.0.1:1", &[("PAYCHECK_LOAD_NOTIFICATION_RATE", "7")], folder.path()).unwrap();
    assert!(read.contains("rate: 7"), "{read}");
    assert!(reading("load profiles", &[("PAYCHECK_TARGET", "t.yaml")], folder.path()).is_ok());
}

#[test]
fn a_wrong_value_is_reported_with_its_origin() {
    let folder = folder_with("# ours\n[verify]\njobs = 0\n");
    let error = reading("verify", &[], folder.path()).unwrap_err();
    assert!(error.contains("--jobs") && error.contains("paycheck.toml:3"), "{error}");
    let error = reading("verify --jobs 1", &[("PAYCHECK_SEED", "x")], folder.path()).unwrap_err();
    assert!(error.contains("the environment variable PAYCHECK_SEED"), "{error}");
}

#[test]
fn every_mistake_of_the_file_is_reported_at_its_place_with_the_nearest_name() {
    let text = "tagret = 'x'\nverify = 3\n[verfy]\njobs = 1\n[verify]\njob = 1\nverbose = 'yes'\nseed = [1]\n[load.merg]\n";
    let folder = folder_with(&text.replace("verify = 3\n", ""));
    let error = reading("verify", &[], folder.path()).unwrap_err();
    for part in [
        "paycheck.toml:1:1: no command has an option `tagret` (did you mean `target`?)",
        "paycheck.toml:2:2: there is no command `verfy` (did you mean `verify`?)",
        "paycheck.toml:5:1: `paycheck verify` has no option `job` (did you mean `jobs`?)",
        "paycheck.toml:6:11: `verbose` is true or false, but this is the text \"yes\"",
        "paycheck.toml:7:8: `seed` is one value, but this is a list",
        "paycheck.toml:8:7: there is no command `merg` (did you mean `merge`?)",
    ] {
        assert!(error.contains(part), "{part}\n{error}");
    }
}

#[test]
fn the_file_is_looked_for_up_to_the_root_of_the_repository_and_no_further() {
    let folder = folder_with("[verify]\ntarget = 'shop.yaml'\n");
    let below = folder.path().join("a/b");
    fs::create_dir_all(&below).unwrap();
    // Folders above may belong to others.
    assert!(reading("verify", &[], &below).unwrap().contains("target: None"));
    fs::create_dir(folder.path().join(".git")).unwrap();
    let read = reading("verify", &[], &below).unwrap();
    // A path is relative to the file's own folder.
    assert!(read.contains(&format!("target: Some({:?})", folder.path().join("shop.yaml"))), "{read}");
    fs::create_dir(folder.path().join("a/.git")).unwrap();
    assert!(reading("verify", &[], &below).unwrap().contains("target: None"));
}

#[test]
fn a_file_that_is_named_is_the_one_and_must_be_there() {
    let folder = folder_with("seed = 5\n");
    fs::write(folder.path().join("other.toml"), "seed = 6\n").unwrap();
    let other = folder.path().join("other.toml").display().to_string();
    assert!(reading(&format!("verify --config {other}"), &[], folder.path()).unwrap().contains("seed: 6"));
    assert!(reading(&format!("--config {other} verify"), &[], folder.path()).unwrap().contains("seed: 6"));
    assert!(reading("verify", &[("PAYCHECK_CONFIG", &other)], folder.path()).unwrap().contains("seed: 6"));
    let error = reading("verify --config none.toml", &[], folder.path()).unwrap_err();
    assert!(error.contains("none.toml"), "{error}");
}

#[test]
fn help_and_mistakes_of_the_command_line_are_as_without_settings() {
    let folder = folder_with("not toml at all");
    assert!(reading("--help", &[], folder.path()).unwrap_err().contains("Usage: paycheck"));
    assert!(reading("verify --help", &[], folder.path()).unwrap_err().contains("Usage: paycheck verify"));
    assert!(reading("verfy", &[], folder.path()).unwrap_err().contains("verify"));
    assert!(reading("exit-codes", &[], folder.path()).is_ok());
    let error = reading("verify --fliter x", &[], folder.path()).unwrap_err();
    assert!(error.contains("--filter"), "{error}");
}

#[test]
fn a_variable_that_is_meant_for_an_option_and_sets_none_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    for (name, near) in [
        ("PAYCHECK_VERIFY_FLITER", "PAYCHECK_VERIFY_FILTER"),
        ("PAYCHECK_VERIFY_JUNIT_FILE", "PAYCHECK_VERIFY_JUNIT"),
        ("PAYCHECK_LOAD_NOTIFICATION_RTAE", "PAYCHECK_LOAD_NOTIFICATION_RATE"),
        ("PAYCHECK_VERFY_SEED", "PAYCHECK_VERIFY_SEED"),
        ("PAYCHECK_TAGRET", "PAYCHECK_TARGET"),
        ("PAYCHECK_SED", "PAYCHECK_SEED"),
        ("PAYCHECK_MAX_FAILURE", "PAYCHECK_MAX_FAILURES"),
        ("PAYCHECK_CONFG", "PAYCHECK_CONFIG"),
    ] {
        let error = reading("verify", &[(name, "x")], folder.path()).unwrap_err();
        assert!(error.contains(&format!("`{name}` sets no option (did you mean `{near}`?)")), "{error}");
    }
    let of_verify = [("PAYCHECK_VERIFY_FLITER", "x")];
    assert!(reading("emulate", &of_verify, folder.path()).is_err(), "the variables of all commands are checked");
    assert!(reading("completions bash", &of_verify, folder.path()).is_ok(), "no variable is read");
    assert!(reading("verify", &[("PAYCHECK_VERIFY_FLITER", "")], folder.path()).is_ok(), "an empty variable counts as none");
    let both = [("PAYCHECK_TAGRET", "x"), ("PAYCHECK_VERIFY_NOTHING_LIKE_IT", "x")];
    let error = reading("verify", &both, folder.path()).unwrap_err();
    assert!(error.contains("`PAYCHECK_TAGRET` sets") && error.contains("`PAYCHECK_VERIFY_NOTHING_LIKE_IT` sets"), "{error}");
}

/// Secrets, variables that the documents and manifests name, and those that Kubernetes sets for a service called `paycheck`.
#[test]
fn variables_with_another_meaning_are_allowed() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "PAYCHECK_LOG",
        "PAYCHECK_MERCHANT",
        "PAYCHECK_SECRET",
        "PAYCHECK_SECRET_2",
        "PAYCHECK_TERMINAL_SECRET",
        "PAYCHECK_QR_PASSWORD",
        "PAYCHECK_DEVICE_PASSWORD",
        "PAYCHECK_QR_OTHER_QR_PASSWORD",
        "PAYCHECK_TOKEN_1",
        "PAYCHECK_PUBLIC",
        "PAYCHECK_RELEASES",
        "PAYCHECK_VERSION",
        "PAYCHECK_IMAGE",
        "PAYCHECK_PAGES",
        "PAYCHECK_PORT",
        "PAYCHECK_SERVICE_HOST",
        "PAYCHECK_SERVICE_PORT",
        "PAYCHECK_PORT_8080_TCP_ADDR",
        "PAYCHECK_SHOP_URL",
    ] {
        reading("verify", &[(name, "x")], folder.path()).unwrap_or_else(|error| panic!("{error}"));
    }
    // A file of the command line may name any other.
    let file = folder.path().join("target.yaml");
    fs::write(&file, "credentials: { main: { merchant: { env: PAYCHECK_VERIFY_LOGIN }, secret: { env: PAYCHECK_USER } } }").unwrap();
    for name in ["PAYCHECK_VERIFY_LOGIN", "PAYCHECK_USER"] {
        assert!(reading("verify", &[(name, "x")], folder.path()).is_err(), "{name}");
        let target = file.display().to_string();
        assert!(reading(&format!("verify --target {target}"), &[(name, "x")], folder.path()).is_ok(), "{name}");
        assert!(reading("verify", &[(name, "x"), ("PAYCHECK_TARGET", &target)], folder.path()).is_ok(), "{name}");
    }
}

/// No two options may share a variable, and none may have a variable with another meaning.
#[test]
fn every_variable_means_one_option() {
    fn variables(command: &Command, path: &[&str], found: &mut Vec<String>) {
        found.extend(options(command).map(|option| origin::variable(path, &option.name)));
        for below in command.get_subcommands() {
            let path: Vec<_> = path.iter().copied().chain([below.get_name()]).collect();
            variables(below, &path, found);
        }
    }
    let mut command = Arguments::command();
    command.build();
    let mut found = Vec::new();
    variables(&command, &[], &mut found);
    let count = found.len();
    assert!(count > 80, "{count}");
    found.sort();
    found.dedup();
    assert_eq!(found.len(), count);
    for taken in ["PAYCHECK_LOG", "PAYCHECK_SECRET", "PAYCHECK_MERCHANT", "PAYCHECK_PUBLIC", "PAYCHECK_CONFIG"] {
        assert!(!found.iter().any(|name| name == taken), "{taken}");
    }
}
