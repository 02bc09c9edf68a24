//! The result as one HTML file: no scripts, nothing from elsewhere, light and dark.

mod page;

use std::io;
use std::path::PathBuf;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use crate::base::output::write_whole;
use crate::base::text::printable;
use crate::engine::outcome::Outcome;
use crate::load::result::LoadResult;
use crate::report::Reporter;
use page::Contents;

const TEMPLATE: &str = include_str!("page.html");

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Only an unfit pair of delimiters could be refused, and none is set here.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment
});

/// The page, beside an earlier run if there is one; an error is a fault of the template, which tests would have found.
pub fn html(result: &LoadResult, before: Option<&LoadResult>) -> Result<String, minijinja::Error> {
    // HTML escapes what browsers obey; what a terminal obeys that shows the file is spelled out too.
    ENVIRONMENT.render_str(TEMPLATE, minijinja::value::Serde(Contents::new(result, before))).map(|page| printable(&page))
}

/// Writes the page.
pub struct Page {
    path: PathBuf,
    page: String,
}

impl Page {
    /// A reporter that writes one file.
    pub fn new(path: PathBuf, page: String) -> Self {
        Self { path, page }
    }
}

impl Reporter for Page {
    fn finish(&mut self, _outcome: &Outcome) -> io::Result<()> {
        write_whole(&self.path, self.page.as_bytes())
    }
}

#[cfg(test)]
mod tests;
