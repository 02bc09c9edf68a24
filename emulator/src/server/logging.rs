//! Requests that are logged, with what their responses say.

use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use serde_json::Value;

use super::read_short::read_short;
use crate::base::log::{Log, LogEntry};
use crate::wire::body::is_of_type;
use crate::wire::{Disconnected, form};

/// A request whose response is awaited.
pub(super) struct LoggedRequest {
    log: Log,
    method: Method,
    path: String,
    since: Instant,
}

/// Looks up a field of a body.
type Lookup = Box<dyn Fn(&str) -> Option<String>>;

/// What a response says about its request.
#[derive(Debug, Default, PartialEq, Eq)]
struct ResponseSummary {
    code: Option<String>,
    message: Option<String>,
    trans_id: Option<String>,
}

impl LoggedRequest {
    /// Begins with a request. Its query may hold a secret, and is left out.
    pub(super) fn new<B>(log: Log, request: &Request<B>) -> Self {
        Self { log, method: request.method().clone(), path: request.uri().path().to_owned(), since: Instant::now() }
    }

    /// Logs the request with its response, which is returned as it was.
    pub(super) async fn finish(self, response: Result<Response<Body>, Disconnected>) -> Result<Response<Body>, Disconnected> {
        let Ok(response) = response else {
            self.write(None, ResponseSummary::default());
            return response;
        };
        let (response, bytes) = read_short(response).await;
        let summary = bytes.map(|bytes| summarise(response.headers(), &bytes)).unwrap_or_default();
        self.write(Some(response.status().as_u16()), summary);
        Ok(response)
    }

    fn write(self, status: Option<u16>, summary: ResponseSummary) {
        let ResponseSummary { code, message, trans_id } = summary;
        let milliseconds = self.since.elapsed().as_secs_f64() * 1e3;
        let (method, path) = (self.method.to_string(), self.path);
        (self.log)(&LogEntry::Request { method, path, status, code, message, trans_id, milliseconds });
    }
}

fn summarise(headers: &HeaderMap, body: &Bytes) -> ResponseSummary {
    let field: Lookup = if is_of_type(headers, "application/x-www-form-urlencoded") {
        let fields = form::pairs(body).unwrap_or_default();
        Box::new(move |name| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()))
    } else {
        let fields: Value = serde_json::from_slice(body).unwrap_or_default();
        Box::new(move |name| match fields.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    };
    let code = field("code").or_else(|| field("errorCode"));
    let message = field("message").or_else(|| field("error")).filter(|_| code.as_deref() != Some("0"));
    ResponseSummary { code, message, trans_id: field("transId") }
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header};

    use super::*;

    #[test]
    fn forms_and_json_say_how_a_request_ended() {
        let summary = |media_type: &'static str, body: &'static str| {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(media_type))]);
            let summary = summarise(&headers, &Bytes::from_static(body.as_bytes()));
            [summary.code, summary.message, summary.trans_id].map(Option::unwrap_or_default)
        };
        let form = "application/x-www-form-urlencoded; charset=UTF-8";
        assert_eq!(summary(form, "code=0&message=OK&transId=AB12"), ["0", "", "AB12"]);
        assert_eq!(summary(form, "code=1400&message=Wrong+query"), ["1400", "Wrong query", ""]);
        assert_eq!(summary("application/json", r#"{"code":0,"message":"OK","transId":"AB12"}"#), ["0", "", "AB12"]);
        assert_eq!(summary("application/json", r#"{"errorCode":"RATE_LIMITED","message":"Later."}"#), ["RATE_LIMITED", "Later.", ""]);
        assert_eq!(summary("application/json", r#"{"error":"no such world"}"#), ["", "no such world", ""]);
        assert_eq!(summary("text/csv", "a;b"), ["", "", ""]);
    }
}
