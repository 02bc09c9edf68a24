//! Lines with tones: laid out first, coloured afterwards, so that colours never count as columns.

use crate::base::text::{clean, columns, fit, wrap};
use crate::engine::outcome::Tone;

/// The number of columns without a terminal.
const USUAL_WIDTH: usize = 100;
/// The least room into which a text is wrapped.
const LEAST_ROOM: usize = 20;

/// The parameter of the ANSI "select graphic rendition" sequence.
fn code(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some("1"),
        Tone::Good => Some("32"),
        Tone::Bad => Some("1;31"),
        Tone::Warn => Some("33"),
        Tone::Faint => Some("2"),
    }
}

/// How a line longer than the screen is shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Overflow {
    /// Its end is cut; if nothing is cut, its last piece is wrapped.
    #[default]
    End,
    /// It is never cut: it stays one line that can be copied, whatever a terminal makes of it.
    Never,
    /// It is a row of a table: if nothing is cut, it stays one line.
    Row,
}

/// One line in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pieces: Vec<(Tone, String)>,
    overflow: Overflow,
}

impl Line {
    /// An empty line.
    pub(super) fn empty() -> Self {
        Self::default()
    }

    /// A line of one piece.
    pub(super) fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self { pieces: vec![(tone, text.into())], overflow: Overflow::End }
    }

    /// A plain line.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::toned(Tone::Plain, text)
    }

    /// Adds a piece.
    #[must_use]
    pub(super) fn and(mut self, tone: Tone, text: impl Into<String>) -> Self {
        self.pieces.push((tone, text.into()));
        self
    }

    /// Marks the line as one to copy: a command line, or the path of a file.
    #[must_use]
    pub(super) fn copyable(self) -> Self {
        Self { overflow: Overflow::Never, ..self }
    }

    /// Its columns, cleaned.
    fn columns(&self) -> usize {
        self.pieces.iter().map(|(_, text)| columns(&clean(text))).sum()
    }

    /// Marks the last piece as a line of foreign text.
    #[must_use]
    pub(super) fn verbatim(self) -> Self {
        Self { overflow: Overflow::Row, ..self }
    }

    /// The line is a row of a table.
    #[must_use]
    pub(super) fn row(self) -> Self {
        Self { overflow: Overflow::Row, ..self }
    }
}

/// Colours, columns, and whether a longer line is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    colours: bool,
    width: usize,
    cuts: bool,
}

impl Layout {
    /// A layout; a width of 0 means that there is no terminal. Lines are cut only on a terminal, and not if everything is wanted.
    pub(super) fn new(colours: bool, width: u16, verbose: bool) -> Self {
        let usual = width == 0;
        Self { colours, width: if usual { USUAL_WIDTH } else { usize::from(width) }, cuts: !usual && !verbose }
    }

    /// Columns of a line.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether longer lines are cut.
    pub(super) fn cuts(&self) -> bool {
        self.cuts
    }

    /// Whether a part of the line is cut.
    pub(super) fn is_cut(&self, line: &Line) -> bool {
        self.cuts && line.overflow != Overflow::Never && line.columns() > self.width
    }

    /// The rows of a screen that the lines take, as far as they are not cut.
    pub(super) fn rows(&self, lines: &[Line]) -> usize {
        let rows = |line: &Line| if line.overflow == Overflow::Never { line.columns().div_ceil(self.width.max(1)).max(1) } else { 1 };
        lines.iter().map(rows).sum()
    }

    /// A label and a text in lines of this width, at most `most`; of a longer text the last line has the rest, and is cut.
    pub(super) fn paragraph(&self, label: (Tone, String), tone: Tone, text: &str, most: usize) -> Vec<Line> {
        let used = columns(&label.1);
        let rows = if self.cuts { wrap(text, self.width.saturating_sub(used).max(LEAST_ROOM)) } else { vec![text.to_owned()] };
        let (first, rest) = rows.split_at(rows.len().min(most.saturating_sub(1)));
        let rest = (!rest.is_empty()).then(|| rest.join(" "));
        let beginnings = std::iter::once(label).chain(std::iter::repeat((Tone::Plain, " ".repeat(used))));
        let lines = beginnings.zip(first.iter().cloned().chain(rest));
        lines.map(|((of_label, label), text)| Line::toned(of_label, label).and(tone, text)).collect()
    }

    /// The rendered line or lines, each with its line break.
    pub(super) fn render(&self, line: &Line) -> String {
        if self.cuts && line.overflow != Overflow::Never {
            return self.cut(line) + "\n";
        }
        match (line.overflow, line.pieces.split_last()) {
            (Overflow::End, Some(((tone, last), before))) if line.columns() > self.width => self.wrapped(before, *tone, last),
            (_, _) => line.pieces.iter().map(|(tone, text)| self.coloured(*tone, &clean(text))).collect::<String>() + "\n",
        }
    }

    fn cut(&self, line: &Line) -> String {
        let mut room = self.width;
        let mut rendered = String::new();
        for (tone, text) in &line.pieces {
            let text = fit(text, room);
            room -= columns(&text).min(room);
            rendered.push_str(&self.coloured(*tone, &text));
        }
        rendered
    }

    /// Wraps the last piece, with each line below its beginning.
    fn wrapped(&self, before: &[(Tone, String)], tone: Tone, last: &str) -> String {
        let mut rendered: String = before.iter().map(|(tone, text)| self.coloured(*tone, &clean(text))).collect();
        let own = last.len() - last.trim_start_matches(' ').len();
        let used: usize = before.iter().map(|(_, text)| columns(&clean(text))).sum::<usize>() + own;
        let indent = if self.width.saturating_sub(used) < LEAST_ROOM { 4 } else { used };
        let lines = wrap(last.trim_start_matches(' '), self.width.saturating_sub(indent));
        for (index, text) in lines.iter().enumerate() {
            rendered.push_str(&" ".repeat(if index == 0 { own } else { indent }));
            rendered.push_str(&self.coloured(tone, text));
            rendered.push('\n');
        }
        rendered
    }

    fn coloured(&self, tone: Tone, text: &str) -> String {
        match code(tone).filter(|_| self.colours && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_only_when_asked_for() {
        let line = Line::toned(Tone::Bad, "no").and(Tone::Plain, " more");
        assert_eq!(Layout::new(false, 5, false).render(&line), "no m…\n");
        assert_eq!(Layout::new(true, 80, false).render(&line), "\u{1b}[1;31mno\u{1b}[0m more\n");
    }

    #[test]
    fn nothing_is_cut_where_there_is_no_terminal() {
        let words = "word ".repeat(30);
        let text = Layout::new(false, 0, false).render(&Line::toned(Tone::Faint, "  label     ").and(Tone::Plain, words.trim_end()));
        assert!(text.lines().count() == 2 && text.lines().all(|line| columns(line) <= USUAL_WIDTH), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("            word"), "{text}");
        assert_eq!(text.matches("word").count(), 30);
        let command = Line::toned(Tone::Faint, "  again     ").and(Tone::Faint, words.as_str()).copyable();
        assert_eq!(Layout::new(false, 0, false).render(&command).lines().count(), 1);
        for verbose in [true, false] {
            let terminal = Layout::new(false, 60, verbose);
            assert!(terminal.render(&command).contains(words.trim_end()), "a command can be copied");
            assert_eq!(terminal.rows(std::slice::from_ref(&command)), 3);
        }
    }

    #[test]
    fn a_paragraph_is_wrapped_below_its_beginning_and_ends_somewhere() {
        let lines = |most| {
            let layout = Layout::new(false, 40, false);
            let lines = layout.paragraph((Tone::Faint, "  rule      ".to_owned()), Tone::Plain, &"word ".repeat(20), most);
            (lines.iter().any(|line| layout.is_cut(line)), lines.iter().map(|line| layout.render(line)).collect::<String>())
        };
        let (is_cut, whole) = lines(9);
        assert_eq!((is_cut, whole.matches("word").count(), whole.lines().count()), (false, 20, 4), "{whole}");
        assert!(whole.starts_with("  rule      word") && whole.lines().skip(1).all(|line| line.starts_with("            word")), "{whole}");
        let (is_cut, cut) = lines(2);
        assert!(is_cut && cut.lines().count() == 2 && cut.ends_with("…\n"), "{cut}");
    }
}
