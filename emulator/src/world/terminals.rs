//! The card terminals of a world's merchants, one each. Calls to different terminals don't wait for each other.

use jiff::Timestamp;

use super::World;
use crate::base::sync::lock;
use crate::common::{Identifiers, Merchant, Movement};
use crate::terminal::core::{Impossible, Terminal, Violation};

impl World {
    /// Runs an action on a merchant's terminal, which is locked meanwhile.
    pub(crate) fn with_terminal<R>(
        &self,
        merchant: &Merchant,
        action: impl FnOnce(&mut Terminal, Timestamp) -> Result<R, Violation>,
    ) -> Result<R, Violation> {
        let now = self.now();
        action(&mut lock(self.terminals.get(merchant.id()).ok_or(Violation::UnknownTerminal)?), now)
    }

    /// Starts a transaction on a merchant's terminal, drawing identifiers until one is free.
    pub(crate) fn start_on_terminal<R>(
        &self,
        merchant: &Merchant,
        start: impl Fn(&mut Terminal, Identifiers, Timestamp) -> Option<R>,
    ) -> Result<R, Violation> {
        self.with_terminal(merchant, |terminal, now| {
            loop {
                if let Some(started) = start(terminal, self.ids.draw(), now) {
                    return Ok(started);
                }
            }
        })
    }

    /// A merchant reverses a transaction.
    pub(crate) fn reverse_on_terminal(
        &self,
        merchant: &Merchant,
        action: impl FnOnce(&mut Terminal, Timestamp) -> Result<Movement, Violation>,
    ) -> Result<(), Violation> {
        let movement = self.with_terminal(merchant, action)?;
        self.note_movement(merchant.id(), movement);
        Ok(())
    }

    /// Runs an action of a card holder or a bank on a transaction, on whichever terminal it is, and notes the movement of money.
    pub(crate) fn with_transaction<R>(
        &self,
        action: impl Fn(&mut Terminal, Timestamp) -> Result<(Option<Movement>, R), Impossible>,
    ) -> Result<R, Impossible> {
        let now = self.now();
        for (merchant, terminal) in &self.terminals {
            // Locked for the action alone: the merchant's book is locked next.
            let done = action(&mut lock(terminal), now);
            match done {
                Err(Impossible::Unknown) => {}
                Err(impossible) => return Err(impossible),
                Ok((movement, result)) => {
                    if let Some(movement) = movement {
                        self.note_movement(merchant, movement);
                    }
                    return Ok(result);
                }
            }
        }
        Err(Impossible::Unknown)
    }

    /// Lets the bank look at a merchant's terminal.
    pub(super) fn look_at_terminal<R>(&self, merchant: &str, look: impl FnOnce(&mut Terminal) -> Option<R>) -> Option<R> {
        look(&mut lock(self.terminals.get(merchant)?))
    }
}
