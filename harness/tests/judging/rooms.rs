//! The rooms of the engine: which may use which, as `docs/architecture.md` has them.

#[path = "../../../emulator/tests/rooms/imports/mod.rs"]
mod imports;

use imports::{Room, Rooms};

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
        Room { name: "preflight", modules: &["modes::preflight"] },
        Room { name: "reach", modules: &["modes::reach"] },
        Room { name: "verify", modules: &["modes::verify"] },
    ],
    &[Room { name: "report", modules: &["report"] }],
    // The two front doors: for people and for code.
    &[Room { name: "cli", modules: &["cli"] }, Room { name: "verification", modules: &["verification"] }],
]);

#[test]
fn no_room_uses_one_above_or_beside_it_and_no_files_use_each_other() {
    ROOMS.hold(env!("CARGO_MANIFEST_DIR"), 1500);
}
