//! Checks that the program accepts every `paycheck` line in the README and the guide.

use clap::Parser as _;

use super::Arguments;

/// The pages with the lines.
const PAGES: [(&str, &str); 14] = [
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
];

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
        let ends = word.ends_with('\'');
        quoted = match (quoted.take(), word.starts_with('\'')) {
            (Some(before), _) => Some(format!("{before} {word}")),
            (None, true) => Some(word.to_owned()),
            (None, false) if ["#", "||", "|", "&", "&&", ">"].contains(&word) => return words,
            (None, false) => {
                words.push(word.to_owned());
                None
            }
        };
        if ends && let Some(whole) = quoted.take() {
            words.push(whole.trim_matches('\'').to_owned());
        }
    }
    words
}

#[test]
fn every_line_is_parsed() {
    let mut count = 0;
    for (page, text) in PAGES {
        for words in calls(text) {
            count += 1;
            if let Err(error) = Arguments::try_parse_from(&words) {
                assert!(!error.use_stderr(), "{page}: {words:?}\n{error}");
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn words_are_split_as_a_shell_does() {
    assert_eq!(words("paycheck init --title 'Our test shop' x  # why"), ["paycheck", "init", "--title", "Our test shop", "x"]);
    assert_eq!(words("paycheck verify || code=$?"), ["paycheck", "verify"]);
}
