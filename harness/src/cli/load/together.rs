//! The rules for a part of a split load, and its outcome.

use jiff::{SignedDuration, Timestamp};

use super::super::failure::Failure;
use crate::engine::outcome::Outcome;
use crate::load::kinds::LoadKind;
use crate::load::result::{LoadResult, Shards};
use crate::load::shard::{MOST_PARTS, Shard};
use crate::load::verdict::{self, LoadJudgement};
use crate::report::load as report;

/// Reads `2/3`.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parse = || {
        let (part, of) = text.split_once('/')?;
        let shard = Shard::new(part.parse().ok()?, of.parse().ok()?)?;
        Some(shard).filter(|shard| shard.parts() <= MOST_PARTS)
    };
    parse().ok_or_else(|| "a part and how many there are, for example 2/3".to_owned())
}

/// Checks that a profile can be played in parts, and that the part can still begin with the others.
pub(super) fn check(kind: &dyn LoadKind, shard: Shard, start_at: Option<Timestamp>) -> Result<(), Failure> {
    kind.refuse_split(shard).map_or_else(|| in_time(start_at), |message| Err(Failure::invalid(message)))
}

/// Checks that a part can still begin with the others.
pub(super) fn in_time(start_at: Option<Timestamp>) -> Result<(), Failure> {
    let problem = start_at.and_then(|at| too_late(at, Timestamp::now()));
    problem.map_or(Ok(()), |message| Err(Failure::invalid(message)))
}

/// Why the part cannot begin with the others, if so.
fn too_late(at: Timestamp, now: Timestamp) -> Option<String> {
    let since = now.duration_since(at);
    since.is_positive().then(|| {
        let since = SignedDuration::from_secs(since.as_secs());
        format!(
            "`--start-at {at}` was {since:#} ago: the other parts have begun without this one; \
         begin all of them anew, at a time that leaves each a minute to get ready (and see that clocks agree)",
        )
    })
}

/// The outcome of a load. For a part: whether it was played as planned, and its findings. Thresholds apply to all parts together;
/// `merge` judges them.
pub(super) fn outcome(result: &LoadResult, unreachable: bool) -> Outcome {
    let outcome = report::outcome(result, unreachable);
    let Shards { of, parts } = &result.shards;
    if *of == 1 {
        return outcome;
    }
    let alone = LoadResult { thresholds: Vec::new(), shards: Shards { of: 1, parts: vec![1] }, ..result.clone() };
    let LoadJudgement { failures, missing } = verdict::judge(&alone);
    let part = parts.first().copied().unwrap_or_default();
    let pass = format!("nothing was found in part {part} of {of}; `paycheck load merge` judges all of them together");
    Outcome { failures, missing, pass, ..outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_to_begin_before_now_is_too_late() {
        let at: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
        let now = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(too_late(at, now("2026-11-22T09:59:59Z")), None);
        let message = too_late(at, now("2026-11-22T10:00:12.3Z")).unwrap();
        assert!(message.starts_with("`--start-at 2026-11-22T10:00:00Z` was 12s ago:"), "{message}");
        assert!(too_late(at, now("2026-11-24T11:30:00Z")).unwrap().contains(" was 49h 30m ago:"));
    }
    #[test]
    fn a_shard_is_written_as_part_of_total() {
        assert_eq!(shard("2/3"), Ok(Shard::new(2, 3).unwrap()));
        for wrong in ["0/3", "4/3", "2", "a/b", "1/0", "1/10001", "-1/2"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
