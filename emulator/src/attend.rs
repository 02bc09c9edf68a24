//! A call is attended to: its body is read, the faults of the wire happen, it is answered.

use bytes::Bytes;

use crate::gateway::wire::Disconnected;
use crate::wire::body::{self, BodyError};
use crate::world::{Operation, World};

/// Answers a call. Calls outside of the documents are no operation, and no fault meets them.
pub(crate) async fn attend<B, R>(
    world: &World,
    operation: Option<Operation>,
    body: B,
    answer: impl FnOnce(Result<Bytes, BodyError>) -> R,
) -> Result<R, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // The body is read even if nobody is going to answer it: bytes left unread would turn the close into a reset.
    let body = body::read(body).await;
    if operation.is_some_and(|operation| world.faults().disconnects(operation)) {
        return Err(Disconnected);
    }
    let reply = answer(body);
    if let Some(pause) = operation.and_then(|operation| world.faults().stall(operation)) {
        tokio::time::sleep(pause).await;
    }
    Ok(reply)
}
