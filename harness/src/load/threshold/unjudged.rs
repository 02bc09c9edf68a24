//! Why a threshold is not judged.

use super::calls::{calls_of, drift_needs};
use super::rule::{Metric, Threshold};
use crate::base::figures::{count, count_of};
use crate::load::percentile::fewest;
use crate::load::result::LoadResult;

/// Why no number could be observed for a threshold, in words.
pub(super) fn reason(threshold: &Threshold, result: &LoadResult) -> String {
    match threshold.metric {
        Metric::Response(share) | Metric::Service(share) => of_calls(threshold, share, result),
        Metric::Lag(share) => of_notifications(share, result),
        Metric::Mean | Metric::Errors | Metric::ErrorCount | Metric::Rate => no_call(threshold),
        Metric::Dropped => "no iteration was due in the measured time".to_owned(),
        Metric::Lost | Metric::Duplicated | Metric::Late => "no notification was due".to_owned(),
        Metric::Drift => format!("the first and the last tenth of the load need at least {} calls each", drift_needs()),
    }
}

/// Why calls that were measured prove nothing.
pub(super) fn no_response() -> String {
    "no call got a response".to_owned()
}

/// Why the threshold of a result is not judged that this version can't read.
pub(super) fn unknown() -> String {
    "this version of paycheck does not know such a threshold; merge with the version that wrote the parts".to_owned()
}

fn no_call(threshold: &Threshold) -> String {
    let of = threshold.operation.as_ref().map(|operation| format!(" of {operation}")).unwrap_or_default();
    format!("no call{of} ended in the measured time")
}

fn of_calls(threshold: &Threshold, share: f64, result: &LoadResult) -> String {
    match calls_of(threshold, result).count() {
        0 => no_call(threshold),
        calls => too_few(share, calls, ("call", "measured")),
    }
}

fn of_notifications(share: f64, result: &LoadResult) -> String {
    match result.notifications.as_ref().map_or(0, |notifications| notifications.lag.count) {
        0 => "no notification was received in the measured time".to_owned(),
        received => too_few(share, received, ("notification", "received")),
    }
}

/// `p99 needs at least 100 calls, and 40 were measured`. With enough of them, their times can't be read.
fn too_few(share: f64, there: u64, (noun, verb): (&str, &str)) -> String {
    let needed = fewest(share);
    if there >= needed {
        return "a histogram of the result can't be read".to_owned();
    }
    let were = if there == 1 { "was" } else { "were" };
    format!("p{} needs at least {}, and {} {were} {verb}", percentage(share), count_of(needed, noun), count(there))
}

/// `99.9`
fn percentage(share: f64) -> String {
    let text = format!("{:.6}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
