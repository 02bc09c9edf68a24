//! Several reporters as one.

use std::io;

use super::Reporter;
use crate::engine::event::Event;
use crate::engine::outcome::{Heading, Outcome};

/// Passes everything to all of its reporters, and returns what each could not write. Each of them gets it even if one before it
/// fails, so that a full disk for one report does not affect the others.
pub struct Reporters(pub Vec<Box<dyn Reporter>>);

impl Reporters {
    /// Reports that the command begins.
    pub fn start(&mut self, heading: &Heading) -> Vec<io::Error> {
        self.each(|reporter| reporter.start(heading))
    }

    /// Reports an event of a run.
    pub fn event(&mut self, event: &Event) -> Vec<io::Error> {
        self.each(|reporter| reporter.event(event))
    }

    /// Reports the outcome.
    pub fn finish(&mut self, outcome: &Outcome) -> Vec<io::Error> {
        self.each(|reporter| reporter.finish(outcome))
    }

    fn each(&mut self, mut give: impl FnMut(&mut dyn Reporter) -> io::Result<()>) -> Vec<io::Error> {
        self.0.iter_mut().filter_map(|reporter| give(reporter.as_mut()).err()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::report::sample::{self, Full};

    /// Keeps the names of events.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<String>>>);

    impl Reporter for Log {
        fn event(&mut self, event: &Event) -> io::Result<()> {
            let name = serde_json::to_value(event)?.get("event").map(ToString::to_string);
            self.0.lock().unwrap().extend(name);
            Ok(())
        }
    }

    #[test]
    fn every_reporter_gets_every_event_in_order() {
        let (one, two) = (Log::default(), Log::default());
        let mut reporters = Reporters(vec![Box::new(one.clone()), Box::new(two.clone())]);
        for event in sample::run().passed("create", 1).events() {
            assert!(reporters.event(&event).is_empty());
        }
        assert_eq!(*one.0.lock().unwrap(), ["\"run-started\"", "\"case-finished\"", "\"run-finished\""]);
        assert_eq!(*one.0.lock().unwrap(), *two.0.lock().unwrap());
    }

    #[test]
    fn each_error_is_returned_and_the_others_still_get_the_event() {
        let log = Log::default();
        let full = || Box::new(crate::report::Ndjson::new(Full, false));
        let mut reporters = Reporters(vec![full(), Box::new(log.clone()), full()]);
        let events = sample::run().events();
        let errors = reporters.event(events.first().unwrap());
        assert_eq!(errors.iter().map(io::Error::kind).collect::<Vec<_>>(), [io::ErrorKind::StorageFull; 2]);
        assert_eq!(log.0.lock().unwrap().len(), 1);
    }
}
