//! The routes of the QR payment API. The paths of the method list, the change of method, the extension and the creation of a
//! refund are not shown in the document; they are assumed.

use http::Method;

use crate::qr::core::Call;
use crate::wire::{self, Route};

/// What is behind a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// A call of the API.
    Call(Call),
    /// The file of a logo.
    Logo,
}

impl wire::Endpoint for Endpoint {
    const API: &'static str = "qr";

    fn operation_name(self) -> &'static str {
        match self {
            Self::Call(call) => call.as_str(),
            Self::Logo => "qr.logo",
        }
    }
}

/// Every path under `/pos/` but those of the device API.
pub(crate) static ROUTES: &[Route<Endpoint>] = &[
    Route { path: "/pos/auth-api/authenticate", methods: &[(Method::POST, Endpoint::Call(Call::Authenticate))] },
    Route { path: "/pos/auth-api/ping", methods: &[(Method::GET, Endpoint::Call(Call::AuthPing))] },
    Route { path: "/pos/qr-api/ping", methods: &[(Method::GET, Endpoint::Call(Call::Ping))] },
    Route { path: "/pos/qr-api/methods", methods: &[(Method::POST, Endpoint::Call(Call::Methods))] },
    Route { path: "/pos/qr-api/payment", methods: &[(Method::POST, Endpoint::Call(Call::Create))] },
    Route { path: "/pos/qr-api/payment/{transId?}", methods: &[(Method::GET, Endpoint::Call(Call::Status))] },
    Route { path: "/pos/qr-api/payment/{transId}/cancel", methods: &[(Method::POST, Endpoint::Call(Call::Cancel))] },
    Route { path: "/pos/qr-api/payment/{transId}/method", methods: &[(Method::POST, Endpoint::Call(Call::ChangeMethod))] },
    Route { path: "/pos/qr-api/payment/{transId}/extend", methods: &[(Method::POST, Endpoint::Call(Call::Extend))] },
    Route { path: "/pos/qr-api/payment/{transId}/refund", methods: &[(Method::POST, Endpoint::Call(Call::CreateRefund))] },
    Route { path: "/pos/qr-api/payment/{transId}/refund/{transRefundId?}", methods: &[(Method::GET, Endpoint::Call(Call::RefundStatus))] },
    Route { path: "/pos/qr-api/logo/{*file?}", methods: &[(Method::GET, Endpoint::Logo), (Method::HEAD, Endpoint::Logo)] },
    // Nothing else is there.
    Route { path: "/pos/{*path?}", methods: &[] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_path() {
        let endpoints = ROUTES.iter().flat_map(|route| route.methods).map(|(_, endpoint)| *endpoint);
        let mut calls: Vec<_> = endpoints
            .filter_map(|endpoint| match endpoint {
                Endpoint::Call(call) => Some(call.as_str()),
                Endpoint::Logo => None,
            })
            .collect();
        calls.sort_unstable();
        let mut all: Vec<_> = Call::ALL.iter().map(|call| call.as_str()).collect();
        all.sort_unstable();
        assert_eq!(calls, all);
    }
}
