//! The rules of card terminals, without any input or output. Time and identifiers are handed in.

pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod card;
pub(crate) mod closing_error;
pub(crate) mod currency;
mod history;
pub(crate) mod payment;
pub(crate) mod refund;
pub(crate) mod request;
pub(crate) mod terminal;
pub(crate) mod violation;

#[cfg(test)]
mod invariants;

pub(crate) use batch::Totals;
pub(crate) use call::Call;
pub(crate) use card::Card;
pub(crate) use closing_error::ClosingError;
pub(crate) use currency::Currency;
pub(crate) use payment::Payment;
pub(crate) use refund::Refund;
pub(crate) use request::{PaymentOrder, PaymentRequest, RefundOrder, RefundRequest};
pub(crate) use terminal::{Closing, Impossible, Terminal};
pub(crate) use violation::Violation;
