//! The keys of a profile, each declared once: the same declaration reads the value from a file, strictly and with located
//! mistakes, and describes it in the JSON Schema.

mod schema;
mod values;

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Value, json};

use crate::base::source::{Diagnostic, Fields, Node, Problems};
pub(crate) use schema::{ObjectSchema, reference};

/// The most virtual users.
const MOST_USERS: u64 = 10_000;
/// The highest rate, in iterations a second.
const HIGHEST_RATE: f64 = 1_000_000.0;
/// The most stages of a profile.
const MOST_STAGES: usize = 1000;

/// The pattern of a time in the schema: `30s`.
const TIME: &str = "^[0-9]+(ms|s|m|h)$";
/// The pattern of a share in the schema: `50%`.
const SHARE: &str = r"^[0-9]+(\.[0-9]+)?%$";

/// One mapping of a profile. Each method declares a key; `about` is its description for editors.
///
/// When the keys are described rather than read, every required value is `None`. So a reader declares all its keys before it returns
/// early.
pub(crate) struct Keys<'n, 'p> {
    origin: Origin<'n>,
    problems: &'p mut Problems,
}

enum Origin<'n> {
    File(Fields<'n>),
    Schema(ObjectSchema),
}

/// Whether a mapping must have a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl<'n, 'p> Keys<'n, 'p> {
    /// Reads a mapping; `what` names it in messages (`a stage`).
    pub(crate) fn reading(node: &'n Node, what: &'static str, problems: &'p mut Problems) -> Option<Self> {
        let fields = Fields::from_node(node, what, problems)?;
        Some(Self { origin: Origin::File(fields), problems })
    }

    /// Ends the reading: a key that was not declared is a mistake.
    pub(crate) fn finish(self) {
        if let Origin::File(fields) = self.origin {
            fields.finish(self.problems);
        }
    }

    /// Adds a mistake at the value of a key.
    pub(crate) fn refuse(&mut self, key: &str, message: impl Into<String>) {
        if let Origin::File(fields) = &self.origin
            && let Some(node) = fields.peek(key)
        {
            self.problems.add(Diagnostic::at(node, message));
        }
    }

    /// The mistakes so far, for a value that the caller reads itself.
    pub(crate) fn problems(&mut self) -> &mut Problems {
        self.problems
    }

    /// A required value that the caller reads itself; `schema` describes valid values.
    pub(crate) fn node(&mut self, key: &'static str, schema: Value) -> Option<&'n Node> {
        self.declare(key, Need::Required, schema)
    }

    /// The same for a key that may be left out.
    pub(crate) fn optional_node(&mut self, key: &'static str, schema: Value) -> Option<&'n Node> {
        self.declare(key, Need::Optional, schema)
    }

    /// The required key whose value selects the kind of the mapping. Each kind has its own value in the schema.
    pub(crate) fn tag(&mut self, key: &'static str) -> Option<&'n Node> {
        match &mut self.origin {
            Origin::File(fields) => fields.require(key, self.problems),
            Origin::Schema(_) => None,
        }
    }

    /// Requires items in a list that is declared and read elsewhere; `message` and `help` describe the mistake of an empty one.
    pub(crate) fn demand_items(&mut self, key: &'static str, message: &str, help: &str) {
        if let Origin::File(fields) = &mut self.origin
            && let Some(node) = fields.require(key, self.problems)
            && node.list().is_some_and(<[Node]>::is_empty)
        {
            self.problems.add(Diagnostic::at(node, message).help(help));
        }
    }

    /// The items of a list that may be left out.
    pub(crate) fn optional_list(&mut self, key: &'static str, schema: Value) -> &'n [Node] {
        match &mut self.origin {
            Origin::File(fields) => fields.list(key, self.problems),
            Origin::Schema(object) => {
                object.add(key, false, schema);
                &[]
            }
        }
    }

    /// A required text.
    pub(crate) fn text(&mut self, key: &'static str, about: &str) -> Option<String> {
        let node = self.declare(key, Need::Required, json!({ "type": "string", "description": about }))?;
        values::text(node, key, self.problems)
    }

    /// A text that may be left out.
    pub(crate) fn optional_text(&mut self, key: &'static str, about: &str) -> Option<String> {
        let node = self.declare(key, Need::Optional, json!({ "type": "string", "description": about }))?;
        values::text(node, key, self.problems)
    }

    /// How many virtual users, at least one.
    pub(crate) fn users(&mut self, about: &str) -> Option<usize> {
        self.number_of_users(1, about)
    }

    /// How many virtual users, zero included.
    pub(crate) fn users_or_none(&mut self, about: &str) -> Option<usize> {
        self.number_of_users(0, about)
    }

    fn number_of_users(&mut self, least: u64, about: &str) -> Option<usize> {
        let schema = json!({ "type": "integer", "format": "uint32", "minimum": least, "description": about, "maximum": MOST_USERS });
        let node = self.declare("users", Need::Required, schema)?;
        values::whole_number(node, "users", least..=MOST_USERS, self.problems).and_then(|users| usize::try_from(users).ok())
    }

    /// How many connections all users share, at least one; `None` where it is left out.
    pub(crate) fn shared_connections(&mut self, about: &str) -> Option<usize> {
        let schema = json!({ "type": "integer", "format": "uint32", "minimum": 1, "description": about, "maximum": MOST_USERS });
        let node = self.declare("connections", Need::Optional, schema)?;
        values::whole_number(node, "connections", 1..=MOST_USERS, self.problems).and_then(|count| usize::try_from(count).ok())
    }

    /// A whole number within bounds; `default` where it is left out.
    pub(crate) fn whole_number_or(&mut self, key: &'static str, default: u64, range: RangeInclusive<u64>, about: &str) -> Option<u64> {
        let format = if *range.end() == u64::MAX { "uint64" } else { "uint32" };
        let mut schema = json!({ "type": "integer", "format": format, "minimum": range.start(), "description": about });
        if let (Some(schema), true) = (schema.as_object_mut(), *range.end() < u64::MAX) {
            schema.insert("maximum".to_owned(), json!(range.end()));
        }
        let Some(node) = self.declare(key, Need::Optional, schema) else { return Some(default) };
        values::whole_number(node, key, range, self.problems)
    }

    /// A required rate above 0, in iterations a second.
    pub(crate) fn rate(&mut self, key: &'static str, about: &str) -> Option<f64> {
        let schema = json!({ "type": "number", "format": "double", "description": about, "maximum": schema::number(HIGHEST_RATE), "exclusiveMinimum": 0 });
        let node = self.declare(key, Need::Required, schema)?;
        values::rate(node, key, HIGHEST_RATE, self.problems)
    }

    /// A required rate that may be 0.
    pub(crate) fn rate_or_zero(&mut self, key: &'static str, about: &str) -> Option<f64> {
        let node = self.declare(key, Need::Required, Self::number(0, schema::number(HIGHEST_RATE), about))?;
        values::number(node, key, 0.0..=HIGHEST_RATE, self.problems)
    }

    /// A rate that may be 0; 0 where it is left out.
    pub(crate) fn optional_rate(&mut self, key: &'static str, about: &str) -> Option<f64> {
        let Some(node) = self.declare(key, Need::Optional, Self::number(0, schema::number(HIGHEST_RATE), about)) else { return Some(0.0) };
        values::number(node, key, 0.0..=HIGHEST_RATE, self.problems)
    }

    /// A number within bounds; `default` where it is left out.
    pub(crate) fn number_or(&mut self, key: &'static str, default: f64, range: RangeInclusive<f64>, about: &str) -> Option<f64> {
        let schema = Self::number(schema::number(*range.start()), schema::number(*range.end()), about);
        let Some(node) = self.declare(key, Need::Optional, schema) else { return Some(default) };
        values::number(node, key, range, self.problems)
    }

    fn number(least: impl Into<Value>, most: impl Into<Value>, about: &str) -> Value {
        let (least, most): (Value, Value) = (least.into(), most.into());
        json!({ "type": "number", "format": "double", "description": about, "minimum": least, "maximum": most })
    }

    /// A required time above zero.
    pub(crate) fn time(&mut self, key: &'static str, about: &str) -> Option<Duration> {
        let node = self.declare(key, Need::Required, json!({ "type": "string", "description": about, "pattern": TIME }))?;
        values::positive_time(node, key, self.problems)
    }

    /// A time above zero that may be left out.
    pub(crate) fn optional_time(&mut self, key: &'static str, about: &str) -> Option<Duration> {
        let node = self.declare(key, Need::Optional, json!({ "type": "string", "description": about, "pattern": TIME }))?;
        values::positive_time(node, key, self.problems)
    }

    /// A time that may be zero; zero where it is left out.
    pub(crate) fn time_or_zero(&mut self, key: &'static str, about: &str) -> Duration {
        let schema = json!({ "type": "string", "description": about, "pattern": TIME });
        let Some(node) = self.declare(key, Need::Optional, schema) else { return Duration::ZERO };
        values::time(node, key, self.problems).unwrap_or_default()
    }

    /// A share that may be left out: `50%`.
    pub(crate) fn optional_share(&mut self, key: &'static str, about: &str) -> Option<f64> {
        let node = self.declare(key, Need::Optional, json!({ "type": "string", "description": about, "pattern": SHARE }))?;
        values::share(node, key, self.problems)
    }

    /// The key `stages`; `read` declares the keys of one stage. `definition` and `about` are the name and the description of a
    /// stage in the schema.
    pub(crate) fn stages<S>(&mut self, definition: &str, about: &str, read: impl Fn(&mut Keys<'_, '_>) -> Option<S>) -> Option<Vec<S>> {
        let schema = json!({
            "type": "array", "items": reference(definition), "description": "One after the other.",
            "minItems": 1, "maxItems": MOST_STAGES
        });
        self.define(definition, about, &read);
        let node = self.declare("stages", Need::Required, schema)?;
        let Some(items) = node.list() else {
            self.problems.add(Diagnostic::at(node, format!("`stages` is a list, but this is {}", node.describe())));
            return None;
        };
        if items.is_empty() || items.len() > MOST_STAGES {
            self.problems.add(Diagnostic::at(node, format!("`stages` has at least one stage and at most {MOST_STAGES}")));
            return None;
        }
        let stages: Vec<Option<S>> = items.iter().map(|item| self.mapping(item, "a stage", &read)).collect();
        stages.into_iter().collect()
    }

    /// A mapping that may be left out; `read` declares its keys. `definition` is its name in the schema.
    pub(crate) fn optional_mapping<S>(
        &mut self,
        key: &'static str,
        (definition, about): (&str, &str),
        read: impl Fn(&mut Keys<'_, '_>) -> Option<S>,
    ) -> Option<S> {
        self.define(definition, about, &read);
        let schema = json!({ "anyOf": [reference(definition), { "type": "null" }], "description": about });
        let node = self.declare(key, Need::Optional, schema)?;
        self.mapping(node, key, &read)
    }

    /// Describes mappings that are read elsewhere, by [`Self::mapping`].
    pub(crate) fn define<S>(&mut self, definition: &str, about: &str, read: impl Fn(&mut Keys<'_, '_>) -> Option<S>) {
        if let Origin::Schema(object) = &mut self.origin {
            object.define(definition, describe(about, |keys| drop(read(keys))));
        }
    }

    /// Reads one mapping, strictly.
    pub(crate) fn mapping<S>(&mut self, node: &Node, what: &'static str, read: impl Fn(&mut Keys<'_, '_>) -> Option<S>) -> Option<S> {
        let mut keys = Keys::reading(node, what, self.problems)?;
        let value = read(&mut keys);
        keys.finish();
        value
    }

    fn declare(&mut self, key: &'static str, need: Need, schema: Value) -> Option<&'n Node> {
        match (&mut self.origin, need) {
            (Origin::File(fields), Need::Required) => fields.require(key, self.problems),
            (Origin::File(fields), Need::Optional) => fields.optional(key),
            (Origin::Schema(object), need) => {
                object.add(key, need == Need::Required, schema);
                None
            }
        }
    }
}

/// The JSON Schema of a mapping whose keys `declare` declares, and of the mappings in it.
pub(crate) fn describe(about: &str, declare: impl FnOnce(&mut Keys<'_, '_>)) -> ObjectSchema {
    let mut keys = Keys { origin: Origin::Schema(ObjectSchema::new(about)), problems: &mut Problems::new() };
    declare(&mut keys);
    match keys.origin {
        Origin::Schema(object) => object,
        Origin::File(_) => ObjectSchema::new(about),
    }
}
