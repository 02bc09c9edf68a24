//! Where a caller thinks the emulator is.

use http::header;
use http::request::Parts;

/// Host and port the request was made to.
pub(crate) fn of(head: &Parts) -> &str {
    let authority = head.uri.authority().map(http::uri::Authority::as_str);
    let header = || head.headers.get(header::HOST)?.to_str().ok();
    authority.or_else(header).filter(|host| is_host(host)).unwrap_or("localhost")
}

/// A host header is hostile too: it ends up in a URL.
fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b))
}
