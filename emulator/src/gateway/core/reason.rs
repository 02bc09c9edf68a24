//! Why a payment was not paid.

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// The values of `paymentErrorReason`.
    pub(crate) enum Reason {
        CustomerClick = "CUSTOMER_CLICK",
        FraudSuspected = "FRAUD_SUSPECTED",
        EshopCancelled = "ESHOP_CANCELLED",
        ProviderReport = "PROVIDER_REPORT",
        ProviderTimeout = "PROVIDER_TIMEOUT",
        CustomerTimeout = "CUSTOMER_TIMEOUT",
        AcsTimeout = "ACS_TIMEOUT",
        InvalidCardNoExpiry = "INVALID_CARDNO_EXPIRY",
        InvalidCvc = "INVALID_CVC",
        LimitExceeded = "LIMIT_EXCEEDED",
        NoFunds = "NO_FUNDS",
        RejectedByBank = "REJECTED_BY_BANK",
        ThreeDsAuthFail = "3DS_AUTH_FAIL",
        BankTimeout = "BANK_TIMEOUT",
        BankForbidden = "BANK_FORBIDDEN",
        TransactionCancelled = "TRANSACTION_CANCELLED",
        ThirdPartAppLimitExceeded = "3RDPART_APP_LIMIT_EXCEEDED",
        Unavailable = "UNAVAILABLE",
        BadAccountType = "BAD_ACCOUNT_TYPE",
        NotSpecified = "NOT_SPECIFIED",
    }
}
