//! The bodies of responses, for those who watch.

use axum::body::Body;
use bytes::Bytes;
use http::Response;
use http_body::Body as _;
use http_body_util::{BodyExt as _, Collected};

use crate::base::journal::LONGEST;

/// A response as it was, and its body; none of a longer one, which is a file.
pub(super) async fn read_short(response: Response<Body>) -> (Response<Body>, Option<Bytes>) {
    let (head, body) = response.into_parts();
    if body.size_hint().exact().is_none_or(|length| length > LONGEST as u64) {
        return (Response::from_parts(head, body), None);
    }
    let bytes = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    (Response::from_parts(head, Body::from(bytes.clone())), Some(bytes))
}
