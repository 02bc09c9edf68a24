//! What may be wrong with an `x-format`.

use crate::wire::expression::ExpressionError;

/// The names of formats in contracts.
const NAMES: [&str; 7] = ["csv", "abo", "zip", "base64", "spayd", "epc", "pay-by-square"];

/// Why an `x-format` can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// It is no mapping with one key.
    #[error("an `x-format` is a mapping of one of {}", NAMES.join(", "))]
    NoMapping,
    /// It names an unknown format.
    #[error("there is no format `{name}`; there are {}", NAMES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The options are no mapping.
    #[error("the options of a format are a mapping")]
    NoOptions,
    /// The format has no such option.
    #[error("the format has no option `{option}`; there are {}", .known.join(", "))]
    UnknownOption {
        /// The option.
        option: String,
        /// The options of the format.
        known: &'static [&'static str],
    },
    /// The separator is not one ASCII character.
    #[error("a `separator` is one character of ASCII")]
    Separator,
    /// A mark in amounts is none.
    #[error("amounts have `,` or `.` before the decimals and `,`, `.`, `'` or a space, another one, between thousands")]
    Amounts,
    /// A format that depends on the request has no default.
    #[error("an `x-format` that depends on the request needs a `default`")]
    NoDefault,
    /// The charset is neither a name nor a mapping.
    #[error("a `charset` is a name or a mapping with `from`")]
    Charset,
    /// A charset that depends on the request does not say on what.
    #[error("a `charset` that depends on the request needs `from`")]
    CharsetFrom,
    /// There is no such charset.
    #[error("there is no charset `{0}`")]
    UnknownCharset(String),
    /// Files in this charset can't be read line by line.
    #[error("files in `{0}` are not read")]
    UnreadableCharset(String),
    /// The expression names no place in a request.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
}
