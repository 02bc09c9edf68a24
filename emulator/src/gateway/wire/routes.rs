//! The routes of the gateway and of its payment pages.

use http::Method;

use crate::gateway::core::{Call, Interface};
use crate::wire::{self, Route};
use crate::world::Operation;

/// What is behind a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// A call of v1.0.
    V1(Call),
    /// A call of v2.0, about the payment in the path if it has one there.
    V2(Call),
    /// Creation by redirect, of the merchant in the path.
    Redirect,
    /// The table of methods.
    Methods(Interface),
    /// The merchant plays the payer of a test payment.
    Simulation(Interface),
    /// The page of a payment is shown.
    Show,
    /// A button on it is pressed.
    Press,
}

/// Every path of the gateway.
pub(crate) static ROUTES: &[Route<Endpoint>] = &[
    Route { path: "/v1.0/create", methods: &[(Method::POST, Endpoint::V1(Call::Create))] },
    Route { path: "/v1.0/status", methods: &[(Method::POST, Endpoint::V1(Call::Status))] },
    Route { path: "/v1.0/cancel", methods: &[(Method::POST, Endpoint::V1(Call::Cancel))] },
    Route { path: "/v1.0/refund", methods: &[(Method::POST, Endpoint::V1(Call::Refund))] },
    Route { path: "/v1.0/refundPos", methods: &[(Method::POST, Endpoint::V1(Call::RefundPos))] },
    Route { path: "/v1.0/recurring", methods: &[(Method::POST, Endpoint::V1(Call::Recurring))] },
    Route { path: "/v1.0/capturePreauth", methods: &[(Method::POST, Endpoint::V1(Call::CapturePreauth))] },
    Route { path: "/v1.0/cancelPreauth", methods: &[(Method::POST, Endpoint::V1(Call::CancelPreauth))] },
    Route { path: "/v1.0/methods", methods: &[(Method::POST, Endpoint::Methods(Interface::V1))] },
    Route { path: "/v1.0/simulation", methods: &[(Method::POST, Endpoint::Simulation(Interface::V1))] },
    Route { path: "/v2.0/payment.json", methods: &[(Method::POST, Endpoint::V2(Call::Create))] },
    Route {
        path: "/v2.0/payment/transId/{transId?}.json",
        methods: &[(Method::GET, Endpoint::V2(Call::Status)), (Method::DELETE, Endpoint::V2(Call::Cancel))],
    },
    Route { path: "/v2.0/refund.json", methods: &[(Method::POST, Endpoint::V2(Call::Refund))] },
    Route { path: "/v2.0/refundPos.json", methods: &[(Method::POST, Endpoint::V2(Call::RefundPos))] },
    Route { path: "/v2.0/recurring.json", methods: &[(Method::POST, Endpoint::V2(Call::Recurring))] },
    Route {
        path: "/v2.0/preauth/transId/{transId?}.json",
        methods: &[(Method::PUT, Endpoint::V2(Call::CapturePreauth)), (Method::DELETE, Endpoint::V2(Call::CancelPreauth))],
    },
    Route {
        path: "/v2.0/paymentRedirect/merchant/{*merchant?}",
        methods: &[(Method::GET, Endpoint::Redirect), (Method::POST, Endpoint::Redirect)],
    },
    Route { path: "/v2.0/method.json", methods: &[(Method::GET, Endpoint::Methods(Interface::V2))] },
    Route { path: "/v2.0/simulation.json", methods: &[(Method::POST, Endpoint::Simulation(Interface::V2))] },
    Route {
        path: "/{transId}",
        methods: &[(Method::GET, Endpoint::Show), (Method::HEAD, Endpoint::Show), (Method::POST, Endpoint::Press)],
    },
];

/// The interface whose syntax a wrong method is refused in.
pub(super) fn interface(route: &Route<Endpoint>) -> Interface {
    route.methods.first().map_or(Interface::V2, |(_, endpoint)| endpoint.interface())
}

impl wire::Endpoint for Endpoint {
    const API: &'static str = "gateway";

    fn operation_name(self) -> &'static str {
        match self {
            Self::V1(call) => call.operation_name(Interface::V1),
            Self::V2(call) => call.operation_name(Interface::V2),
            Self::Redirect => "gateway.v2.paymentRedirect",
            Self::Methods(_) => "gateway.methods",
            Self::Simulation(_) => "gateway.simulation",
            Self::Show | Self::Press => "gateway.page",
        }
    }
}

impl Endpoint {
    /// The interface whose syntax an unreadable body is refused in.
    pub(super) const fn interface(self) -> Interface {
        match self {
            Self::V1(_) => Interface::V1,
            Self::Methods(interface) | Self::Simulation(interface) => interface,
            Self::V2(_) | Self::Redirect | Self::Show | Self::Press => Interface::V2,
        }
    }

    /// The operation that faults know it by; the calls outside of the documents have none.
    pub(super) const fn operation(self) -> Option<Operation> {
        match self {
            Self::V1(call) => Some(Operation::Gateway { interface: Interface::V1, call }),
            Self::V2(call) => Some(Operation::Gateway { interface: Interface::V2, call }),
            Self::Redirect => Some(Operation::Gateway { interface: Interface::V2, call: Call::Create }),
            Self::Methods(_) | Self::Simulation(_) | Self::Show | Self::Press => None,
        }
    }
}
