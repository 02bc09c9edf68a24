//! What can be wrong with a request, and the code that says so. The document lists the codes of each call but seldom
//! ties one to a rule; [`Violation::ruling`] is the one place where we do.

use std::fmt;

use crate::common::expiration::ExpirationError;
use crate::common::{Code, Country, Currency, Refusal};

/// A rule of the document that a request breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Violation {
    /// A required field is not there, or empty.
    Missing(&'static str),
    /// A field has another type than documented, or a value that is none of the allowed ones.
    Malformed(&'static str),
    /// The label is missing or empty.
    LabelMissing,
    /// The label is longer than 16 characters.
    LabelTooLong,
    /// The price is not an int32.
    PriceMalformed,
    /// An amount of HUF that doesn't end with 00.
    PriceNotWhole,
    /// Below the minimum or above the maximum of the currency.
    PriceOutOfBounds(Currency),
    /// No such currency.
    UnknownCurrency,
    /// CZ, SK or PL with a currency that is not theirs.
    CountryAgainstCurrency(Country, Currency),
    /// The method is missing.
    MethodMissing,
    /// The method expression can't be read or names an unknown method.
    MethodUnknown,
    /// The same in tolerant worlds, with the code that public clients know for it. The document does not list it.
    MethodUnknownTolerant,
    /// The expression, in this country, leaves no method to choose from.
    MethodNone,
    /// The merchant may not use what was chosen.
    MethodNotAllowed,
    /// Every method that could be chosen has an outage.
    MethodsOut,
    /// A pre-authorization, an initiation or a verification without a card.
    NotByCard,
    /// Recurring payments are not enabled for the merchant.
    RecurringDisabled,
    /// Pre-authorizations are not enabled for the merchant.
    PreauthDisabled,
    /// The language is none of the allowed ones.
    UnknownLanguage,
    /// The category is none of the allowed ones.
    UnknownCategory,
    /// The account is none of the merchant's.
    UnknownAccount,
    /// Neither e-mail nor phone.
    NoContact,
    /// A delivery address without home delivery.
    AddressWithoutHomeDelivery,
    /// The expiration isn't an integer and one unit.
    ExpirationMalformed,
    /// The expiration is below 30 minutes or above 7 days.
    ExpirationOutOfBounds,
    /// Fees of unregulated cards are passed on without the approval of the service.
    FeesNotApproved,
    /// The merchant may not create payments in this mode.
    ModeNotAllowed,
    /// No such merchant.
    UnknownMerchant,
    /// The secret is missing or wrong.
    WrongSecret,
    /// The caller's address is not among the allowed ones.
    AddressNotAllowed,
    /// No such payment of this merchant.
    PaymentNotFound,
    /// Only a pending payment can be cancelled.
    NotPending,
    /// A paid payment has to be refunded instead of cancelled.
    AlreadyPaid,
    /// Only a paid payment can be refunded.
    NotPaid,
    /// Nothing is left to refund of a cancelled payment.
    RefundOfCancelled,
    /// The refunds together would exceed the payment.
    RefundBeyondPrice,
    /// An amount that is not a positive int32.
    AmountMalformed,
    /// An amount of HUF that doesn't end with 00.
    AmountNotWhole,
    /// A capture of more than was reserved.
    CaptureBeyondPrice,
    /// Only an authorized payment can be captured or released.
    NotAuthorized,
    /// The same in tolerant worlds, with the code that public clients take for it. The document shows none.
    NotAuthorizedTolerant,
    /// The initiation payment is unknown, foreign, not paid, or was not created as one.
    InitiationNotFound,
    /// A recurring payment below the minimum.
    RecurringPriceTooLow,
    /// A simulated result of a payment that is not a test payment.
    NotATest,
    /// A real refund of a test payment.
    RealRefundOfTest,
    /// The request itself can't be read.
    Unreadable(&'static str),
}

/// The documents show no table of methods, so a client may know others than this emulator.
const UNKNOWN_METHOD: &str = "a method of it is not known here, or it is not names joined with + and taken out with -; \
     `methods` lists those known, `tolerant: true` takes others too";

impl Violation {
    /// The code for this violation, with a sentence for people. The meanings that the document gives the codes
    /// are in [`Code::meaning`].
    pub(crate) fn ruling(self) -> (Code, &'static str) {
        match self {
            Self::Missing(_) => (Code::BAD_REQUEST, "a required field is missing"),
            Self::Malformed(_) => (Code::BAD_REQUEST, "a field has no valid value"),
            Self::LabelMissing => (Code::DESCRIPTION_MISSING, "label is required"),
            Self::LabelTooLong => (Code::BAD_REQUEST, "label has 1 to 16 characters"),
            Self::PriceMalformed => (Code::WRONG_AMOUNT, "price is an integer in minor units"),
            Self::PriceNotWhole => (Code::WRONG_AMOUNT, "a price in HUF ends with 00"),
            Self::PriceOutOfBounds(_) => (Code::PRICE_UNSUPPORTED, "price is out of the bounds of its currency"),
            Self::UnknownCurrency => (Code::CURRENCY, "curr is one of CZK, EUR, PLN, HUF, USD, GBP, RON, NOK, SEK"),
            Self::CountryAgainstCurrency(..) => (Code::BAD_REQUEST, "country does not match curr (omitted means CZ)"),
            Self::MethodMissing => (Code::METHOD_CHOICE, "method is required; ALL lets the payer choose"),
            Self::MethodUnknown => (Code::METHOD_WRONG, UNKNOWN_METHOD),
            Self::MethodUnknownTolerant => (Code::METHOD_INVALID, "names in capitals are joined with + and taken out with -"),
            Self::MethodNone => (Code::METHOD_CHOICE, "no method is left to choose from in this country"),
            Self::MethodNotAllowed => (Code::METHOD_NOT_ALLOWED, "this e-shop or payment can't use the method"),
            Self::MethodsOut => (Code::BANK_SIDE, "the methods are affected by an outage"),
            Self::NotByCard => (Code::NOT_RECURRING_METHOD, "pre-authorized and recurring payments are made by card"),
            Self::RecurringDisabled => (Code::RECURRING_DISABLED, "the service is enabled on request"),
            Self::PreauthDisabled => (Code::METHOD_NOT_ALLOWED, "this e-shop can't pre-authorize"),
            Self::UnknownLanguage => (Code::LANGUAGE, "lang is an ISO 639-1 code of the documented list"),
            Self::UnknownCategory => (Code::CATEGORY, "category is PHYSICAL_GOODS_ONLY or OTHER"),
            Self::UnknownAccount => (Code::ACCOUNT, "account is none of this e-shop"),
            Self::NoContact => (Code::BAD_REQUEST, "email or phone is required"),
            Self::AddressWithoutHomeDelivery => (Code::BAD_REQUEST, "homeDelivery fields are filled only when delivery=HOME_DELIVERY"),
            Self::ExpirationMalformed => (Code::BAD_REQUEST, "expirationTime is an integer and one unit: m, h or d"),
            Self::ExpirationOutOfBounds => (Code::BAD_REQUEST, "expirationTime is between 30 minutes and 7 days"),
            Self::FeesNotApproved => (Code::BAD_REQUEST, "chargeUnregulatedCardFees needs an approval"),
            Self::ModeNotAllowed => (Code::BAD_REQUEST, "this e-shop can't create payments in this mode"),
            Self::UnknownMerchant => (Code::UNKNOWN_SHOP, "merchant is not known"),
            Self::WrongSecret => (Code::BAD_REQUEST, "unauthorized access"),
            Self::AddressNotAllowed => (Code::BAD_REQUEST, "unauthorized access from this address"),
            Self::PaymentNotFound => (Code::BAD_REQUEST, "payment not found"),
            Self::NotPending => (Code::BAD_REQUEST, "payment is not pending"),
            Self::AlreadyPaid => (Code::BAD_REQUEST, "payment is paid already, use a refund instead"),
            Self::NotPaid => (Code::BAD_REQUEST, "only a paid payment can be refunded"),
            Self::RefundOfCancelled => (Code::REFUND_OF_CANCELLED, "nothing was paid"),
            Self::RefundBeyondPrice => (Code::AMOUNT_EXCEEDED, "the refunds together would exceed the payment"),
            Self::AmountMalformed => (Code::BAD_REQUEST, "amount is a positive integer in minor units"),
            Self::AmountNotWhole => (Code::BAD_REQUEST, "an amount in HUF ends with 00"),
            Self::CaptureBeyondPrice => (Code::AMOUNT_EXCEEDED, "only what was reserved can be captured"),
            Self::NotAuthorized => (Code::BAD_REQUEST, "payment is not authorized"),
            Self::NotAuthorizedTolerant => (Code::REFUND_OF_CANCELLED, "payment is not authorized"),
            Self::InitiationNotFound => (Code::INITIATION_NOT_FOUND, "it has to be paid, and created with initRecurring=true"),
            Self::RecurringPriceTooLow => (Code::WRONG_AMOUNT, "a recurring payment is at least 10 CZK"),
            Self::NotATest => (Code::BAD_REQUEST, "only test payments can be simulated"),
            Self::RealRefundOfTest => (Code::BAD_REQUEST, "a test payment can be refunded only by a test refund"),
            Self::Unreadable(why) => (Code::BAD_REQUEST, why),
        }
    }
}

impl From<ExpirationError> for Violation {
    fn from(error: ExpirationError) -> Self {
        match error {
            ExpirationError::Malformed => Self::ExpirationMalformed,
            ExpirationError::OutOfBounds => Self::ExpirationOutOfBounds,
        }
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self { code: violation.ruling().0, message: violation.to_string() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, sentence) = self.ruling();
        let meaning = code.meaning();
        match self {
            Self::Missing(field) => write!(f, "{meaning}: {field} is required"),
            Self::Malformed(field) => write!(f, "{meaning}: {field} has no valid value"),
            Self::PriceOutOfBounds(currency) => {
                let bounds = currency.bounds();
                write!(f, "{meaning}: price in {} is {} to {} minor units", currency.as_str(), bounds.start(), bounds.end())
            }
            Self::CountryAgainstCurrency(country, currency) => {
                write!(f, "{meaning}: country {} (CZ when omitted) does not go with {}", country.code(), currency.as_str())
            }
            _ => write!(f, "{meaning}: {sentence}"),
        }
    }
}
