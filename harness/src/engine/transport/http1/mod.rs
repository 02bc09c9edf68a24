//! A connection of HTTP/1.1, driven by the task of the user whose request is under way.
//!
//! Most responses are ordinary: a complete head with a length, and a body of that length. Such an exchange is written and read
//! here, with one buffer and no state machine. As soon as anything else shows, [hyper](library) takes over the exchange where it is and
//! keeps the connection, so that every other response is read by its rules alone.

mod begun;
mod library;
mod ordinary;

use std::sync::atomic::AtomicBool;

use super::reply::{FailedAttempt, Reply};
use crate::engine::client::Stream;
use crate::engine::request::ConnectionRequest;
use library::Library;
use ordinary::{Exchanged, Ordinary};

/// An open connection of HTTP/1.1.
pub(super) struct Http1(Reader);

/// Who writes and reads.
enum Reader {
    Ordinary(Ordinary),
    Library(Library),
    /// The library has refused to take over.
    Over,
}

impl Http1 {
    /// Begins HTTP/1.1 on a stream.
    pub(super) fn open(stream: Box<dyn Stream>) -> Self {
        Self(Reader::Ordinary(Ordinary::new(stream)))
    }

    /// One exchange, and whether the connection is over after it; `began` is set once the head of the response has arrived.
    pub(super) async fn exchange(
        &mut self,
        request: &ConnectionRequest,
        most: usize,
        began: &AtomicBool,
    ) -> Result<(Reply, bool), FailedAttempt> {
        if let Reader::Ordinary(ordinary) = &mut self.0 {
            match ordinary.exchange(request, most, began).await? {
                Exchanged::Whole(reply, over) => return Ok((reply, over)),
                Exchanged::Begun { written } => self.hand_over(written).await?,
            }
        }
        match &mut self.0 {
            Reader::Library(library) => library.exchange(request.to_http(), most, began).await,
            Reader::Ordinary(_) | Reader::Over => Err(FailedAttempt::Unsent),
        }
    }

    /// Gives the library the exchange that has begun.
    async fn hand_over(&mut self, written: usize) -> Result<(), FailedAttempt> {
        if let Reader::Ordinary(ordinary) = std::mem::replace(&mut self.0, Reader::Over) {
            self.0 = Reader::Library(Library::open(ordinary.begun(written)).await.map_err(FailedAttempt::Failed)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
