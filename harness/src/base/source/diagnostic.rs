//! Diagnostics: one mistake in a file, and all mistakes found so far.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use indexmap::IndexSet;

use super::node::{Node, Span};
use super::suggest::nearest;
use super::text::Source;
use crate::base::text::counted;

/// More mistakes than this are counted, not drawn: no reader reads them, and each takes a search for its line.
const MAX_DRAWN: usize = 100;

/// A mistake in a file: what is wrong, where, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    message: String,
    help: Option<String>,
    location: Location,
}

/// Where a mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Location {
    File(String),
    Span(Arc<Source>, Span),
}

impl Diagnostic {
    /// A mistake in a range of a source.
    pub fn new(source: &Arc<Source>, span: Span, message: String) -> Self {
        Self { message, help: None, location: Location::Span(Arc::clone(source), span) }
    }

    /// A mistake at a node.
    pub fn at(node: &Node, message: impl Into<String>) -> Self {
        Self::new(&node.source, node.span, message.into())
    }

    /// A mistake of the file as a whole.
    pub fn of_file(path: String, message: String) -> Self {
        Self { message, help: None, location: Location::File(path) }
    }

    /// The same mistake without its source line, which may hold a secret.
    #[must_use]
    pub fn without_line(self) -> Self {
        Self { location: Location::File(self.location()), ..self }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the nearest valid name as advice, or all valid names if none is near.
    #[must_use]
    pub fn names<'c>(self, name: &str, valid: impl IntoIterator<Item = &'c str>) -> Self {
        let valid: IndexSet<_> = valid.into_iter().collect();
        match nearest(name, valid.iter().copied()) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None if valid.len() <= 24 && !valid.is_empty() => self.help(format!("valid here: {}", Vec::from_iter(valid).join(", "))),
            None => self,
        }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// `file:line:column`, or the file.
    pub fn location(&self) -> String {
        match &self.location {
            Location::File(path) => path.clone(),
            Location::Span(source, span) => format!("{}:{}:{}", source.path, span.line, span.column),
        }
    }

    /// Draws the mistake under its source line, as compilers do.
    pub fn render(&self, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let title = Level::ERROR.primary_title(self.message.clone());
        let group = match &self.location {
            Location::File(path) => title.element(annotate_snippets::Origin::path(path.clone())),
            Location::Span(source, span) => title.element(
                Snippet::source(source.text.as_str())
                    .path(source.path.as_str())
                    .annotation(AnnotationKind::Primary.span(first_line_bytes(&source.text, *span))),
            ),
        };
        let group = match &self.help {
            Some(help) => group.element(Level::HELP.message(help.clone())),
            None => group,
        };
        renderer.render(&[group])
    }

    fn order(&self) -> (&str, usize) {
        match &self.location {
            Location::File(path) => (path, 0),
            Location::Span(source, span) => (&source.path, span.start),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location(), self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// The byte range of a span, cut at the end of its first line: a mistake of a whole mapping is shown at its first key.
fn first_line_bytes(text: &str, span: Span) -> Range<usize> {
    let byte = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let start = byte(span.start);
    let rest = text.get(start..).unwrap_or_default();
    let line_end = start + rest.find('\n').unwrap_or(rest.len());
    start..byte(span.end).clamp(start, line_end.max(start))
}

/// Every mistake found so far. A reader collects them and continues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mistake.
    pub fn add(&mut self, problem: Diagnostic) {
        self.0.push(problem);
    }

    /// The same mistakes without their source lines.
    #[must_use]
    pub fn without_lines(self) -> Self {
        Self(self.0.into_iter().map(Diagnostic::without_line).collect())
    }

    /// Whether there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of mistakes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The mistakes.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// Returns `value` if there are no mistakes.
    ///
    /// # Errors
    /// All mistakes, in the order of the files.
    pub fn or<T>(mut self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            return Ok(value);
        }
        self.0.sort_by(|a, b| a.order().cmp(&b.order()));
        Err(self)
    }

    /// Draws the first mistakes, and a last line with their number.
    pub fn render(&self, colours: bool) -> String {
        self.render_before(colours, "; nothing was sent")
    }

    /// Draws the first mistakes, and a last line with their number and what follows from them.
    pub fn render_before(&self, colours: bool, consequence: &str) -> String {
        let mut text: String = self.0.iter().take(MAX_DRAWN).map(|p| p.render(colours) + "\n\n").collect();
        let more = self.len().saturating_sub(MAX_DRAWN);
        if more > 0 {
            text.push_str(&format!("and {more} more\n\n"));
        }
        text + &format!("{}{consequence}\n", counted(self.len(), "mistake"))
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|p| writeln!(f, "{p}"))
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_drawn_under_its_line() {
        let source = Source::new("scenarios/a.yaml", "title: ř\nexpects: 1\n");
        let node = source.parse(&mut Problems::new()).unwrap();
        let entry = node.entries().unwrap().last().unwrap();
        let problem = Diagnostic::new(&source, entry.key_span, "unknown key `expects`".into()).names("expects", ["expect", "keep"]);
        insta::assert_snapshot!(problem.render(false));
    }

    #[test]
    fn mistakes_are_listed_in_the_order_of_the_file() {
        let source = Source::new("a.yaml", "a: 1\nb: 2\n");
        let node = source.parse(&mut Problems::new()).unwrap();
        let mut problems = Problems::new();
        problems.add(Diagnostic::at(node.get("b").unwrap(), "second"));
        problems.add(Diagnostic::at(node.get("a").unwrap(), "first"));
        let messages: Vec<_> = problems.or(()).unwrap_err().iter().map(|p| p.message().to_owned()).collect();
        assert_eq!(messages, ["first", "second"]);
    }

    #[test]
    fn of_very_many_mistakes_the_first_ones_are_drawn() {
        let mut problems = Problems::new();
        (0..300_000).for_each(|number| problems.add(Diagnostic::of_file("a.yaml".into(), format!("mistake {number}."))));
        let drawn = problems.render(false);
        assert!(drawn.contains("mistake 99.") && !drawn.contains("mistake 100."), "{drawn}");
        assert!(drawn.ends_with("and 299900 more\n\n300000 mistakes; nothing was sent\n"), "{drawn}");
    }
}
