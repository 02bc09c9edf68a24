//! What is asked, by method and path. All paths but those of activation, authentication and configuration are not shown
//! in the document; they are assumed.

use http::Method;

use crate::words::words;

words! {
    /// A call, by the name that faults know it by.
    pub(crate) enum DeviceCall {
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

/// Why nothing is asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Astray {
    /// The path is none of the API's.
    Path,
    /// The path takes another method.
    Method,
}

/// Reads method and path, of which `/pos/pokladna-api/` is gone.
pub(super) fn ask(method: &Method, path: &str) -> Result<DeviceCall, Astray> {
    let calls: &[(Method, DeviceCall)] = match path {
        "activate" => &[(Method::POST, DeviceCall::Activate)],
        "authenticate" => &[(Method::POST, DeviceCall::Authenticate)],
        "config" => &[(Method::GET, DeviceCall::Config)],
        "transactions" => &[(Method::GET, DeviceCall::PaymentCodes), (Method::POST, DeviceCall::Transactions)],
        "closings" => &[(Method::POST, DeviceCall::Closings)],
        "logs" => &[(Method::POST, DeviceCall::Logs)],
        "catalog" => &[(Method::GET, DeviceCall::Catalog)],
        "ping" => &[(Method::GET, DeviceCall::Ping)],
        _ => return Err(Astray::Path),
    };
    calls.iter().find(|(taken, _)| taken == method).map(|(_, call)| *call).ok_or(Astray::Method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_path() {
        let paths = ["activate", "authenticate", "config", "transactions", "closings", "logs", "catalog", "ping"];
        let mut calls: Vec<_> =
            paths.iter().flat_map(|path| [Method::GET, Method::POST].map(|method| ask(&method, path).ok())).flatten().collect();
        calls.sort_by_key(|call| call.word());
        let mut all = DeviceCall::ALL.to_vec();
        all.sort_by_key(|call| call.word());
        assert_eq!(calls, all);
    }

    #[test]
    fn other_paths_and_methods_ask_for_nothing() {
        for path in ["", "configs", "config/", "activate/1"] {
            assert_eq!(ask(&Method::GET, path), Err(Astray::Path), "{path}");
        }
        assert_eq!(ask(&Method::GET, "activate"), Err(Astray::Method));
        assert_eq!(ask(&Method::PUT, "transactions"), Err(Astray::Method));
    }
}
