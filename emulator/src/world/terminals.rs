//! The card terminals of a world's merchants, one each. Calls to different terminals don't wait for each other.

use std::collections::BTreeMap;
use std::sync::Mutex;

use jiff::Timestamp;

use super::{World, WorldSettings};
use crate::gateway::core::{Merchant, Minted};
use crate::sync::lock;
use crate::terminal::core::{Impossible, Terminal, Violation};
use crate::transfers::core::Movement;

/// Terminals by their merchant.
pub(super) type Terminals = BTreeMap<String, Mutex<Terminal>>;

/// Terminals without a past.
pub(super) fn of(settings: &WorldSettings) -> Terminals {
    settings.merchants.iter().map(|merchant| (merchant.merchant.clone(), Mutex::new(Terminal::new(settings.keep_finished)))).collect()
}

impl World {
    /// Does something on a merchant's terminal while nobody else can.
    pub(crate) fn with_terminal<R>(
        &self,
        merchant: &Merchant,
        deed: impl FnOnce(&mut Terminal, Timestamp) -> Result<R, Violation>,
    ) -> Result<R, Violation> {
        let now = self.now();
        deed(&mut lock(self.terminals.get(merchant.id()).ok_or(Violation::UnknownTerminal)?), now)
    }

    /// Starts a transaction on a merchant's terminal, drawing until an identifier is free.
    pub(crate) fn start_on_terminal<R>(
        &self,
        merchant: &Merchant,
        start: impl Fn(&mut Terminal, Minted, Timestamp) -> Option<R>,
    ) -> Result<R, Violation> {
        self.with_terminal(merchant, |terminal, now| {
            loop {
                if let Some(started) = start(terminal, self.lots.mint(), now) {
                    return Ok(started);
                }
            }
        })
    }

    /// A merchant reverses a transaction.
    pub(crate) fn reverse_on_terminal(
        &self,
        merchant: &Merchant,
        deed: impl FnOnce(&mut Terminal, Timestamp) -> Result<Movement, Violation>,
    ) -> Result<(), Violation> {
        let movement = self.with_terminal(merchant, deed)?;
        self.note_movement(merchant.id(), movement);
        Ok(())
    }

    /// A card holder or a bank does something about a transaction, on whichever terminal it is. What moved money is noted.
    pub(crate) fn with_transaction<R>(
        &self,
        deed: impl Fn(&mut Terminal, Timestamp) -> Result<(Option<Movement>, R), Impossible>,
    ) -> Result<R, Impossible> {
        let now = self.now();
        for (merchant, terminal) in &self.terminals {
            // Locked for the deed alone: the merchant's book is locked next.
            let done = deed(&mut lock(terminal), now);
            match done {
                Err(Impossible::Unknown) => {}
                Err(impossible) => return Err(impossible),
                Ok((movement, answer)) => {
                    if let Some(movement) = movement {
                        self.note_movement(merchant, movement);
                    }
                    return Ok(answer);
                }
            }
        }
        Err(Impossible::Unknown)
    }

    /// What the bank sees of a movement on a merchant's terminal.
    pub(super) fn look_at_terminal<R>(&self, merchant: &str, look: impl FnOnce(&mut Terminal) -> Option<R>) -> Option<R> {
        look(&mut lock(self.terminals.get(merchant)?))
    }
}
