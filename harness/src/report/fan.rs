//! Several reporters as one.

use std::io;

use super::Reporter;
use crate::event::Event;

/// Hands every event to all of its reporters.
pub struct Fan(pub Vec<Box<dyn Reporter>>);

impl Reporter for Fan {
    /// Every reporter gets the event even if one before it fails, so that a full disk under one
    /// report doesn't cost the others. The first error is returned.
    fn take(&mut self, event: &Event) -> io::Result<()> {
        let mut first = Ok(());
        for reporter in &mut self.0 {
            first = first.and(reporter.take(event));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::report::sample::{self, Full};

    /// Notes what it was told.
    #[derive(Clone, Default)]
    struct Ear(Arc<Mutex<Vec<String>>>);

    impl Reporter for Ear {
        fn take(&mut self, event: &Event) -> io::Result<()> {
            let told = serde_json::to_value(event)?.get("event").map(ToString::to_string);
            self.0.lock().unwrap().extend(told);
            Ok(())
        }
    }

    #[test]
    fn every_reporter_hears_everything_in_order() {
        let (one, two) = (Ear::default(), Ear::default());
        let mut fan = Fan(vec![Box::new(one.clone()), Box::new(two.clone())]);
        for event in sample::run().passed("create", 1).events() {
            fan.take(&event).unwrap();
        }
        assert_eq!(*one.0.lock().unwrap(), ["\"run-started\"", "\"instance-finished\"", "\"run-finished\""]);
        assert_eq!(*one.0.lock().unwrap(), *two.0.lock().unwrap());
    }

    #[test]
    fn an_error_is_returned_and_the_others_still_hear() {
        let ear = Ear::default();
        let mut fan = Fan(vec![Box::new(crate::report::Ndjson::new(Full, false)), Box::new(ear.clone())]);
        let events = sample::run().events();
        assert_eq!(fan.take(events.first().unwrap()).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(ear.0.lock().unwrap().len(), 1);
    }
}
