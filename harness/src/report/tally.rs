//! What the events say of the run as a whole. The last line of the terminal, the JUnit file and the
//! exit code all follow from it, so that they can't disagree.

use super::findings::{only_assumed, only_known};
use super::text::counted;
use crate::event::{Counts, Event, InstanceFinished, RunFinished};
use crate::exit::Exit;
use crate::known::SUITE;
use crate::verdict::Verdict;

/// Counts what is reported.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    planned: usize,
    reported: usize,
    failed: usize,
    only_assumed: usize,
    only_known: usize,
    stale: usize,
    counts: Counts,
    inconclusive: Vec<String>,
}

impl Tally {
    /// Takes one event.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::RunStarted(started) => self.planned = started.instances,
            Event::InstanceFinished(instance) => self.instance(instance),
            Event::RunFinished(run) => self.finish(run),
        }
    }

    fn instance(&mut self, instance: &InstanceFinished) {
        self.reported += 1;
        match &instance.verdict {
            Verdict::Failed { findings } if only_assumed(findings) => self.only_assumed += 1,
            Verdict::Failed { findings } if only_known(findings) => self.only_known += 1,
            Verdict::Failed { .. } => {
                self.failed += 1;
                self.stale += usize::from(instance.name.api == SUITE);
            }
            Verdict::Passed | Verdict::Skipped { .. } | Verdict::Broken { .. } => {}
        }
    }

    fn finish(&mut self, run: &RunFinished) {
        self.counts = run.counts;
        self.inconclusive.clone_from(&run.inconclusive);
    }

    /// Instances that have ended.
    pub fn reported(&self) -> usize {
        self.reported
    }

    /// Instances with a finding that counts.
    pub fn failed(&self) -> usize {
        self.failed.max(self.counts.failed.saturating_sub(self.only_assumed + self.only_known))
    }

    /// Instances in which only assumed rules were broken.
    pub fn only_assumed(&self) -> usize {
        self.only_assumed
    }

    /// Instances in which nothing was found but what is accepted.
    pub fn only_known(&self) -> usize {
        self.only_known
    }

    /// Entries of the known findings that are out of date; each is told as an instance that failed.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// Instances that really ran and were judged.
    pub fn judged(&self) -> usize {
        self.counts.passed + self.failed().max(self.counts.failed)
    }

    /// Why the run proves less than was asked for; empty when it proves all of it.
    pub fn missing(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.judged() == 0 {
            reasons.push("nothing ran".to_owned());
        }
        reasons.extend(self.inconclusive.iter().cloned());
        if self.counts.broken > 0 {
            reasons.push(format!("{} could not be judged", counted(self.counts.broken, "instance")));
        }
        if self.reported < self.planned {
            reasons.push(format!("only {} of {} ran to an end", self.reported, counted(self.planned, "planned instance")));
        }
        reasons
    }

    /// How a run with these events ends, as far as events tell: a broken-off run or an unreachable
    /// target is known to the caller alone.
    pub fn exit(&self) -> Exit {
        if self.failed() > 0 {
            Exit::Findings
        } else if self.missing().is_empty() {
            Exit::Passed
        } else {
            Exit::Inconclusive
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, Run, finding};

    fn exit(run: &Run) -> Exit {
        let mut tally = Tally::default();
        run.events().iter().for_each(|event| tally.take(event));
        tally.exit()
    }

    #[test]
    fn only_a_run_that_judged_something_passes() {
        assert_eq!(exit(&sample::run().passed("a", 1)), Exit::Passed);
        assert_eq!(exit(&sample::run()), Exit::Inconclusive);
        assert_eq!(exit(&sample::run().skipped("a", "no payer")), Exit::Inconclusive);
        assert_eq!(Tally::default().exit(), Exit::Inconclusive);
    }

    #[test]
    fn a_finding_outweighs_what_is_missing() {
        assert_eq!(exit(&sample::run().failed("a", vec![finding("x")]).broken("b", "refused")), Exit::Findings);
        assert_eq!(exit(&sample::run().passed("a", 1).broken("b", "refused")), Exit::Inconclusive);
        assert_eq!(exit(&sample::run().passed("a", 1).inconclusive("no shop")), Exit::Inconclusive);
    }

    #[test]
    fn an_assumed_rule_does_not_fail_a_run() {
        assert_eq!(exit(&sample::run().failed("a", vec![sample::assumed("x")])), Exit::Passed);
        assert_eq!(exit(&sample::run().failed("a", vec![sample::assumed("x"), finding("y")])), Exit::Findings);
    }

    #[test]
    fn what_is_accepted_does_not_fail_a_run() {
        assert_eq!(exit(&sample::run().failed("a", vec![sample::known("x")])), Exit::Passed);
        assert_eq!(exit(&sample::run().failed("a", vec![sample::known("x"), sample::assumed("z")])), Exit::Passed);
        assert_eq!(exit(&sample::run().failed("a", vec![sample::known("x"), finding("y")])), Exit::Findings);
    }

    #[test]
    fn a_plan_that_was_not_finished_is_not_a_pass() {
        assert_eq!(exit(&sample::run().planned(9).passed("a", 1)), Exit::Inconclusive);
    }
}
