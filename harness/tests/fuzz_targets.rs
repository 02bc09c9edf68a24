//! Every parser of bytes from outside, given the same broken inputs on every machine: what cargo-fuzz runs without an end
//! (`harness/fuzz`), here for a while. Each target has a process of its own, so that a full stack or a lack of memory is
//! a red test, too.
#![allow(unreachable_pub, missing_docs, reason = "a test program has no users")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "../fuzz/src/lib.rs"]
mod bodies;
#[path = "fuzz_targets/inputs.rs"]
mod inputs;
#[path = "fuzz_targets/planted.rs"]
mod planted;
#[path = "fuzz_targets/process.rs"]
mod process;

use std::collections::BTreeSet;
use std::path::Path;

use process::{Limits, fault};

/// A test for each target, with as many inputs as are tried in one or two seconds.
macro_rules! targets {
    ($($name:ident: $inputs:literal,)*) => {
        const TESTED: &[&str] = &[$(stringify!($name)),*];
        mod stands {
            $(#[test] fn $name() {
                if let Some(fault) = super::fault(stringify!($name), super::Limits { inputs: $inputs, ..super::Limits::default() }) {
                    panic!("{fault}");
                }
            })*
        }
    };
}

targets! {
    abo: 5_000,
    response: 500,
    base64: 10_000,
    by_square: 10_000,
    control: 1_000,
    csv: 5_000,
    emulator: 5_000,
    epc: 10_000,
    form: 20_000,
    json: 20_000,
    known: 500,
    load_result: 10_000,
    profile: 300,
    scenario: 500,
    spayd: 10_000,
    tape: 5_000,
    target: 800,
    template: 2_000,
    world: 1_000,
    yaml: 5_000,
    zip: 5_000,
}

/// Run by the other tests: one target, in this process.
#[test]
#[ignore = "the other tests run it"]
fn child() {
    process::child();
}

#[test]
fn every_target_is_a_program_for_cargo_fuzz_and_has_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let named: BTreeSet<&str> = bodies::TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(TESTED.iter().copied().collect::<BTreeSet<_>>(), named);
    for name in &named {
        let program = std::fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("fuzz_target!(|bytes: &[u8]| harness_fuzz::run(\"{name}\", bytes));")), "{program}");
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n")), "{name}");
        assert!(!inputs::seeds(name).is_empty(), "{name} has no seeds");
    }
    let programs = std::fs::read_dir(folder.join("fuzz_targets")).unwrap().count();
    assert_eq!(programs, named.len());
}

#[test]
fn the_same_number_is_the_same_input() {
    let seeds = inputs::seeds("json");
    let some = |range: std::ops::Range<u32>| range.map(|number| inputs::input("json", &seeds, number)).collect::<Vec<_>>();
    assert_eq!(some(0..200), some(0..200));
    assert!(some(0..200).iter().collect::<BTreeSet<_>>().len() > 150);
}

#[test]
fn a_fault_is_found_whatever_its_kind() {
    let explain = |name: &str| fault(name, Limits { inputs: 100, seconds: 2, mebibytes: 512, resident: 256 }).unwrap_or_default();
    let panic = explain("planted_panic");
    assert!(panic.contains("planted_panic: input 1 ") && panic.contains("a planted panic"), "{panic}");
    for name in ["planted_hang", "planted_depth", "planted_allocation", "planted_memory"] {
        assert!(explain(name).contains(&format!("{name}: input 1 ")), "{}", explain(name));
    }
    assert_eq!(explain("planted_nothing"), "");
}
