//! Kinds of load: what `kind` in a profile names.
//!
//! A kind is one file: its keys and their limits, its shape over time, how it is split among shards, and how it is judged. To
//! add one, write its file and its line in [`KINDS`]; profiles, their JSON Schema and their messages follow from there.

mod capacity_search;
mod constant_arrival_rate;
mod constant_users;
mod kind;
mod ramping_arrival_rate;
mod ramping_users;
mod rate_search;
mod soak;
#[cfg(test)]
mod tests;

pub use capacity_search::CapacitySearch;
pub use constant_arrival_rate::ConstantArrivalRate;
pub use constant_users::ConstantUsers;
pub(crate) use kind::KindDefinition;
pub use kind::{LoadKind, Runs};
pub use ramping_arrival_rate::RampingArrivalRate;
pub use ramping_users::RampingUsers;
pub use soak::Soak;

/// Every kind of load.
pub(crate) const KINDS: &[KindDefinition] = &[
    constant_users::KIND,
    ramping_users::KIND,
    constant_arrival_rate::KIND,
    ramping_arrival_rate::KIND,
    capacity_search::KIND,
    soak::KIND,
];
