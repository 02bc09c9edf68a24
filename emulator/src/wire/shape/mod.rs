//! Gives finished responses and notifications the shape that a world has chosen among the freedoms of the documents. A world
//! that has chosen nothing never comes here.

mod fields;
mod identifiers;
pub(crate) mod numbers;
mod paths;
mod pieces;
mod syntax;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;

pub(crate) use self::identifiers::IdentifierSpelling;
use self::pieces::Pieces;
use self::syntax::Syntax;
use crate::common::freedoms::{Behaviour, CallResult, Change, Freedoms, Spelling};
use crate::wire::json;

/// The responses of an operation, in the shape that is chosen.
pub(crate) async fn response(freedoms: &Freedoms, operation: &str, response: Response<Body>) -> Response<Body> {
    let (head, body) = response.into_parts();
    // The bodies are the emulator's own and never break off.
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let mut shaped = Shaped::new(head.status, head.headers, bytes);
    freedoms.changes(operation).for_each(|change| shaped.apply(change));
    let (status, mut headers, bytes) = shaped.finish();
    let is_numbered = operation.starts_with("qr.") && freedoms.include(Behaviour::QrIdsNumbers);
    let bytes = if is_numbered { numbers::outward(&String::from_utf8_lossy(&bytes)).into() } else { bytes };
    let bytes = outside(freedoms, &mut headers, bytes);
    let body = if freedoms.include(Behaviour::Chunked) { Body::new(Pieces::new(bytes)) } else { Body::from(bytes) };
    let mut response = Response::from_parts(head_of(status), body);
    *response.headers_mut() = headers;
    response
}

/// Identifiers as they are outside of the world.
fn outside(freedoms: &Freedoms, headers: &mut http::HeaderMap, bytes: Bytes) -> Bytes {
    let Some(identifiers) = IdentifierSpelling::chosen_in(freedoms) else { return bytes };
    let location = headers.get(header::LOCATION).map(|location| identifiers.outward(location.as_bytes()));
    if let Some(location) = location.and_then(|location| HeaderValue::from_bytes(&location).ok()) {
        headers.insert(header::LOCATION, location);
    }
    // A file is no text: a similar string in it is no identifier.
    let is_text = headers.get(header::CONTENT_TYPE).is_none_or(|media_type| !media_type.as_bytes().ends_with(b"zip"));
    if is_text { identifiers.outward(&bytes) } else { bytes }
}

fn head_of(status: StatusCode) -> http::response::Parts {
    let mut response = Response::new(());
    *response.status_mut() = status;
    response.into_parts().0
}

/// A notification in the shape that is chosen: its headers and its body.
pub(crate) fn notification(freedoms: &Freedoms, operation: &str, media_type: &'static str, bytes: Bytes) -> (http::HeaderMap, Bytes) {
    let headers = http::HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(media_type))]);
    let mut shaped = Shaped::new(StatusCode::OK, headers, bytes);
    freedoms.changes(operation).for_each(|change| shaped.apply(change));
    let (_, mut headers, bytes) = shaped.finish();
    let bytes = outside(freedoms, &mut headers, bytes);
    (headers, bytes)
}

/// A message that is being changed.
struct Shaped {
    status: StatusCode,
    headers: http::HeaderMap,
    bytes: Bytes,
    syntax: Option<Syntax>,
    /// The body, once it was read.
    body: Option<Value>,
    changed: bool,
    spelling: Option<Spelling>,
}

impl Shaped {
    fn new(status: StatusCode, headers: http::HeaderMap, bytes: Bytes) -> Self {
        let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let syntax = Syntax::from_media_type(media_type);
        let body = syntax.and_then(|syntax| syntax.read(&bytes));
        Self { status, headers, bytes, syntax, body, changed: false, spelling: None }
    }

    fn apply(&mut self, change: &Change) {
        if !self.is_meant_by(change) {
            return;
        }
        if let Some(body) = &mut self.body {
            fields::apply(change, body);
            self.changed = true;
        } else if let Some(body) = &change.body {
            (self.body, self.syntax, self.changed) = (Some(body.clone()), Some(Syntax::Json), true);
            self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(json::MEDIA_TYPE));
        }
        if let Some(page) = &change.page {
            (self.body, self.bytes) = (None, Bytes::from(page.clone()));
            self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        }
        if change.empty {
            (self.body, self.bytes) = (None, Bytes::new());
            self.headers.remove(header::CONTENT_TYPE);
        }
        self.spelling = change.spelling.or(self.spelling);
        if let Some(status) = change.http.and_then(|status| StatusCode::from_u16(status).ok()) {
            self.status = status;
        }
        self.apply_headers(change);
    }

    fn is_meant_by(&self, change: &Change) -> bool {
        let is_status = change.status.is_empty() || change.status.contains(&self.status.as_u16());
        let is_result = change.when.is_none_or(|result| result == self.result());
        let is_body = !change.reads_fields() || self.body.as_ref().is_some_and(|body| fields::matches(change, body));
        is_status && is_result && is_body
    }

    /// A code, if there is one, shows whether the call succeeded; else the HTTP status does.
    fn result(&self) -> CallResult {
        let code = self.body.as_ref().and_then(|body| body.get("code")).map(fields::text_of);
        match code {
            Some(code) if code != "0" => CallResult::Refused,
            _ if self.status.is_redirection() => CallResult::Redirect,
            _ if self.status.is_success() => CallResult::Accepted,
            _ => CallResult::Refused,
        }
    }

    fn apply_headers(&mut self, change: &Change) {
        for (name, value) in &change.headers {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::from_str(value)) {
                self.headers.insert(name, value);
            }
        }
        for name in &change.without {
            self.headers.remove(name);
        }
        // Without a body there is no type either; and a page for people stays one.
        let is_data = self.headers.get(header::CONTENT_TYPE).is_some_and(|known| !is_page(known.as_bytes()));
        if let Some(value) = change.media_type.as_deref().and_then(|text| HeaderValue::from_str(text).ok())
            && is_data
        {
            self.headers.insert(header::CONTENT_TYPE, value);
        }
    }

    fn finish(self) -> (StatusCode, http::HeaderMap, Bytes) {
        let bytes = match (self.syntax, &self.body) {
            (Some(syntax), Some(body)) if self.changed => syntax.write(body, self.spelling).into(),
            _ => self.bytes,
        };
        (self.status, self.headers, bytes)
    }
}

/// Whether a media type is one of pages for people.
fn is_page(media_type: &[u8]) -> bool {
    ["text/html", "text/plain", "application/xhtml+xml"].iter().any(|page| media_type.starts_with(page.as_bytes()))
}
