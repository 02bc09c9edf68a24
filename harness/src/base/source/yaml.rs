//! Parses YAML 1.2 (core schema) to [`Node`]s. Anchors, aliases and tags are refused: a data file spells its values out,
//! and can't expand in memory.

use std::collections::HashSet;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span as Range};
use serde_json::Number;

use super::diagnostic::{Diagnostic, Problems};
use super::node::{Entry, Node, NodeKind, Span};
use super::text::Source;

/// Deeper nesting than this is a mistake.
const MAX_DEPTH: usize = 64;

/// A collection that is still open.
enum Open {
    List {
        span: Span,
        items: Vec<Node>,
    },
    /// `keys` has the keys of a mapping that has many.
    Map {
        span: Span,
        entries: Vec<Entry>,
        keys: HashSet<String>,
        key: Option<(String, Span)>,
    },
}

/// A mapping with fewer entries is searched one by one.
const MANY_ENTRIES: usize = 32;

struct Builder<'s> {
    source: &'s Arc<Source>,
    open: Vec<Open>,
    root: Option<Node>,
    /// Mistakes after which the rest can still be read.
    problems: &'s mut Problems,
}

/// Parses the only document of a source.
pub(super) fn parse(source: &Arc<Source>, problems: &mut Problems) -> Result<Node, Diagnostic> {
    let mut builder = Builder { source, open: Vec::new(), root: None, problems };
    for event in Parser::new_from_str(&source.text) {
        let (event, range) = event.map_err(|e| {
            let mark = e.marker();
            let span = Span { start: mark.index(), end: mark.index() + 1, line: mark.line(), column: mark.col() + 1 };
            let problem = Diagnostic::new(source, span, format!("this is not valid YAML: {}", e.info()));
            if e.info().starts_with("tabs") { problem.help("indent with spaces") } else { problem }
        })?;
        builder.handle(event, span_of(&range))?;
    }
    builder.root.ok_or_else(|| Diagnostic::of_file(source.path.clone(), "the file is empty".into()))
}

fn span_of(range: &Range) -> Span {
    Span {
        start: range.start.index(),
        end: range.end.index().max(range.start.index()),
        line: range.start.line(),
        column: range.start.col() + 1,
    }
}

impl Builder<'_> {
    fn handle(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        match event {
            Event::Scalar(text, style, 0, None) => self.scalar(&text, style, span),
            Event::SequenceStart(0, None) => self.open(Open::List { span, items: Vec::new() }, span),
            Event::MappingStart(0, None) => self.open(Open::Map { span, entries: Vec::new(), keys: HashSet::new(), key: None }, span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::DocumentStart(_) if self.root.is_some() => Err(self.wrong(span, "a second document begins here; a file holds one")),
            Event::Alias(_) | Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                Err(self.wrong(span, "anchors, aliases and tags are not used here; write the value out"))
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => Ok(()),
        }
    }

    fn wrong(&self, span: Span, message: &str) -> Diagnostic {
        Diagnostic::new(self.source, span, message.to_owned())
    }

    fn open(&mut self, open: Open, span: Span) -> Result<(), Diagnostic> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.wrong(span, "this is nested too deeply (64 levels are allowed)"));
        }
        self.open.push(open);
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Diagnostic> {
        let (kind, span) = match self.open.pop() {
            Some(Open::List { span, items }) => (NodeKind::List(items), span),
            Some(Open::Map { span, entries, .. }) => (NodeKind::Map(entries), span),
            None => return Ok(()),
        };
        self.place(kind, Span { end: end.end.max(span.end), ..span })
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, span: Span) -> Result<(), Diagnostic> {
        if let Some(Open::Map { entries, keys, key: key @ None, .. }) = self.open.last_mut() {
            if is_repeated(text, entries, keys) {
                self.problems.add(Diagnostic::new(self.source, span, format!("`{text}` is repeated here")));
            }
            *key = Some((text.to_owned(), span));
            return Ok(());
        }
        let kind = if style == ScalarStyle::Plain { plain_scalar(text) } else { NodeKind::Text(text.to_owned()) };
        self.place(kind, span)
    }

    fn place(&mut self, kind: NodeKind, span: Span) -> Result<(), Diagnostic> {
        let node = Node { kind, span, source: Arc::clone(self.source) };
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => match key.take() {
                Some((key, key_span)) => entries.push(Entry { key, key_span, value: node }),
                None => {
                    return Err(self.wrong(span, "a key is a plain name, not a list or a mapping; a template, `{{ … }}`, stands in quotes"));
                }
            },
        }
        Ok(())
    }
}

/// Whether a mapping has this key already. It takes as long for the last key of a hundred thousand as for the first.
fn is_repeated(key: &str, entries: &[Entry], keys: &mut HashSet<String>) -> bool {
    if entries.len() < MANY_ENTRIES {
        return entries.iter().any(|entry| entry.key == key);
    }
    if keys.is_empty() {
        keys.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !keys.insert(key.to_owned())
}

/// The core schema's reading of a plain scalar.
fn plain_scalar(text: &str) -> NodeKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
        "true" | "True" | "TRUE" => NodeKind::Bool(true),
        "false" | "False" | "FALSE" => NodeKind::Bool(false),
        _ => number(text).map_or_else(|| NodeKind::Text(text.to_owned()), NodeKind::Number),
    }
}

/// Numbers in the spelling of JSON; `0123`, `1_000` and `1e3` stay texts unless JSON reads them.
fn number(text: &str) -> Option<Number> {
    let starts = text.strip_prefix('-').unwrap_or(text);
    if !starts.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    serde_json::from_str::<Number>(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> serde_json::Value {
        parse(&Source::new("t.yaml", text), &mut Problems::new()).unwrap().to_json()
    }

    fn error(text: &str) -> String {
        let mut problems = Problems::new();
        match parse(&Source::new("t.yaml", text), &mut problems) {
            Ok(_) => problems.to_string(),
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        assert_eq!(
            value("a: 1\nb: 1.5\nc: true\nd: ~\ne: '1'\nf: 0123\ng: 15:30\nh: no"),
            json!({"a": 1, "b": 1.5, "c": true, "d": null, "e": "1", "f": "0123", "g": "15:30", "h": "no"})
        );
    }

    #[test]
    fn json_is_read_as_it_is() {
        assert_eq!(value(r#"{"a": [1, {"b": "x\"y\u00e1"}], "$id": "x"}"#), json!({"a": [1, {"b": "x\"yá"}], "$id": "x"}));
    }

    #[test]
    fn places_are_kept() {
        let node = parse(&Source::new("t.yaml", "a:\n  - x\n  - {b: ř, c: 1}\n"), &mut Problems::new()).unwrap();
        let c = node.nearest_to("/a/1/c");
        assert_eq!((c.span.line, c.span.column), (3, 15));
    }

    #[test]
    fn what_is_refused_says_where() {
        assert!(error("a: 1\na: 2").contains("t.yaml:2:1"));
        let many: String = (0..100).map(|number| format!("k{number}: 1\n")).collect();
        assert!(error(&format!("{many}k7: 2")).contains("t.yaml:101:1: `k7` is repeated here"));
        assert_eq!(error(&many), "");
        assert!(error("a: &x 1\nb: *x").contains("anchors"));
        assert!(error("a: [1, 2").contains("not valid YAML"));
        assert!(error("a:\n\tb: 1").ends_with("(indent with spaces)"));
        assert!(error("---\na: 1\n---\nb: 2").contains("second document"));
        assert!(error(&"[".repeat(100)).contains("nested too deeply"));
        assert!(error("").contains("the file is empty"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[\\PC\n\t]{0,80}") {
            let _ = parse(&Source::new("t.yaml", text), &mut Problems::new());
        }
    }
}
