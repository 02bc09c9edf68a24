//! The response of an API.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::json;

use super::{form, json as json_codec};

/// Status, media type, body, and further headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) media_type: &'static str,
    pub(crate) body: Bytes,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl ApiResponse {
    /// A body of some type.
    pub(crate) fn new(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, media_type, body: body.into(), headers: Vec::new() }
    }

    /// A form, with HTTP 200: in v1.0 the code says whether something is wrong.
    pub(crate) fn form(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, form::MEDIA_TYPE, body)
    }

    /// A value as JSON.
    pub(crate) fn json_value(status: StatusCode, value: &impl Serialize) -> Self {
        Self::json(status, serde_json::to_vec(value).unwrap_or_default())
    }

    /// `{"error": sentence}`, the error of the control API and of paths that no API has.
    pub(crate) fn error(status: StatusCode, sentence: &str) -> Self {
        Self::json_value(status, &json!({ "error": sentence }))
    }

    /// JSON as written.
    pub(crate) fn json(status: StatusCode, body: Vec<u8>) -> Self {
        Self::new(status, json_codec::MEDIA_TYPE, body)
    }

    /// A status alone, without a body.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::new(status, "", Bytes::new())
    }

    /// A page for people.
    pub(crate) fn html(status: StatusCode, page: String) -> Self {
        Self::new(status, "text/html; charset=UTF-8", page)
    }

    /// A redirect of a browser.
    pub(crate) fn redirect(location: &str) -> Self {
        let response = Self::html(StatusCode::FOUND, String::new());
        match HeaderValue::from_str(location) {
            Ok(location) => response.with(header::LOCATION, location),
            Err(_) => response,
        }
    }

    /// The same, and where the caller is not known, how it may say who it is (RFC 9110, section 15.5.2).
    pub(crate) fn challenging(self, challenge: &'static str) -> Self {
        match self.status {
            StatusCode::UNAUTHORIZED => self.with(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge)),
            _ => self,
        }
    }

    /// The same with one more header.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The HTTP response.
    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        if !self.media_type.is_empty() {
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        }
        response.headers_mut().extend(self.headers);
        response
    }
}
