//! The codes of the document, and which call may answer which.

/// A documented result code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(u16);

/// Code and meaning, as in the table of errors.
const MEANINGS: [(u16, &str); 26] = [
    (0, "OK"),
    (1100, "unknown error"),
    (1102, "language not supported"),
    (1103, "method wrongly given"),
    (1104, "payment cannot be loaded"),
    (1107, "payment price not supported"),
    (1200, "database error"),
    (1301, "unknown e-shop"),
    (1303, "connection or language missing"),
    (1304, "invalid category"),
    (1305, "product description missing"),
    (1306, "choose the correct method"),
    (1308, "chosen payment method not allowed"),
    (1309, "wrong amount"),
    (1310, "unknown currency"),
    (1311, "invalid client bank account identifier"),
    (1316, "e-shop has no recurring payments enabled"),
    (1317, "invalid method, does not support recurring"),
    (1318, "initiation payment not found"),
    (1319, "payment cannot be created, problem on the bank side"),
    (1320, "invalid e-mail for recurring payment"),
    (1399, "unexpected result from database"),
    (1400, "bad request"),
    (1401, "refunded payment is in state CANCELLED"),
    (1402, "amount exceeds the allowed amount"),
    (1500, "unexpected error"),
];

macro_rules! codes {
    ($($name:ident = $number:literal),+ $(,)?) => {
        impl Code {
            $(#[doc = concat!("Code ", stringify!($number), ".")] pub const $name: Self = Self($number);)+
        }
    };
}

codes! {
    OK = 0, UNKNOWN_ERROR = 1100, LANGUAGE = 1102, METHOD_WRONG = 1103, PRICE_UNSUPPORTED = 1107, DATABASE = 1200, UNKNOWN_SHOP = 1301,
    CATEGORY = 1304, DESCRIPTION_MISSING = 1305, METHOD_CHOICE = 1306, METHOD_NOT_ALLOWED = 1308, WRONG_AMOUNT = 1309, CURRENCY = 1310,
    ACCOUNT = 1311, RECURRING_DISABLED = 1316, NOT_RECURRING_METHOD = 1317, INITIATION_NOT_FOUND = 1318, BANK_SIDE = 1319,
    UNEXPECTED_RESULT = 1399, BAD_REQUEST = 1400, REFUND_OF_CANCELLED = 1401, AMOUNT_EXCEEDED = 1402, UNEXPECTED = 1500,
}

impl Code {
    /// The number on the wire.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The words of the document.
    pub fn meaning(self) -> &'static str {
        MEANINGS.iter().find(|(number, _)| *number == self.0).map_or("unknown error", |(_, words)| words)
    }
}

/// One documented call of the gateway, whichever interface version it is made through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Create a payment.
    Create,
    /// Ask for the state of a payment.
    Status,
    /// Cancel a pending payment.
    Cancel,
    /// Return money of a paid payment.
    Refund,
    /// Return money of a terminal payment.
    RefundPos,
    /// Pay again without the payer.
    Recurring,
    /// Take reserved money.
    CapturePreauth,
    /// Release reserved money.
    CancelPreauth,
}

impl Call {
    /// The error codes documented for this call. Those of the v1.0 status call are not shown; it shares those of v2.0.
    pub const fn errors(self) -> &'static [u16] {
        match self {
            Self::Create => &[
                1100, 1102, 1103, 1104, 1107, 1200, 1301, 1303, 1304, 1305, 1306, 1308, 1309, 1310, 1311, 1316, 1317, 1319, 1399, 1400,
                1500,
            ],
            Self::Status => &[1100, 1200, 1400, 1500],
            Self::Cancel => &[1400],
            Self::Recurring => &[
                1100, 1102, 1103, 1104, 1200, 1301, 1303, 1304, 1305, 1308, 1309, 1310, 1311, 1316, 1317, 1318, 1319, 1320, 1399, 1400,
                1500,
            ],
            // Not shown. These are about money of an existing payment too, so they share the codes of the refund.
            Self::RefundPos | Self::CapturePreauth | Self::CancelPreauth => &[1100, 1200, 1400, 1401, 1402, 1500],
            Self::Refund => &[1100, 1200, 1400, 1401, 1402, 1500],
        }
    }

    /// Reads one of the error codes documented for this call.
    pub fn error(self, number: u16) -> Option<Code> {
        self.errors().contains(&number).then_some(Code(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_error_has_a_meaning() {
        for call in [
            Call::Create,
            Call::Status,
            Call::Cancel,
            Call::Refund,
            Call::Recurring,
            Call::RefundPos,
            Call::CapturePreauth,
            Call::CancelPreauth,
        ] {
            for number in call.errors() {
                assert!(MEANINGS.iter().any(|(known, _)| known == number), "{call:?} {number}");
            }
        }
    }

    #[test]
    fn a_code_of_another_call_is_refused() {
        assert_eq!(Call::Cancel.error(1401), None);
        assert_eq!(Call::Refund.error(1401), Some(Code::REFUND_OF_CANCELLED));
    }
}
