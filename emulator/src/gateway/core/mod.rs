//! The rules of the gateway, without any input or output: what is asked comes in, an answer and the effects to carry out
//! go out. Time and identifiers are handed in, so that the same questions get the same answers.

pub mod cancel;
pub mod code;
pub mod country;
pub mod creation;
pub mod expiration;
mod identities;
pub mod language;
pub mod merchant;
pub mod method;
pub mod money;
pub mod order;
pub mod payer;
pub mod payment;
pub mod preauth;
pub mod reason;
pub mod receipt;
pub mod recurring;
pub mod refund;
pub mod refund_pos;
pub mod trans_id;
pub mod violation;

#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod invariants;

pub use cancel::Cancellation;
pub use code::{Call, Code};
pub use creation::{Creation, Minted, create};
pub use merchant::Merchant;
pub use money::Currency;
pub use order::Order;
pub use payment::{Effect, Interface, Payment, State};
pub use preauth::{Capture, Release};
pub use reason::Reason;
pub use recurring::Recurring;
pub use refund::Refund;
pub use refund_pos::RefundPos;
pub use trans_id::TransId;
pub use violation::{Refusal, Violation};
