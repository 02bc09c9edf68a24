//! What was ordered.

use super::Currency;

/// "A value of at most 10 digits is also stored in the payment's own variable-symbol column."
const COLUMN_DIGITS: usize = 10;

/// What was ordered, and by whom. It never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    /// The identifier of the merchant whose book its money is entered in.
    pub(crate) merchant: String,
    /// The merchant the token was bound to.
    pub(crate) mid: String,
    /// Its terminal.
    pub(crate) terminal: String,
    /// Whether that is a test terminal.
    pub(crate) test: bool,
    /// The merchant's reference.
    pub(crate) ref_id: Option<String>,
    /// Minor units.
    pub(crate) amount: i64,
    pub(crate) currency: Currency,
    /// As sent.
    pub(crate) created: Option<String>,
    /// Entered by the operator.
    pub(crate) variable_symbol: Option<String>,
}

impl Order {
    /// "Column Client ID" of the merchant statement: the operator's symbol when filled, else the reference.
    pub(crate) fn client_id(&self) -> Option<&str> {
        self.variable_symbol.as_deref().filter(|symbol| !symbol.is_empty()).or(self.ref_id.as_deref())
    }

    /// The payment's own variable-symbol column.
    pub(crate) fn symbol_column(&self) -> Option<&str> {
        let fits = |symbol: &&str| (1..=COLUMN_DIGITS).contains(&symbol.len()) && symbol.bytes().all(|byte| byte.is_ascii_digit());
        self.variable_symbol.as_deref().filter(fits)
    }
}
