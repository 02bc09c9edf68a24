//! How the users of a load come to connections: each opens its own, or all share a number of connections of HTTP/2.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Mutex;
use url::{Origin, Url};

use super::http1::Http1;
use super::http2::Http2;
use super::reply::{FailedAttempt, Failure, Reply};
use crate::engine::client::{Connector, SpokenOver};
use crate::engine::request::ConnectionRequest;
use crate::wire::exchange::{HttpVersion, TransportFailureKind};

/// Opens connections to one target. Its copies share what is shared.
#[derive(Clone)]
pub(crate) struct Connections {
    connector: Connector,
    shared: Option<Arc<Shared>>,
}

/// Connections that all users share.
struct Shared {
    slots: Vec<Slot>,
    /// Users take the slots in turn.
    next: AtomicUsize,
}

/// One open connection to each address.
type Slot = Mutex<Vec<(Origin, Http2)>>;

impl Connections {
    /// Each user opens its own.
    pub(crate) fn own(connector: Connector) -> Self {
        Self { connector, shared: None }
    }

    /// All users share `count` connections where HTTP/2 is spoken; over HTTP/1.1 each opens its own.
    pub(crate) fn share(&mut self, count: usize) {
        let slots = (0..count.max(1)).map(|_| Mutex::default()).collect();
        self.shared = Some(Arc::new(Shared { slots, next: AtomicUsize::new(0) }));
    }

    /// Which of the shared connections a further user takes.
    pub(super) fn next_slot(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.next.fetch_add(1, Ordering::Relaxed) % shared.slots.len().max(1))
    }

    /// The connections that were opened, and what was spoken on them.
    pub(crate) fn spoken(&self) -> Vec<SpokenOver> {
        self.connector.spoken()
    }

    /// Opens a connection, or shares one that is open.
    pub(super) async fn open(&self, base: &Url, slot: usize) -> Result<Open, Failure> {
        let shared = self.shared.as_ref().filter(|_| self.connector.may_speak_http2(base));
        let Some(slot) = shared.and_then(|shared| shared.slots.get(slot)) else { return connect(&self.connector, base).await };
        let mut slot = slot.lock().await;
        slot.retain(|(_, connection)| !connection.is_over());
        if let Some((_, connection)) = slot.iter().find(|(origin, _)| *origin == base.origin()) {
            return Ok(Open::Two(connection.clone()));
        }
        let open = connect(&self.connector, base).await?;
        if let Open::Two(connection) = &open {
            slot.push((base.origin(), connection.clone()));
        }
        Ok(open)
    }
}

/// An open connection.
pub(super) enum Open {
    One(Http1),
    Two(Http2),
}

async fn connect(connector: &Connector, base: &Url) -> Result<Open, Failure> {
    // A connection that was not opened in time is no slow response: no request was sent.
    let unopened = |error: std::io::Error| Failure { kind: TransportFailureKind::Connect, detail: error.to_string() };
    let (stream, http) = connector.connect(base).await.map_err(unopened)?;
    match http {
        HttpVersion::Two => Http2::open(stream, Arc::clone(connector.counts())).await.map(Open::Two),
        HttpVersion::One => Ok(Open::One(Http1::open(stream))),
    }
}

impl Open {
    /// One exchange, and whether the connection is over after it; `began` is set once the head of the response has arrived.
    pub(super) async fn exchange(
        &mut self,
        request: &ConnectionRequest,
        base: &Url,
        most: usize,
        began: &AtomicBool,
    ) -> Result<(Reply, bool), FailedAttempt> {
        match self {
            Self::One(http1) => http1.exchange(request, most, began).await,
            Self::Two(http2) => {
                let reply = http2.exchange(base, request.to_http(), most, began).await?;
                Ok((reply, http2.is_over()))
            }
        }
    }
}
