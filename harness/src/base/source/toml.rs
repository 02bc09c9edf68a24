//! Parses TOML 1.1 to [`Node`]s.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::node::{Entry, Node, NodeKind, Span};
use super::text::Source;

/// Deeper nesting than this is a mistake.
const MAX_DEPTH: usize = 64;

/// Parses a source; its tables are mappings, in the order of the file.
pub(super) fn parse(source: &Arc<Source>) -> Result<Node, Diagnostic> {
    let reader = Reader { source, places: Places::of(&source.text) };
    match DeTable::parse(&source.text) {
        Ok(table) => reader.table(table.get_ref(), table.span(), 0),
        Err(error) => {
            let span = reader.span(error.span().unwrap_or_default());
            Err(Diagnostic::new(source, span, format!("this is not valid TOML: {}", error.message())))
        }
    }
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    places: Places,
}

/// Where the bytes of a text are, looked up: to count from its beginning for each value takes minutes in a long file.
struct Places {
    /// How many characters begin before each byte.
    characters: Vec<usize>,
    /// Where each line begins, in bytes.
    lines: Vec<usize>,
}

impl Places {
    fn of(text: &str) -> Self {
        let mut characters = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for at in 0..=text.len() {
            characters.push(count);
            count += usize::from(text.is_char_boundary(at));
        }
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { characters, lines }
    }

    /// How many characters begin before a byte.
    fn character(&self, byte: usize) -> usize {
        self.characters.get(byte).or(self.characters.last()).copied().unwrap_or_default()
    }

    /// The line of a byte, from 1, and where it begins.
    fn line(&self, byte: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|begin| *begin <= byte).max(1);
        (line, self.lines.get(line - 1).copied().unwrap_or_default())
    }
}

impl Reader<'_> {
    fn table(&self, table: &DeTable<'_>, range: Range<usize>, depth: usize) -> Result<Node, Diagnostic> {
        if depth > MAX_DEPTH {
            return Err(Diagnostic::new(self.source, self.span(range), "this is nested too deeply".to_owned()));
        }
        let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let value = self.value(value, depth + 1)?;
            Ok(Entry { key: key.get_ref().to_string(), key_span: self.span(key.span()), value })
        };
        let mut entries = table.iter().map(entry).collect::<Result<Vec<_>, Diagnostic>>()?;
        entries.sort_by_key(|entry| entry.key_span.start);
        Ok(self.node(NodeKind::Map(entries), range))
    }

    fn value(&self, value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Diagnostic> {
        let range = value.span();
        let kind = match value.get_ref() {
            DeValue::String(text) => NodeKind::Text(text.to_string()),
            DeValue::Boolean(value) => NodeKind::Bool(*value),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => NodeKind::Number(Number::from(number)),
                // A number out of range is kept as text; no option accepts it.
                Err(_) => NodeKind::Text(number.as_str().to_owned()),
            },
            DeValue::Float(number) => match number.as_str().parse().ok().and_then(Number::from_f64) {
                Some(number) => NodeKind::Number(number),
                None => NodeKind::Text(number.as_str().to_owned()),
            },
            DeValue::Datetime(time) => NodeKind::Text(time.to_string()),
            DeValue::Array(items) => NodeKind::List(items.iter().map(|item| self.value(item, depth + 1)).collect::<Result<_, _>>()?),
            DeValue::Table(table) => return self.table(table, range, depth),
        };
        Ok(self.node(kind, range))
    }

    fn node(&self, kind: NodeKind, range: Range<usize>) -> Node {
        Node { kind, span: self.span(range), source: Arc::clone(self.source) }
    }

    /// From bytes to characters.
    fn span(&self, range: Range<usize>) -> Span {
        let (start, end) = (self.places.character(range.start), self.places.character(range.end));
        let (line, line_start) = self.places.line(range.start);
        Span { start, end, line, column: start - self.places.character(line_start) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Problems;

    #[test]
    fn values_know_their_places() {
        let source = Source::new("ř.toml", "# ř\nverify.jobs = 8\n[load]\nfilter = ['ř', \"b\"]\nrate = 1.5\n");
        let node = source.parse_toml(&mut Problems::new()).unwrap();
        let json = serde_json::json!({"verify": {"jobs": 8}, "load": {"filter": ["ř", "b"], "rate": 1.5}});
        assert_eq!(node.to_json(), json);
        let filter = node.get("load").unwrap().entries().unwrap().first().unwrap();
        assert_eq!((filter.key_span.line, filter.key_span.column), (4, 1));
        assert_eq!(filter.value.list().unwrap().get(1).unwrap().span.column, 16);
    }

    #[test]
    fn a_mistake_is_reported_at_its_place() {
        for (text, place) in [("a = 1\nb 2\n", "t.toml:2:"), ("a = \n", "t.toml:1:"), ("a = 1\na = 2\n", "t.toml:2:1")] {
            let mut problems = Problems::new();
            assert!(Source::new("t.toml", text).parse_toml(&mut problems).is_none());
            let problem = problems.iter().next().unwrap().to_string();
            assert!(problem.starts_with(place) && problem.contains("not valid TOML"), "{problem}");
        }
    }
}
