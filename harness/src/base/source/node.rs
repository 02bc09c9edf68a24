//! Values of a file with their positions.

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::text::Source;
use crate::base::pointer;
use crate::base::source_place::SourcePlace;

/// A range of characters of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First character, counted from the start of the text.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
    /// Line of the start, from 1.
    pub line: usize,
    /// Column of the start, from 1, in characters.
    pub column: usize,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole or a decimal number.
    Number(Number),
    /// Any other scalar.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file, each key once.
    Map(Vec<Entry>),
}

/// One key of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is.
    pub key_span: Span,
    /// Its value.
    pub value: Node,
}

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub kind: NodeKind,
    /// Its place.
    pub span: Span,
    /// The file.
    pub source: Arc<Source>,
}

impl Node {
    /// Its place, for later messages.
    pub fn place(&self) -> SourcePlace {
        SourcePlace::new(self.source.path.clone(), self.span.line, self.span.column)
    }

    /// The text of a text node.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text) => Some(text),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::List(_) | NodeKind::Map(_) => None,
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::List(items) => Some(items),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) | NodeKind::Map(_) => None,
        }
    }

    /// The entries of a mapping.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            NodeKind::Map(entries) => Some(entries),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) | NodeKind::List(_) => None,
        }
    }

    /// The value under a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|e| e.key == key).map(|e| &e.value)
    }

    /// The node at a JSON Pointer (RFC 6901), or the nearest one above it.
    pub fn nearest_to(&self, pointer: &str) -> &Node {
        self.on_the_way_to(pointer).0
    }

    /// The node at a JSON Pointer (RFC 6901).
    pub fn at_pointer(&self, pointer: &str) -> Option<&Node> {
        let (node, is_there) = self.on_the_way_to(pointer);
        is_there.then_some(node)
    }

    /// The last node on the way to a JSON Pointer, and whether it is the one that is meant.
    fn on_the_way_to(&self, pointer: &str) -> (&Node, bool) {
        let mut here = self;
        for token in pointer.split('/').skip(1) {
            let token = pointer::unescaped(token);
            let below = match &here.kind {
                NodeKind::Map(_) => here.get(&token),
                NodeKind::List(items) => token.parse::<usize>().ok().and_then(|i| items.get(i)),
                NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => None,
            };
            match below {
                Some(node) => here = node,
                None => return (here, false),
            }
        }
        (here, true)
    }

    /// The same tree with mistakes drawn on another text of the same layout.
    #[must_use]
    pub fn drawn_on(self, source: &Arc<Source>) -> Self {
        let kind = match self.kind {
            NodeKind::List(items) => NodeKind::List(items.into_iter().map(|item| item.drawn_on(source)).collect()),
            NodeKind::Map(entries) => NodeKind::Map(entries.into_iter().map(|e| Entry { value: e.value.drawn_on(source), ..e }).collect()),
            other @ (NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_)) => other,
        };
        Self { kind, span: self.span, source: Arc::clone(source) }
    }

    /// What the value is, for messages: `a list`, `the text "x"`.
    pub fn describe(&self) -> String {
        match &self.kind {
            NodeKind::Null => "nothing".into(),
            NodeKind::Bool(b) => format!("`{b}`"),
            NodeKind::Number(n) => format!("the number {n}"),
            NodeKind::Text(t) => format!("the text {t:?}"),
            NodeKind::List(_) => "a list".into(),
            NodeKind::Map(_) => "a mapping".into(),
        }
    }

    /// The plain value, without positions.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(b) => Value::Bool(*b),
            NodeKind::Number(n) => Value::Number(n.clone()),
            NodeKind::Text(t) => Value::String(t.clone()),
            NodeKind::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            NodeKind::Map(entries) => Value::Object(entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect::<Map<_, _>>()),
        }
    }
}
