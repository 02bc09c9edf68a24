//! The calls of a terminal, and the codes each may respond with.

use super::ClosingError;
use crate::common::Code;

/// One documented call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// Start a payment.
    Create,
    /// Ask for the state of a payment.
    Status,
    /// Reverse a payment.
    Cancel,
    /// Start a refund.
    RefundCreate,
    /// Ask for the state of a refund.
    RefundStatus,
    /// Reverse a refund.
    RefundCancel,
    /// Ask for the state of the terminal.
    State,
    /// Close the batch.
    Closing,
}

type Meanings = &'static [(Code, &'static str)];

const CREATE: Meanings = &[
    (Code::UNKNOWN_ERROR, "unknown error"),
    (Code::PRICE_UNSUPPORTED, "payment price not supported"),
    (Code::DATABASE, "database error"),
    (Code::UNKNOWN_SHOP, "unknown terminal"),
    (Code::WRONG_AMOUNT, "wrong amount"),
    (Code::CURRENCY, "unknown currency"),
    (Code::UNEXPECTED_RESULT, "unexpected result from database"),
    (Code::BAD_REQUEST, "bad request"),
    (Code::UNEXPECTED, "unexpected error"),
];
/// "Same list, with 1107 meaning refund price not supported."
const REFUND_CREATE: Meanings = &[
    (Code::UNKNOWN_ERROR, "unknown error"),
    (Code::PRICE_UNSUPPORTED, "refund price not supported"),
    (Code::DATABASE, "database error"),
    (Code::UNKNOWN_SHOP, "unknown terminal"),
    (Code::WRONG_AMOUNT, "wrong amount"),
    (Code::CURRENCY, "unknown currency"),
    (Code::UNEXPECTED_RESULT, "unexpected result from database"),
    (Code::BAD_REQUEST, "bad request"),
    (Code::UNEXPECTED, "unexpected error"),
];
const QUERY: Meanings = &[
    (Code::UNKNOWN_ERROR, "unknown error"),
    (Code::DATABASE, "database error"),
    (Code::BAD_REQUEST, "wrong query"),
    (Code::UNEXPECTED, "unexpected error"),
];
const CANCEL: Meanings = &[(Code::BAD_REQUEST, "cannot be changed to cancelled")];
const CLOSING: Meanings = &[(Code::UNEXPECTED, ClosingError::Busy.as_str())];

impl Call {
    /// Every call, under its name in `gateway.fails`.
    pub(crate) const NAMED: [(&'static str, Self); 8] = [
        ("terminal.create", Self::Create),
        ("terminal.status", Self::Status),
        ("terminal.cancel", Self::Cancel),
        ("terminal.refund.create", Self::RefundCreate),
        ("terminal.refund.status", Self::RefundStatus),
        ("terminal.refund.cancel", Self::RefundCancel),
        ("terminal.state", Self::State),
        ("terminal.closing", Self::Closing),
    ];

    /// The name of the operation.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, call)| *call == self).map_or("terminal", |(name, _)| name)
    }

    /// The error codes documented for this call, with their meanings. Those of the terminal's state are not
    /// shown; it shares those of the other queries.
    pub(crate) const fn errors(self) -> &'static [(Code, &'static str)] {
        match self {
            Self::Create => CREATE,
            Self::RefundCreate => REFUND_CREATE,
            Self::Status | Self::RefundStatus | Self::State => QUERY,
            Self::Cancel | Self::RefundCancel => CANCEL,
            Self::Closing => CLOSING,
        }
    }

    /// What a code means where it is documented for this call.
    pub(crate) fn meaning(self, code: Code) -> Option<&'static str> {
        self.errors().iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(call: Call) -> Vec<u16> {
        call.errors().iter().map(|(code, _)| code.number()).collect()
    }

    #[test]
    fn the_codes_are_those_of_the_document() {
        let creation = [1100, 1107, 1200, 1301, 1309, 1310, 1399, 1400, 1500];
        assert_eq!((numbers(Call::Create), numbers(Call::RefundCreate)), (creation.to_vec(), creation.to_vec()));
        assert_eq!((numbers(Call::Status), numbers(Call::RefundStatus)), (vec![1100, 1200, 1400, 1500], vec![1100, 1200, 1400, 1500]));
        assert_eq!((numbers(Call::Cancel), numbers(Call::RefundCancel)), (vec![1400], vec![1400]));
        assert_eq!(numbers(Call::Closing), [1500]);
    }

    #[test]
    fn a_price_out_of_bounds_reads_differently_for_payments_and_refunds() {
        assert_eq!(Call::Create.meaning(Code::PRICE_UNSUPPORTED), Some("payment price not supported"));
        assert_eq!(Call::RefundCreate.meaning(Code::PRICE_UNSUPPORTED), Some("refund price not supported"));
    }
}
