//! When a load gives its target up. A target that is restarted or overloaded for a while is none that is dead, so more than a number of
//! calls has to go without a response: all of them, for as long as people wait for a service that restarts.

use std::time::Duration;

use crate::engine::responsiveness::Responsiveness;

/// How long a target that has responded may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// Watches how long the present silence lasts.
#[derive(Debug, Default)]
pub(super) struct SilenceWatch {
    /// The number of the silence, and when it was first seen.
    since: Option<(usize, Duration)>,
}

impl SilenceWatch {
    /// Whether the target is to be given up at this time of the run.
    pub(super) fn gives_up(&mut self, responsiveness: &Responsiveness, now: Duration) -> bool {
        let Some(silence) = responsiveness.silence() else {
            self.since = None;
            return false;
        };
        let since = match self.since {
            Some((number, since)) if number == silence.number => since,
            Some(_) | None => now,
        };
        self.since = Some((silence.number, since));
        let is_long = !silence.has_responded || now.saturating_sub(since) >= PATIENCE;
        is_long && silence.calls >= responsiveness.enough()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::target::GiveUp;
    use crate::wire::exchange::TransportFailureKind::Timeout;

    fn after(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_target_that_has_responded_may_be_silent_for_a_while_and_one_that_never_has_may_not() {
        let (target, mut watch) = (Responsiveness::of_one(GiveUp { operation: 1, all: 3 }), SilenceWatch::default());
        target.note_kind(Some(Timeout));
        target.note_kind(Some(Timeout));
        assert!(!watch.gives_up(&target, after(1)));
        target.note_kind(Some(Timeout));
        assert!(watch.gives_up(&target, after(2)), "it never responded");
        target.note_kind(None);
        assert!(!watch.gives_up(&target, after(3)));
        for _ in 0..1000 {
            target.note_kind(Some(Timeout));
        }
        assert!(!watch.gives_up(&target, after(10)) && !watch.gives_up(&target, after(39)));
        // A response between two looks begins the time anew.
        target.note_kind(None);
        for _ in 0..2000 {
            target.note_kind(Some(Timeout));
        }
        assert!(!watch.gives_up(&target, after(41)) && !watch.gives_up(&target, after(70)));
        assert!(watch.gives_up(&target, after(71)));
    }

    #[test]
    fn few_calls_in_a_long_time_prove_nothing() {
        let (target, mut watch) = (Responsiveness::of_one(GiveUp::default()), SilenceWatch::default());
        target.note_kind(None);
        target.note_kind(Some(Timeout));
        assert!(!watch.gives_up(&target, after(0)) && !watch.gives_up(&target, after(3600)));
    }
}
