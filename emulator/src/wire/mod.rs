//! HTTP as all APIs share it: routes, fields in, records out in the two syntaxes of the documents, and request faults.

pub(crate) mod bearer;
pub(crate) mod body;
pub(crate) mod context;
pub(crate) mod credentials;
pub(crate) mod fields;
pub(crate) mod form;
pub(crate) mod host;
pub(crate) mod json;
pub(crate) mod multipart;
pub(crate) mod pages;
pub(crate) mod record;
pub(crate) mod request_faults;
pub(crate) mod response;
pub(crate) mod result;
pub(crate) mod routes;
pub(crate) mod shape;

pub(crate) use body::{BodyError, RequestBody};
pub(crate) use context::{Caller, Context};
pub(crate) use fields::Fields;
pub(crate) use record::{FormRecord, JsonRecord, Record};
pub(crate) use request_faults::Disconnected;
pub(crate) use response::ApiResponse;
pub(crate) use routes::{Endpoint, NoEndpoint, PathParts, Route};
