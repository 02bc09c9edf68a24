//! What is said over HTTP, whichever API it belongs to: fields in, records out, in the two syntaxes of the documents.

pub(crate) mod body;
pub(crate) mod credentials;
pub(crate) mod fields;
pub(crate) mod form;
pub(crate) mod json;
pub(crate) mod multipart;
pub(crate) mod record;
pub(crate) mod reply;

pub(crate) use fields::Fields;
pub(crate) use record::{FormRecord, JsonRecord, Record};
pub(crate) use reply::Reply;
