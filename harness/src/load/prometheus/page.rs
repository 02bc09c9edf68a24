//! The page as it was when the meter was last read.

use std::sync::{PoisonError, RwLock};

use super::text;
use crate::load::meter::Snapshot;

/// The page as it was when the meter was last read: whoever asks does not disturb the users.
#[derive(Debug, Default)]
pub struct Page(RwLock<String>);

impl Page {
    /// Writes it anew.
    pub fn show(&self, snapshot: &Snapshot) {
        let text = text(snapshot, None);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// What it says; nothing before the first reading.
    pub fn text(&self) -> String {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
