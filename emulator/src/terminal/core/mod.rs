//! The rules of card terminals, without any input or output. Time and identifiers are handed in.

pub mod batch;
pub mod call;
pub mod card;
pub mod currency;
pub mod history;
pub mod id;
pub mod payment;
pub mod refund;
pub mod request;
pub mod status;
pub mod store;
pub mod violation;

#[cfg(test)]
mod invariants;
#[cfg(test)]
mod terminal_tests;

pub use batch::Totals;
pub use call::Call;
pub use card::Card;
pub use currency::Currency;
pub use id::{PaymentId, RefundId, TransactionId};
pub use payment::Payment;
pub use refund::Refund;
pub use request::{PaymentOrder, PaymentRequest, RefundOrder, RefundRequest};
pub use status::{ClosingError, TerminalStatus};
pub use store::{Closing, Impossible, Terminal};
pub use violation::Violation;
