//! Several reporters as one.

use std::io;

use super::Reporter;
use crate::engine::event::Event;
use crate::engine::outcome::{Heading, Outcome};

/// Passes everything to all of its reporters. Each of them gets it even if one before it fails, so that a full disk for one
/// report does not affect the others; the first error is returned.
pub struct Reporters(pub Vec<Box<dyn Reporter>>);

impl Reporters {
    fn each(&mut self, mut give: impl FnMut(&mut dyn Reporter) -> io::Result<()>) -> io::Result<()> {
        let results: Vec<_> = self.0.iter_mut().map(|reporter| give(reporter.as_mut())).collect();
        results.into_iter().collect()
    }
}

impl Reporter for Reporters {
    fn start(&mut self, heading: &Heading) -> io::Result<()> {
        self.each(|reporter| reporter.start(heading))
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.each(|reporter| reporter.event(event))
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.each(|reporter| reporter.finish(outcome))
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
            reporters.event(&event).unwrap();
        }
        assert_eq!(*one.0.lock().unwrap(), ["\"run-started\"", "\"case-finished\"", "\"run-finished\""]);
        assert_eq!(*one.0.lock().unwrap(), *two.0.lock().unwrap());
    }

    #[test]
    fn an_error_is_returned_and_the_others_still_get_the_event() {
        let log = Log::default();
        let mut reporters = Reporters(vec![Box::new(crate::report::Ndjson::new(Full, false)), Box::new(log.clone())]);
        let events = sample::run().events();
        assert_eq!(reporters.event(events.first().unwrap()).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(log.0.lock().unwrap().len(), 1);
    }
}
