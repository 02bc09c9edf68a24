//! The result as one HTML file that opens from an artefact store: no scripts, no external resources; light, dark and on paper.

mod contents;
mod diagram;
mod evidence;
mod rules;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::LazyLock;

use super::Reporter;
use super::format::{Format, FormatOptions};
use super::frame::PageTemplate;
use crate::base::output::write_whole;
use crate::engine::outcome::Outcome;
use contents::Contents;

pub(super) const FORMAT: Format = Format {
    name: "html",
    label: "HTML",
    help: "Writes the whole result as one HTML file without scripts",
    needs_exchanges: false,
    reporter: |options| Ok(Box::new(Html { options })),
};

static PAGE: LazyLock<PageTemplate> = LazyLock::new(|| {
    PageTemplate::new("{{ word }}: paycheck {{ verb }}, {{ target }}", include_str!("page.css"), include_str!("page.html"))
});

struct Html {
    options: FormatOptions,
}

impl Reporter for Html {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        write_whole(&self.options.to, page(outcome).map_err(io::Error::other)?.as_bytes())
    }
}

/// The page. An error is a fault of the template, which the tests exclude.
fn page(outcome: &Outcome) -> Result<String, minijinja::Error> {
    PAGE.fill(Contents::from_outcome(outcome))
}
