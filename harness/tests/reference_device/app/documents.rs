//! Document numbers: a two-digit device code, and a sequence of its own for each code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{App, Flaw};

/// What this register chooses where the server has assigned nothing.
pub const CHOSEN_CODE: &str = "99";

/// The last number of each code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Documents(BTreeMap<String, u32>);

impl App {
    /// "Null means unassigned and the register chooses one." "The sequence part is a local counter per code."
    pub(super) fn next_document(&mut self) -> Option<String> {
        let assigned = self.config().document_device_code.clone();
        if assigned.is_none() && self.has(Flaw::WaitsForADocumentCode) {
            return None;
        }
        let code = assigned.unwrap_or_else(|| CHOSEN_CODE.to_owned());
        let counter = if self.has(Flaw::CountsDocumentsTogether) { String::new() } else { code.clone() };
        let number = self.memory.documents.0.entry(counter).or_default();
        *number += 1;
        Some(format!("{code}{number:06}"))
    }
}
