//! What a part of a load may be, told before the first request, and what it comes to alone.

use jiff::Timestamp;

use super::super::Failure;
use crate::exit::Exit;
use crate::load::profile::Kind;
use crate::load::result::{LoadResult, LoadVerdict, Shards};
use crate::load::shape::Shard;
use crate::load::verdict;

/// That a profile can be played in parts, and that it can still begin with the others.
pub(super) fn check(kind: &Kind, shard: Shard, start_at: Option<Timestamp>) -> Result<(), Failure> {
    let problem = indivisible(kind, shard).or_else(|| start_at.and_then(|at| too_late(at, Timestamp::now())));
    problem.map_or(Ok(()), |message| Err(Failure::Other(Exit::InvalidInput, message)))
}

/// Why a kind of load has no such part, if it has none.
fn indivisible(kind: &Kind, shard: Shard) -> Option<String> {
    if shard == Shard::WHOLE {
        return None;
    }
    let Shard { part, of } = shard;
    match kind {
        Kind::CapacitySearch { .. } => Some(
            "a capacity search can't be split with `--shard`: each part would look for a rate of its own, and nobody for that of all; \
             run it unsplit, or split a profile with a constant rate"
                .to_owned(),
        ),
        Kind::ConstantUsers { .. } | Kind::RampingUsers { .. } if kind.users() < of as usize => {
            let users = kind.users();
            Some(format!("`--shard {part}/{of}` leaves parts without users: the profile has {users}; split it in at most {users}"))
        }
        Kind::ConstantUsers { .. }
        | Kind::RampingUsers { .. }
        | Kind::ConstantArrivalRate(_)
        | Kind::RampingArrivalRate { .. }
        | Kind::Soak { .. } => None,
    }
}

/// Why a load can't begin with the others, if it can't.
fn too_late(at: Timestamp, now: Timestamp) -> Option<String> {
    let since = now.duration_since(at);
    since.is_positive().then(|| {
        format!(
            "`--start-at {at}` was {:.0} s ago: the other parts have begun without this one; \
         begin all of them anew, at a time that leaves each a minute to get ready (and see that clocks agree)",
            since.as_secs_f64()
        )
    })
}

/// What the process of a part comes to: whether it was played as it should be, and what was found in it. That
/// other parts are elsewhere is no fault of its, and thresholds are for the whole; `merge` judges both.
pub(super) fn alone(result: &LoadResult) -> LoadResult {
    let mut alone = result.clone();
    let Shards { of, parts } = &result.shards;
    if *of == 1 {
        return alone;
    }
    alone.thresholds.clear();
    alone.shards = Shards { of: 1, parts: vec![1] };
    (alone.verdict, alone.reasons) = verdict::verdict(&alone);
    if alone.verdict == LoadVerdict::Passed {
        let part = parts.first().copied().unwrap_or_default();
        alone.reasons = vec![format!("nothing was found in part {part} of {of}; `paycheck load merge` judges all of them together")];
    }
    alone.thresholds.clone_from(&result.thresholds);
    alone.shards.clone_from(&result.shards);
    alone
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::load::profile::{ConstantRate, UserStage};

    const HALF: Shard = Shard { part: 1, of: 2 };

    #[test]
    fn a_capacity_search_has_no_parts() {
        let kind = Kind::CapacitySearch { from: 1.0, to: 2.0, hold: Duration::from_secs(1), precision: 0.1, users: 100 };
        assert!(indivisible(&kind, HALF).unwrap().contains("run it unsplit"));
        assert_eq!(indivisible(&kind, Shard::WHOLE), None);
    }

    #[test]
    fn no_part_is_without_users() {
        let constant = |users| Kind::ConstantUsers { users, duration: Duration::from_secs(1) };
        assert_eq!(indivisible(&constant(2), HALF), None);
        assert!(indivisible(&constant(1), HALF).unwrap().contains("split it in at most 1"));
        let stage = |users| UserStage { users, duration: Duration::from_secs(1) };
        assert_eq!(indivisible(&Kind::RampingUsers { stages: vec![stage(2), stage(0)] }, HALF), None);
        assert!(indivisible(&Kind::RampingUsers { stages: vec![stage(1), stage(0)] }, HALF).is_some());
        let open = Kind::ConstantArrivalRate(ConstantRate { rate: 1.0, duration: Duration::from_secs(1), users: 1 });
        assert_eq!(indivisible(&open, HALF), None, "each part has at least one user of its own");
    }

    #[test]
    fn what_was_to_begin_before_now_is_too_late() {
        let at: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
        let now = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(too_late(at, now("2026-11-22T09:59:59Z")), None);
        let message = too_late(at, now("2026-11-22T10:00:12.3Z")).unwrap();
        assert!(message.starts_with("`--start-at 2026-11-22T10:00:00Z` was 12 s ago:"), "{message}");
    }
}
