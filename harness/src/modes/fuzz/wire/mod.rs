//! Changes to how a request is written: the bytes of its body, its path and query, its headers.

mod body;
mod header;
mod target;

pub(super) use body::BodyEdit;
pub(super) use header::HeaderEdit;
pub(super) use target::TargetEdit;
