//! Pages for the payer.

use http::StatusCode;

use crate::gateway::core::Refusal;
use crate::wire::Reply;

/// "Redirects the payer or shows an error": the error.
pub(super) fn error(refusal: &Refusal) -> Reply {
    let code = refusal.code.number();
    let message = escape(&refusal.message);
    Reply::html(StatusCode::OK, document("Error", &format!("<h1>The payment can't be made</h1><p>{code}: {message}</p>")))
}

fn document(title: &str, body: &str) -> String {
    format!("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><body>{body}</body></html>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
