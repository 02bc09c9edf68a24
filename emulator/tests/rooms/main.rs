//! The rooms of the emulator: which may use which.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, unreachable_pub)]

mod imports;

use imports::{Room, Rooms};

/// From the lowest to the highest. A room uses those below it, never one above or beside it.
const ROOMS: Rooms = Rooms(&[
    &[Room { name: "base", modules: &["base"] }],
    &[Room { name: "common", modules: &["common"] }],
    &[
        Room { name: "gateway core", modules: &["gateway::core"] },
        Room { name: "status core", modules: &["status::core"] },
        Room { name: "terminal core", modules: &["terminal::core"] },
        Room { name: "qr core", modules: &["qr::core"] },
        Room { name: "device core", modules: &["device::core"] },
    ],
    // Pays out what the gateway and the terminals earned.
    &[Room { name: "transfers core", modules: &["transfers::core"] }],
    &[Room { name: "world", modules: &["world"] }],
    &[Room { name: "wire", modules: &["wire"] }],
    &[
        Room { name: "gateway wire", modules: &["gateway::wire"] },
        Room { name: "status wire", modules: &["status::wire"] },
        Room { name: "terminal wire", modules: &["terminal::wire"] },
        Room { name: "transfers wire", modules: &["transfers::wire"] },
        Room { name: "qr wire", modules: &["qr::wire"] },
        Room { name: "device wire", modules: &["device::wire"] },
    ],
    &[Room { name: "delivery", modules: &["delivery"] }],
    &[Room { name: "control", modules: &["control"] }],
    &[Room { name: "front", modules: &["app", "emulator", "routing", "server", "tls"] }],
]);

#[test]
fn no_room_uses_one_above_or_beside_it_and_no_files_use_each_other() {
    ROOMS.hold(env!("CARGO_MANIFEST_DIR"), 900);
}
