//! Changes of the transport of a response or a notification.

use super::body::sent;
use super::candidate::Candidate;
use super::wire::{ANOTHER, Damage, carried, is_text};
use crate::base::place::Place;
use crate::wire::exchange::{Direction, Exchange, TransportFailureKind};

/// Statuses that replace that of a response.
const STATUSES: [u16; 12] = [200, 201, 202, 204, 302, 400, 401, 403, 404, 409, 500, 503];

/// Media types that replace the stated one.
const MEDIA_TYPES: [&str; 4] =
    ["application/json", "application/x-www-form-urlencoded", "text/html; charset=utf-8", "application/octet-stream"];

/// Headers of the connection, which are no part of the API.
const OF_THE_CONNECTION: [&str; 6] = ["content-length", "connection", "transfer-encoding", "host", "keep-alive", "accept"];

/// Every change of the transport.
pub(super) fn candidates(exchange: &Exchange) -> Vec<Candidate> {
    let mut candidates = headers(exchange);
    if sent(exchange).is_some_and(is_text) {
        candidates.extend(Damage::ALL.map(|damage| Candidate::bytes(exchange.direction.message(), damage)));
        let fields = sent(exchange).and_then(|body| body.value()?.as_object());
        let place = |name: &String| Place::field(exchange.direction.message(), name);
        candidates.extend(fields.into_iter().flat_map(|fields| fields.keys().map(place)).map(Candidate::repeated));
    }
    if exchange.direction == Direction::Call
        && let Some(response) = exchange.response()
    {
        candidates.extend(STATUSES.into_iter().filter(|status| *status != response.status).map(Candidate::status));
        candidates
            .extend([TransportFailureKind::Timeout, TransportFailureKind::Broken, TransportFailureKind::TooLarge].map(Candidate::fails));
    }
    candidates
}

fn headers(exchange: &Exchange) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (name, value) in carried(exchange).iter().filter(|(name, _)| !OF_THE_CONNECTION.contains(&name.as_str())) {
        let place = Place::header(exchange.direction.message(), name.as_str());
        let others: Vec<&'static str> = match name.as_str() {
            "content-type" => MEDIA_TYPES.into_iter().filter(|other| !essence(other).eq_ignore_ascii_case(essence(value))).collect(),
            _ => vec![ANOTHER],
        };
        let values = [None].into_iter().chain(others.into_iter().map(Some));
        candidates.extend(values.map(|value| Candidate::header(place.clone(), value)));
    }
    candidates
}

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}
