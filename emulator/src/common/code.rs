//! The result codes of the gateway document, which terminals and transfers share.

/// A result code: a documented one, or in tolerant worlds also [`Code::METHOD_INVALID`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code(u16);

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
            $(#[doc = concat!("Code ", stringify!($number), ".")] pub(crate) const $name: Self = Self($number);)+
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
    /// Code 1109, which public clients take for a method that is not known. No document has it.
    pub(crate) const METHOD_INVALID: Self = Self(1109);

    /// Finds a documented code.
    pub(crate) fn from_number(number: u16) -> Option<Self> {
        MEANINGS.iter().any(|(known, _)| *known == number).then_some(Self(number))
    }

    /// The number on the wire.
    pub(crate) const fn number(self) -> u16 {
        self.0
    }

    /// The meaning of the code in the document.
    pub(crate) fn meaning(self) -> &'static str {
        if self == Self::METHOD_INVALID {
            return "invalid payment method";
        }
        MEANINGS.iter().find(|(number, _)| *number == self.0).map_or("unknown error", |(_, meaning)| meaning)
    }
}
