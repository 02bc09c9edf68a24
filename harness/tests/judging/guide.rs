//! The guide: what it shows runs, what it links is there. Shell blocks under `<!-- test: run -->` are carried out page by page, in one
//! folder, those under `<!-- test: run-with TOOL -->` where the tool is; blocks under `<!-- test: file NAME -->` are written there. Every other `paycheck` line is parsed by a test of `cli`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::tempdir;

use crate::support::binary::{Emulate, ended, file, paycheck};

/// Where the pages say that the emulator is.
const EMULATOR: &str = "http://127.0.0.1:8080";
/// Where they say that a shop is; the emulator plays it.
const SHOP: &str = "https://pay1.example.com";
/// A target file that pages name and do not show.
const SHOP_FILE: &str =
    "title: Our test shop\nbase: https://pay1.example.com\ncredentials: { main: { merchant: \"100001\", secret: secret-100001 } }\n";
/// The last day of an accepted finding, as shown. A test has no last day.
const LAST_DAY: &str = "2026-12-31";
/// Pages that use a file of another page.
const USES: [(&str, &str); 1] = [("load-notification.md", "notify.md")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The pages of the guide, by name.
fn pages() -> Vec<(String, String)> {
    let files = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.sort();
    pages
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// What a page asks a test to do.
#[derive(Debug, PartialEq, Eq)]
enum Block {
    Run(String),
    File(String, String),
}

fn blocks(page: &str) -> Vec<Block> {
    let marked = page.split("<!-- test: ").skip(1);
    let blocks = marked.map(|rest| {
        let (what, rest) = rest.split_once(" -->\n").unwrap();
        let text = rest.strip_prefix("```").and_then(|rest| rest.split_once('\n')).unwrap_or_else(|| panic!("no block under `{what}`")).1;
        let text = text.split("```").next().unwrap().to_owned();
        match what.split_once(' ') {
            None if what == "run" => Block::Run(text),
            Some(("run-with", tool)) => Block::Run(format!("command -v {tool} >/dev/null || exit 0\n{text}")),
            Some(("file", name)) => Block::File(name.to_owned(), text),
            _ => panic!("{what}"),
        }
    });
    blocks.collect()
}

/// The files of the pages that a page uses, then its own blocks.
fn blocks_with_used(name: &str, page: &str, pages: &[(String, String)]) -> Vec<Block> {
    let used = USES.iter().filter(|(user, _)| *user == name).filter_map(|(_, used)| pages.iter().find(|(name, _)| name == used));
    let used = used.flat_map(|(_, page)| blocks(page)).filter(|block| matches!(block, Block::File(..)));
    used.chain(blocks(page)).collect()
}

/// An address of a page and this process alone, where loopback has many: the ports that the page names are free there.
fn own_address(page: &str) -> String {
    let [.., high, middle, low] = std::process::id().to_be_bytes();
    let number = PLAYED.iter().position(|name| *name == page).unwrap_or_default();
    if cfg!(target_os = "linux") {
        format!("127.{}.{middle}.{low}", 16 + 16 * number + usize::from(high & 15))
    } else {
        "127.0.0.1".to_owned()
    }
}

/// A text of a page with the addresses of this test.
fn addressed(text: &str, emulator: &str, own: &str) -> String {
    let text = text.replace(EMULATOR, emulator).replace(SHOP, emulator).replace(LAST_DAY, "2999-12-31");
    let ports = ["127.0.0.1:8090", "127.0.0.1:8099", "127.0.0.1\", 8090"];
    ports.iter().fold(text, |text, port| text.replace(port, &port.replace("127.0.0.1", own)))
}

/// Carries out the blocks of a page in a folder of its own; returns how many scripts ran.
fn play(name: &str, blocks: Vec<Block>, emulator: &str, path: &str) -> usize {
    let (folder, own) = (tempdir().unwrap(), own_address(name));
    let addressed = |text: &str| addressed(text, emulator, &own);
    file(folder.path(), "shop.yaml", &addressed(SHOP_FILE));
    let mut played = 0;
    for block in blocks {
        match block {
            Block::File(name, text) => drop(file(folder.path(), &name, &addressed(&text))),
            Block::Run(script) => {
                // What a failed script leaves in the background would keep its output open.
                let script = format!("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{}", addressed(&script));
                let mut bash = Command::new("bash");
                bash.args(["-euo", "pipefail", "-c", &script]).current_dir(folder.path()).stdin(Stdio::null());
                if name == "live-targets.md" {
                    bash.env("PAYCHECK_SECRET", "secret-100001");
                }
                let output = bash.env("PATH", path).env("NO_COLOR", "1").output().unwrap();
                let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                assert!(output.status.success(), "{name}:\n{script}\n{out}\n{err}");
                played += 1;
            }
        }
    }
    played
}

/// Pages of which something runs.
const PLAYED: [&str; 15] = [
    "start.md",
    "scenarios.md",
    "ci.md",
    "findings.md",
    "reference.md",
    "emulator.md",
    "explore.md",
    "fuzz.md",
    "mutate.md",
    "compare.md",
    "live-targets.md",
    "known-findings.md",
    "load.md",
    "notify.md",
    "load-notification.md",
];

#[test]
fn what_the_pages_show_runs() {
    let emulator = Emulate::start(&[]);
    let binary = Path::new(env!("CARGO_BIN_EXE_paycheck")).parent().unwrap().display().to_string();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap());
    let pages = pages();
    std::thread::scope(|scope| {
        for (name, page) in &pages {
            let (blocks, url, path) = (blocks_with_used(name, page, &pages), &emulator.url, &path);
            scope.spawn(move || {
                let played = play(name, blocks, url, path);
                assert_eq!(played > 0, PLAYED.contains(&name.as_str()), "{name} runs {played} blocks");
            });
        }
    });
}

/// A payment that is paid, and nothing else.
const PAID: &str = "title: A payment is paid\nclauses: [gateway.payment.paid]\nsteps:\n  - call: gateway.v2.create\n    keep: { payment: \
                    transId }\n  - world: payer.pays\n    with: { transId: '{{ payment }}' }\n  - call: gateway.v2.status\n    with: { \
                    transId: '{{ payment }}' }\n    expect: { status: PAID }\n";

/// Judges one payment with a target file of the guide, at the emulator; the person at the terminal types this.
fn judged_with(example: &str, typed: &str) -> crate::support::binary::CommandResult {
    let (emulator, folder) = (Emulate::start(&[]), tempdir().unwrap());
    let text = std::fs::read_to_string(root().join("docs").join(example)).unwrap();
    assert!(text.contains(EMULATOR), "{text}");
    let target = file(folder.path(), "target.yaml", &text.replace(EMULATOR, &emulator.url)).display().to_string();
    let script = file(folder.path(), "gateway/paid.yaml", PAID).display().to_string();
    let mut command = paycheck(["verify", &script, "--target", &target]);
    command.env("PAYCHECK_SECRET", "secret-100001").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    ended(child)
}

#[test]
fn a_shop_with_a_simulation_is_judged_with_its_example_file() {
    let ended = judged_with("target.http.example.yaml", "").with_code(0);
    assert!(ended.out.contains("1 passed, 0 failed"), "{}", ended.out);
}

#[test]
fn a_person_is_asked_with_the_example_file() {
    let ended = judged_with("target.ask.example.yaml", "no phone at hand\n").with_code(2);
    assert!(ended.err.contains("payer.pays: ") && ended.out.contains("no phone at hand"), "{}{}", ended.err, ended.out);
}

#[test]
fn marks_are_read_as_they_are_meant() {
    let page = "<!-- test: file a.toml -->\n```toml\nseed = 1\n```\n\n```sh\nnot run\n```\n<!-- test: run -->\n```sh\npaycheck\n```\n";
    assert_eq!(blocks(page), [Block::File("a.toml".to_owned(), "seed = 1\n".to_owned()), Block::Run("paycheck\n".to_owned())]);
}

/// The anchors of a page, as its readers make them of its headings.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |text: String| text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_')).collect::<String>();
    headings.map(|heading| kept(heading).replace(' ', "-")).collect()
}

#[test]
fn every_link_of_the_guide_leads_somewhere() {
    let mut links = 0;
    for (name, page) in pages() {
        for link in page.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let path = root().join("docs").join(if file.is_empty() { &name } else { file });
            assert!(path.exists(), "{name}: {link}");
            if let Some(anchor) = anchor {
                let anchors = anchors(&std::fs::read_to_string(path).unwrap());
                assert!(anchors.iter().any(|known| known == anchor), "{name}: {link} of {anchors:?}");
            }
            links += 1;
        }
    }
    assert!(links > 40, "{links}");
}

#[test]
fn the_guide_leads_to_every_page() {
    let index = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    for (name, _) in pages().into_iter().filter(|(name, _)| name != "README.md") {
        assert!(index.contains(&format!("({name})")), "{name}");
    }
}
