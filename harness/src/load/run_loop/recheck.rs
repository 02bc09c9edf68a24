//! Re-checks a sample of the iterations after the load.

use futures::StreamExt;

use crate::load::profile::Conservation;
use crate::load::result::ConservationResult;
use crate::load::run_state::{RecheckSample, RunState};
use crate::load::user_pool::UserPool;

/// The number of iterations that are re-checked concurrently.
const AT_ONCE: usize = 16;

/// Re-checks all samples of a run; `None` if the profile turns re-checks off.
pub(super) async fn samples(run: &RunState, users: &UserPool) -> Option<ConservationResult> {
    let samples = run.take_samples();
    if samples.is_empty() {
        return None;
    }
    let rechecks = futures::stream::iter(&samples).map(|sample| recheck(run, users, sample)).buffer_unordered(AT_ONCE);
    let held: Vec<Option<bool>> = rechecks.collect().await;
    let complete = run.profile.conservation == Conservation::Complete;
    let count = |wanted: bool| u64::try_from(held.iter().flatten().filter(|held| **held == wanted).count()).unwrap_or(u64::MAX);
    Some(ConservationResult { complete, examined: count(true).saturating_add(count(false)), held: count(true) })
}

/// Whether every resource of an iteration is in a state that its transition table explains; `None` if it created none.
async fn recheck(run: &RunState, users: &UserPool, sample: &RecheckSample) -> Option<bool> {
    let session = users.session(sample.user, sample.entry)?;
    let played = session.audit(&sample.record).await?;
    run.record_findings(&played);
    Some(played.passed())
}
