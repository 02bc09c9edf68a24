use super::*;
use crate::base::exit::Exit;
use crate::base::place::{Message, Place};
use crate::base::skip::SkipReason;
use crate::base::source_place::SourcePlace;
use crate::base::wildcard::Wildcard;
use crate::engine::event::{Counts, OpenReason, RunStarted};
use crate::engine::outcome::{Collector, Ended, Verb};
use jiff::civil::date;

const CLAUSE: &str = "gateway.status.price.type";

fn entry() -> KnownFinding {
    KnownFinding {
        clause: CLAUSE.into(),
        operation: None,
        at: None,
        case: None,
        owner: "Jana".into(),
        reason: "fixed in 4.2".into(),
        expires: date(2026, 12, 31),
        place: SourcePlace::new("known-findings.yaml", 2, 5),
    }
}

fn finding(clause: &str) -> Finding {
    Finding::new(clause, "gateway.v2.status", "`price` is missing").at(Place::field(Message::Response, "price"))
}

fn failed(findings: Vec<Finding>) -> Verdict {
    Verdict::Failed { findings }
}

fn skipped() -> Verdict {
    Verdict::Skipped { reason: SkipReason::Other("no payer".into()) }
}

/// The events of a run of these cases, as the filter passes them on.
fn filtered(entry: KnownFinding, scope: RunScope, verdicts: Vec<Verdict>) -> Vec<Event> {
    filtered_with(vec![entry], date(2026, 12, 31), scope, verdicts, Standing::Passed { times: 1, injected: 0, in_passing: 0 })
}

fn filtered_with(entries: Vec<KnownFinding>, today: Date, scope: RunScope, verdicts: Vec<Verdict>, otherwise: Standing) -> Vec<Event> {
    let mut filter = Filter::new(Known { path: "ci/known-findings.yaml".into(), entries }, today, scope);
    let started =
        RunStarted { target: "t".into(), seed: 1, cases: verdicts.len(), scenarios: 1, judged: Box::default(), contracts: Arc::default() };
    let mut run = RunFinished { counts: counts(&verdicts), ..RunFinished::default() };
    let times =
        verdicts.iter().filter(|v| matches!(v, Verdict::Failed { findings } if findings.iter().any(|f| f.clause() == CLAUSE))).count();
    let standing = if times > 0 { Standing::Failed { times } } else { otherwise };
    run.clauses = vec![ClauseOutcome { id: CLAUSE.into(), standing }];
    let cases = verdicts.into_iter().enumerate().map(|(number, verdict)| {
        let name = CaseName { api: "gateway".into(), scenario: format!("story-{number}"), case: String::new() };
        Event::CaseFinished(Arc::new(CaseFinished { verdict, ..CaseFinished::begun(name, String::new()) }))
    });
    let events = std::iter::once(Event::RunStarted(started)).chain(cases).chain([Event::RunFinished(Arc::new(run))]);
    events.flat_map(|event| filter.apply(&event)).collect()
}

fn counts(verdicts: &[Verdict]) -> Counts {
    let count = |is: fn(&Verdict) -> bool| verdicts.iter().filter(|v| is(v)).count();
    Counts {
        passed: count(|v| matches!(v, Verdict::Passed)),
        failed: count(|v| matches!(v, Verdict::Failed { .. })),
        skipped: count(|v| matches!(v, Verdict::Skipped { .. })),
        not_judged: count(|v| matches!(v, Verdict::NotJudged { .. })),
    }
}

fn exit(events: &[Event]) -> Exit {
    let mut collector = Collector::new(Verb::Verify);
    events.iter().for_each(|event| collector.collect(event));
    collector.outcome(Ended::Completed).exit()
}

/// The names of the failures for outdated entries.
fn stale(events: &[Event]) -> Vec<String> {
    let cases = events.iter().filter_map(|event| match event {
        Event::CaseFinished(case) if case.name.api == SUITE => Some(case),
        Event::RunStarted(_) | Event::CaseFinished(_) | Event::RunFinished(_) => None,
    });
    cases
        .flat_map(|case| match &case.verdict {
            Verdict::Failed { findings } => findings.iter().map(|f| f.message.clone()).collect(),
            Verdict::Passed | Verdict::Skipped { .. } | Verdict::NotJudged { .. } => Vec::new(),
        })
        .collect()
}

fn standing(events: &[Event]) -> Standing {
    match events.last() {
        Some(Event::RunFinished(run)) => run.clauses[0].standing.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_accepted_finding_is_reported_and_does_not_count() {
    let events = filtered(entry(), RunScope::Whole, vec![Verdict::Passed, failed(vec![finding(CLAUSE)])]);
    assert_eq!((exit(&events), stale(&events)), (Exit::Passed, vec![]));
    assert_eq!(standing(&events), Standing::Known { times: 1 });
    let text = serde_json::to_string(&events).unwrap();
    assert!(text.contains(r#""known":{"owner":"Jana","reason":"fixed in 4.2","expires":"2026-12-31"}"#), "{text}");
}

#[test]
fn another_finding_counts_beside_it() {
    let events = filtered(entry(), RunScope::Whole, vec![failed(vec![finding(CLAUSE), finding("gateway.status.code.type")])]);
    assert_eq!(exit(&events), Exit::Findings);
    assert_eq!(standing(&events), Standing::Known { times: 1 });
}

#[test]
fn what_an_entry_does_not_mean_counts() {
    for other in [
        KnownFinding { operation: Some("gateway.v1.status".into()), ..entry() },
        KnownFinding { at: Some(Wildcard::new("response body /fee")), ..entry() },
        KnownFinding { case: Some(Wildcard::new("story-1")), ..entry() },
        KnownFinding { clause: "gateway.status.code.type".into(), ..entry() },
    ] {
        let events = filtered(other.clone(), RunScope::Part, vec![failed(vec![finding(CLAUSE)])]);
        assert_eq!(exit(&events), Exit::Findings, "{other:?}");
        assert_eq!(standing(&events), Standing::Failed { times: 1 });
    }
    let meant = KnownFinding {
        operation: Some("gateway.v2.status".into()),
        at: Some(Wildcard::new("response body /pr*")),
        case: Some(Wildcard::new("gateway / *-0")),
        ..entry()
    };
    assert_eq!(exit(&filtered(meant, RunScope::Part, vec![failed(vec![finding(CLAUSE)])])), Exit::Passed);
}

#[test]
fn an_expired_entry_fails_and_what_it_meant_counts_again() {
    let day_after = |verdicts| filtered_with(vec![entry()], date(2027, 1, 1), RunScope::Part, verdicts, Standing::Untouched);
    let events = day_after(vec![failed(vec![finding(CLAUSE)])]);
    assert_eq!(stale(&events), ["the known finding expired on 2026-12-31, owner Jana: renew or fix"]);
    assert_eq!(standing(&events), Standing::Failed { times: 1 });
    assert_eq!(exit(&day_after(vec![Verdict::Passed])), Exit::Findings, "whatever a run shows, an expired entry is a failure");
}

#[test]
fn an_entry_that_nothing_shows_any_more_fails() {
    let events = filtered(entry(), RunScope::Whole, vec![Verdict::Passed]);
    assert_eq!(stale(&events), ["the known finding no longer occurs, owner Jana: remove it"]);
    assert_eq!(exit(&events), Exit::Findings);
}

#[test]
fn an_entry_that_this_run_could_not_have_shown_stays() {
    let part = filtered(entry(), RunScope::Part, vec![Verdict::Passed]);
    assert_eq!((stale(&part), exit(&part)), (vec![], Exit::Passed));
    let not_judged = Standing::Skipped { reason: OpenReason::Skipped(SkipReason::Other("no payer".into())) };
    let unjudged = filtered_with(vec![entry()], date(2026, 1, 1), RunScope::Whole, vec![Verdict::Passed, skipped()], not_judged);
    assert_eq!(stale(&unjudged), Vec::<String>::new());
    let its_case = KnownFinding { case: Some(Wildcard::new("story-1")), ..entry() };
    let unjudged = filtered(its_case.clone(), RunScope::Whole, vec![Verdict::Passed, skipped()]);
    assert_eq!(stale(&unjudged), Vec::<String>::new());
    assert_eq!(stale(&filtered(its_case, RunScope::Whole, vec![skipped(), Verdict::Passed])).len(), 1, "the one that it names was judged");
}

#[test]
fn a_run_that_was_ended_early_shows_nothing_of_what_is_gone() {
    let mut filter = Filter::new(Known { path: String::new(), entries: vec![entry()] }, date(2026, 1, 1), RunScope::Whole);
    let _ = filter.apply(&Event::RunStarted(RunStarted {
        target: "t".into(),
        seed: 1,
        cases: 2,
        scenarios: 1,
        judged: Box::default(),
        contracts: Arc::default(),
    }));
    let clauses = vec![ClauseOutcome { id: CLAUSE.into(), standing: Standing::Passed { times: 1, injected: 0, in_passing: 0 } }];
    let run = RunFinished { counts: Counts { passed: 1, ..Counts::default() }, clauses, ..RunFinished::default() };
    assert_eq!(filter.apply(&Event::RunFinished(Arc::new(run))).len(), 1);
}

#[test]
fn without_entries_the_events_are_those_of_the_run() {
    let events = filtered_with(vec![], date(2026, 1, 1), RunScope::Whole, vec![failed(vec![finding(CLAUSE)])], Standing::Untouched);
    assert_eq!((exit(&events), standing(&events)), (Exit::Findings, Standing::Failed { times: 1 }));
}
