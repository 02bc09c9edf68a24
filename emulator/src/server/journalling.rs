//! Requests that go into the journal, with their responses.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, Request, Response, Uri, header};
use http_body::{Frame, SizeHint};
use jiff::Timestamp;

use super::read_short::read_short;
use crate::base::journal::{JournalBody, JournalEntry, LONGEST};
use crate::base::sync::lock;
use crate::routing::world_of;
use crate::wire::Disconnected;
use crate::world::Worlds;

/// The beginning of a body; none once it is longer than what is kept.
type BodyCopy = Arc<Mutex<Option<BytesMut>>>;

/// A request whose response is awaited.
pub(super) struct JournalledRequest {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: BodyCopy,
    at: Timestamp,
    since: Instant,
}

impl JournalledRequest {
    /// Begins with a request, whose body is copied as it is read.
    pub(super) fn new<B>(request: &mut Request<CopiedBody<B>>) -> Self {
        let body = BodyCopy::new(Mutex::new(Some(BytesMut::new())));
        request.body_mut().copy = Some(Arc::clone(&body));
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let kept = [header::CONTENT_TYPE, header::AUTHORIZATION];
        let headers = kept.into_iter().filter_map(|name| Some((name.clone(), request.headers().get(name)?.clone()))).collect();
        Self { method, uri, headers, body, at: Timestamp::now(), since: Instant::now() }
    }

    /// Adds the request with its response, which is returned as it was.
    pub(super) async fn finish(
        self,
        worlds: &Worlds,
        response: Result<Response<Body>, Disconnected>,
    ) -> Result<Response<Body>, Disconnected> {
        let Some(journal) = worlds.journal() else { return response };
        let milliseconds = self.since.elapsed().as_secs_f64() * 1e3;
        let (response, kept) = match response {
            Ok(response) => {
                let (response, bytes) = read_short(response).await;
                let kept = (response.status(), JournalBody::new(response.headers(), bytes));
                (Ok(response), Some(kept))
            }
            Err(disconnected) => (Err(disconnected), None),
        };
        let bytes = lock(&self.body).take().map(BytesMut::freeze);
        journal.add(JournalEntry {
            world: world_of(self.uri.path()).to_owned(),
            at: self.at,
            method: self.method,
            authorization: self.headers.get(header::AUTHORIZATION).cloned(),
            request: JournalBody::new(&self.headers, bytes),
            uri: self.uri,
            response: kept,
            milliseconds,
        });
        response
    }
}

/// A body that is copied as it is read, if it goes into the journal.
pub(super) struct CopiedBody<B> {
    body: B,
    copy: Option<BodyCopy>,
}

impl<B> CopiedBody<B> {
    /// A body of which no copy is kept.
    pub(super) const fn new(body: B) -> Self {
        Self { body, copy: None }
    }
}

impl<B: http_body::Body<Data = Bytes> + Unpin> http_body::Body for CopiedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let (Some(copy), Poll::Ready(Some(Ok(frame)))) = (&self.copy, &polled)
            && let Some(data) = frame.data_ref()
        {
            let mut copy = lock(copy);
            if copy.as_ref().is_some_and(|copied| copied.len() + data.len() > LONGEST) {
                *copy = None;
            } else if let Some(copied) = copy.as_mut() {
                copied.extend_from_slice(data);
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
