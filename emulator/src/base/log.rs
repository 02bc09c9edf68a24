//! What an emulator did, entry by entry, for those who watch it.

use std::sync::Arc;

use serde::Serialize;

/// Takes the entries of a log, one after another, from several threads. A call blocks the request or the delivery that it is about.
pub type Log = Arc<dyn Fn(&LogEntry) + Send + Sync>;

/// Something that an emulator did. No entry holds a secret: bodies, queries and headers are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum LogEntry {
    /// A request got its response.
    Request {
        /// Its method.
        method: String,
        /// Its path, without the query.
        path: String,
        /// The status of the response; none if the connection was closed without one.
        status: Option<u16>,
        /// The result code in the response, if there is one.
        code: Option<String>,
        /// Why it was refused, if it was.
        message: Option<String>,
        /// The payment in the response, if it names one.
        trans_id: Option<String>,
        /// How long the response took.
        milliseconds: f64,
    },
    /// A notification was sent, or could not be.
    Notification {
        /// The payment.
        trans_id: String,
        /// The state that it reports.
        status: String,
        /// Which attempt it was.
        attempt: u32,
        /// The status of the merchant's response; none without a response.
        response: Option<u16>,
        /// Why there is no response.
        error: Option<String>,
        /// Whether the merchant acknowledged it.
        acknowledged: bool,
    },
}
