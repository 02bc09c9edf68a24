//! The rooms of the engine: which may use which, as `docs/architecture.md` has them.

#[path = "../../../emulator/tests/rooms/imports.rs"]
mod imports;

use std::path::Path;

use imports::{Crate, Imports, Room, Rooms};

/// From the lowest to the highest. A room uses those below it, never one above or beside it.
const ROOMS: Rooms = Rooms(&[
    &[Room { name: "base", modules: &["base"] }],
    &[Room { name: "wire", modules: &["wire"] }],
    &[Room { name: "spec", modules: &["spec"] }],
    &[Room { name: "judge", modules: &["judge"] }],
    &[Room { name: "engine", modules: &["engine"] }],
    &[Room { name: "load", modules: &["load"] }],
    &[
        Room { name: "compare", modules: &["modes::compare"] },
        Room { name: "coverage", modules: &["modes::coverage"] },
        Room { name: "explore", modules: &["modes::explore"] },
        Room { name: "fuzz", modules: &["modes::fuzz"] },
        Room { name: "mutate", modules: &["modes::mutate"] },
        Room { name: "notify", modules: &["modes::notify"] },
        Room { name: "verify", modules: &["modes::verify"] },
    ],
    &[Room { name: "report", modules: &["report"] }],
    // The two front doors: for people and for code.
    &[Room { name: "cli", modules: &["cli"] }, Room { name: "verification", modules: &["verification"] }],
]);

fn imports() -> Imports {
    Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap()
}

#[test]
fn no_room_uses_one_above_or_beside_it() {
    let imports = imports();
    assert!(imports.arrows().len() > 1500, "only {} arrows were found", imports.arrows().len());
    let violations = ROOMS.violations(&imports);
    assert!(violations.is_empty(), "against the order of rooms:\n{}", violations.join("\n"));
}

#[test]
fn no_modules_use_each_other() {
    let circles: Vec<_> = imports().circles().iter().map(ToString::to_string).collect();
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}
