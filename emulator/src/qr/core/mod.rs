//! The rules of QR payments, without any input or output. Time and identifiers are handed in.

pub(crate) mod call;
pub(crate) mod cancellation;
pub(crate) mod creation;
pub(crate) mod currency;
pub(crate) mod extension;
pub(crate) mod language;
pub(crate) mod method;
pub(crate) mod method_change;
pub(crate) mod offer;
pub(crate) mod order;
pub(crate) mod payment;
mod payment_data;
pub(crate) mod refund;
pub(crate) mod refund_request;
pub(crate) mod refusal;
pub(crate) mod rejection;
mod time;
pub(crate) mod violation;

#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod invariants;

pub(crate) use call::Call;
pub(crate) use cancellation::Cancellation;
pub(crate) use creation::Creation;
pub(crate) use currency::Currency;
pub(crate) use extension::Extension;
pub(crate) use language::Language;
pub(crate) use method::{METHODS, Method};
pub(crate) use method_change::MethodChange;
pub(crate) use offer::Offer;
pub(crate) use payment::{QrPayment, State};
pub(crate) use refund::QrRefund;
pub(crate) use refund_request::RefundRequest;
pub(crate) use refusal::Refusal;
pub(crate) use rejection::Rejection;
pub(crate) use violation::Violation;
