//! The world as a whole.

use serde_json::json;

use super::{At, Nothing, Outcome};

/// Waits until no delivery is under way. Retries to come don't count.
pub(super) async fn settles(at: At, _: Nothing) -> Outcome {
    at.world.outbox().settle().await;
    Ok(json!({ "scheduled": at.world.scheduled() }))
}

/// Everything is as when the world was opened.
pub(super) async fn resets(at: At, _: Nothing) -> Outcome {
    let world = at.worlds.reset(&at.world)?;
    Ok(json!({ "now": world.now() }))
}
