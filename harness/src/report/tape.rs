//! The tape of a run: everything that happened, to be judged, mutated or compared later.

use std::io::{self, Write};

use super::Reporter;
use crate::engine::event::Event;
use crate::engine::tape::Writer;

/// Writes the tape while the run goes on.
pub struct TapeRecorder<W: Write> {
    state: State<W>,
}

enum State<W: Write> {
    Waiting(W),
    Recording(Writer<W>),
    Ended,
}

impl<W: Write> TapeRecorder<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { state: State::Waiting(out) }
    }
}

impl<W: Write + Send> Reporter for TapeRecorder<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.state = match (std::mem::replace(&mut self.state, State::Ended), event) {
            (State::Waiting(out), Event::RunStarted(run)) => State::Recording(Writer::begin(out, run.judged.as_ref().clone(), run.seed)?),
            (State::Recording(mut writer), Event::CaseFinished(case)) => {
                writer.write_case(case)?;
                State::Recording(writer)
            }
            (State::Recording(writer), Event::RunFinished(_)) => {
                writer.end()?;
                State::Ended
            }
            (state, _) => state,
        };
        Ok(())
    }
}
