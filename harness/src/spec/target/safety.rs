//! What is refused against other targets than loopback, unless a line of the target file allows it.

use std::time::Duration;

use url::{Host, Url};

use super::{Target, WorldKind};
use crate::spec::contract::Operation;

/// Why something is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is refused against a target that is not on this machine; `{line}` in the target file opens it")]
pub struct Refusal {
    /// What is refused.
    pub what: String,
    /// The line that allows it.
    pub line: &'static str,
}

impl Refusal {
    fn new(what: impl Into<String>, line: &'static str) -> Self {
        Self { what: what.into(), line }
    }
}

/// Why a load is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadRefusal {
    /// The target file allows no load.
    #[error(transparent)]
    Closed(#[from] Refusal),
    /// The target file allows a rate, and the kind of load has none.
    #[error(
        "`{kind}` has no highest rate, and the target file allows only {allowed} iterations a second; take a kind with an arrival rate"
    )]
    NoHighestRate {
        /// The name of the kind.
        kind: String,
        /// Iterations per second.
        allowed: f64,
    },
    /// The rate is higher than the target file allows.
    #[error("the profile begins up to {asked} iterations a second, and the target file allows {allowed}")]
    Rate {
        /// Iterations per second.
        asked: f64,
        /// Iterations per second.
        allowed: f64,
    },
    /// The load takes longer than the target file allows.
    #[error("the profile may take {asked:?}, and the target file allows {allowed:?}")]
    Duration {
        /// Warm-up included.
        asked: Duration,
        /// Warm-up included.
        allowed: Duration,
    },
}

/// The load that a profile puts on a target.
#[derive(Clone, Copy, Debug)]
pub struct LoadAsked<'k> {
    /// The name of its kind.
    pub kind: &'k str,
    /// The highest rate at which iterations start, per second; none if the kind has none.
    pub highest_rate: Option<f64>,
    /// The longest duration.
    pub longest: Duration,
}

/// Whether a URL leads to this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

impl Target {
    /// Whether every base URL leads to this machine.
    pub fn is_local(&self) -> bool {
        let control = match &self.world {
            WorldKind::Emulator(base) => Some(base),
            WorldKind::Drivers(_) => None,
        };
        self.bases.values().chain(control).all(is_loopback)
    }

    /// Whether requests that move real money may be sent.
    pub fn may_move_money(&self) -> Result<(), Refusal> {
        self.opened(self.allow.production, || Refusal::new("a request that may move real money", "allow: { production: true }"))
    }

    /// Whether the control API of an emulator may be used.
    pub fn may_control(&self) -> Result<(), Refusal> {
        self.opened(self.allow.control, || Refusal::new("the emulator's control API", "allow: { control: true }"))
    }

    /// Whether faults may be placed.
    pub fn may_fault(&self) -> Result<(), Refusal> {
        self.opened(self.allow.faults, || Refusal::new("placing a fault", "allow: { faults: true }"))
    }

    /// Whether an operation may receive mutated requests. A mutation may remove what makes a request harmless.
    pub fn may_fuzz(&self, operation: &Operation) -> Result<(), Refusal> {
        self.opened(self.allow.fuzz, || Refusal::new("fuzzing", "allow: { fuzz: true }"))?;
        let harmless: Vec<String> = operation.safe_when.iter().map(|(field, value)| format!("`{field}: {value}`")).collect();
        let what = || format!("fuzzing a call that may lose its {}", harmless.join(", "));
        self.opened(self.allow.production || harmless.is_empty(), || Refusal::new(what(), "allow: { production: true }"))
    }

    /// Whether a load may be put on it.
    pub fn may_load(&self, asked: &LoadAsked<'_>) -> Result<(), LoadRefusal> {
        let refusal = || Refusal::new("load", "allow: { load: { rate: …, for: … } }");
        self.opened(self.allow.load.is_some(), refusal)?;
        let Some(allowed) = self.allow.load.filter(|_| !self.is_local()) else { return Ok(()) };
        let Some(rate) = asked.highest_rate else {
            return Err(LoadRefusal::NoHighestRate { kind: asked.kind.to_owned(), allowed: allowed.rate });
        };
        if rate > allowed.rate {
            return Err(LoadRefusal::Rate { asked: rate, allowed: allowed.rate });
        }
        if asked.longest > allowed.duration {
            return Err(LoadRefusal::Duration { asked: asked.longest, allowed: allowed.duration });
        }
        Ok(())
    }

    fn opened(&self, open: bool, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
        if open || self.is_local() { Ok(()) } else { Err(refusal()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for local in ["http://127.0.0.1:1", "http://127.9.9.9", "https://localhost", "http://[::1]:8080"] {
            assert!(is_loopback(&Url::parse(local).unwrap()), "{local}");
        }
        for foreign in ["http://10.0.0.1", "http://localhost.example.com", "http://0.0.0.0", "http://pay1.example.com", "http://[::2]"] {
            assert!(!is_loopback(&Url::parse(foreign).unwrap()), "{foreign}");
        }
    }
}
