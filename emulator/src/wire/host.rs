//! The host that a request was made to.

use http::header;
use http::request::Parts;

/// Host and port that the request was made to.
pub(super) fn host(head: &Parts) -> &str {
    let authority = head.uri.authority().map(http::uri::Authority::as_str);
    let header = || head.headers.get(header::HOST)?.to_str().ok();
    authority.or_else(header).filter(|host| is_host(host)).unwrap_or("localhost")
}

/// A host ends up in a URL, so hostile ones are refused.
fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b))
}
