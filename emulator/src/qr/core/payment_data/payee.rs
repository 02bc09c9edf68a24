//! The accounts that QR payments are paid to.

/// Where the money goes: an account of the service, which passes it on to the merchant.
pub(super) struct PayeeAccount {
    pub(super) name: &'static str,
    pub(super) iban: &'static str,
    pub(super) bic: &'static str,
}

/// The account number is the example of the Czech IBAN registry entry.
pub(super) const CZECH: PayeeAccount = PayeeAccount { name: "Paycheck", iban: "CZ6508000000192000145399", bic: "GIBACZPX" };
/// The account number is the example of the Slovak IBAN registry entry.
pub(super) const SLOVAK: PayeeAccount = PayeeAccount { name: "Paycheck", iban: "SK3112000000198742637541", bic: "BSLOSK22" };
