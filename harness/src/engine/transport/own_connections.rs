//! The connections of one virtual user, for everything that it records.
//!
//! A client that all users share would have to find a free connection for every request, and to wake the task that drives it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use url::{Origin, Url};

use super::connection::Connection;
use super::connections::Connections;
use super::{Records, exchange_of};
use crate::engine::request::PreparedRequest;
use crate::spec::contract::Operation;
use crate::wire::exchange::{Exchange, MAX_BODY_BYTES};

/// A connection of a user, for one request at a time.
pub(crate) type OwnConnection = Arc<tokio::sync::Mutex<Connection>>;

/// Kept-alive connections, one for each address.
pub(crate) struct OwnConnections {
    connections: Connections,
    /// How long a whole exchange may take.
    within: Duration,
    known: Mutex<Vec<(Origin, OwnConnection)>>,
}

impl OwnConnections {
    /// Opens nothing yet.
    pub(crate) fn new(connections: Connections, within: Duration) -> Self {
        Self { connections, within, known: Mutex::default() }
    }

    /// The connection to the host of a URL, opened on first use.
    pub(crate) fn to(&self, url: &Url) -> OwnConnection {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let origin = url.origin();
        if let Some((_, connection)) = known.iter().find(|(known, _)| *known == origin) {
            return Arc::clone(connection);
        }
        let connection = OwnConnection::new(Connection::new(self.connections.clone(), url.clone(), self.within).into());
        known.push((origin, Arc::clone(&connection)));
        connection
    }

    /// Sends a request and records the outcome. None if the client must send it: the response may be too long to be held in
    /// memory, or the request cannot be written.
    pub(crate) async fn send(&self, operation: &Operation, request: &PreparedRequest, records: Records<'_>) -> Option<Exchange> {
        if operation.largest > MAX_BODY_BYTES {
            return None;
        }
        let sent = request.to_connection().ok()?;
        let (elapsed, response) = self.to(request.url()).lock().await.send(&sent, operation.largest).await;
        Some(exchange_of(operation, request, sent.headers(), (response.as_ref(), elapsed), records))
    }
}
