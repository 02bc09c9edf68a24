//! The routes of the status API.

use http::Method;

use crate::wire::Route;

/// A call of the status API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// Outages: current, planned and recently resolved.
    Outages,
    /// The health of the gateway.
    Health,
}

impl Call {
    /// The name of the operation.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Outages => "status.outages",
            Self::Health => "status.health",
        }
    }
}

/// Every path of the status API.
pub(crate) static ROUTES: &[Route<Call>] = &[
    Route { path: "/outages", methods: &[(Method::GET, Call::Outages)] },
    Route { path: "/health", methods: &[(Method::GET, Call::Health)] },
];
