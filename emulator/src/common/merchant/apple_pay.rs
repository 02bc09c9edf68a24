//! The outcome of an Apple Pay transaction.

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// "Bank outcome of an Apple Pay transaction."
    pub(crate) enum ApplePayOutcome {
        Paid = "PAID",
        Pending = "PENDING",
        Failed = "FAILED",
        BankReject = "BANK-REJECT",
    }
}
