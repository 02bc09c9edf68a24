//! Checks that the program accepts every `paycheck` line in the README and the guide.

use clap::Parser as _;

use super::Arguments;
use crate::base::source::Source;
use crate::judge::known;
use crate::spec::contract::Contracts;
use crate::spec::{scenario, target};

/// The pages with the lines.
const PAGES: [(&str, &str); 16] = [
    ("README.md", include_str!("../../../README.md")),
    ("deploy/README.md", include_str!("../../../deploy/README.md")),
    ("docs/start.md", include_str!("../../../docs/start.md")),
    ("docs/live-targets.md", include_str!("../../../docs/live-targets.md")),
    ("docs/findings.md", include_str!("../../../docs/findings.md")),
    ("docs/ci.md", include_str!("../../../docs/ci.md")),
    ("docs/load.md", include_str!("../../../docs/load.md")),
    ("docs/emulator.md", include_str!("../../../docs/emulator.md")),
    ("docs/explore.md", include_str!("../../../docs/explore.md")),
    ("docs/fuzz.md", include_str!("../../../docs/fuzz.md")),
    ("docs/mutate.md", include_str!("../../../docs/mutate.md")),
    ("docs/compare.md", include_str!("../../../docs/compare.md")),
    ("docs/known-findings.md", include_str!("../../../docs/known-findings.md")),
    ("docs/notify.md", include_str!("../../../docs/notify.md")),
    ("docs/load-notification.md", include_str!("../../../docs/load-notification.md")),
    ("docs/reference.md", include_str!("../../../docs/reference.md")),
];

/// What a word with spaces is between.
const QUOTES: [char; 2] = ['\'', '"'];

/// The calls in the shell blocks of a page, without surrounding shell syntax.
fn calls(page: &str) -> Vec<Vec<String>> {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default().replace("\\\n", " "));
    let lines = blocks.flat_map(|block| block.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with("paycheck ")).map(|line| words(&line)).collect()
}

/// The words up to a comment or an operator.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted) = (Vec::new(), None::<String>);
    for word in line.split_whitespace() {
        let ends = word.ends_with(QUOTES);
        quoted = match (quoted.take(), word.starts_with(QUOTES)) {
            (Some(before), _) => Some(format!("{before} {word}")),
            (None, true) => Some(word.to_owned()),
            (None, false) if ["#", "||", "|", "&", "&&", ">"].contains(&word) => return words,
            (None, false) => {
                words.push(word.to_owned());
                None
            }
        };
        if ends && let Some(whole) = quoted.take() {
            words.push(whole.trim_matches(QUOTES).to_owned());
        }
    }
    words
}

#[test]
fn every_line_is_parsed() {
    for (page, text) in PAGES {
        let calls = calls(text);
        // The page about clusters has lines of kubectl alone.
        assert!(!calls.is_empty() || page == "deploy/README.md", "no line of {page} is parsed");
        for words in calls {
            if let Err(error) = Arguments::try_parse_from(&words) {
                assert!(!error.use_stderr(), "{page}: {words:?}\n{error}");
            }
        }
    }
}

/// The YAML blocks of a page.
fn yaml(page: &str) -> Vec<&str> {
    page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn every_file_that_is_shown_is_read() {
    let contracts = Contracts::shipped();
    let page = |name: &str| PAGES.iter().find(|(page, _)| *page == name).unwrap().1;
    let targets = yaml(page("docs/live-targets.md"));
    let (head, parts) = targets.split_first().unwrap();
    let secret = |_: &str| Some("a-secret-of-the-guide-5577".to_owned());
    for part in parts.iter().copied().chain([""]) {
        let text = format!("{head}{part}");
        let read = target::parse(&Source::new("docs/live-targets.md", &text), &contracts, &secret);
        assert!(read.is_ok(), "{text}\n{}", read.unwrap_err().render(false));
    }
    let accepted = yaml(page("docs/known-findings.md"));
    for text in &accepted {
        let read = known::parse(&Source::new("docs/known-findings.md", *text), &contracts);
        assert!(read.is_ok(), "{text}\n{}", read.unwrap_err().render(false));
    }
    let scripts = yaml(include_str!("../../../docs/scenarios.md"));
    for text in &scripts {
        let read = scenario::parse("scenarios/gateway/shown.yaml", &Source::new("docs/scenarios.md", *text), &contracts);
        assert!(read.is_ok(), "{text}\n{}", read.unwrap_err().render(false));
    }
    assert!(parts.len() > 4 && !accepted.is_empty() && !scripts.is_empty());
}

#[test]
fn words_are_split_as_a_shell_does() {
    assert_eq!(words("paycheck init --title 'Our test shop' x  # why"), ["paycheck", "init", "--title", "Our test shop", "x"]);
    assert_eq!(words("paycheck load --threshold \"p99 < 200ms\" x"), ["paycheck", "load", "--threshold", "p99 < 200ms", "x"]);
    assert_eq!(words("paycheck verify || code=$?"), ["paycheck", "verify"]);
}
