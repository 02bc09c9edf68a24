//! Exchanges for the tests of the runner.

use std::time::Duration;

use crate::wire::exchange::{Body, Coding, Decoded, Direction, Exchange, ExchangeOutcome, Request, Response};

/// A call that got this status and this body in JSON.
pub(super) fn responded(operation: &str, status: u16, body: &str) -> Exchange {
    let decoded = Decoded::decode(Coding::from_media_type("application/json"), body.as_bytes());
    let body = Body { text: body.to_owned(), decoded, ..Body::default() };
    Exchange {
        number: 0,
        direction: Direction::Call,
        operation: operation.to_owned(),
        identity: "main".to_owned(),
        request: Request::default(),
        outcome: ExchangeOutcome::Response(Response { status, headers: Vec::new(), body }),
        elapsed: Duration::ZERO,
        arrived: 0,
    }
}
