//! Where an instance is played: a world, and the mailbox that belongs to it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::context::{Context, Worlds};
use super::deck::Deck;
use super::plan::Instance;
use crate::inbox::Mailbox;
use crate::world::{OpenWorld, World, WorldError};

/// Where an instance is played.
pub(super) struct Place {
    pub(super) world: Box<dyn World>,
    /// The name of the world; empty where all share one.
    pub(super) name: String,
    /// Whether nobody else moves it.
    pub(super) alone: bool,
    /// What stands in for it, where a recording is played again.
    pub(super) deck: Option<Arc<Deck>>,
}

impl Place {
    /// A world of the instance's own, where the target gives one.
    pub(super) async fn open(context: &Context, instance: &Instance, index: usize) -> Result<Self, WorldError> {
        let name = format!("{:x}-{index}{}", context.seed, context.nonce);
        let seed = seed_of(context.seed, &instance.name.to_string());
        Self::open_with(context, name, seed, &instance.scenario.setting).await
    }

    /// The same under a name, with a seed and settings.
    pub(super) async fn open_with(context: &Context, name: String, seed: u64, setting: &Map<String, Value>) -> Result<Self, WorldError> {
        match &context.worlds {
            Worlds::Commands(commands) => Ok(Self { world: Box::new(commands.clone()), name: String::new(), alone: false, deck: None }),
            Worlds::Emulator(emulator) => {
                if let Some(inbox) = &context.inbox {
                    let _ = inbox.mailbox(&name);
                }
                let open = OpenWorld {
                    name: &name,
                    seed,
                    credentials: &context.target.credentials,
                    notification_url: context.notification_url(&name),
                    setting,
                    bases: &context.target.bases,
                };
                Ok(Self { world: emulator.open(open).await?, name, alone: true, deck: None })
            }
        }
    }

    /// Where its notifications arrive.
    pub(super) fn mailbox(&self, context: &Context) -> Option<Arc<Mailbox>> {
        let recorded = self.deck.as_ref().map(|deck| deck.mailbox());
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
    /// What the target is told about the inbox.
    fn notification_url(&self, mailbox: &str) -> Option<String> {
        let inbox = self.inbox.as_ref()?;
        let base = match &self.target.notifications.public {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", inbox.address()),
        };
        Some(format!("{base}/{mailbox}"))
    }
}

/// A world's seed: the same for the same run seed and instance, whatever else is in the plan (FNV-1a).
pub(super) fn seed_of(seed: u64, name: &str) -> u64 {
    name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
