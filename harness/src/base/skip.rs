//! Why a case was not run.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::{all_of, counted};

/// What a case needs that the target does not offer or does not allow.
/// Events and tapes hold the text; a reason that is read back from one is [`SkipReason::Other`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// Something that happens outside the API and that nothing in the target file can carry out: `payer`.
    Needs(String),
    /// An action that nothing in the target file carries out: `payer.pays`.
    NoDriver(String),
    /// The action by which time passes, where nothing in the target file carries it out or lets a case wait: `clock.advances`.
    NoClock(String),
    /// An identity that the target file has no credentials of.
    NoCredentials(String),
    /// Parts that the credentials of an identity lack.
    MissingParts {
        /// The identity.
        identity: String,
        /// The missing parts.
        parts: BTreeSet<String>,
    },
    /// The target file has no base URL for an API.
    NoBase(String),
    /// More time has to pass than the target file lets a case wait.
    Time {
        /// How long, in seconds.
        seconds: u64,
        /// The longest wait, in seconds.
        bound: u64,
        /// The action by which time passes.
        action: String,
    },
    /// The target file opens no inbox.
    NoInbox,
    /// A setting that only a world of an emulator has.
    EmulatorOnly {
        /// Which, with its value: `start: 2026-03-01T10:00:00Z`.
        setting: String,
    },
    /// A setting of the shop that the target file does not state, or states otherwise.
    OtherSetting {
        /// Which, with its value: `merchants.main.qr-test: false`.
        setting: String,
        /// What the file states instead.
        stated: Option<String>,
    },
    /// The target file states a setting that leaves only the cases about it.
    OtherShop {
        /// Which: `allowed-addresses`.
        setting: String,
        /// What the file states.
        stated: String,
    },
    /// A value of a field that the target file's list of what the shop has does not name.
    NotOffered {
        /// The list: `merchants.main.currencies`.
        setting: String,
        /// The value.
        value: String,
        /// What the list names.
        offered: String,
    },
    /// A setting of the second merchant, which the target file states of the main one alone, and otherwise.
    StatedForMainOnly {
        /// Which, with its value: `merchants.other.currencies: EUR`.
        setting: String,
    },
    /// No notification came while the case waited; the documents give no schedule that it could be late by.
    NothingCame {
        /// How long it waited.
        within: Duration,
    },
    /// The target refuses a creation because something is pending that this case cannot end.
    SomethingPending,
    /// Another case that shares the target may have changed what this one has prepared.
    NotPrepared {
        /// What the case needs.
        what: String,
        /// The action whose driver returns something else, if an action prepares it.
        action: Option<String>,
    },
    /// A call that a target may refuse was refused.
    Refused {
        /// The operation.
        operation: String,
        /// Why it may.
        why: String,
    },
    /// An action was not carried out here, and why.
    Declined(String),
    /// Anything else, in one sentence.
    Other(String),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Needs(action) => write!(f, "needs `{action}`; add a driver for it to `world` in the target file"),
            Self::NoClock(action) => {
                write!(f, "no driver for `{action}` under `world` in the target file, and no `waits-up-to` there that lets a case wait")
            }
            Self::NoDriver(action) => write!(f, "no driver for `{action}` under `world` in the target file"),
            Self::NoCredentials(identity) => write!(f, "the target has no credentials for `{identity}`"),
            Self::MissingParts { identity, parts } => write!(f, "the credentials of `{identity}` lack {}", all_of(parts)),
            Self::Time { seconds, bound, .. } => {
                let (needed, bound) = (of_time(*seconds), of_time(*bound));
                write!(f, "needs {needed} to pass; the target file waits up to {bound} (`world.waits-up-to`)")
            }
            Self::NoBase(api) => write!(f, "the target has no base URL for `{api}`"),
            Self::NoInbox => f.write_str("the target file opens no inbox (`notifications: { listen: … }`)"),
            Self::EmulatorOnly { setting } if setting.starts_with("start:") => {
                write!(f, "only an emulator is judged by this: it needs a clock that can be set (`{setting}`)")
            }
            Self::EmulatorOnly { setting } => write!(f, "only an emulator is judged by this: it needs `{setting}`"),
            Self::OtherSetting { setting, stated: None } => {
                write!(f, "needs `{setting}`, which `settings` in the target file does not state")
            }
            Self::OtherSetting { setting, stated: Some(stated) } => {
                write!(f, "needs `{setting}`; `settings` in the target file states {stated}")
            }
            Self::OtherShop { setting, stated } => {
                write!(f, "does not apply to a shop with `{setting}: {stated}`, which the target file states")
            }
            Self::NotOffered { setting, value, offered } => write!(f, "needs {value}; `{setting}` in the target file states {offered}"),
            Self::StatedForMainOnly { setting } => {
                write!(f, "needs `{setting}`; `settings` in the target file states this setting for `main` only, with another value")
            }
            Self::NothingCame { within } => {
                let waited = within.as_secs_f64();
                write!(f, "nothing came within {waited} s, and the documents give no schedule; `world.waits-up-to` waits longer")
            }
            Self::SomethingPending => {
                f.write_str("needs a target on which nothing else is pending; cases that share it may leave something")
            }
            Self::NotPrepared { what, action: None } => write!(f, "needs {what}; cases that share the target may leave another"),
            Self::NotPrepared { what, action: Some(action) } => {
                write!(f, "needs {what}; the driver for `{action}` returns something else")
            }
            Self::Refused { operation, why } => write!(f, "{operation} is refused. {}", why.trim_end_matches('.')),
            Self::Declined(reason) | Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl SkipReason {
    /// The action that nothing carries out, if that is why.
    pub fn action(&self) -> Option<&str> {
        match self {
            Self::NoDriver(action) | Self::NoClock(action) => Some(action),
            _ => None,
        }
    }

    /// Whether adding what this reason asks for settles the other reason, too.
    pub fn opens(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::MissingParts { identity, parts }, Self::MissingParts { identity: of, parts: some }) => {
                identity == of && some.is_subset(parts)
            }
            _ => self.opened_by() == other.opened_by(),
        }
    }

    /// What would make the case run.
    pub fn opened_by(&self) -> String {
        match self {
            Self::Needs(capability) => format!("a driver for an action of `{capability}`"),
            Self::NoClock(action) => format!("a driver for `{action}`, or `waits-up-to`"),
            Self::NoDriver(action) => format!("a driver for `{action}`"),
            Self::NoCredentials(identity) => format!("credentials for `{identity}`"),
            Self::MissingParts { identity, parts } => format!("{} in the credentials of `{identity}`", all_of(parts)),
            Self::Time { seconds, action, .. } => format!("`waits-up-to: {seconds}s`, or a driver for `{action}`"),
            Self::NoBase(api) => format!("a base URL for `{api}`"),
            Self::NoInbox => "an inbox (`notifications: { listen: … }`)".to_owned(),
            Self::EmulatorOnly { .. } => "an emulator, whose worlds have settings".to_owned(),
            Self::OtherSetting { setting, stated: None } => format!("`{setting}` under `settings`, where the shop is set to it"),
            Self::OtherSetting { setting, stated: Some(_) } => format!("a shop that is set to `{setting}`"),
            Self::OtherShop { setting, .. } => format!("a shop of which no `{setting}` is stated"),
            Self::NotOffered { setting, value, .. } => format!("a shop that has {value} (`{setting}`)"),
            Self::StatedForMainOnly { setting } => format!("`{setting}` under `settings`, where the second merchant has it"),
            Self::NothingCame { .. }
            | Self::SomethingPending
            | Self::NotPrepared { .. }
            | Self::Refused { .. }
            | Self::Declined(_)
            | Self::Other(_) => format!("otherwise: {self}"),
        }
    }
}

fn of_time(seconds: u64) -> String {
    counted(usize::try_from(seconds).unwrap_or(usize::MAX), "second")
}

/// Serialises as the sentence.
impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the sentence.
impl<'de> Deserialize<'de> for SkipReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::Other)
    }
}
