//! One change to a valid request. A made-up request is a valid one with a list of changes.

use super::draft::Draft;
use super::spelling::Spelling;
use super::wire::{BodyEdit, HeaderEdit, TargetEdit};

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Edit {
    /// Another value for a field.
    Set { pointer: String, spelling: Spelling },
    /// A field taken away.
    Remove { pointer: String },
    /// A field once more, with another value.
    Repeat { pointer: String, spelling: Spelling },
    /// A field that nobody knows.
    Add { key: &'static str, spelling: Spelling },
    /// The bytes of the body.
    Body(BodyEdit),
    /// Path and query.
    Target(TargetEdit),
    /// The method.
    Method(&'static str),
    /// The headers, and how the body is framed.
    Header(HeaderEdit),
}

/// Methods: those of other calls, those of HTTP that nobody expects, and some that are none.
pub(super) const METHODS: [&str; 10] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "BREW"];

/// Keys that nobody knows, and those with which parsers and languages have had trouble.
pub(super) const KEYS: [&str; 9] = ["", " ", "unknown", "__proto__", "constructor", "a.b[0]", "a\u{0}b", "ключ", "$ref"];

impl Edit {
    /// Changes come in this order.
    pub(super) fn stage(&self) -> u8 {
        match self {
            Self::Set { .. } => 0,
            Self::Remove { .. } => 1,
            Self::Repeat { .. } | Self::Add { .. } => 2,
            Self::Body(_) => 3,
            Self::Target(_) | Self::Method(_) => 4,
            Self::Header(_) => 5,
        }
    }

    /// Whether it changes what the body says rather than its bytes.
    pub(super) fn is_about_fields(&self) -> bool {
        self.stage() < 3
    }

    /// Whether a server may refuse the request for it before any operation reads it. What an operation then
    /// answers, the documents don't say; HTTP does.
    pub(super) fn is_about_http(&self) -> bool {
        match self {
            Self::Set { spelling, .. } | Self::Add { spelling, .. } => spelling.is_malformed(),
            Self::Remove { .. } => false,
            Self::Repeat { .. } | Self::Body(_) | Self::Target(_) | Self::Method(_) | Self::Header(_) => true,
        }
    }

    /// Whether the request may be meant for something else than the operation.
    pub(super) fn leads_elsewhere(&self) -> bool {
        matches!(self, Self::Target(edit) if edit.changes_path()) || matches!(self, Self::Method(_))
    }

    pub(super) fn apply(&self, draft: &mut Draft) {
        match self {
            Self::Set { pointer, spelling } => with_fields(draft, |fields| fields.set(pointer, spelling)),
            Self::Remove { pointer } => with_fields(draft, |fields| fields.remove(pointer)),
            Self::Repeat { pointer, spelling } => with_fields(draft, |fields| {
                let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
                fields.add(parent, &name.replace("~1", "/").replace("~0", "~"), spelling);
            }),
            Self::Add { key, spelling } => with_fields(draft, |fields| fields.add("", key, spelling)),
            Self::Body(edit) => edit.apply(draft),
            Self::Target(edit) => edit.apply(draft),
            Self::Method(method) => (*method).clone_into(&mut draft.method),
            Self::Header(edit) => edit.apply(draft),
        }
    }

    /// Smaller changes of the same kind, the smallest first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let with = |spelling: &Spelling, made: &dyn Fn(Spelling) -> Self| spelling.smaller().into_iter().map(made).collect();
        match self {
            Self::Set { pointer, spelling } => with(spelling, &|spelling| Self::Set { pointer: pointer.clone(), spelling }),
            Self::Repeat { pointer, spelling } => with(spelling, &|spelling| Self::Repeat { pointer: pointer.clone(), spelling }),
            Self::Add { key, spelling } => with(spelling, &|spelling| Self::Add { key, spelling }),
            Self::Header(edit) => edit.smaller().into_iter().map(Self::Header).collect(),
            Self::Remove { .. } | Self::Body(_) | Self::Target(_) | Self::Method(_) => Vec::new(),
        }
    }

    /// For people: `/price is 1e400`.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Set { pointer, spelling } => format!("{pointer} is {}", spelling.describe()),
            Self::Remove { pointer } => format!("{pointer} is not there"),
            Self::Repeat { pointer, spelling } => format!("{pointer} stands there twice, the second time as {}", spelling.describe()),
            Self::Add { key, spelling } => format!("a further field {} is {}", serde_json::Value::from(*key), spelling.describe()),
            Self::Body(edit) => edit.describe(),
            Self::Target(edit) => edit.describe(),
            Self::Method(method) => format!("the method is {method}"),
            Self::Header(edit) => edit.describe(),
        }
    }
}

fn with_fields(draft: &mut Draft, change: impl FnOnce(&mut super::draft::Fields)) {
    if let Some(fields) = &mut draft.fields {
        change(fields);
    }
}
