//! Tests of the outcomes of runs.

use super::TerminalOptions;
use super::rendering::screen;
use super::sample::{self, Run, finding};
use crate::base::exit::Exit;
use crate::base::skip::SkipReason;
use crate::engine::outcome::{Collector, Ended, Missing, Verb};

fn exit(run: &Run) -> Exit {
    run.outcome().exit()
}

#[test]
fn only_a_run_that_judged_something_passes() {
    assert_eq!(exit(&sample::run().passed("a", 1)), Exit::Passed);
    assert_eq!(exit(&sample::run()), Exit::Inconclusive);
    assert_eq!(exit(&sample::run().skipped("a", "no payer")), Exit::Inconclusive);
    assert_eq!(Collector::new(Verb::Verify).outcome(Ended::Completed).exit(), Exit::Inconclusive);
}

#[test]
fn a_finding_outweighs_what_is_missing() {
    assert_eq!(exit(&sample::run().failed("a", vec![finding("x")]).broken("b", "refused")), Exit::Findings);
    assert_eq!(exit(&sample::run().passed("a", 1).broken("b", "refused")), Exit::Inconclusive);
    assert_eq!(exit(&sample::run().passed("a", 1).inconclusive(Missing::NothingSelected)), Exit::Inconclusive);
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

#[test]
fn how_a_run_came_to_its_end_outweighs_what_it_found() {
    let run = sample::run().failed("a", vec![finding("x")]);
    let ended = |ended| {
        let mut collector = Collector::new(Verb::Verify);
        run.events().iter().for_each(|event| collector.collect(event));
        let outcome = collector.outcome(ended);
        (outcome.exit(), outcome.conclusion().1)
    };
    assert_eq!(ended(Ended::Interrupted), (Exit::Interrupted, "FAILED"));
    assert_eq!(ended(Ended::Unreachable(None)), (Exit::Unreachable, "UNREACHABLE"));
    assert_eq!(ended(Ended::Completed), (Exit::Findings, "FAILED"));
}

#[test]
fn the_reason_of_an_inconclusive_run_is_what_most_cases_lack_or_what_the_whole_lacks() {
    let mut outcome = sample::run().outcome();
    let skipped = |cases| Missing::Skipped { cases, clauses: 0, reason: SkipReason::NoInbox };
    let excused = Missing::OperationExcused { operation: "shop.pay".into(), cases: 5, reason: "not shown".into() };
    outcome.missing = vec![skipped(2), excused.clone()];
    assert_eq!(outcome.conclusion().2, excused.to_string());
    outcome.missing.push(Missing::NothingRan);
    assert_eq!(outcome.conclusion().2, Missing::NothingRan.to_string());
}

#[test]
fn a_case_counts_once_for_a_cause_and_the_most_frequent_comes_first() {
    let run = sample::run().failed("a", vec![finding("rare"), finding("often"), finding("often")]).failed("b", vec![finding("often")]);
    let seen: Vec<_> = run.outcome().causes.into_iter().map(|cause| (cause.name, cause.seen)).collect();
    let step = "scenarios/gateway/create.yaml:12:5";
    assert_eq!(seen, [("often".to_owned(), format!("2 cases, {step}")), ("rare".to_owned(), format!("1 case, {step}"))]);
}

#[test]
fn skipped_cases_that_are_fine_with_the_user_are_shown_and_do_not_count() {
    let run = sample::run().passed("a", 1).skipped("b", "no payer");
    let outcome = run.outcome();
    assert_eq!((outcome.exit(), outcome.missing.len(), outcome.tolerated.len()), (Exit::Passed, 0, 1));
    assert!(screen(&outcome, TerminalOptions::default()).contains("1 case: no payer"));
    let counted = run.inconclusive(Missing::Skipped { cases: 1, clauses: 0, reason: SkipReason::Other("no payer".into()) }).outcome();
    assert_eq!((counted.exit(), counted.missing.len(), counted.tolerated.len()), (Exit::Inconclusive, 1, 0));
}
