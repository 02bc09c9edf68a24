//! The environment of a case: a world, and the mailbox that belongs to it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::context::{Context, Worlds};
use super::plan::Case;
use super::replay_player::ReplayPlayer;
use crate::engine::inbox::Mailbox;
use crate::engine::world::{NewWorld, World, WorldError};

/// The world that a case is played in.
pub(super) struct Environment {
    pub(super) world: Box<dyn World>,
    /// The name of the world; empty where all share one.
    pub(super) name: String,
    /// Whether no other case moves it.
    pub(super) alone: bool,
    /// The player that stands in for the world, where a recording is replayed.
    pub(super) player: Option<Arc<ReplayPlayer>>,
}

impl Environment {
    /// Opens a world of the case's own, where the target gives one.
    pub(super) async fn open(context: &Context, case: &Case, index: usize) -> Result<Self, WorldError> {
        let name = format!("{:x}-{index}{}", context.seed, context.nonce);
        let seed = seed_of(context.seed, &case.name.to_string());
        Self::open_with(context, name, seed, &case.scenario.setting).await
    }

    /// Opens a world under a name, with a seed and settings.
    pub(super) async fn open_with(context: &Context, name: String, seed: u64, setting: &Map<String, Value>) -> Result<Self, WorldError> {
        match &context.worlds {
            Worlds::Commands(commands) => Ok(Self { world: Box::new(commands.clone()), name: String::new(), alone: false, player: None }),
            Worlds::Emulator(emulator) => {
                if let Some(inbox) = &context.inbox {
                    let _ = inbox.mailbox(&name);
                }
                let open = NewWorld {
                    name: &name,
                    seed,
                    credentials: &context.target.credentials,
                    notification_url: context.notification_url(&name),
                    setting,
                    bases: &context.target.bases,
                };
                Ok(Self { world: emulator.open(open).await?, name, alone: true, player: None })
            }
        }
    }

    /// Where its notifications arrive.
    pub(super) fn mailbox(&self, context: &Context) -> Option<Arc<Mailbox>> {
        let recorded = self.player.as_ref().map(|player| player.mailbox());
        recorded.or_else(|| context.inbox.as_ref().map(|inbox| inbox.mailbox(&self.name)))
    }

    /// Ends the world and closes the mailbox.
    pub(super) async fn close(&self, context: &Context) -> Result<(), WorldError> {
        if let (Some(inbox), false) = (&context.inbox, self.name.is_empty()) {
            inbox.close(&self.name);
        }
        self.world.close().await
    }
}

impl Context {
    /// The URL under which the target reaches the inbox.
    fn notification_url(&self, mailbox: &str) -> Option<String> {
        let inbox = self.inbox.as_ref()?;
        let base = match &self.target.notifications.public {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", inbox.address()),
        };
        Some(format!("{base}/{mailbox}"))
    }
}

/// A world's seed: the same for the same run seed and case, whatever else is in the plan (FNV-1a).
pub(super) fn seed_of(seed: u64, name: &str) -> u64 {
    name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
