//! Writes a scenario, so that [`super::parse`] reads it.

use std::fmt;

use serde_json::{Map, Value};

use super::flow::flow;

/// A scenario to be written to a file.
pub(crate) struct WrittenScenario {
    pub(crate) title: String,
    pub(crate) clauses: Vec<String>,
    pub(crate) setting: Map<String, Value>,
    pub(crate) steps: Vec<WrittenStep>,
}

/// A step of it.
pub(crate) struct WrittenStep {
    /// A line above it.
    pub(crate) comment: Option<&'static str>,
    /// `call`.
    verb: &'static str,
    what: Value,
    keys: Vec<(&'static str, Value)>,
}

impl WrittenStep {
    /// A step with its verb alone: `call: gateway.v2.status`.
    pub(crate) fn new(verb: &'static str, what: impl Into<Value>) -> Self {
        Self { comment: None, verb, what: what.into(), keys: Vec::new() }
    }

    /// Adds a key.
    pub(crate) fn push(&mut self, key: &'static str, value: impl Into<Value>) {
        self.keys.push((key, value.into()));
    }

    /// Keeps the values with these names only.
    pub(crate) fn retain_kept(&mut self, is_used: impl Fn(&str) -> bool) {
        self.keys.retain_mut(|(key, value)| match value.as_object_mut().filter(|_| *key == "keep") {
            None => true,
            Some(kept) => {
                kept.retain(|name, _| is_used(name));
                !kept.is_empty()
            }
        });
    }
}

impl fmt::Display for WrittenScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "title: {}", Value::from(self.title.as_str()))?;
        writeln!(f, "clauses: {}", flow(&self.clauses.as_slice().into()))?;
        if !self.setting.is_empty() {
            writeln!(f, "setting: {}", flow(&Value::Object(self.setting.clone())))?;
        }
        writeln!(f, "steps:")?;
        self.steps.iter().try_for_each(|step| write!(f, "{step}"))
    }
}

impl fmt::Display for WrittenStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(comment) = self.comment {
            writeln!(f, "  # {comment}")?;
        }
        writeln!(f, "  - {}: {}", self.verb, flow(&self.what))?;
        self.keys.iter().try_for_each(|(key, value)| writeln!(f, "    {key}: {}", flow(value)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::source::Source;
    use crate::spec::contract::Contracts;
    use crate::spec::scenario::parse;

    #[test]
    fn a_written_scenario_is_read_back() {
        let mut create = WrittenStep::new("call", "gateway.v2.create");
        create.push("with", json!({ "label": "a \"b\": c", "curr": "CZK", "name": "Null" }));
        create.push("keep", json!({ "payment": "transId", "page": "redirect" }));
        create.retain_kept(|name| name == "payment");
        let mut status = WrittenStep::new("call", "gateway.v2.status");
        status.comment = Some("the same payment");
        status.push("with", json!({ "transId": "{{ payment }}" }));
        let clauses = vec!["gateway.status.price.value".to_owned()];
        let setting = json!({ "clock": "virtual" }).as_object().unwrap().clone();
        let written = WrittenScenario { title: "a: \"b\"".to_owned(), clauses: clauses.clone(), setting, steps: vec![create, status] };
        let contracts = Contracts::shipped();
        let source = Source::new("gateway/t.yaml", written.to_string());
        let read = parse("gateway/t.yaml", &source, &contracts).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!((read.title, read.clauses, read.setting), (written.title, clauses, written.setting));
        assert_eq!(read.steps.iter().map(|step| step.verb.kept().count()).collect::<Vec<_>>(), [1, 0]);
    }
}
