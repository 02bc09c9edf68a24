//! Support asks a device for diagnostics.

use serde::Serialize;
use serde_json::Value;

/// "Present only when support asked for diagnostics from this device."
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DebugLogs {
    /// Which request this is.
    pub(crate) request_id: u64,
    /// How many days of logs are wanted.
    pub(crate) days: u32,
}

impl DebugLogs {
    /// "Upload them with level DEBUG, and put `requestId` in the batch envelope; only then is the request marked done."
    /// Whether the level stands in the envelope or in the records is not shown; either counts.
    pub(crate) fn is_done_by(&self, envelope: &Value, records: &[Value]) -> bool {
        let is_debug = |value: &Value| value.get("level").and_then(Value::as_str) == Some("DEBUG");
        self.is_named(envelope.get("requestId")) && (is_debug(envelope) || records.iter().any(is_debug))
    }

    fn is_named(&self, id: Option<&Value>) -> bool {
        match id {
            Some(Value::Number(number)) => number.as_u64() == Some(self.request_id),
            Some(Value::String(text)) => *text == self.request_id.to_string(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_done_by_debug_logs_that_name_it() {
        let request = DebugLogs { request_id: 7, days: 3 };
        let debug = [json!({ "level": "DEBUG", "message": "x" })];
        assert!(request.is_done_by(&json!({ "requestId": 7 }), &debug));
        assert!(request.is_done_by(&json!({ "requestId": "7", "level": "DEBUG" }), &[]));
        assert!(!request.is_done_by(&json!({}), &debug), "requestId is missing");
        assert!(!request.is_done_by(&json!({ "requestId": 8 }), &debug), "another request");
        assert!(!request.is_done_by(&json!({ "requestId": 7 }), &[json!({ "level": "INFO" })]), "another level");
    }
}
