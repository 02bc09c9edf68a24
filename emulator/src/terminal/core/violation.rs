//! What can be wrong with a request, and the code that says so. The document lists the codes of each call but seldom ties
//! one to a rule; [`Violation::ruling`] is the one place where we do.

use super::{Call, ClosingError, Currency};
use crate::common::{Code, Refusal};

/// A rule of the document that a request breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Violation {
    /// A required field is not there, or empty.
    Missing(&'static str),
    /// A field has another type than documented, or a value that is none of the allowed ones.
    Malformed(&'static str),
    /// The price is not an int32.
    PriceMalformed,
    /// Below the minimum or above the maximum of the currency.
    PriceOutOfBounds(Currency),
    /// The tip is not an int32, or below nothing.
    TipMalformed,
    /// The tip is as high as the price, or higher.
    TipNotLower,
    /// Neither CZK nor EUR.
    UnknownCurrency,
    /// No terminal has this login.
    UnknownTerminal,
    /// The secret is missing or wrong.
    WrongSecret,
    /// The caller's address is not among the allowed ones.
    AddressNotAllowed,
    /// No such payment on this terminal.
    PaymentNotFound,
    /// No such refund on this terminal.
    RefundNotFound,
    /// Only what is paid can be cancelled.
    NotPaid,
    /// It was cancelled before.
    AlreadyReversed,
    /// A part of the money has gone back another way.
    PartlyReturned,
    /// The closing of the batch has made the payment final.
    BatchClosed,
    /// A refund is cancelled on its own day only.
    AnotherDay,
    /// Another transaction is pending.
    Busy,
    /// The terminal can't be closed now.
    NotClosed(ClosingError),
    /// The request itself can't be read.
    Unreadable(&'static str),
}

impl Violation {
    /// The code for this violation, with a sentence for people.
    pub(crate) const fn ruling(self) -> (Code, &'static str) {
        match self {
            Self::Missing(_) => (Code::BAD_REQUEST, "is required"),
            Self::Malformed(_) => (Code::BAD_REQUEST, "has no valid value"),
            Self::PriceMalformed => (Code::WRONG_AMOUNT, "price is an integer in minor units"),
            Self::PriceOutOfBounds(_) => (Code::PRICE_UNSUPPORTED, "price is out of the bounds of its currency"),
            Self::TipMalformed => (Code::WRONG_AMOUNT, "tip is an integer in minor units, not below zero"),
            Self::TipNotLower => (Code::WRONG_AMOUNT, "tip must be lower than price"),
            Self::UnknownCurrency => (Code::CURRENCY, "curr is CZK or EUR"),
            Self::UnknownTerminal => (Code::UNKNOWN_SHOP, "no terminal has this login"),
            Self::WrongSecret => (Code::BAD_REQUEST, "unauthorized access"),
            Self::AddressNotAllowed => (Code::BAD_REQUEST, "unauthorized access from this address"),
            Self::PaymentNotFound => (Code::BAD_REQUEST, "payment not found"),
            Self::RefundNotFound => (Code::BAD_REQUEST, "refund not found"),
            Self::NotPaid => (Code::BAD_REQUEST, "not in paid state"),
            Self::AlreadyReversed => (Code::BAD_REQUEST, "reversed already"),
            Self::PartlyReturned => (Code::BAD_REQUEST, "a part of it was refunded already"),
            Self::BatchClosed => (Code::BAD_REQUEST, "the terminal was closed since, use a refund instead"),
            Self::AnotherDay => (Code::BAD_REQUEST, "a refund is cancelled on its own day only"),
            Self::Busy => (Code::UNEXPECTED, "the terminal is busy"),
            Self::NotClosed(error) => (Code::UNEXPECTED, error.as_str()),
            Self::Unreadable(why) => (Code::BAD_REQUEST, why),
        }
    }

    /// What the call responds with: the code, its meaning in the document about that call, and what exactly is wrong.
    pub(crate) fn refusal(self, call: Call) -> Refusal {
        let (code, sentence) = self.ruling();
        let meaning = call.meaning(code).unwrap_or("bad request");
        let message = match self {
            // The document gives the exact message.
            Self::NotClosed(_) => sentence.to_owned(),
            Self::Missing(field) | Self::Malformed(field) => format!("{meaning}: {field} {sentence}"),
            Self::PriceOutOfBounds(currency) => {
                let bounds = currency.bounds();
                format!("{meaning}: price in {} is {} to {} minor units", currency.as_str(), bounds.start(), bounds.end())
            }
            _ => format!("{meaning}: {sentence}"),
        };
        Refusal { code, message }
    }
}
