//! What is said over HTTP, whichever API it belongs to: fields in, records out, in the two syntaxes of the documents.

pub(crate) mod bearer;
pub(crate) mod body;
pub(crate) mod credentials;
pub(crate) mod fields;
pub(crate) mod form;
pub(crate) mod host;
pub(crate) mod iso8601;
pub(crate) mod json;
pub(crate) mod jwt;
pub(crate) mod multipart;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod troubled;

pub(crate) use fields::Fields;
pub(crate) use record::{FormRecord, JsonRecord, Record};
pub(crate) use reply::Reply;
