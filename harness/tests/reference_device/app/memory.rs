//! What survives a restart of the app; wiping its data forgets all of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::closing::Closing;
use super::config::Config;
use super::documents::Documents;
use super::logs::Line;
use super::pin::Pin;
use super::qr::Till;
use super::record::Record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub life: Life,
    /// "Keep `connectionId`."
    pub connection_id: Option<i64>,
    pub device_id: Option<i64>,
    /// Opaque: passed on as it came.
    pub device_token: Option<String>,
    pub jwt: Option<String>,
    pub config: Option<Config>,
    pub versions: Versions,
    pub catalog: Value,
    /// Pairs of a transaction and its code; their fields are not shown.
    pub codes: Vec<Value>,
    pub events: Events,
    pub pin: Pin,
    pub records: Vec<Record>,
    pub closings: Vec<Closing>,
    pub documents: Documents,
    pub log: Vec<Line>,
    pub till: Till,
}

/// Which state the app is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Life {
    #[default]
    New,
    Working,
    Deactivated,
}

/// "The client stores the last value and re-downloads when a value differs."
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    pub config: Option<i64>,
    pub catalog: Option<i64>,
    pub payment_codes_at: Option<i64>,
    pub min_app: Option<i64>,
}

/// The last handled value of each event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Events {
    pub pin_reset_at: Option<i64>,
    pub terminal_reported_at: Option<i64>,
    /// The request for logs that was handled last.
    pub logs: Option<Value>,
}
