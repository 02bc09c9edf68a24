//! The routes of the card terminal.

use http::Method;

use crate::terminal::core::Call;
use crate::wire::{Endpoint, Route};

impl Endpoint for Call {
    const API: &'static str = "terminal";

    fn operation_name(self) -> &'static str {
        self.as_str()
    }
}

/// Every path of the terminal.
pub(crate) static ROUTES: &[Route<Call>] = &[
    Route { path: "/v2.0/terminalPayment.json", methods: &[(Method::POST, Call::Create)] },
    Route { path: "/v2.0/terminalPayment/transId/{transId}.json", methods: &[(Method::GET, Call::Status), (Method::DELETE, Call::Cancel)] },
    Route { path: "/v2.0/terminalRefund.json", methods: &[(Method::POST, Call::RefundCreate)] },
    Route {
        path: "/v2.0/terminalRefund/transId/{transId}.json",
        methods: &[(Method::GET, Call::RefundStatus), (Method::DELETE, Call::RefundCancel)],
    },
    Route { path: "/v2.0/terminal.json", methods: &[(Method::GET, Call::State)] },
    Route { path: "/v2.0/terminalClosing.json", methods: &[(Method::POST, Call::Closing)] },
];
