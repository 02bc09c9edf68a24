//! Errors in the settings of a world. The messages say what to do.

use crate::common::freedoms::FreedomError;
use crate::common::merchant::MerchantError;

/// An error in the settings of a world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The name has characters that a path can't carry, or is too long.
    #[error("`{0}` can't name a world: use 1 to 64 letters, digits, dots, dashes and underscores")]
    Name(String),
    /// The status of errors is no HTTP status.
    #[error("error-status {0} is not an HTTP status between 200 and 599")]
    ErrorStatus(u16),
    /// There is an error in the settings of a merchant.
    #[error(transparent)]
    Merchant(#[from] MerchantError),
    /// Two merchants have the same identifier.
    #[error("the merchant {0} is described twice")]
    MerchantTwice(String),
    /// Two merchants have the same login of the terminal.
    #[error("two merchants have a terminal {0}: give them logins of their own")]
    TerminalTwice(String),
    /// Two merchants have the same identifier in the QR payment API.
    #[error("two merchants have the mid {0}: give them mids of their own")]
    MidTwice(String),
    /// The certificates to trust can't be used.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A shop connection can't be registered.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    /// A freedom can't be chosen.
    #[error(transparent)]
    Freedom(#[from] FreedomError),
}

/// Certificates that can't be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The text is not PEM.
    #[error("`trust` is not PEM: {0}")]
    NotPem(String),
    /// A certificate can't be read.
    #[error("`trust` holds a certificate that can't be read: {0}")]
    BadCertificate(String),
    /// There is no certificate in the text.
    #[error("`trust` holds no certificate: give it in PEM, from -----BEGIN CERTIFICATE----- on")]
    NoCertificate,
}

/// A shop connection that can't be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    /// There is no number left for it.
    #[error("there are too many connections")]
    TooMany,
    /// Its serial number or activation code is in use.
    #[error("{field} `{name}` belongs to another connection of this world")]
    NameTaken {
        /// `serialNumber` or `activationCode`.
        field: &'static str,
        /// The name as given.
        name: String,
    },
    /// There is no such shop of this merchant.
    #[error("connection {0}, whose shop it is to join, is none of this merchant")]
    NoSuchShop(i64),
}
