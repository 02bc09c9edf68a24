//! Planted defects: each is one way in which a real server can go wrong, with the fewest commands that show it.

use crate::support::proxy::Tamper;

/// One planted defect.
pub struct PlantedDefect {
    /// The defect of the server.
    pub name: &'static str,
    /// The model that must find it.
    pub api: &'static str,
    /// The clause that it must be named after.
    pub clause: &'static str,
    /// The number of commands in the shortest sequence that shows it.
    pub shortest: usize,
    pub tamper: Tamper,
}

/// Transitions that this emulator never takes: those of races, which are not counted, those at the exact second, and
/// allowances that it does not use.
pub const UNREACHED_TRANSITIONS: [&str; 16] = [
    "pay/too-late",
    "fail/too-late",
    "give-up/too-late",
    "payment/expiring",
    "qr-payment/perhaps-expired",
    "cancel-refund/begun-earlier",
    "cancel/under-way",
    "cancel-refund/a-day-later",
    "cancel-refund/under-way",
    "cancel-refund/perhaps-another-day",
    "close/first",
    "read/perhaps-reversed",
    "read-refund/perhaps-reversed",
    "exchange/superseded",
    "exchange-superseded/the-last",
    "configuration/superseded-meanwhile",
];

macro_rules! planted {
    ($api:literal: $($name:literal => $clause:literal in $shortest:literal: $($kind:ident($what:expr)),+;)*) => {
        vec![$($crate::planted::PlantedDefect {
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

/// Every planted defect.
pub fn all() -> Vec<PlantedDefect> {
    [device::all(), gateway::all(), qr::all(), races::all(), terminal::all()].into_iter().flatten().collect()
}
