//! A request as the bytes of HTTP/1.1.

use std::io::Write as _;

use bytes::{BufMut as _, Bytes, BytesMut};
use http::Request;
use http::header::CONTENT_LENGTH;

/// The bytes of a head besides its target and its headers, at most.
const LINES: usize = 120;
/// The bytes of a header beside name and value.
const AROUND: usize = 4;

/// A request as it is written, byte for byte as hyper writes it.
pub(crate) fn written(request: &Request<Bytes>) -> Bytes {
    let (headers, body) = (request.headers(), request.body());
    let target = request.uri();
    let length: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + AROUND).sum();
    let target_length = target.path_and_query().map_or(1, |target| target.as_str().len());
    let mut bytes = BytesMut::with_capacity(LINES + target_length + length + body.len());
    bytes.put_slice(request.method().as_str().as_bytes());
    // Writing to memory does not fail.
    let _ = write!((&mut bytes).writer(), " {target} HTTP/1.1\r\n");
    for (name, value) in headers {
        bytes.put_slice(name.as_str().as_bytes());
        bytes.put_slice(b": ");
        bytes.put_slice(value.as_bytes());
        bytes.put_slice(b"\r\n");
    }
    if !body.is_empty() && !headers.contains_key(CONTENT_LENGTH) {
        let _ = write!((&mut bytes).writer(), "{CONTENT_LENGTH}: {}\r\n", body.len());
    }
    bytes.put_slice(b"\r\n");
    bytes.put_slice(body);
    bytes.freeze()
}
