//! Admission to the control API: of the pages in a browser, the console alone has it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::IntoResponse;
use http::{HeaderMap, HeaderName, Response, StatusCode, Uri, header};
use http_body::Body as _;

use super::error::ControlError;
use super::prefix::CONSOLE;
use crate::base::access::Access;
use crate::wire::body::is_of_type;

/// What a browser says about where a request comes from; a page can't change it.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Lets a request pass, or refuses it before any of its body is read.
pub(super) async fn admit(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response<Body> {
    match refusal(&access, (request.uri(), request.headers()), !request.body().is_end_stream()) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    }
}

/// Why a request is refused, if it is.
fn refusal(access: &Access, (uri, headers): (&Uri, &HeaderMap), has_body: bool) -> Option<ControlError> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let forbidden = |sentence: &str| Some(ControlError::new(StatusCode::FORBIDDEN, sentence));
    let host = text(&header::HOST);
    let mut hosts = headers.get_all(header::HOST).iter().map(|host| host.to_str().unwrap_or_default());
    // Another `Host`, or another name in the address, is no way around the first one.
    if hosts.any(|host| !access.knows(host)) || uri.authority().is_some_and(|authority| !access.knows(authority.as_str())) {
        return forbidden("this `Host` is no name of the emulator; `paycheck emulate --host NAME` adds one");
    }
    let is_own = |origin: &str| origin.split_once("://").is_some_and(|(_, authority)| Some(authority) == host);
    let origin = text(&header::ORIGIN);
    if origin.is_some_and(|origin| !is_own(origin)) || text(&FETCH_SITE).is_some_and(|site| site == "cross-site") {
        return forbidden("the control API takes nothing from the pages of other servers");
    }
    let is = |media_type: &str| headers.contains_key(header::CONTENT_TYPE) && is_of_type(headers, media_type);
    // A form is taken from the console alone: a browser says by `Origin` which page sends it.
    let is_of_console = uri.path().starts_with(CONSOLE) && origin.is_some() && is("application/x-www-form-urlencoded");
    let is_taken = !has_body || is("application/json") || is_of_console;
    (!is_taken).then(|| ControlError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send the body as `content-type: application/json`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(&str, &str)], has_body: bool) -> Option<u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        status_at("/", &map, has_body)
    }

    fn status_at(path: &'static str, headers: &HeaderMap, has_body: bool) -> Option<u16> {
        refusal(&Access::default(), (&Uri::from_static(path), headers), has_body).map(|refusal| refusal.into_response().status().as_u16())
    }

    #[test]
    fn pages_of_other_servers_are_refused() {
        let host = ("host", "127.0.0.1:8080");
        for foreign in [
            ("origin", "https://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:8081"),
            ("origin", "http://127.0.0.1:8080.evil.example"),
            ("sec-fetch-site", "cross-site"),
        ] {
            assert_eq!(status(&[host, foreign], false), Some(403), "{foreign:?}");
        }
        assert_eq!(status(&[("host", "rebound.example:8080")], false), Some(403));
        assert_eq!(status(&[host, ("host", "rebound.example:8080")], false), Some(403), "the second `Host`");
        let elsewhere = refusal(&Access::default(), (&Uri::from_static("http://rebound.example/"), &HeaderMap::new()), false);
        assert!(elsewhere.is_some());
        for own in [("origin", "http://127.0.0.1:8080"), ("sec-fetch-site", "same-origin"), ("accept", "*/*")] {
            assert_eq!(status(&[host, own], false), None, "{own:?}");
        }
    }

    #[test]
    fn a_body_that_a_form_could_send_is_refused() {
        for plain in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"] {
            assert_eq!(status(&[("content-type", plain)], true), Some(415), "{plain}");
        }
        assert_eq!(status(&[], true), Some(415));
        assert_eq!(status(&[("content-type", "application/json; charset=utf-8")], true), None);
        assert_eq!(status(&[], false), None);
    }

    #[test]
    fn a_form_comes_from_the_console_or_not_at_all() {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let (host, own) = (("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080"));
        let at = |path, pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap()));
            status_at(path, &pairs.collect(), true)
        };
        let console = "/__emulator/console/default";
        assert_eq!(at(console, &[host, own, form]), None);
        assert_eq!(at(console, &[host, form]), Some(415), "no browser says where it comes from");
        assert_eq!(at(console, &[host, own]), Some(415), "no type");
        for foreign in ["http://127.0.0.1:8081", "http://localhost:8080", "null", "https://evil.example"] {
            assert_eq!(at(console, &[host, ("origin", foreign), form]), Some(403), "{foreign}");
        }
        assert_eq!(at(console, &[("host", "rebound.example"), ("origin", "http://rebound.example"), form]), Some(403));
        assert_eq!(at("/__emulator/worlds/default/actions/payer.pays", &[host, own, form]), Some(415));
    }
}
