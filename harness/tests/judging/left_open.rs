//! What the cases that a run leaves open would have judged in passing is asked for after the run, for these cases alone.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex};

use futures::FutureExt as _;
use harness::base::source::Source;
use harness::engine::event::{OpenReason, RunFinished, Standing};
use harness::engine::runner::{self, Carriers, Context, LeftOpen, Limits};
use harness::spec::target::{self, Target};

use crate::support::{contracts, emulator, shipped};

/// A scenario that a shop without a payer can play, and one that it can't.
const PLAYED: &str = "a-creation-is-answered-with-a-payment";
const SKIPPED: &str = "a-paid-payment-tells-how-and-by-whom";
/// A clause of another API than these scenarios.
const IN_PASSING: &str = "device.activate.platform.required";

/// A clause that the skipped scenario is about.
const ABOUT: &str = "gateway.status.method.value";

type Asked = Arc<Mutex<Vec<LeftOpen>>>;

/// Stands in for the embedded emulator: notes for which cases it is asked, and answers that each judges one clause in passing.
fn noting(asked: &Asked) -> Carriers {
    let asked = Arc::clone(asked);
    Arc::new(move |left| {
        let in_passing = left.cases.iter().map(|case| (case.clone(), vec![IN_PASSING.to_owned()])).collect();
        asked.lock().unwrap().push(left);
        ready(in_passing).boxed()
    })
}

/// A shop whose payments nobody pays.
fn shop_at(base: &str) -> Target {
    let text = format!("title: a shop\nbase: {base}\ncredentials: {{ main: {{ merchant: '100001', secret: secret-100001 }} }}\n");
    let target = target::parse(&Source::new("target.yaml", text), &contracts(), &|_| None);
    target.unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

/// Runs scenarios against a shop without a payer until it is told to stop, and returns what was asked for.
async fn run_until(stop: impl Future<Output = ()>, scenarios: &[&str]) -> (RunFinished, Vec<LeftOpen>) {
    let emulator = emulator().await;
    let mut context = Context::start(contracts(), shop_at(&emulator.base_url()), Vec::new(), 1).await.unwrap();
    let asked = Asked::default();
    context.carriers = Some(noting(&asked));
    let run = runner::run(Arc::new(context), shipped(scenarios), BTreeSet::new(), Limits { jobs: 4 }, stop, |_| Ok::<(), Infallible>(()));
    let finished = run.await.unwrap();
    let asked = asked.lock().unwrap().clone();
    (finished, asked)
}

fn standing(run: &RunFinished) -> &Standing {
    &run.clauses.iter().find(|clause| clause.id == IN_PASSING).unwrap().standing
}

#[tokio::test]
async fn it_is_asked_for_the_skipped_cases_and_its_clauses_are_skipped_with_them() {
    let (run, asked) = run_until(pending(), &[PLAYED, SKIPPED]).await;
    assert!(run.counts.passed > 0 && run.counts.skipped > 0, "{:?}", run.counts);
    let [asked] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(asked.cases.len(), run.counts.skipped);
    assert!(asked.cases.iter().all(|case| case.contains(SKIPPED)), "{asked:?}");
    assert!(asked.clauses.contains(IN_PASSING) && !asked.clauses.contains(ABOUT), "{asked:?}");
    let skipped = standing(&run);
    assert!(matches!(skipped, Standing::Skipped { reason: OpenReason::Skipped(_) }), "{skipped:?}");
}

#[tokio::test]
async fn it_is_not_asked_where_nothing_is_left_open() {
    let (run, asked) = run_until(pending(), &[PLAYED]).await;
    assert!(run.counts.passed > 0 && asked.is_empty(), "{:?} {asked:?}", run.counts);
    assert_eq!(standing(&run), &Standing::Untouched);
}

#[tokio::test]
async fn it_is_not_asked_after_a_run_that_was_ended_early() {
    let (run, asked) = run_until(ready(()), &[PLAYED, SKIPPED]).await;
    assert_eq!((run.counts.passed, asked), (0, Vec::new()));
}
