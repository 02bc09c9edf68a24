//! The device that the app runs on: its payment application, its printer, its own settings.

use super::config::Environment;
use super::{App, Flaw};

/// The `versionCode` of this app.
pub const VERSION_CODE: i64 = 42;

/// The tips that are set on the device, in per cent.
pub const DEVICE_TIPS: [u32; 2] = [5, 10];

/// What the app controls besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Whether the terminal prints receipts of its own.
    pub prints: bool,
    /// How often its payment application was told to download its configuration.
    pub configurations: u32,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { prints: true, configurations: 0 }
    }
}

impl App {
    /// "`env` decides which payment application is addressed. Never derived from a terminal-id prefix."
    pub fn payment_application(&self) -> &'static str {
        let env = if self.has(Flaw::DerivesEnvFromTheTerminalId) { self.guessed_env() } else { self.config().env };
        match env {
            Environment::Prod => "payments",
            Environment::Acc => "payments-acc",
            Environment::Int => "payments-int",
        }
    }

    fn guessed_env(&self) -> Environment {
        if self.config().terminal_id.starts_with("ACC") { Environment::Acc } else { Environment::Prod }
    }

    /// The tips that are offered, in per cent. "When the key is missing the device setting decides. When present, the
    /// server decides, including percentages."
    pub fn tips(&self) -> Vec<u32> {
        match &self.config().tip {
            Some(tip) if !self.has(Flaw::SetsTipsItself) => tip.percentages.clone(),
            None if self.has(Flaw::OffersNoTipsOfItsOwn) => Vec::new(),
            Some(_) | None => DEVICE_TIPS.to_vec(),
        }
    }
}
