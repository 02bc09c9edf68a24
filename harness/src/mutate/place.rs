//! Where something is changed.

use std::fmt;
use std::sync::Arc;

/// A place in an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    /// Whether, when and how often it comes.
    Delivery,
    /// The HTTP status.
    Status,
    /// A header, by its lower-case name.
    Header(Arc<str>),
    /// The body as a whole.
    Body,
    /// A part of what the body says, as a JSON Pointer.
    Field(Arc<str>),
}

impl Place {
    /// The same place in every answer: items of a list are one place.
    pub(super) fn general(&self) -> Self {
        match self {
            Self::Field(pointer) if pointer.split('/').any(is_item) => {
                let parts = pointer.split('/').map(|part| if is_item(part) { "*" } else { part });
                Self::Field(parts.collect::<Vec<_>>().join("/").into())
            }
            other => other.clone(),
        }
    }
}

/// Whether a part of a pointer names an item of a list.
fn is_item(part: &str) -> bool {
    part.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && part.parse::<usize>().is_ok()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delivery => f.write_str("delivery"),
            Self::Status => f.write_str("HTTP status"),
            Self::Header(name) => write!(f, "header {name}"),
            Self::Body => f.write_str("body"),
            Self::Field(pointer) => f.write_str(pointer),
        }
    }
}
