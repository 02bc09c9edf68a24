//! A command's own result as a JSON file with a published schema.

use std::io;
use std::path::{Path, PathBuf};

use super::Reporter;
use crate::base::output::write_whole;
use crate::engine::outcome::Outcome;

/// Writes the outcome's document.
pub struct Json {
    to: PathBuf,
}

impl Json {
    /// A reporter that writes one file.
    pub fn new(to: &Path) -> Self {
        Self { to: to.to_owned() }
    }
}

impl Reporter for Json {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let Some(document) = &outcome.document else { return Ok(()) };
        let mut bytes = document.json().map_err(io::Error::other)?;
        bytes.push(b'\n');
        write_whole(&self.to, &bytes)
    }
}
