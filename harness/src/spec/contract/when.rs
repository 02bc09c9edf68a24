//! Conditions on a request: what is documented may depend on its fields.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::base::source::{Fields, Node, Problems};
use crate::wire::exchange::Request;

/// Request fields under which a response is documented: field → values, null for "not sent". Empty = always.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When(pub IndexMap<String, Vec<Value>>);

impl When {
    /// Reads it under a key; a field's value is one value or a list.
    pub(super) fn read(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Self {
        let values = |node: &Node| node.list().unwrap_or(std::slice::from_ref(node)).iter().map(Node::to_json).collect();
        Self(fields.map(key, problems).iter().map(|entry| (entry.key.clone(), values(&entry.value))).collect())
    }

    /// Whether a request meets the condition by its body fields, query and path parameters.
    pub fn holds(&self, request: &Request) -> bool {
        let sent = |field: &str| request.body.value().and_then(|body| body.get(field)).or_else(|| request.query.get(field));
        self.is_met(|field| sent(field).or_else(|| request.path.get(field)))
    }

    /// Whether a request with these fields meets the condition; the first place that has a field counts.
    pub(crate) fn holds_for(&self, places: &[&Map<String, Value>]) -> bool {
        self.is_met(|field| places.iter().find_map(|values| values.get(field)))
    }

    fn is_met<'v>(&self, sent: impl Fn(&str) -> Option<&'v Value>) -> bool {
        self.0.iter().all(|(field, values)| values.contains(sent(field).unwrap_or(&Value::Null)))
    }
}
