//! The calls of the device API.

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// A call, by the name of its operation.
    pub(crate) enum Call {
        Activate = "device.activate",
        Authenticate = "device.authenticate",
        Config = "device.config",
        PaymentCodes = "device.payment-codes",
        Transactions = "device.transactions",
        Closings = "device.closings",
        Logs = "device.logs",
        Catalog = "device.catalog",
        Ping = "device.ping",
    }
}
