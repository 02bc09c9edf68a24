//! Changes of finished responses and notifications, as the file of freedoms describes them.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// The result that a response must have for a change to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallResult {
    /// The call was carried out.
    Accepted,
    /// The call was refused.
    Refused,
    /// The payer is sent elsewhere.
    Redirect,
}

/// How the fields of an object follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FieldOrder {
    /// From the last to the first.
    Reversed,
    /// By name.
    Sorted,
}

/// How a body is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Spelling {
    /// JSON over several lines.
    Pretty,
    /// JSON in ASCII alone.
    Ascii,
    /// A form with `+` for a space.
    Plus,
    /// A form with lower-case escapes.
    Lower,
}

/// How a moment is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Moment {
    /// With milliseconds.
    Millis,
    /// With an offset for `Z`.
    Offset,
    /// Without a zone.
    Zoneless,
    /// With `t` and `z`.
    Lower,
    /// With the day of the year for the date.
    Ordinal,
    /// With the week and its day for the date, without separators.
    Week,
}

/// One change. The first fields are its conditions, the others its effects. A field of a body is named by its path, joined by
/// dots; `*` stands for every item.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub(crate) struct Change {
    /// Operations; a `*` at the end stands for any end.
    pub(crate) r#in: Vec<String>,
    pub(crate) when: Option<CallResult>,
    /// HTTP statuses.
    pub(crate) status: Vec<u16>,
    /// The body has these values; texts match as a part.
    pub(crate) r#where: IndexMap<String, Value>,
    /// The body has none of these values.
    pub(crate) unless: IndexMap<String, Value>,

    pub(crate) absent: Vec<String>,
    /// Null in JSON, empty in a form.
    pub(crate) null: Vec<String>,
    /// Replaces what is there, and adds what is not.
    pub(crate) put: IndexMap<String, Value>,
    /// Replaces what is there.
    pub(crate) set: IndexMap<String, Value>,
    /// Adds what is not there.
    pub(crate) add: IndexMap<String, Value>,
    pub(crate) replace: IndexMap<String, IndexMap<String, Value>>,
    pub(crate) suffix: IndexMap<String, String>,
    /// A part of a text, and what stands there instead.
    pub(crate) part: IndexMap<String, (String, String)>,
    /// How many characters at the end are kept.
    pub(crate) last: IndexMap<String, usize>,
    /// The amount that is added to a number.
    pub(crate) plus: IndexMap<String, i64>,
    /// The number that a number is taken from: what rises, falls.
    pub(crate) from: IndexMap<String, i64>,
    pub(crate) text: Vec<String>,
    pub(crate) integer: Vec<String>,
    pub(crate) moments: Option<(Moment, Vec<String>)>,
    /// Lists whose items are reversed.
    pub(crate) reverse: Vec<String>,
    pub(crate) order: Option<FieldOrder>,
    pub(crate) spelling: Option<Spelling>,
    pub(crate) body: Option<Value>,
    pub(crate) http: Option<u16>,
    pub(crate) headers: IndexMap<String, String>,
    pub(crate) media_type: Option<String>,
    /// Headers that are left out.
    pub(crate) without: Vec<String>,
    /// A page for people, whatever the body was.
    pub(crate) page: Option<String>,
    /// No body at all.
    pub(crate) empty: bool,
    /// There is nothing at this path: the call is not carried out.
    pub(crate) not_there: bool,
}

impl Change {
    /// Whether the change is about this operation.
    pub(crate) fn is_about(&self, operation: &str) -> bool {
        self.r#in.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(beginning) => operation.starts_with(beginning),
            None => operation == pattern,
        })
    }

    /// Whether it adds fields that are not there.
    pub(super) fn adds_fields(&self) -> bool {
        !self.add.is_empty()
    }

    /// Whether it looks at fields of the body.
    pub(crate) fn reads_fields(&self) -> bool {
        !self.r#where.is_empty() || !self.unless.is_empty()
    }
}
