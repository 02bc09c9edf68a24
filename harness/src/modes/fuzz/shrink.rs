//! Shrinks a mutated request to the fewest and smallest changes that still show the same cause.

use super::edit::Edit;
use super::fuzz_case::FuzzCase;
use super::report::same;
use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::wire::exchange::Exchange;

/// The rest of a request that shows a cause.
pub(super) struct Shrunk {
    pub(super) edits: Vec<Edit>,
    pub(super) finding: Finding,
    /// The request and the response.
    pub(super) exchange: Exchange,
    /// Whether the cause was confirmed.
    pub(super) again: bool,
}

/// Removes changes, then makes them smaller, as long as the cause stays the same. A cause that was only seen once keeps all its
/// changes.
pub(super) async fn shrink(fuzz_case: &FuzzCase<'_>, edits: Vec<Edit>, exchange: Exchange, finding: Finding) -> Shrunk {
    let mut best = Shrunk { edits, finding, exchange, again: false };
    // Repeating a request that runs into the time limit takes long and shows nothing new.
    if matches!(best.finding.at, Some(Place::Whole(_) | Place::Connection)) {
        return best;
    }
    if let Some((finding, exchange)) = seen(fuzz_case, &best.edits, &best.finding).await {
        best = Shrunk { finding, exchange, again: true, ..best };
    }
    let mut index = 0;
    while best.again && best.edits.len() > 1 && index < best.edits.len() {
        let mut fewer = best.edits.clone();
        fewer.remove(index);
        match seen(fuzz_case, &fewer, &best.finding).await {
            Some((finding, exchange)) => best = Shrunk { edits: fewer, finding, exchange, again: true },
            None => index += 1,
        }
    }
    for index in 0..best.edits.len() {
        for smaller in best.edits.get(index).map(Edit::smaller).unwrap_or_default() {
            let mut edits = best.edits.clone();
            if let Some(place) = edits.get_mut(index).filter(|_| best.again) {
                *place = smaller;
                if let Some((finding, exchange)) = seen(fuzz_case, &edits, &best.finding).await {
                    best = Shrunk { edits, finding, exchange, again: true };
                    break;
                }
            }
        }
    }
    best
}

async fn seen(fuzz_case: &FuzzCase<'_>, edits: &[Edit], finding: &Finding) -> Option<(Finding, Exchange)> {
    let trial = fuzz_case.attempt(edits).await.ok()?;
    trial.findings.into_iter().find(|found| same(found, finding)).map(|found| (found, trial.exchange))
}
