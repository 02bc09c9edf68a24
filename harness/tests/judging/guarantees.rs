//! The page of guarantees names tests, and they exist.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guarantees.md");
const CRATES: [&str; 2] = [env!("CARGO_MANIFEST_DIR"), concat!(env!("CARGO_MANIFEST_DIR"), "/../emulator")];

/// All tests below a folder, as `module::name`; the module is the file's name, or its folder's where the file is `mod.rs` or `tests.rs`.
fn tests_below(folder: &Path, found: &mut BTreeSet<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            tests_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let parent = folder.file_name().unwrap().to_string_lossy().into_owned();
            let module = if ["mod", "tests"].contains(&stem.as_str()) { parent } else { stem };
            found.extend(tests_of(&std::fs::read_to_string(&path).unwrap()).map(|name| format!("{module}::{name}")));
        }
    }
}

/// The functions that stand below `#[test]` or `#[tokio::test…]`.
fn tests_of(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]").chain(text.split("#[tokio::test")).filter_map(|after| {
        let head = after.split_once("fn ")?;
        let only_attributes =
            head.0.lines().skip(1).all(|line| line.trim().is_empty() || line.trim().starts_with("#[") || line.trim() == "async");
        only_attributes.then(|| head.1.split(['(', '<']).next()).flatten()
    })
}

/// The tests that the page names, by guarantee.
fn named(page: &str) -> Vec<(&str, Vec<&str>)> {
    let guarantees = page.split("\n## ").filter(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    guarantees
        .map(|part| {
            let title = part.lines().next().unwrap_or_default();
            let proofs = part.split("Proved by").nth(1).unwrap_or_default();
            (title, proofs.split('`').skip(1).step_by(2).collect())
        })
        .collect()
}

#[test]
fn every_guarantee_names_tests_and_every_one_of_them_exists() {
    let mut known = BTreeSet::new();
    CRATES.iter().for_each(|folder| ["src", "tests"].iter().for_each(|part| tests_below(&Path::new(folder).join(part), &mut known)));
    assert!(known.contains("guarantees::every_guarantee_names_tests_and_every_one_of_them_exists"), "tests are found at all");
    let page = std::fs::read_to_string(PAGE).unwrap();
    let guarantees = named(&page);
    assert_eq!(guarantees.len(), 10, "{guarantees:?}");
    for (title, tests) in guarantees {
        assert!(!tests.is_empty(), "{title}: named is no test");
        for test in tests {
            assert!(known.contains(test), "{title}: there is no test `{test}`");
        }
    }
}
