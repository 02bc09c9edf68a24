//! Replaces values that differ from run to run, by rules of the caller.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::base::text::replaced;
use crate::wire::exchange::{Exchange, ExchangeOutcome};

/// A shorter learned value is too likely to be a part of something else (`1` in a price), and is only replaced where its field is
/// named.
const SURELY_ITSELF: usize = 6;

/// Rules for values that differ from run to run, besides the texts that are known in advance.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Fields (of bodies and paths) whose values are distinguished: each becomes `[name-1]`, `[name-2]` in the order of
    /// appearance, everywhere in the text.
    pub numbered: Vec<String>,
    /// Fields whose values are not shown at all (times): each becomes `[name]`.
    pub hidden: Vec<String>,
    /// Beginnings of a path after which the next segment is replaced: `("/w/", "[world]")`.
    pub segments: Vec<(String, String)>,
}

/// Replaces texts by labels.
#[derive(Clone, Debug, Default)]
pub struct Normaliser {
    exact: Vec<(String, String)>,
    rules: Rules,
}

impl Normaliser {
    /// Replaces each of these texts by its label, longer texts first.
    pub fn new(exact: Vec<(String, String)>) -> Self {
        Self { exact, rules: Rules::default() }
    }

    /// Adds rules.
    #[must_use]
    pub fn with(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Looks up the values of this record.
    pub(super) fn learn(&self, record: &[Arc<Exchange>]) -> Labels {
        let mut labels = Labels { rules: self.rules.clone(), replacements: self.exact.clone(), fields: HashMap::new() };
        let mut counts = HashMap::new();
        for exchange in record {
            for (name, value) in &exchange.request.path {
                labels.note(name, value, &mut counts);
            }
            let response = match &exchange.outcome {
                ExchangeOutcome::Response(response) => response.body.value(),
                ExchangeOutcome::Failed(_) => None,
            };
            for body in exchange.request.body.value().into_iter().chain(response) {
                labels.walk(body, &mut counts);
            }
        }
        labels.replacements.retain(|(text, _)| !text.is_empty());
        labels.replacements.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        labels
    }
}

/// The replacements for one record.
pub(super) struct Labels {
    rules: Rules,
    /// Text and label, the longest text first.
    replacements: Vec<(String, String)>,
    /// Field and value (as JSON), and its label.
    fields: HashMap<(String, String), String>,
}

impl Labels {
    fn walk(&mut self, value: &Value, counts: &mut HashMap<String, usize>) {
        match value {
            Value::Object(fields) => {
                for (name, below) in fields {
                    self.note(name, below, counts);
                    self.walk(below, counts);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(item, counts)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Assigns a label to a value of a numbered field; a value that has one already, from any field, keeps it.
    fn note(&mut self, name: &str, value: &Value, counts: &mut HashMap<String, usize>) {
        let Some(text) = scalar(value).filter(|text| !text.is_empty()) else { return };
        let key = (name.to_owned(), value.to_string());
        if !self.rules.numbered.iter().any(|n| n == name) || self.fields.contains_key(&key) {
            return;
        }
        let known = self.replacements.iter().find(|(known, _)| *known == text).map(|(_, label)| label.clone());
        let label = known.unwrap_or_else(|| {
            let count = counts.entry(name.to_owned()).or_default();
            *count += 1;
            format!("[{name}-{count}]")
        });
        if text.chars().count() >= SURELY_ITSELF {
            self.replacements.push((text, label.clone()));
        }
        self.fields.insert(key, label);
    }

    /// The text with everything replaced.
    pub(super) fn apply(&self, text: &str) -> String {
        let lines = text.lines().map(|line| self.line(line) + "\n");
        lines.collect()
    }

    fn line(&self, line: &str) -> String {
        let line = self.field(line).unwrap_or_else(|| self.replaced(line));
        self.rules.segments.iter().fold(line, |line, (before, label)| segment(&line, before, label))
    }

    /// A line `    name: value` of a field that is hidden, or that has a label of its own.
    fn field(&self, line: &str) -> Option<String> {
        let (path, value) = line.strip_prefix("    ")?.split_once(": ")?;
        let name = path.rsplit('.').next().unwrap_or(path);
        if self.rules.hidden.iter().any(|hidden| hidden == name) {
            return Some(format!("    {path}: [{name}]"));
        }
        let label = self.fields.get(&(name.to_owned(), value.to_owned()))?;
        Some(format!("    {path}: {label}"))
    }

    fn replaced(&self, line: &str) -> String {
        replaced(line, &self.replacements)
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Replaces the segment after each `before`.
fn segment(line: &str, before: &str, label: &str) -> String {
    if before.is_empty() {
        return line.to_owned();
    }
    let mut parts = line.split(before);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(['/', '?', '#', ' ', '"']).unwrap_or(part.len());
        out.push_str(before);
        out.push_str(if end == 0 { "" } else { label });
        out.push_str(part.get(end..).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(exact: &[(&str, &str)], rules: Rules) -> Labels {
        Normaliser::new(exact.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()).with(rules).learn(&[])
    }

    #[test]
    fn a_text_is_replaced_only_as_a_whole_word() {
        let labels = labels(&[("abc", "[x]"), ("abc-def", "[y]"), ("", "[never]")], Rules::default());
        assert_eq!(labels.apply("abc xabc abc1 (abc) abc-def /abc/"), "[x] xabc abc1 ([x]) [y] /[x]/\n");
    }

    #[test]
    fn a_segment_is_replaced_after_its_beginning() {
        let rules = Rules { segments: vec![("/w/".into(), "[world]".into())], ..Rules::default() };
        assert_eq!(labels(&[], rules).apply("POST h/w/quiet-otter/v1 /w/b?x /w/"), "POST h/w/[world]/v1 /w/[world]?x /w/\n");
    }

    #[test]
    fn a_short_value_is_replaced_only_where_its_field_is_named() {
        let call = crate::report::sample::call(0, "/x", "n=12&price=12", "");
        let record = [crate::judge::record::RecordEntry::Exchange(call)];
        let rules = Rules { numbered: vec!["n".into()], ..Rules::default() };
        let text = crate::report::transcript(&record, &Normaliser::new(Vec::new()).with(rules));
        assert!(text.contains("n: [n-1]\n") && text.contains("price: \"12\"\n"), "{text}");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}", exact in ".{0,4}", before in ".{0,3}") {
            let rules = Rules { segments: vec![(before, "[s]".into())], hidden: vec!["a".into()], numbered: vec!["b".into()] };
            let _ = labels(&[(exact.as_str(), "[e]")], rules).apply(&text);
        }
    }
}
