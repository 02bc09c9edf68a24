//! Reporters: each consumes the events of a run and knows one output format.

use std::io;

use crate::event::Event;

/// A consumer of events. Adding an output format is one file with one of these.
pub trait Reporter: Send {
    /// Takes one event. An error (a full disk, a closed pipe) ends the run as an internal fault.
    fn take(&mut self, event: &Event) -> io::Result<()>;

    /// Whether something ended while nothing has been reported yet, for live progress. `finished`
    /// counts instances that ended in whatever order, before they are reported in the plan's order.
    fn progress(&mut self, _finished: usize, _failed: usize) {}
}
