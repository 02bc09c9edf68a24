//! The calls of a terminal, and the codes each may respond with.

use super::ClosingError;
use crate::base::wire_enum::wire_enum;
use crate::common::Code;

wire_enum! {
    /// A call, by the name of its operation.
    pub(crate) enum Call {
        /// Starts a payment:
        Create = "terminal.create",
        /// Reads the state of a payment:
        Status = "terminal.status",
        /// Reverses a payment:
        Cancel = "terminal.cancel",
        /// Starts a refund:
        RefundCreate = "terminal.refund.create",
        /// Reads the state of a refund:
        RefundStatus = "terminal.refund.status",
        /// Reverses a refund:
        RefundCancel = "terminal.refund.cancel",
        /// Reads the state of the terminal:
        State = "terminal.state",
        /// Closes the batch:
        Closing = "terminal.closing",
    }
}

type Meanings = &'static [(Code, &'static str)];

const CREATE: Meanings = &creation_errors("payment price not supported");
/// "Same list, with 1107 meaning refund price not supported."
const REFUND_CREATE: Meanings = &creation_errors("refund price not supported");
const QUERY: Meanings = &[
    (Code::UNKNOWN_ERROR, "unknown error"),
    (Code::DATABASE, "database error"),
    (Code::BAD_REQUEST, "wrong query"),
    (Code::UNEXPECTED, "unexpected error"),
];
const CANCEL: Meanings = &[(Code::BAD_REQUEST, "cannot be changed to cancelled")];
const CLOSING: Meanings = &[(Code::UNEXPECTED, ClosingError::Busy.as_str())];

const fn creation_errors(price_unsupported: &'static str) -> [(Code, &'static str); 9] {
    [
        (Code::UNKNOWN_ERROR, "unknown error"),
        (Code::PRICE_UNSUPPORTED, price_unsupported),
        (Code::DATABASE, "database error"),
        (Code::UNKNOWN_SHOP, "unknown terminal"),
        (Code::WRONG_AMOUNT, "wrong amount"),
        (Code::CURRENCY, "unknown currency"),
        (Code::UNEXPECTED_RESULT, "unexpected result from database"),
        (Code::BAD_REQUEST, "bad request"),
        (Code::UNEXPECTED, "unexpected error"),
    ]
}

impl Call {
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
