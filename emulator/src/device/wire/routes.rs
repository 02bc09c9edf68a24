//! The routes of the device API. All paths but those of activation, authentication and configuration are not shown in the
//! document; they are assumed.

use http::Method;

use crate::device::core::Call;
use crate::wire::{Endpoint, Route};

impl Endpoint for Call {
    const API: &'static str = "device";

    fn operation_name(self) -> &'static str {
        self.as_str()
    }
}

/// Every path of the device API.
pub(crate) static ROUTES: &[Route<Call>] = &[
    Route { path: "/pos/pokladna-api/activate", methods: &[(Method::POST, Call::Activate)] },
    Route { path: "/pos/pokladna-api/authenticate", methods: &[(Method::POST, Call::Authenticate)] },
    Route { path: "/pos/pokladna-api/config", methods: &[(Method::GET, Call::Config)] },
    Route { path: "/pos/pokladna-api/transactions", methods: &[(Method::GET, Call::PaymentCodes), (Method::POST, Call::Transactions)] },
    Route { path: "/pos/pokladna-api/closings", methods: &[(Method::POST, Call::Closings)] },
    Route { path: "/pos/pokladna-api/logs", methods: &[(Method::POST, Call::Logs)] },
    Route { path: "/pos/pokladna-api/catalog", methods: &[(Method::GET, Call::Catalog)] },
    Route { path: "/pos/pokladna-api/ping", methods: &[(Method::GET, Call::Ping)] },
    // There are no other paths.
    Route { path: "/pos/pokladna-api/{*path?}", methods: &[] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_path() {
        let mut calls: Vec<_> = ROUTES.iter().flat_map(|route| route.methods).map(|(_, call)| call.as_str()).collect();
        calls.sort_unstable();
        let mut all: Vec<_> = Call::ALL.iter().map(|call| call.as_str()).collect();
        all.sort_unstable();
        assert_eq!(calls, all);
    }
}
