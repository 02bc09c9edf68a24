//! Errors of the HTTP libraries in words for users. The URL of a request is in none of them: it may identify a payer.

use std::error::Error;
use std::iter::successors;

use h2::Reason;

/// Why a request has no response, or no whole one.
pub(crate) fn request(error: reqwest::Error) -> String {
    let error = error.without_url();
    let causes: Vec<String> = successors(Some(&error as &(dyn Error + 'static)), |cause| Error::source(*cause)).map(cause).collect();
    // What the library only passes on explains nothing.
    let passed_on = |cause: &String| cause == "error sending request" || cause.starts_with("client error (");
    let first = causes.iter().position(|cause| !passed_on(cause)).unwrap_or_default();
    causes.get(first..).unwrap_or_default().join(": ")
}

fn cause(error: &(dyn Error + 'static)) -> String {
    error.downcast_ref::<h2::Error>().map_or_else(|| error.to_string(), http2)
}

/// Says who ended a stream or a connection, and why, in the words of the protocol. Bytes of the target are not in it.
pub(crate) fn http2(error: &h2::Error) -> String {
    let reason = error.reason().map(|reason| format!("{reason:?}: {}", reason.description())).unwrap_or_default();
    match (error.is_remote(), error.is_go_away(), error.is_reset()) {
        (true, true, _) => format!("the target closed the connection (GOAWAY, {reason})"),
        (true, _, true) if error.reason() == Some(Reason::REFUSED_STREAM) => {
            "the target refused the request unprocessed (REFUSED_STREAM)".to_owned()
        }
        (true, _, true) => format!("the target broke off the exchange (RST_STREAM, {reason})"),
        _ if error.is_library() => format!("the target does not keep to HTTP/2 ({reason})"),
        _ => format!("the connection was closed before the response was complete: {error}"),
    }
}
