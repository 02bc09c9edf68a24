//! The planted defects: each is one way in which a real server could go wrong, and how few moves show it.

use crate::support::proxy::Tamper;

/// One planted defect.
pub struct Planted {
    /// What the server does wrong.
    pub name: &'static str,
    /// The model that must find it.
    pub api: &'static str,
    /// The clause that it must be named after.
    pub clause: &'static str,
    /// How many moves the shortest sequence has that shows it.
    pub shortest: usize,
    pub tamper: Tamper,
}

/// Rows of moves that meet, which are not counted, and of what is due at the very second or this emulator doesn't do.
pub const OPEN_ROWS: [&str; 9] = [
    "pay/too-late",
    "fail/too-late",
    "give-up/too-late",
    "payment/expiring",
    "qr-payment/perhaps-expired",
    "cancel-refund/begun-earlier",
    "exchange/superseded",
    "exchange-superseded/the-last",
    "configuration/superseded-meanwhile",
];

macro_rules! planted {
    ($api:literal: $($name:literal => $clause:literal in $shortest:literal: $($kind:ident($what:expr)),+;)*) => {
        vec![$($crate::planted::Planted {
            name: $name,
            api: $api,
            clause: $clause,
            shortest: $shortest,
            tamper: tamper!($($kind($what)),+),
        }),*]
    };
}

pub mod device;
pub mod gateway;
pub mod qr;
pub mod races;
pub mod terminal;

/// All of them.
pub fn all() -> Vec<Planted> {
    [device::all(), gateway::all(), qr::all(), races::all(), terminal::all()].into_iter().flatten().collect()
}
