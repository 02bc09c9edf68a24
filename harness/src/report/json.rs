//! A command's own result as a JSON file with a published schema.

use std::io;

use super::Reporter;
use crate::base::output::Destination;
use crate::engine::outcome::Outcome;

/// Writes the outcome's document.
pub struct Json {
    to: Destination,
}

impl Json {
    /// A reporter that writes one file.
    pub fn new(to: Destination) -> Self {
        Self { to }
    }
}

impl Reporter for Json {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let Some(document) = &outcome.document else { return Ok(()) };
        let mut bytes = document.json().map_err(io::Error::other)?;
        bytes.push(b'\n');
        self.to.write(&bytes)
    }
}
