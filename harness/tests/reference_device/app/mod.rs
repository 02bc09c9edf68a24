//! The reference device: a cash-register application as document 3 asks for, small but whole. It is judged, it judges
//! nothing: what it does shows in the calls it makes and in what an operator sees on it.
//!
//! Time is handed in. The app speaks only when one of its verbs is called, so a test sees every call and its cause.

mod activation;
mod back_off;
mod call;
mod closing;
mod config;
mod documents;
mod event;
mod flaw;
mod heed;
mod logs;
mod memory;
mod payment_codes;
mod pin;
mod qr;
mod receipt;
mod record;
mod refusal;
mod sale;
mod symbol;
mod terminal;
mod upload;
mod wire;

use jiff::Timestamp;

pub use activation::{Installation, POS, SOFTPOS};
pub use back_off::FIRST as FIRST_PAUSE;
pub use documents::CHOSEN_CODE;
pub use flaw::Flaw;
pub use memory::{Life, Memory};
pub use pin::BUILT_IN as BUILT_IN_PIN;
pub use qr::{MoreOptions, Reason, State};
pub use sale::{Kind, NotAllowed};
pub use symbol::Entry;
pub use terminal::{DEVICE_TIPS, VERSION_CODE};

use back_off::BackOff;
use config::Config;
use heed::Markers;
use logs::Request;
use terminal::Terminal;
use wire::Wire;

/// Why a verb ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There was trouble; the app backs off.
    BacksOff,
    /// The app backs off since an earlier trouble, and said nothing.
    Rests,
    /// The service does not do this; the operator is told the code.
    Refused(String),
    NotActivated,
    AlreadyActivated,
    /// The device was activated into another connection: its data have to be wiped first.
    NeedsWiping,
    Deactivated,
}

/// The application.
pub struct App {
    pub memory: Memory,
    pub wire: Wire,
    /// The card terminal that the app runs on.
    pub terminal: Terminal,
    /// From the last exchange, not heeded yet.
    announced: Option<Markers>,
    /// What support asked for, not heeded yet.
    asked: Option<Request>,
    back_off: BackOff,
    flaw: Option<Flaw>,
}

impl App {
    /// Freshly installed.
    pub fn installed(base: String, flaw: Option<Flaw>) -> Self {
        let (memory, wire, terminal, back_off) = (Memory::default(), Wire::to(base), Terminal::default(), BackOff::default());
        Self { memory, wire, terminal, announced: None, asked: None, back_off, flaw }
    }

    /// Ended and started again: only what was written down is left.
    pub fn restart(&mut self) {
        let written = serde_json::to_string(&self.memory).unwrap();
        self.memory = serde_json::from_str(&written).unwrap();
        (self.announced, self.asked, self.back_off) = (None, None, BackOff::default());
        if self.has(Flaw::ForgetsEventsAtRestart) {
            self.memory.events = memory::Events::default();
        }
    }

    /// The operator wipes the data.
    pub fn wipe(&mut self) {
        self.memory = Memory::default();
    }

    /// What the app does from time to time: it exchanges its token, and heeds the markers that come with the new one.
    pub async fn check_in(&mut self, now: Timestamp) -> Result<(), Stop> {
        self.may_speak(now)?;
        self.exchange(now).await?;
        self.heed(now).await
    }

    fn config(&self) -> &Config {
        self.memory.config.as_ref().expect("an activated app has a configuration")
    }

    /// Whether the app makes this mistake.
    fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }
}
