//! How notifications leave a world: written as the gateway documents them, sent over HTTP.

mod http_notifier;
mod logged;
mod trust;

pub(crate) use http_notifier::HttpNotifier;
pub(crate) use logged::LoggedNotifier;
