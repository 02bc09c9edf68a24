//! What can be wrong with a call. The document shows few HTTP statuses; [`Violation::ruling`] is the one place where we
//! choose the others.

use std::borrow::Cow;

/// The HTTP status of an error, by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// 400: the request makes no sense.
    Invalid,
    /// 401: who calls is not known, or not any longer.
    Unauthorized,
    /// 403: it belongs to another merchant.
    Forbidden,
    /// 404: it isn't there.
    NotFound,
    /// 409: it can't happen in this state.
    Conflict,
}

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
    pub(crate) fn ruling(self) -> (Status, Cow<'static, str>) {
        let (status, sentence) = match self {
            Self::Unreadable(why) => (Status::Invalid, why),
            Self::Missing(field) => return (Status::Invalid, format!("{field} is required").into()),
            Self::Malformed(field) => return (Status::Invalid, format!("{field} has no valid value").into()),
            Self::WrongCredentials => (Status::Unauthorized, "user or password is wrong"),
            Self::NoToken => (Status::Unauthorized, "a valid token is required: authenticate first"),
            Self::TokenExpired => (Status::Unauthorized, "the token has expired: authenticate again"),
            Self::ForeignMerchant => (Status::Forbidden, "the token is not valid for this merchant or terminal"),
            Self::ForeignPayment => (Status::Forbidden, "the payment is another merchant's"),
            Self::AmountTooLow => (Status::Invalid, "amount is at least 1, in minor units"),
            Self::UnknownCurrency => (Status::Invalid, "currency is CZK or EUR"),
            Self::UnknownLanguage => (Status::Invalid, "lang is cs, sk or en"),
            Self::UnknownMethod => (Status::Invalid, "method is none of those offered in this currency"),
            Self::AmountUnsupported => (Status::Invalid, "the method does not support this amount"),
            Self::VariableSymbolTooLong => (Status::Invalid, "variableSymbol has up to 128 bytes"),
            Self::VariableSymbolWithNul => (Status::Invalid, "variableSymbol can't hold a NUL character"),
            Self::CreatedMalformed => (Status::Invalid, "created is a time in ISO 8601"),
            Self::NoteTooLong => (Status::Invalid, "note has up to 1000 characters"),
            Self::PaymentNotFound => (Status::NotFound, "there is no such payment"),
            Self::RefundNotFound => (Status::NotFound, "there is no such refund of this payment"),
            Self::Final => (Status::Conflict, "the payment is final"),
            Self::ExtensionOfCancelled => (Status::Invalid, "the payment is cancelled: late money goes through the refund process"),
            Self::NotPaid => (Status::Conflict, "only a paid payment can be refunded"),
            Self::RefundBeyondAmount => (Status::Invalid, "the refunds together would exceed the payment"),
            Self::RefundFinal => (Status::Conflict, "the refund is final"),
        };
        (status, sentence.into())
    }
}
