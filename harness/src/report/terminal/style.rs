//! Lines with tones: bounded first, coloured after, so that colours never count as columns.

use crate::report::text::{columns, fit};

/// Columns when nobody says how many there are.
const USUAL_WIDTH: usize = 100;

/// What a piece of text means; colours follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it is.
    Plain,
    /// A heading.
    Strong,
    /// It holds.
    Good,
    /// It is broken.
    Bad,
    /// It is uncertain.
    Warn,
    /// It matters less.
    Faint,
}

impl Tone {
    /// The parameter of the ANSI "select graphic rendition" sequence.
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Good => Some("32"),
            Self::Bad => Some("1;31"),
            Self::Warn => Some("33"),
            Self::Faint => Some("2"),
        }
    }
}

/// One line in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(Tone, String)>);

impl Line {
    /// An empty line.
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    /// A line of one piece.
    pub(crate) fn toned(tone: Tone, text: String) -> Self {
        Self(vec![(tone, text)])
    }

    /// A plain line.
    pub(crate) fn plain(text: String) -> Self {
        Self::toned(Tone::Plain, text)
    }

    /// Adds a piece.
    pub(crate) fn and(mut self, tone: Tone, text: String) -> Self {
        self.0.push((tone, text));
        self
    }
}

/// Whether and how wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    colours: bool,
    width: usize,
}

impl Style {
    /// A width of 0 means unknown.
    pub(crate) fn new(colours: bool, width: u16) -> Self {
        Self { colours, width: if width == 0 { USUAL_WIDTH } else { usize::from(width) } }
    }

    /// Columns of a line.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The line, cut at the width.
    pub(crate) fn render(&self, line: &Line) -> String {
        let mut room = self.width;
        let mut rendered = String::new();
        for (tone, text) in &line.0 {
            let text = fit(text, room);
            room -= columns(&text).min(room);
            match tone.code().filter(|_| self.colours && !text.is_empty()) {
                Some(code) => rendered.push_str(&format!("\u{1b}[{code}m{text}\u{1b}[0m")),
                None => rendered.push_str(&text),
            }
        }
        rendered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_only_when_asked_for() {
        let line = Line::toned(Tone::Bad, "no".into()).and(Tone::Plain, " more".into());
        assert_eq!(Style::new(false, 5).render(&line), "no m…");
        assert_eq!(Style::new(true, 80).render(&line), "\u{1b}[1;31mno\u{1b}[0m more");
    }
}
