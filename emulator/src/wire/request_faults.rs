//! Faults of the connection, placed in a world: a call gets no response, or a late one.

use bytes::Bytes;

use super::body::{self, BodyError, RequestBody};
use crate::world::Faults;

/// The call gets no response: its connection is to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("disconnected by a fault placed in the world")]
pub(crate) struct Disconnected;

/// Reads the body and responds, unless a fault meets the operation. Calls outside of the documents are no operation, and no
/// fault meets them.
pub(crate) async fn respond<O: Copy + PartialEq, R: Clone + PartialEq, T>(
    faults: &Faults<O, R>,
    operation: Option<O>,
    body: impl RequestBody,
    response: impl FnOnce(Result<Bytes, BodyError>) -> T,
) -> Result<T, Disconnected> {
    // The body is read even if there is no response: bytes left unread would turn the close into a reset.
    let body = body::read(body).await;
    if operation.is_some_and(|operation| faults.take_disconnection(operation)) {
        return Err(Disconnected);
    }
    let response = response(body);
    if let Some(pause) = operation.and_then(|operation| faults.take_stall(operation)) {
        tokio::time::sleep(pause).await;
    }
    Ok(response)
}
