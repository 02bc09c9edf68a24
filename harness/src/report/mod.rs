//! Reporters: each consumes the events of a run and knows one output format.

mod fan;
mod file;
mod findings;
mod junit;
mod ndjson;
#[cfg(test)]
mod sample;
mod tally;
mod tape;
mod terminal;
pub(crate) mod text;
mod transcript;

use std::io;

use crate::event::Event;

pub use fan::Fan;
pub use file::{create_file, write_whole};
pub use junit::{Junit, JunitOptions};
pub use ndjson::{MAX_RECORDED_BODY_BYTES, Ndjson, schema};
pub use tally::Tally;
pub use tape::TapeRecorder;
pub(crate) use terminal::style;
pub use terminal::{Terminal, TerminalOptions};
pub(crate) use transcript::replaced;
pub use transcript::{Normaliser, Rules, transcript};

/// A consumer of events. Adding an output format is one file with one of these.
pub trait Reporter: Send {
    /// Takes one event. An error (a full disk, a closed pipe) ends the run as an internal fault.
    fn take(&mut self, event: &Event) -> io::Result<()>;
}
