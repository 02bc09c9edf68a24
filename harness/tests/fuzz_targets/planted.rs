//! Targets that break at their second input, each in another way, and one that does not.

use std::hint::black_box;

/// The body of a planted target.
pub fn body(name: &str) -> Option<fn(u32)> {
    Some(match name {
        "planted_panic" => |number| assert_ne!(number, 1, "a planted panic"),
        "planted_hang" => |number| {
            while black_box(number) == 1 {}
        },
        "planted_depth" => |number| assert_eq!(deep(u64::from(number == 1)), 0),
        "planted_allocation" => |number| drop(black_box(vec![1_u8; if number == 1 { 1 << 40 } else { 1 }])),
        "planted_memory" => |number| drop(black_box(vec![1_u8; if number == 1 { 300 << 20 } else { 1 }])),
        "planted_nothing" => |_| {},
        _ => return None,
    })
}

/// Goes down without an end, unless it is given nothing.
fn deep(depth: u64) -> u64 {
    if depth == 0 { 0 } else { black_box(deep(black_box(depth + 1))) + 1 }
}
