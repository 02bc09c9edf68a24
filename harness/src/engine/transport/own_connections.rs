//! The connections of one virtual user, for everything that it records.
//!
//! A client that all users share would have to find a free connection for every request, and to wake the task that drives it.

use std::time::Duration;

use tokio::sync::Mutex;
use url::Origin;

use super::connection::Connection;
use super::connections::Connections;
use super::{Records, exchange_of};
use crate::engine::request::PreparedRequest;
use crate::spec::contract::Operation;
use crate::wire::exchange::{Exchange, MAX_BODY_BYTES};

/// Kept-alive connections, one for each address.
pub(crate) struct OwnConnections {
    connections: Connections,
    /// How long a whole exchange may take.
    within: Duration,
    open: Mutex<Vec<(Origin, Connection)>>,
}

impl OwnConnections {
    /// Opens nothing yet.
    pub(crate) fn new(connections: Connections, within: Duration) -> Self {
        Self { connections, within, open: Mutex::default() }
    }

    /// Sends a request and records the outcome. None if the client must send it: the response may be too long to be held in
    /// memory, or the request cannot be written.
    pub(crate) async fn send(&self, operation: &Operation, request: &PreparedRequest, records: Records<'_>) -> Option<Exchange> {
        if operation.largest > MAX_BODY_BYTES {
            return None;
        }
        let sent = request.to_connection().ok()?;
        let mut open = self.open.lock().await;
        let origin = request.url().origin();
        let known = open.iter().position(|(known, _)| *known == origin);
        let mut connection = match known {
            Some(place) => open.swap_remove(place).1,
            None => Connection::new(self.connections.clone(), request.url().clone(), self.within),
        };
        let (elapsed, response) = connection.send(&sent, operation.largest).await;
        open.push((origin, connection));
        Some(exchange_of(operation, request, sent.headers(), (response.as_ref(), elapsed), records))
    }
}
