//! What is refused against anything but loopback, unless a line of the target file opens it.

use std::fmt;

use url::{Host, Url};

use super::{Target, WorldKind};
use crate::contract::Operation;
use crate::load::profile::Kind;

/// Why something is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is refused.
    pub what: &'static str,
    /// Which line opens it.
    pub line: &'static str,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused against a target that is not on this machine; `{}` in the target file opens it", self.what, self.line)
    }
}

/// Whether a URL leads to this machine and nowhere else.
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
            WorldKind::Commands(_) => None,
        };
        self.bases.values().chain(control).all(is_loopback)
    }

    /// Whether a creation that makes real money move may be sent.
    pub fn may_create_production(&self) -> Result<(), Refusal> {
        self.opened(self.allow.production, Refusal { what: "a payment without `test: true`", line: "allow: { production: true }" })
    }

    /// Whether the control API of an emulator may be used.
    pub fn may_control(&self) -> Result<(), Refusal> {
        self.opened(self.allow.control, Refusal { what: "the emulator's control API", line: "allow: { control: true }" })
    }

    /// Whether faults may be placed.
    pub fn may_fault(&self) -> Result<(), Refusal> {
        self.opened(self.allow.faults, Refusal { what: "placing a fault", line: "allow: { faults: true }" })
    }

    /// Whether an operation may be sent made-up requests. One of a payment may lose its `test: true`.
    pub fn may_fuzz(&self, operation: &Operation) -> Result<(), Refusal> {
        self.opened(self.allow.fuzz, Refusal { what: "fuzzing", line: "allow: { fuzz: true }" })?;
        let refusal = Refusal { what: "fuzzing a call that may lose its `test: true`", line: "allow: { production: true }" };
        self.opened(self.allow.production || operation.safe_when.is_empty(), refusal)
    }

    /// Whether a load may be put on it. The error says what is refused, and which line opens it.
    pub fn may_load(&self, kind: &Kind) -> Result<(), String> {
        if self.is_local() {
            return Ok(());
        }
        let Some(allowed) = self.allow.load else {
            let refusal = Refusal { what: "load", line: "allow: { load: { rate: …, for: … } }" };
            return Err(refusal.to_string());
        };
        let Some(rate) = kind.highest_rate() else {
            let name = kind.name();
            return Err(format!(
                "`{name}` has no highest rate, and the target file allows only {} iterations a second; take a kind with an arrival rate",
                allowed.rate
            ));
        };
        if rate > allowed.rate {
            return Err(format!("the profile begins up to {rate} iterations a second, and the target file allows {}", allowed.rate));
        }
        if kind.longest() > allowed.duration {
            return Err(format!("the profile may take {:?}, and the target file allows {:?}", kind.longest(), allowed.duration));
        }
        Ok(())
    }

    fn opened(&self, open: bool, refusal: Refusal) -> Result<(), Refusal> {
        if open || self.is_local() { Ok(()) } else { Err(refusal) }
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
