//! Reporters: each knows one output format, and consumes the events of a run, its outcome, or both. A format is one file here and
//! one line in `formats.rs`.

mod bug;
mod ctrf;
mod format;
pub mod formats;
mod frame;
mod github;
mod har;
mod html;
mod json;
mod junit;
pub mod load;
mod markdown;
mod ndjson;
pub mod qr;
#[cfg(test)]
pub(crate) mod rendering;
mod reporters;
#[cfg(test)]
mod sample;
mod sarif;
#[cfg(test)]
mod standards;
mod tape;
mod terminal;
#[cfg(test)]
mod tests;
mod transcript;

use std::io;

use crate::engine::event::Event;
use crate::engine::outcome::{Heading, Outcome};

pub use github::GitHub;
pub use json::Json;
pub use load::Page;
pub use ndjson::{MAX_RECORDED_BODY_BYTES, Ndjson, schema};
pub use reporters::Reporters;
pub use tape::TapeRecorder;
pub use terminal::{Terminal, TerminalOptions};
pub use transcript::{Normaliser, Rules, transcript};

/// A consumer of a command's result. An error (a full disk, a closed pipe) ends the command as an internal fault.
pub trait Reporter: Send {
    /// Called when the command begins.
    fn start(&mut self, _heading: &Heading) -> io::Result<()> {
        Ok(())
    }

    /// Called for each event of a run.
    fn event(&mut self, _event: &Event) -> io::Result<()> {
        Ok(())
    }

    /// Called with the outcome at the end.
    fn finish(&mut self, _outcome: &Outcome) -> io::Result<()> {
        Ok(())
    }
}
