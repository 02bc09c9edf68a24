//! The calls of the QR payment API.

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// A call, by the name of its operation.
    pub(crate) enum Call {
        Authenticate = "qr.authenticate",
        AuthPing = "qr.auth-ping",
        Ping = "qr.ping",
        Methods = "qr.methods",
        Create = "qr.create",
        Status = "qr.status",
        Cancel = "qr.cancel",
        ChangeMethod = "qr.change-method",
        Extend = "qr.extend",
        CreateRefund = "qr.refund.create",
        RefundStatus = "qr.refund.status",
    }
}
