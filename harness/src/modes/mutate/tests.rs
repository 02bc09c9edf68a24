//! A recording is judged as the run was, and a mutation in it is noticed by the same checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::base::source::Source;
use crate::engine::event::{CaseFinished, Event};
use crate::engine::judged_target::JudgedTarget;
use crate::engine::runner::{Case, Context, Limits, Recording, Selection, plan, replay, run, still};
use crate::engine::tape::{self, Writer};
use crate::engine::testing::TARGET;
use crate::judge::record::RecordEntry;
use crate::spec::contract::Contracts;
use crate::spec::{scenario, target};

fn shipped(contracts: &Arc<Contracts>) -> Vec<Case> {
    let scenarios = scenario::shipped();
    let mut plan = plan(&scenarios, contracts, &Selection::default());
    // These take long, and there are few of them.
    plan.retain(|case| !case.name.scenario.contains("1000-times") && !case.name.scenario.contains("of-many"));
    plan
}

fn scripted(contracts: &Arc<Contracts>, text: &str) -> Vec<Case> {
    let path = "scenarios/gateway/in-a-test.yaml";
    let parsed = scenario::parse(path, &Source::new(path, text), contracts);
    plan(&[Arc::new(parsed.unwrap_or_else(|problems| panic!("{}", problems.render(false))))], contracts, &Selection::default())
}

/// The recording of a run against the emulator.
async fn recorded(contracts: &Arc<Contracts>, plan: Vec<Case>) -> (JudgedTarget, Vec<Arc<CaseFinished>>) {
    recorded_from(emulator::Config::default(), contracts, plan).await
}

async fn recorded_from(config: emulator::Config, contracts: &Arc<Contracts>, plan: Vec<Case>) -> (JudgedTarget, Vec<Arc<CaseFinished>>) {
    let emulator = emulator::Emulator::start(config).await.unwrap();
    let text = TARGET.replace("BASE", &emulator.base_url());
    let target = target::parse(&Source::new("target.yaml", text), contracts, &|_| None).unwrap_or_else(|e| panic!("{}", e.render(false)));
    // The port differs from run to run.
    let address = emulator.base_url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let context = Arc::new(Context::start(Arc::clone(contracts), target, vec![(address, "emulator".to_owned())], 1).await.unwrap());
    let (mut judged, mut finished) = (JudgedTarget::default(), Vec::new());
    let ran = run(context, plan, BTreeSet::new(), Limits { jobs: 64 }, std::future::pending(), |event| {
        match event {
            Event::RunStarted(run) => judged = JudgedTarget::clone(&run.judged),
            Event::CaseFinished(case) => finished.push(Arc::clone(case)),
            Event::RunFinished(_) => {}
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let _ = ran.await;
    (judged, finished)
}

/// An unchanged recording, all of which is judged again.
fn recording(entries: &Arc<[RecordEntry]>, changed_from: usize) -> Recording {
    Recording { entries: Arc::clone(entries), instead: None, changed_from, sound: false, only_wrong: false }
}

/// The parts of a judgement to compare.
fn judgement_of(finished: &CaseFinished) -> Value {
    json!({"name": finished.name.to_string(), "verdict": finished.verdict, "held": finished.held, "rows": finished.rows})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tape_is_judged_as_the_run_was() {
    let contracts = Contracts::shipped();
    let plan: Vec<Case> = shipped(&contracts).into_iter().step_by(3).collect();
    let (judged, ran) = recorded(&contracts, plan.clone()).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.tape");
    let mut writer = Writer::begin(std::fs::File::create(&path).unwrap(), judged, 1).unwrap();
    ran.iter().for_each(|case| writer.write_case(case).unwrap());
    writer.end().unwrap();
    let tape = tape::read(&path).unwrap();
    assert_eq!(tape.cases.len(), plan.len());
    let text = std::fs::read_to_string(&path).unwrap();
    for secret in ["main-secret-4d1b", "main-qr-4d1b", "other-device-90aa"] {
        assert!(!text.contains(secret), "a secret is on the tape");
    }
    let context = still(contracts, &tape.judged, 1).await.unwrap();
    for ((case, before), taped) in plan.iter().zip(&ran).zip(tape.cases) {
        let entries: Arc<[RecordEntry]> = taped.entries.into();
        // As if everything had changed: the repeated requests are the same.
        for changed_from in [entries.len(), 0] {
            let again = replay(&context, case, recording(&entries, changed_from), true).await;
            assert_eq!(judgement_of(&again), judgement_of(before));
        }
    }
}

async fn score(contracts: &Arc<Contracts>, plan: Vec<Case>) -> (Score, Vec<MutantOutcome>) {
    score_of(recorded(contracts, plan.clone()).await, contracts, plan).await
}

async fn score_of(
    (judged, ran): (JudgedTarget, Vec<Arc<CaseFinished>>),
    contracts: &Arc<Contracts>,
    plan: Vec<Case>,
) -> (Score, Vec<MutantOutcome>) {
    let context = Arc::new(still(Arc::clone(contracts), &judged, 1).await.unwrap());
    let recorded: Vec<_> = plan.into_iter().zip(&ran).map(|(case, ran)| (case, ran.entries.as_slice().into())).collect();
    let recordings = Recordings { context, recorded, alone: judged.alone, operations: Vec::new() };
    let (outcomes, untried) = tokio::task::block_in_place(|| {
        let threads = Threads::new(std::num::NonZero::<usize>::MIN, crate::base::interrupt::Interrupt::default()).unwrap();
        run_mutants(&recordings, &threads)
    });
    assert_eq!(untried, 0);
    (Score::from_outcomes(recordings.recorded.len(), &outcomes), outcomes)
}

fn fate<'o>(outcomes: &'o [MutantOutcome], title: &str) -> &'o Fate {
    let found = outcomes.iter().find(|outcome| outcome.title() == title);
    &found
        .unwrap_or_else(|| panic!("there is no `{title}` among {:#?}", outcomes.iter().map(MutantOutcome::title).collect::<Vec<_>>()))
        .fate
}

const CREATED: &str = "
title: A payment is created
clauses: [gateway.versions]
steps:
  - call: gateway.v2.create
    with: { price: 10000 }
    keep: { payment: transId }
";

const READ: &str = "
  - call: gateway.v2.status
    with: { transId: '{{ payment }}' }
";

#[tokio::test(flavor = "multi_thread")]
async fn an_unchecked_value_is_a_blind_spot() {
    let contracts = Contracts::shipped();
    let (score, outcomes) = score(&contracts, scripted(&contracts, CREATED)).await;
    // No step reads the payment, so another identifier is not noticed.
    assert!(matches!(fate(&outcomes, "gateway.v2.create [0] /transId: one character changed"), Fate::Survived { .. }));
    assert!(matches!(fate(&outcomes, "gateway.v2.create [0] /code: a text"), Fate::Killed { targeted: true, .. }));
    assert!(score.survived > 0 && score.percent() < 100.0, "{score:?}");
    assert!(score.blind_spots.iter().any(|site| site.place == "/transId"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_reads_the_value_names_the_broken_rule() {
    let contracts = Contracts::shipped();
    let (_, outcomes) = score(&contracts, scripted(&contracts, &format!("{CREATED}{READ}"))).await;
    assert!(matches!(fate(&outcomes, "gateway.v2.create [0] /transId: one character changed"), Fate::Killed { targeted: true, .. }));
    match fate(&outcomes, "gateway.v2.status [0 PENDING] /price: one character changed") {
        Fate::Killed { clause, targeted: true, .. } => assert_eq!(clause, "gateway.status.price.value"),
        other => panic!("{other:?}"),
    }
    match fate(&outcomes, "gateway.v2.status [0 PENDING] /status: PAID instead") {
        Fate::Killed { targeted: true, .. } => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_recording_has_the_same_score() {
    let contracts = Contracts::shipped();
    let plan = scripted(&contracts, &format!("{CREATED}{READ}"));
    let (first, second) = (score(&contracts, plan.clone()).await, score(&contracts, plan).await);
    assert_eq!(first.0, second.0);
    for (one, other) in first.1.iter().zip(&second.1) {
        assert_eq!(one, other);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_target_adds_of_its_own_is_no_blind_spot() {
    let contracts = Contracts::shipped();
    let plan = scripted(&contracts, &format!("{CREATED}{READ}"));
    let freedoms = emulator::FreedomSettings::parse("gateway.extra=unknown,http.headers=many").unwrap();
    let config = emulator::Config { freedoms: Some(freedoms), ..emulator::Config::default() };
    let (_, outcomes) = score_of(recorded_from(config, &contracts, plan.clone()).await, &contracts, plan).await;
    let own: Vec<_> =
        outcomes.iter().filter(|outcome| ["/requestId", "x-request-id"].iter().any(|name| outcome.place.contains(name))).collect();
    assert!(own.len() > 10 && !own.iter().any(|outcome| matches!(outcome.fate, Fate::Survived { .. })), "{own:#?}");
    assert!(matches!(fate(&outcomes, "gateway.v2.create [0] /code: a text"), Fate::Killed { targeted: true, .. }));
}
