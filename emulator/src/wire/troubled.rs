//! A call of an API whose troubles are placed in the world: disconnections before, stalls after it.

use bytes::Bytes;

use super::Reply;
use super::body::{self, BodyError};
use crate::gateway::wire::Disconnected;
use crate::world::Faults;

/// Reads the body, lets what is placed happen, and answers.
pub(crate) async fn answer<B, O: Copy + PartialEq, R: Clone + PartialEq>(
    faults: &Faults<O, R>,
    operation: O,
    body: B,
    reply: impl FnOnce(Result<Bytes, BodyError>) -> Reply,
) -> Result<Reply, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // The body is read even if nobody is going to answer it: bytes left unread would turn the close into a reset.
    let body = body::read(body).await;
    if faults.disconnects(operation) {
        return Err(Disconnected);
    }
    let reply = reply(body);
    if let Some(pause) = faults.stall(operation) {
        tokio::time::sleep(pause).await;
    }
    Ok(reply)
}
