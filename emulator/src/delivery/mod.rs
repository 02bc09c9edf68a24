//! How notifications leave a world: written as the gateway documents them, sent over HTTP.

mod http_notifier;
mod trust;

pub(crate) use http_notifier::HttpNotifier;
