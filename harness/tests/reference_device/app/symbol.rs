//! The variable symbol that the operator enters.

use super::config::{SymbolMode, SymbolRules, SymbolType};
use super::{App, Flaw, NotAllowed};

/// What the operator sees. Without rules in the configuration, there is no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Hidden,
    Offered,
    Demanded,
}

/// "Digits only, max 10."
const LONGEST: usize = 10;

impl App {
    /// "OFF hides the entry, OPTIONAL offers it, REQUIRED demands it."
    pub fn symbol_entry(&self) -> Entry {
        match self.config().variable_symbol.as_ref().map(|rules| rules.mode) {
            _ if self.has(Flaw::AlwaysOffersSymbols) => Entry::Offered,
            None | Some(SymbolMode::Off) => Entry::Hidden,
            Some(SymbolMode::Optional) => Entry::Offered,
            Some(SymbolMode::Required) => Entry::Demanded,
        }
    }

    pub(super) fn check_symbol(&self, symbol: Option<&str>) -> Result<(), NotAllowed> {
        match (self.symbol_entry(), symbol) {
            (Entry::Hidden, Some(_)) => Err(NotAllowed::SymbolNotAsked),
            (Entry::Demanded, None) => Err(NotAllowed::SymbolMissing),
            (Entry::Offered | Entry::Demanded, Some(symbol)) if !self.fits(symbol) => Err(NotAllowed::SymbolWrong),
            (Entry::Hidden | Entry::Offered, None) | (Entry::Offered | Entry::Demanded, Some(_)) => Ok(()),
        }
    }

    fn fits(&self, symbol: &str) -> bool {
        let is_numeric = |rules: &SymbolRules| rules.r#type == SymbolType::Numeric;
        let takes_digits_only = self.config().variable_symbol.as_ref().is_some_and(is_numeric);
        let is_number = (1..=LONGEST).contains(&symbol.len()) && symbol.bytes().all(|byte| byte.is_ascii_digit());
        !takes_digits_only || is_number || self.has(Flaw::TakesAnySymbol)
    }
}
