//! What the operator does at the register.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::Record;
use super::{App, Flaw, Life};

/// How a customer pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Card,
    Qr,
}

impl Kind {
    /// Assumed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Card => "CARD_PAYMENT",
            Self::Qr => "QR_PAYMENT",
        }
    }
}

/// What the app does not let the operator do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    /// The app is too old, and waits for its update.
    Locked,
    NotActivated,
    /// The merchant may not do this.
    NoPermission,
    SymbolMissing,
    SymbolWrong,
    SymbolNotAsked,
}

impl App {
    /// Sells something paid by card, and tells the identity of the transaction.
    pub fn sell(&mut self, amount: i64, symbol: Option<&str>, now: Timestamp) -> Result<String, NotAllowed> {
        self.may_sell()?;
        self.check_symbol(symbol)?;
        Ok(self.record(Kind::Card, amount, symbol, now))
    }

    pub(super) fn may_sell(&self) -> Result<(), NotAllowed> {
        match self.memory.life {
            Life::New | Life::Deactivated => Err(NotAllowed::NotActivated),
            Life::Working if self.is_locked() => Err(NotAllowed::Locked),
            Life::Working => Ok(()),
        }
    }

    pub(super) fn record(&mut self, kind: Kind, amount: i64, symbol: Option<&str>, now: Timestamp) -> String {
        let id = format!("sale-{:04}", self.memory.records.len() + 1);
        self.note(format!("{id} is sold"), now);
        self.memory.records.push(Record {
            id: id.clone(),
            kind,
            status: "PAID".to_owned(),
            amount,
            refunded: 0,
            symbol: symbol.map(str::to_owned),
            closing: None,
            document: None,
            sync_version: 1,
            synchronized: None,
        });
        id
    }

    /// "Whether the merchant may reverse a card payment."
    pub fn reverse(&mut self, id: &str) -> Result<(), NotAllowed> {
        if !self.config().reversal_enabled && !self.has(Flaw::IgnoresPermissions) {
            return Err(NotAllowed::NoPermission);
        }
        self.change(id, |record| "REVERSED".clone_into(&mut record.status));
        Ok(())
    }

    /// "Whether the merchant may refund a card payment, also partly. A different permission."
    pub fn refund(&mut self, id: &str, amount: i64) -> Result<(), NotAllowed> {
        if !self.config().refund_enabled && !self.has(Flaw::IgnoresPermissions) {
            return Err(NotAllowed::NoPermission);
        }
        self.change(id, |record| {
            record.refunded += amount;
            "PARTIALLY_REFUNDED".clone_into(&mut record.status);
        });
        Ok(())
    }

    /// Issues a document for a transaction, and tells its number.
    pub fn issue_document(&mut self, id: &str) -> Option<String> {
        let number = self.next_document()?;
        self.change(id, |record| record.document = Some(number.clone()));
        Some(number)
    }

    /// A changed record is uploaded again "with a higher `syncVersion`".
    pub(super) fn change(&mut self, id: &str, change: impl FnOnce(&mut Record)) {
        let raise = !self.has(Flaw::KeepsTheSyncVersion);
        let record = self.memory.records.iter_mut().find(|record| record.id == id).expect("a known record");
        change(record);
        record.synchronized = None;
        record.sync_version += i64::from(raise);
    }
}
