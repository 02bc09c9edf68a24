//! A command's own result as a JSON file with a published schema.

use std::io;
use std::path::PathBuf;

use super::Reporter;
use crate::base::output::write_whole;
use crate::engine::outcome::Outcome;

/// Writes the outcome's document.
pub struct Json {
    path: PathBuf,
}

impl Json {
    /// A reporter that writes one file.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

impl Reporter for Json {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let Some(document) = &outcome.document else { return Ok(()) };
        let mut bytes = document.json().map_err(io::Error::other)?;
        bytes.push(b'\n');
        write_whole(&self.path, &bytes)
    }
}
