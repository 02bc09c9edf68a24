//! The environment of a case: a world, and the mailbox that belongs to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::context::{Context, Worlds};
use super::plan::Case;
use super::replay_player::{RecordedWorld, ReplayPlayer};
use super::seen_resources::SeenResources;
use crate::engine::inbox::{Mailbox, Mark};
use crate::engine::world::{NewWorld, World, WorldError};

/// The environment in which a case is played.
pub(super) struct Environment {
    pub(super) world: Box<dyn World>,
    /// The name of the world; empty in a shared world.
    pub(super) name: String,
    /// A reference that no other case of any run sends. Records show it without the part that is unique to the run.
    pub(super) reference: String,
    /// Whether no other case changes the world.
    pub(super) alone: bool,
    /// The mailbox for its notifications.
    mailbox: Option<Arc<Mailbox>>,
    /// The resources that were created in it.
    pub(super) seen: SeenResources,
    /// The player that replaces the world in a replay.
    pub(super) player: Option<Arc<ReplayPlayer>>,
}

impl Environment {
    /// Opens a world for the case alone, if the target offers that.
    pub(super) async fn open(context: &Context, case: &Case, index: usize) -> Result<Self, WorldError> {
        let name = format!("{:x}-{index}{}", context.seed, context.nonce);
        let seed = seed_of(context.seed, &case.name.to_string());
        Self::open_with(context, name, seed, &case.scenario.setting).await
    }

    /// The environment of a replay.
    pub(super) fn replayed(context: &Context, case: &Case, player: Arc<ReplayPlayer>, alone: bool) -> Self {
        let reference = reference(seed_of(context.seed, &case.name.to_string()), "");
        let world = Box::new(RecordedWorld(Arc::clone(&player)));
        Self { world, name: String::new(), reference, alone, mailbox: None, seen: SeenResources::default(), player: Some(player) }
    }

    /// Opens a world under a name, with a seed and settings.
    pub(super) async fn open_with(context: &Context, name: String, seed: u64, setting: &Map<String, Value>) -> Result<Self, WorldError> {
        match &context.worlds {
            Worlds::Driven(driven) => {
                let reference = reference(seed, &context.nonce);
                let mailbox = context.shared_mailbox(&reference);
                let (world, seen) = (Box::new(driven.clone()), SeenResources::default());
                Ok(Self { world, name: String::new(), reference, alone: false, mailbox, seen, player: None })
            }
            Worlds::Emulator(emulator) => {
                let mailbox = context.inbox.as_ref().map(|inbox| inbox.mailbox(&name));
                let open = NewWorld {
                    name: &name,
                    seed,
                    credentials: &context.target.credentials,
                    notification_url: context.notification_url(&name),
                    setting,
                    bases: &context.target.bases,
                };
                let reference = reference(seed, "");
                let world = emulator.open(open).await.map_err(|error| error.masked(&context.recorder))?;
                Ok(Self { world, name, reference, alone: true, mailbox, seen: SeenResources::default(), player: None })
            }
        }
    }

    /// The mailbox for its notifications.
    pub(super) fn mailbox(&self) -> Option<Arc<Mailbox>> {
        let recorded = self.player.as_ref().map(|player| player.mailbox());
        recorded.or_else(|| self.mailbox.clone())
    }

    /// Ten digits for a variable symbol that hardly any other case uses: the unique part of the reference, as a number.
    pub(super) fn digits(&self) -> String {
        format!("{:010}", seed_of(0, &self.reference) % 10_000_000_000)
    }

    /// The reference by which a creation is recognised in a shared world.
    pub(super) fn shared_reference(&self) -> Option<&str> {
        (!self.alone).then_some(self.reference.as_str())
    }

    /// Ends the world and closes the mailbox.
    pub(super) async fn close(&self, context: &Context) -> Result<(), WorldError> {
        if let (Some(inbox), false) = (&context.inbox, self.name.is_empty()) {
            inbox.close(&self.name);
        }
        self.world.close().await.map_err(|error| error.masked(&context.recorder))
    }
}

impl Context {
    /// A mailbox in a shared world: it receives notifications with this reference, and those that are recognised later.
    fn shared_mailbox(&self, reference: &str) -> Option<Arc<Mailbox>> {
        let inbox = self.inbox.as_ref()?;
        let mailbox = Arc::default();
        // What arrives is recorded without the part that is unique to the run, and compared as it is recorded.
        let recorded = reference.replace(&self.nonce, "");
        let created = self.contracts.operations.values().filter_map(|operation| operation.creates.as_ref());
        let fields: BTreeSet<&String> = created.flat_map(|about| about.or_by.keys()).collect();
        for field in fields {
            inbox.recognise(&mailbox, &Mark::Reference(field.clone(), recorded.clone()));
        }
        Some(mailbox)
    }

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

fn reference(seed: u64, nonce: &str) -> String {
    format!("{seed:x}{nonce}")
}

/// The seed of a world: the same for the same run seed and case, whatever else is in the plan (FNV-1a).
pub(super) fn seed_of(seed: u64, name: &str) -> u64 {
    name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
