//! The routes of the status API.

use http::Method;

use crate::base::wire_enum::wire_enum;
use crate::wire::{Endpoint, Route};

wire_enum! {
    /// A call of the status API, by the name of its operation.
    pub(crate) enum Call {
        /// Outages: current, planned and recently resolved:
        Outages = "status.outages",
        /// The health of the gateway:
        Health = "status.health",
    }
}

impl Endpoint for Call {
    const API: &'static str = "status";

    fn operation_name(self) -> &'static str {
        self.as_str()
    }
}

/// Every path of the status API.
pub(crate) static ROUTES: &[Route<Call>] = &[
    Route { path: "/outages", methods: &[(Method::GET, Call::Outages)] },
    Route { path: "/health", methods: &[(Method::GET, Call::Health)] },
];
