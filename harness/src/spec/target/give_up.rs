//! When a target that does not respond is given up.

use serde_json::{Value, json};

use crate::base::source::{Diagnostic, Fields, Node, Problems};

/// After how many calls without a response the rest is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GiveUp {
    /// Calls of an operation that has never responded: cases that need it are skipped.
    pub operation: usize,
    /// Calls in a row, whatever their operation: the run ends.
    pub all: usize,
}

impl Default for GiveUp {
    fn default() -> Self {
        Self { operation: 5, all: 20 }
    }
}

impl GiveUp {
    /// Reads the key `give-up` of a target file.
    pub(super) fn read(node: Option<&Node>, problems: &mut Problems) -> Self {
        let default = Self::default();
        let Some(mut fields) = node.and_then(|node| Fields::from_node(node, "a limit of calls without a response", problems)) else {
            return default;
        };
        let operation = fields.optional("operation").map_or(default.operation, |node| calls(node, problems));
        let all = fields.optional("all").map_or(default.all, |node| calls(node, problems));
        fields.finish(problems);
        Self { operation, all }
    }

    /// The JSON Schema of the key.
    pub(super) fn schema() -> Value {
        let calls = json!({ "type": "integer", "minimum": 1 });
        json!({
            "description": "After how many calls without a response the rest is not sent: of an operation that has never responded, and \
                            in a row of all operations.",
            "type": "object",
            "additionalProperties": false,
            "properties": { "operation": calls, "all": calls },
        })
    }
}

fn calls(node: &Node, problems: &mut Problems) -> usize {
    let number = node.to_json().as_u64().and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0);
    if number.is_none() {
        problems.add(Diagnostic::at(node, "this is a number of calls, 1 at least"));
    }
    number.unwrap_or(1)
}
