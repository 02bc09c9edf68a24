//! The rules of the gateway, without any input or output: a request comes in, a result and the effects to carry out go out.
//! Time and identifiers are handed in, so that the same requests get the same results.

pub(crate) mod call;
pub(crate) mod cancellation;
pub(crate) mod creation;
mod label;
pub(crate) mod language;
pub(crate) mod order;
pub(crate) mod payer;
pub(crate) mod payment;
pub(crate) mod preauth;
mod price;
pub(crate) mod reason;
pub(crate) mod receipt;
pub(crate) mod recurring;
pub(crate) mod refund;
pub(crate) mod refund_pos;
pub(crate) mod refunded;
mod tolerance;
pub(crate) mod violation;
mod world_rules;

#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod invariants;

pub(crate) use call::Call;
pub(crate) use cancellation::Cancellation;
pub(crate) use creation::{Creation, create};
pub(crate) use order::Order;
pub(crate) use payment::{Effect, Interface, NOTHING, Payment, State};
pub(crate) use preauth::{Capture, Release};
pub(crate) use reason::Reason;
pub(crate) use recurring::Recurring;
pub(crate) use refund::Refund;
pub(crate) use refund_pos::RefundPos;
pub(crate) use violation::Violation;
pub(crate) use world_rules::WorldRules;
