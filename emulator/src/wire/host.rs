//! The host that a request was made to.

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, header};

/// Host and port that the request was made to, if it says so.
pub(super) fn host(head: &Parts) -> Option<&str> {
    let authority = head.uri.authority().map(Authority::as_str);
    let header = || head.headers.get(header::HOST)?.to_str().ok();
    authority.or_else(header).filter(|host| is_host(host))
}

/// A host ends up in a URL, so hostile ones are refused.
fn is_host(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b)) && text.parse::<Authority>().is_ok()
}

/// Whether a request of HTTP/1.1 names its host as it must: once, and by a host or nothing (RFC 9112, section 3.2).
pub(crate) fn is_named(headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(header::HOST).iter();
    let is_valid = named.next().and_then(|host| host.to_str().ok()).is_some_and(|host| host.is_empty() || is_host(host));
    is_valid && named.next().is_none()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_host_is_named_once_and_is_one() {
        let named = |hosts: &[&'static str]| {
            let headers = hosts.iter().map(|host| (header::HOST, HeaderValue::from_static(host)));
            is_named(&headers.collect())
        };
        for host in ["127.0.0.1:8080", "[::1]:8080", "shop.example", "localhost", ""] {
            assert!(named(&[host]), "{host}");
        }
        for hosts in [&[] as &[_], &["a", "a"], &["a b"], &["127.0.0.1/x"], &["user@shop.example"], &["[::1"]] {
            assert!(!named(hosts), "{hosts:?}");
        }
    }
}
