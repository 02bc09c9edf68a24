//! What is asked of every parser of bytes from outside: whatever the bytes are, it answers, it answers soon, it takes
//! no more memory than it may, and what it says holds together.
//!
//! libFuzzer runs these with what it learns (`fuzz_targets/`); every `cargo test` runs them for a number of inputs that
//! is always the same (`tests/fuzz_targets.rs`). The guide is `docs/fuzz.md`.

mod files;
mod formats;
mod responses;
mod results;
mod server;

/// What is asked of some bytes.
pub type Body = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Body); 21] = [
    ("abo", formats::abo),
    ("response", responses::response),
    ("base64", formats::base64),
    ("by_square", formats::by_square),
    ("control", server::control),
    ("csv", formats::csv),
    ("emulator", server::emulator),
    ("epc", formats::epc),
    ("form", responses::form),
    ("json", responses::json),
    ("known", files::known),
    ("load_result", results::load_result),
    ("profile", files::profile),
    ("scenario", files::scenario),
    ("spayd", formats::spayd),
    ("tape", results::tape),
    ("target", files::target),
    ("template", files::template),
    ("world", server::world),
    ("yaml", files::yaml),
    ("zip", formats::zip),
];

/// Gives bytes to a target. Panics where there is no such target, and where the bytes show a fault.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, body) = TARGETS.iter().find(|(target, _)| *target == name).expect("a target of this name");
    body(bytes);
}
