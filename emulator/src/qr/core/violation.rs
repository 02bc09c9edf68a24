//! What can be wrong with a call. The document shows few HTTP statuses; [`Violation::ruling`] is the one place where we
//! choose the others.

use std::borrow::Cow;

use http::StatusCode;

use super::Refusal;

/// A rule of the document that a call breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Violation {
    /// The request itself can't be read.
    Unreadable(&'static str),
    /// A required field is not there, or empty.
    Missing(&'static str),
    /// A field has another type than documented.
    Malformed(&'static str),
    /// User or password is missing or wrong.
    WrongCredentials,
    /// The token is missing, or not one of ours.
    NoToken,
    /// The token has expired.
    TokenExpired,
    /// The merchant or the terminal is not the token's.
    ForeignMerchant,
    /// The payment is another merchant's.
    ForeignPayment,
    /// An amount below one minor unit.
    AmountTooLow,
    /// Neither CZK nor EUR.
    UnknownCurrency,
    /// Neither cs, sk nor en.
    UnknownLanguage,
    /// No such method in this currency.
    UnknownMethod,
    /// The method can't carry the amount.
    AmountUnsupported,
    /// More than 128 bytes.
    VariableSymbolTooLong,
    /// A NUL character.
    VariableSymbolWithNul,
    /// A time that is not ISO 8601.
    CreatedMalformed,
    /// More than 1000 characters.
    NoteTooLong,
    /// No such payment.
    PaymentNotFound,
    /// No such refund of this payment.
    RefundNotFound,
    /// The payment is PAID or CANCELLED already.
    Final,
    /// A CANCELLED payment is not extended.
    ExtensionOfCancelled,
    /// Only a PAID payment is refunded.
    NotPaid,
    /// The refunds together would exceed the payment.
    RefundBeyondAmount,
    /// Only a PENDING refund is decided.
    RefundFinal,
}

impl Violation {
    /// Status and sentence.
    pub(crate) fn ruling(self) -> (StatusCode, Cow<'static, str>) {
        let (status, sentence) = match self {
            Self::Unreadable(why) => (StatusCode::BAD_REQUEST, why),
            Self::Missing(field) => return (StatusCode::BAD_REQUEST, format!("{field} is required").into()),
            Self::Malformed(field) => return (StatusCode::BAD_REQUEST, format!("{field} has no valid value").into()),
            Self::WrongCredentials => (StatusCode::UNAUTHORIZED, "user or password is wrong"),
            Self::NoToken => (StatusCode::UNAUTHORIZED, "a valid token is required: authenticate first"),
            Self::TokenExpired => (StatusCode::UNAUTHORIZED, "the token has expired: authenticate again"),
            Self::ForeignMerchant => (StatusCode::FORBIDDEN, "the token is not valid for this merchant or terminal"),
            Self::ForeignPayment => (StatusCode::FORBIDDEN, "the payment is another merchant's"),
            Self::AmountTooLow => (StatusCode::BAD_REQUEST, "amount is at least 1, in minor units"),
            Self::UnknownCurrency => (StatusCode::BAD_REQUEST, "currency is CZK or EUR"),
            Self::UnknownLanguage => (StatusCode::BAD_REQUEST, "lang is cs, sk or en"),
            Self::UnknownMethod => (StatusCode::BAD_REQUEST, "method is none of those offered in this currency"),
            Self::AmountUnsupported => (StatusCode::BAD_REQUEST, "the method does not support this amount"),
            Self::VariableSymbolTooLong => (StatusCode::BAD_REQUEST, "variableSymbol has up to 128 bytes"),
            Self::VariableSymbolWithNul => (StatusCode::BAD_REQUEST, "variableSymbol can't hold a NUL character"),
            Self::CreatedMalformed => (StatusCode::BAD_REQUEST, "created is a time in ISO 8601"),
            Self::NoteTooLong => (StatusCode::BAD_REQUEST, "note has up to 1000 characters"),
            Self::PaymentNotFound => (StatusCode::NOT_FOUND, "there is no such payment"),
            Self::RefundNotFound => (StatusCode::NOT_FOUND, "there is no such refund of this payment"),
            Self::Final => (StatusCode::CONFLICT, "the payment is final"),
            Self::ExtensionOfCancelled => (StatusCode::BAD_REQUEST, "the payment is cancelled: late money goes through the refund process"),
            Self::NotPaid => (StatusCode::CONFLICT, "only a paid payment can be refunded"),
            Self::RefundBeyondAmount => (StatusCode::BAD_REQUEST, "the refunds together would exceed the payment"),
            Self::RefundFinal => (StatusCode::CONFLICT, "the refund is final"),
        };
        (status, sentence.into())
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        let (status, sentence) = violation.ruling();
        Self { status, message: sentence.into_owned() }
    }
}
