//! Replays a recorded case without a target.

use std::sync::Arc;

use super::case::play;
use super::context::{Context, StartError};
use super::environment::Environment;
use super::plan::Case;
use super::replay_player::{Recording, ReplayPlayer};
use crate::engine::event::CaseFinished;
use crate::engine::judged_target::JudgedTarget;
use crate::spec::contract::Contracts;

/// Returns the context of a replay. Nothing is opened and nothing is sent.
pub(crate) async fn still(contracts: Arc<Contracts>, judged: &JudgedTarget, seed: u64) -> Result<Context, StartError> {
    Context::start(contracts, judged.target(), Vec::new(), seed).await
}

/// Replays a case over its recording. `alone` means that it had a world of its own.
pub(crate) async fn replay(context: &Context, case: &Case, recording: Recording, alone: bool) -> CaseFinished {
    let player = Arc::new(ReplayPlayer::new(recording));
    let environment = Environment::replayed(context, case, player, alone);
    let mut finished = CaseFinished::begun(case.name.clone(), case.scenario.title.clone());
    play(&environment, context, case, &mut finished).await;
    finished
}
