//! Cases take turns in a shared world: with an API that only one of them may call at a time, and with the whole world if one
//! changes what the others see.

use std::collections::BTreeMap;

use tokio::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::plan::Case;

/// The turns of cases. There are none if each case has a world of its own.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Exclusive for a case that changes what all others see, shared by the others.
    world: Option<RwLock<()>>,
    /// By the name of an API.
    apis: BTreeMap<String, Mutex<()>>,
}

/// A case's turn, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Turn<'t> {
    _world: Option<WorldLock<'t>>,
    _apis: Vec<MutexGuard<'t, ()>>,
}

#[derive(Debug)]
enum WorldLock<'t> {
    Alone(#[expect(dead_code, reason = "it is held")] RwLockWriteGuard<'t, ()>),
    Shared(#[expect(dead_code, reason = "it is held")] RwLockReadGuard<'t, ()>),
}

impl Turns {
    /// The turns in a shared world, with the APIs that only one case may call at a time.
    pub(super) fn shared(apis: impl Iterator<Item = String>) -> Self {
        Self { world: Some(RwLock::default()), apis: apis.map(|api| (api, Mutex::default())).collect() }
    }

    /// Whether a case calls anything that only one case at a time may call.
    pub(super) fn are_needed(&self, case: &Case) -> bool {
        self.apis.keys().any(|api| case.calls(api))
    }

    /// Waits for the turn of a case; `alone` if it changes what the others see.
    pub(super) async fn wait(&self, case: &Case, alone: bool) -> Turn<'_> {
        let world = match &self.world {
            None => None,
            Some(world) if alone => Some(WorldLock::Alone(world.write().await)),
            Some(world) => Some(WorldLock::Shared(world.read().await)),
        };
        let mut apis = Vec::new();
        // Always in the order of their names, so that two cases never wait for each other.
        for (api, turn) in &self.apis {
            if case.calls(api) {
                apis.push(turn.lock().await);
            }
        }
        Turn { _world: world, _apis: apis }
    }
}
