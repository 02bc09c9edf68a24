//! The result as one HTML file that opens from an artefact store: no scripts, no external resources; light, dark and on paper.

mod contents;
mod diagram;
mod evidence;
mod rules;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use super::Reporter;
use super::format::{Format, FormatOptions};
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

const TEMPLATE: &str = include_str!("page.html");

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Only an invalid pair of delimiters could be refused, and none is set here.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment
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
    ENVIRONMENT.render_str(TEMPLATE, minijinja::value::Serde(Contents::from_outcome(outcome)))
}
