//! Errors in the settings of a merchant.

/// An error in the settings of a merchant. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MerchantError {
    /// The identifier is empty.
    #[error("a merchant needs an identifier: fill `merchant`")]
    NoIdentifier,
    /// The country is not two capital letters.
    #[error("country `{0}` is not a country code of two capital letters")]
    Country(String),
    /// The fee is no number of minor units.
    #[error("fee `{0}` is not a number of minor units")]
    Fee(String),
    /// The expiration is malformed or out of bounds.
    #[error("expiration `{0}` is not between 30m and 7d, in m, h or d")]
    Expiration(String),
    /// A method is unknown.
    #[error("`methods` names an unknown method: {}", .0.join(", "))]
    Methods(Vec<String>),
    /// A list names a value that the documents don't.
    #[error("`{setting}` names `{unknown}`, which the documents do not list")]
    Listed {
        /// The setting.
        setting: &'static str,
        /// The value.
        unknown: String,
    },
    /// The URL of notifications can't be parsed.
    #[error("notification-url `{0}` is not a URL")]
    NotificationUrl(String),
    /// The URL of notifications is relative, or of another scheme.
    #[error("notification-url `{0}` is not an absolute http or https URL")]
    NotificationScheme(String),
    /// The URL of notifications has a user name or a password.
    #[error("notification-url is http:// or https://, without user name and password")]
    NotificationLogin,
    /// The outcome of Apple Pay is unknown.
    #[error("apple-pay-outcome `{outcome}` is none of {known}")]
    ApplePayOutcome {
        /// The outcome as given.
        outcome: String,
        /// The outcomes of the document.
        known: String,
    },
    /// The state of the terminal is unknown.
    #[error("terminal-status `{status}` is none of {known}")]
    TerminalStatus {
        /// The state as given.
        status: String,
        /// The states of the document.
        known: String,
    },
}

impl MerchantError {
    /// The setting that it is about.
    pub(crate) fn setting(&self) -> &'static str {
        match self {
            Self::NoIdentifier => "merchant",
            Self::Country(_) => "country",
            Self::Fee(_) => "fee",
            Self::Expiration(_) => "expiration",
            Self::Methods(_) => "methods",
            Self::Listed { setting, .. } => setting,
            Self::NotificationUrl(_) | Self::NotificationScheme(_) | Self::NotificationLogin => "notification-url",
            Self::ApplePayOutcome { .. } => "apple-pay-outcome",
            Self::TerminalStatus { .. } => "terminal-status",
        }
    }
}
