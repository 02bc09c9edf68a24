//! The app's log, and support's requests for it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{App, Flaw, Stop};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    at: Timestamp,
    message: String,
}

/// `requestDebugLogs`
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Its type is not shown.
    request_id: Value,
    days: i64,
}

impl App {
    /// Writes a line into the log.
    pub fn note(&mut self, message: impl Into<String>, now: Timestamp) {
        self.memory.log.push(Line { at: now, message: message.into() });
    }

    /// "Ignore an already handled requestId." A request is handled when its logs have arrived.
    pub(super) async fn heed_request(&mut self, now: Timestamp) -> Result<(), Stop> {
        let Some(request) = self.asked.take() else { return Ok(()) };
        let is_handled = self.memory.events.logs.as_ref() == Some(&request.request_id);
        if is_handled && !self.has(Flaw::AnswersHandledRequests) {
            return Ok(());
        }
        if self.has(Flaw::HandlesRequestsTooEarly) {
            self.memory.events.logs = Some(request.request_id.clone());
        }
        let envelope = self.envelope(&request, now);
        self.call("logs", Some(envelope), now).await?;
        self.memory.events.logs = Some(request.request_id);
        Ok(())
    }

    /// "Collect logs for the last `days` days, upload them with level DEBUG, and put `requestId` in the batch envelope."
    fn envelope(&mut self, request: &Request, now: Timestamp) -> Value {
        self.note("support asked for the log", now);
        let days = if self.has(Flaw::SendsAllLogs) { 36_500 } else { request.days };
        let from = now - SignedDuration::from_hours(24 * days);
        let level = if self.has(Flaw::SendsLogsAsInfo) { "INFO" } else { "DEBUG" };
        let wanted = self.memory.log.iter().filter(|line| line.at >= from);
        let logs: Vec<_> = wanted.map(|line| json!({ "level": level, "created": line.at, "message": line.message })).collect();
        let mut envelope = json!({ "requestId": request.request_id, "logs": logs });
        if self.has(Flaw::OmitsTheRequestId) {
            envelope.as_object_mut().unwrap().remove("requestId");
        }
        envelope
    }

    /// The command "repeats in authenticate and sync responses until done".
    pub(super) fn hear(&mut self, synced: &Value) {
        let request = synced.get("requestDebugLogs").and_then(|request| serde_json::from_value(request.clone()).ok());
        if request.is_some() && !self.has(Flaw::OverlooksSyncResponses) {
            self.asked = request;
        }
    }
}
