//! Transfers by v1.0, which the documents don't have but public clients call: the parameters in a form or in the query.

use axum::body::Body;
use base64::Engine as _;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, Response, Uri};
use percent_encoding::utf8_percent_encode;

use super::calls::wrong_query;
use crate::wire::BodyError;
use crate::wire::fields::Unreadable;
use crate::wire::form::{self, ESCAPED};
use crate::wire::result::json_refusal;

/// The calls, and what the path of v2.0 has after each.
const CALLS: [(&str, &str, &str); 6] = [
    ("transferList", "date", ".json"),
    ("singleTransfer", "transferId", ".json"),
    ("csvSingleTransfer", "transferId", ".json"),
    ("aboSingleTransfer", "transferId", ".json"),
    ("csvDownload", "date", ""),
    ("aboDownload", "date", ""),
];

/// Whether a path within a world is one of these calls.
pub(crate) fn is_call(path: &str) -> bool {
    call(path).is_some()
}

fn call(path: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let name = path.strip_prefix("/v1.0/")?;
    CALLS.into_iter().find(|(known, ..)| *known == name)
}

/// The response to a call whose parameters could not be read.
pub(crate) fn unread(error: BodyError) -> Response<Body> {
    let (status, why) = error.ruling();
    json_refusal(status, &wrong_query(why)).into_response()
}

/// The call of v2.0 that does the same; `world` is the part of the path before `path`. What can't be read stays as it is,
/// and is refused as any unknown path.
pub(crate) fn translate(head: &mut Parts, body: &[u8]) {
    let translated = translated(head, body);
    if let Some((uri, authorization)) = translated {
        head.method = Method::GET;
        head.uri = uri;
        head.headers.insert(header::AUTHORIZATION, authorization);
    }
}

fn translated(head: &Parts, body: &[u8]) -> Option<(Uri, HeaderValue)> {
    let (world, path) = head.uri.path().split_at(head.uri.path().rfind("/v1.0/")?);
    let (name, key, ending) = call(path)?;
    let parameters = if body.is_empty() { head.uri.query().unwrap_or_default().as_bytes() } else { body };
    let fields = form::decode(parameters).map_err(|Unreadable(_)| ()).ok()?;
    let field = |name| fields.text(name).ok().flatten().unwrap_or_default();
    let credentials = base64::engine::general_purpose::STANDARD.encode(format!("{}:{}", field("merchant"), field("secret")));
    let escaped = |text| utf8_percent_encode(text, ESCAPED).to_string();
    let subject = Some(field(key)).filter(|value| !value.is_empty()).unwrap_or("-");
    let options = ["test", "download", "type", "encoding"].map(|option| format!("{option}={}", escaped(field(option)))).join("&");
    let uri = format!("{world}/v2.0/{name}/{key}/{}{ending}?{options}", escaped(subject));
    Some((uri.parse().ok()?, HeaderValue::from_str(&format!("Basic {credentials}")).ok()?))
}
