//! The result as one HTML file: no scripts, no external resources, light and dark.

mod page;

use std::io;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::base::output::write_whole;
use crate::base::text::printable;
use crate::engine::outcome::Outcome;
use crate::load::result::LoadResult;
use crate::report::Reporter;
use crate::report::frame::PageTemplate;
use page::Contents;

static PAGE: LazyLock<PageTemplate> =
    LazyLock::new(|| PageTemplate::new("{{ verdict }}: {{ title }}", include_str!("page.css"), include_str!("page.html")));

/// The page, with a comparison if there is an earlier run. An error is a fault of the template, which the tests exclude.
pub fn html(result: &LoadResult, before: Option<&LoadResult>) -> Result<String, minijinja::Error> {
    // Besides the escapes of HTML, control characters of terminals are escaped too.
    PAGE.fill(Contents::new(result, before)).map(|page| printable(&page))
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
