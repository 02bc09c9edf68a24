//! An answer, before it becomes an HTTP response.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};

use super::{form, json};

/// Status, media type and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) media_type: &'static str,
    pub(crate) body: Bytes,
    pub(crate) location: Option<HeaderValue>,
}

impl Reply {
    /// A body of some type.
    pub(crate) fn new(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, media_type, body: body.into(), location: None }
    }

    /// A form, with HTTP 200: in v1.0 the code says whether something is wrong.
    pub(crate) fn form(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, form::MEDIA_TYPE, body)
    }

    /// JSON.
    pub(crate) fn json(status: StatusCode, body: Vec<u8>) -> Self {
        Self::new(status, json::MEDIA_TYPE, body)
    }

    /// A page for people.
    pub(crate) fn html(status: StatusCode, page: String) -> Self {
        Self::new(status, "text/html; charset=UTF-8", page)
    }

    /// Sends a browser elsewhere.
    pub(crate) fn redirect(location: &str) -> Self {
        let mut reply = Self::html(StatusCode::FOUND, String::new());
        reply.location = HeaderValue::from_str(location).ok();
        reply
    }

    /// The HTTP response.
    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        if let Some(location) = self.location {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}
