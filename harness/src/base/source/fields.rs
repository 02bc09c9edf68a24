//! Decodes a mapping strictly.

use super::diagnostic::{Diagnostic, Problems};
use super::node::{Entry, Node, NodeKind};

/// The fields of one mapping while it is decoded. A key that no reader asks for is a mistake.
pub struct Fields<'n> {
    node: &'n Node,
    entries: &'n [Entry],
    what: &'static str,
    asked: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// Starts to decode a mapping; `what` names it in messages (`a step`).
    pub fn from_node(node: &'n Node, what: &'static str, problems: &mut Problems) -> Option<Self> {
        let entries = node.entries();
        if entries.is_none() {
            problems.add(Diagnostic::at(node, format!("{what} is a mapping, but this is {}", kind_of(node))));
        }
        Some(Self { node, entries: entries?, what, asked: Vec::new() })
    }

    /// The value of a key, without marking the key as read.
    pub fn peek(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value of a key that may be absent. A key without a value counts as absent.
    pub fn optional(&mut self, key: &'static str) -> Option<&'n Node> {
        self.asked.push(key);
        self.entries.iter().find(|e| e.key == key).map(|e| &e.value).filter(|v| v.kind != NodeKind::Null)
    }

    /// The value of a key that must be there.
    pub fn require(&mut self, key: &'static str, problems: &mut Problems) -> Option<&'n Node> {
        let value = self.optional(key);
        if value.is_none() {
            problems.add(Diagnostic::at(self.node, format!("{} needs `{key}`", self.what)));
        }
        value
    }

    /// A text that may be absent.
    pub fn text(&mut self, key: &'static str, problems: &mut Problems) -> Option<String> {
        self.optional(key).and_then(|node| text_of(node, key, problems))
    }

    /// A text that must be there.
    pub fn require_text(&mut self, key: &'static str, problems: &mut Problems) -> Option<String> {
        self.require(key, problems).and_then(|node| text_of(node, key, problems))
    }

    /// A flag; absent is `false`.
    pub fn flag(&mut self, key: &'static str, problems: &mut Problems) -> bool {
        match self.optional(key).map(|node| (node, &node.kind)) {
            None => false,
            Some((_, NodeKind::Bool(value))) => *value,
            Some((node, _)) => {
                problems.add(Diagnostic::at(node, format!("`{key}` is true or false, but this is {}", node.describe())));
                false
            }
        }
    }

    /// A whole number, not negative.
    pub fn integer(&mut self, key: &'static str, problems: &mut Problems) -> Option<u64> {
        let node = self.optional(key)?;
        let number = match &node.kind {
            NodeKind::Number(number) => number.as_u64(),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Text(_) | NodeKind::List(_) | NodeKind::Map(_) => None,
        };
        if number.is_none() {
            problems.add(Diagnostic::at(node, format!("`{key}` is a whole number, but this is {}", node.describe())));
        }
        number
    }

    /// A text or a list of texts; absent is the empty list.
    pub fn texts(&mut self, key: &'static str, problems: &mut Problems) -> Vec<String> {
        let Some(node) = self.optional(key) else { return Vec::new() };
        match &node.kind {
            NodeKind::List(items) => items.iter().filter_map(|item| text_of(item, key, problems)).collect(),
            NodeKind::Text(text) => vec![text.clone()],
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Map(_) => {
                problems.add(Diagnostic::at(node, format!("`{key}` is a text or a list of texts, but this is {}", node.describe())));
                Vec::new()
            }
        }
    }

    /// The entries of a mapping; absent is none.
    pub fn map(&mut self, key: &'static str, problems: &mut Problems) -> &'n [Entry] {
        let Some(node) = self.optional(key) else { return &[] };
        node.entries().unwrap_or_else(|| {
            problems.add(Diagnostic::at(node, format!("`{key}` is a mapping, but this is {}", kind_of(node))));
            &[]
        })
    }

    /// The items of a list; absent is none.
    pub fn list(&mut self, key: &'static str, problems: &mut Problems) -> &'n [Node] {
        let Some(node) = self.optional(key) else { return &[] };
        node.list().unwrap_or_else(|| {
            problems.add(Diagnostic::at(node, format!("`{key}` is a list, but this is {}", node.describe())));
            &[]
        })
    }

    /// Ends the decoding: keys that no reader asked for are mistakes.
    pub fn finish(self, problems: &mut Problems) {
        #[cfg(test)]
        super::asked::note(self.what, &self.asked);
        for entry in self.entries.iter().filter(|e| !self.asked.contains(&e.key.as_str())) {
            let message = format!("{} has no `{}`", self.what, entry.key);
            let problem = Diagnostic::new(&self.node.source, entry.key_span, message);
            problems.add(problem.names(&entry.key, self.asked.iter().copied()));
        }
    }
}

/// Names the kind of a value that should be a mapping. The value itself is not shown: without its colon a key may be a secret.
fn kind_of(node: &Node) -> String {
    match &node.kind {
        NodeKind::Text(_) => "a text".to_owned(),
        NodeKind::Number(_) => "a number".to_owned(),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::List(_) | NodeKind::Map(_) => node.describe(),
    }
}

fn text_of(node: &Node, key: &str, problems: &mut Problems) -> Option<String> {
    let text = node.text().map(str::to_owned);
    if text.is_none() {
        problems.add(Diagnostic::at(node, format!("`{key}` is a text, but this is {}", node.describe())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    #[test]
    fn all_mistakes_of_a_mapping_are_reported_together() {
        let source = Source::new("t.yaml", "titel: x\nlimit: many\nnames: {a: 1}\n");
        let mut problems = Problems::new();
        let node = source.parse(&mut problems).unwrap();
        let mut fields = Fields::from_node(&node, "a scenario", &mut problems).unwrap();
        let _ = fields.require_text("title", &mut problems);
        let _ = fields.integer("limit", &mut problems);
        let _ = fields.texts("names", &mut problems);
        fields.finish(&mut problems);
        insta::assert_snapshot!(problems.or(()).unwrap_err().to_string());
    }
}
