//! `docs/dependencies.md` names every crate that a `Cargo.toml` of ours asks for, and no other.

use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)).unwrap()
}

/// The names in the sections of dependencies of a `Cargo.toml`; the crates of this repository are none.
fn asked_for(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut among = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            among = line.trim_end().ends_with("dependencies]");
        } else if let Some((name, value)) = line.split_once(['.', ' ']).filter(|_| among && !line.starts_with('#'))
            && !value.contains("path =")
        {
            names.insert(name.to_owned());
        }
    }
    names
}

/// The names in the first column of the tables of the page.
fn explained(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.filter(|cell| !["crate", "---"].contains(cell)).flat_map(|cell| cell.split(", ")).map(str::to_owned).collect()
}

#[test]
fn every_dependency_is_explained() {
    let manifests = ["Cargo.toml", "harness/Cargo.toml", "emulator/Cargo.toml", "harness/fuzz/Cargo.toml"];
    let asked: BTreeSet<_> = manifests.iter().flat_map(|path| asked_for(&read(path))).collect();
    let explained = explained(&read("docs/dependencies.md"));
    assert!(asked.len() > 40, "{asked:?}");
    let difference = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
    assert_eq!(difference(&asked, &explained), Vec::<String>::new(), "not on the page");
    assert_eq!(difference(&explained, &asked), Vec::<String>::new(), "on the page, and asked for by nothing");
}

/// A version that nothing uses any more is asked for by the workspace alone.
#[test]
fn every_version_of_the_workspace_is_used() {
    let members: BTreeSet<_> = ["harness/Cargo.toml", "emulator/Cargo.toml"].iter().flat_map(|path| asked_for(&read(path))).collect();
    let unused: Vec<_> = asked_for(&read("Cargo.toml")).difference(&members).cloned().collect();
    assert_eq!(unused, Vec::<String>::new());
}
