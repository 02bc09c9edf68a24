use std::collections::BTreeSet;
use std::time::Duration;

use super::*;
use crate::load::example_results;
use crate::load::outcome::LoadOutcome;
use crate::load::result::{Early, LoadResult, LoadVerdict};
use crate::load::run_plan::{RunPlan, UserPlan, UserStage};
use crate::load::shard::Shard;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn half() -> Shard {
    Shard::new(1, 2).unwrap()
}

/// The only run of a kind.
fn run(kind: &dyn LoadKind, warm_up: Duration, shard: Shard) -> RunPlan {
    let mut runs = kind.runs(warm_up, shard);
    let plan = runs.next().unwrap();
    assert_eq!(runs.next(), None, "{kind:?}");
    plan
}

#[test]
fn every_kind_has_a_name_and_a_sentence_of_its_own() {
    let names: BTreeSet<_> = KINDS.iter().map(|kind| kind.name).collect();
    let sentences: BTreeSet<_> = KINDS.iter().map(|kind| kind.about).collect();
    assert_eq!((names.len(), sentences.len()), (KINDS.len(), KINDS.len()));
    assert!(KINDS.iter().all(|kind| kind.about.ends_with('.')));
}

#[test]
fn shards_have_all_the_users_and_all_the_starts_together() {
    let kind = ConstantArrivalRate { rate: 10.0, duration: seconds(4), users: 7 };
    let plans: Vec<_> = (1..=3).map(|part| run(&kind, seconds(1), Shard::new(part, 3).unwrap())).collect();
    assert_eq!(plans.iter().map(|plan| plan.schedule.as_ref().unwrap().len()).sum::<u64>(), 40);
    assert!(plans.iter().all(|plan| plan.duration == seconds(3)), "the warm-up is a part of it");
    let users: Vec<_> = plans.into_iter().map(|plan| plan.users).collect();
    assert_eq!(users, [UserPlan::Constant(3), UserPlan::Constant(2), UserPlan::Constant(2)]);
}

#[test]
fn users_that_come_and_go_are_shared_too() {
    let stage = |users| UserStage { users, duration: seconds(2) };
    let kind = RampingUsers { stages: vec![stage(5)] };
    let users = |part| run(&kind, Duration::ZERO, Shard::new(part, 2).unwrap()).users;
    assert_eq!((users(1), users(2)), (UserPlan::Ramping(vec![stage(3)]), UserPlan::Ramping(vec![stage(2)])));
}

#[test]
fn a_soak_is_a_constant_rate_that_must_not_drift() {
    let load = ConstantArrivalRate { rate: 5.0, duration: seconds(9), users: 2 };
    let soak = Soak { load: load.clone(), drift: 2.0 };
    assert_eq!(run(&soak, seconds(1), half()), run(&load, seconds(1), half()));
    assert_eq!(soak.thresholds().iter().map(|threshold| threshold.rule.as_str()).collect::<Vec<_>>(), ["drift <= 2"]);
    assert!(load.thresholds().is_empty());
}

#[test]
fn a_capacity_search_has_no_parts() {
    let kind = CapacitySearch { from: 1.0, to: 2.0, hold: seconds(1), precision: 0.1, users: 100 };
    assert!(kind.refuse_split(half()).unwrap().contains("run it unsplit"));
    assert_eq!(kind.refuse_split(Shard::WHOLE), None);
}

#[test]
fn no_part_is_without_users() {
    let constant = |users| ConstantUsers { users, duration: seconds(1) };
    assert_eq!(constant(2).refuse_split(half()), None);
    assert!(constant(1).refuse_split(half()).unwrap().contains("split it in at most 1"));
    let ramping =
        |users| RampingUsers { stages: vec![UserStage { users, duration: seconds(1) }, UserStage { users: 0, duration: seconds(1) }] };
    assert_eq!(ramping(2).refuse_split(half()), None);
    assert!(ramping(1).refuse_split(half()).is_some());
    let open = ConstantArrivalRate { rate: 1.0, duration: seconds(1), users: 1 };
    assert_eq!(open.refuse_split(half()), None, "each part has at least one user of its own");
}

/// The result of a search from 100 to 400 whose trials have these results.
fn searched(ends: impl IntoIterator<Item = LoadResult>) -> LoadResult {
    let kind = CapacitySearch { from: 100.0, to: 400.0, hold: seconds(2), precision: 0.5, users: 8 };
    let mut runs = kind.runs(seconds(1), Shard::WHOLE);
    for result in ends {
        let plan = runs.next().unwrap();
        assert_eq!((plan.duration, plan.users), (seconds(1), UserPlan::Constant(8)));
        runs.finished(LoadOutcome { result, unreachable: false });
    }
    runs.conclude().unwrap().result
}

#[test]
fn a_search_lists_all_trials_with_the_numbers_of_the_best() {
    let (passed, failed) = (example_results::passed(), example_results::failed_thresholds());
    let result = searched([passed.clone(), failed.clone()]);
    assert_eq!(result.trials.iter().map(|trial| (trial.rate, trial.held)).collect::<Vec<_>>(), [(100.0, true), (200.0, false)]);
    assert_eq!((result.verdict, &result.thresholds), (LoadVerdict::Passed, &passed.thresholds));
    let none = searched([failed.clone()]);
    assert_eq!((none.verdict, &none.thresholds), (LoadVerdict::Failed, &failed.thresholds));
}

#[test]
fn a_search_that_was_interrupted_has_found_nothing_out() {
    let result = searched([example_results::passed(), example_results::interrupted()]);
    assert_eq!((result.ended_early, result.verdict), (Some(Early::Interrupted), LoadVerdict::Inconclusive));
    assert!(result.trials[0].held && !result.trials[1].held, "{:?}", result.trials);
}
