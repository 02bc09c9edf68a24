//! What a shop may be set to: `settings` of `contracts/world.yaml`.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};

/// The key that holds the settings of merchants.
pub const MERCHANTS: &str = "merchants";

/// The setting that says whether time passes by itself in a world.
pub const CLOCK: &str = "clock";

/// A clock that shows real time.
pub const REAL_CLOCK: &str = "real";

/// A clock that only an action moves.
pub const VIRTUAL_CLOCK: &str = "virtual";

/// The setting that says how many finished payments a world keeps.
pub const KEEP_FINISHED: &str = "keep-finished";

/// One setting that the file of a live target may state.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `qr-test`.
    pub name: String,
    /// Whether each merchant has one of its own.
    pub of_merchant: bool,
    /// The type of its values.
    pub kind: SettingKind,
    /// Its value where the target file states none.
    pub unstated: Option<Value>,
    /// What it means.
    pub says: String,
    /// Of a list: the values that the documents or our scenarios name. Of a text: the words with a meaning of their own.
    pub values: Vec<String>,
    /// Of a list: whether it may have others.
    pub open: bool,
    /// Of a list: the fields whose values it lists, each with the calls and actions that have it.
    pub fields: IndexMap<String, Vec<String>>,
    /// Of a list: the value that a left-out field means.
    pub absent: Option<String>,
    /// Of a list: the fields of examples that go with its values, each with the calls that have it.
    pub along: IndexMap<String, Vec<String>>,
    /// Of a flag: the calls that a shop refuses where it is false, each with the fields of such a request.
    pub needed_by: IndexMap<String, Map<String, Value>>,
    /// Of a mapping: its parts, whole numbers.
    pub parts: Vec<String>,
    /// Of a mapping: the part that says after how many seconds at most a notification that was not acknowledged is repeated.
    pub repeats_within: Option<String>,
    /// Whether a shop with it plays only the cases that ask for it.
    pub only: bool,
}

impl Setting {
    /// The fields of a call or an action whose values it lists.
    pub fn fields_of<'s>(&'s self, asked_by: &str) -> impl Iterator<Item = &'s str> {
        self.fields.iter().filter(move |(_, owners)| owners.iter().any(|owner| owner == asked_by)).map(|(field, _)| field.as_str())
    }

    /// Whether a field of a call has a value of the list, or one that depends on it.
    pub fn goes_with(&self, operation: &str, field: &str) -> bool {
        [&self.fields, &self.along].into_iter().filter_map(|fields| fields.get(field)).flatten().any(|owner| owner == operation)
    }

    /// Whether a request needs this flag to be true. A field that is left out is false.
    pub fn is_needed_by(&self, operation: &str, fields: &Map<String, Value>) -> bool {
        let is_sent = |(field, value): (&String, &Value)| fields.get(field).unwrap_or(&Value::Bool(false)) == value;
        self.needed_by.get(operation).is_some_and(|needed| needed.iter().all(is_sent))
    }

    /// A value that shops may have.
    pub fn known(&self, value: &str) -> Option<&str> {
        self.values.iter().find(|known| *known == value).map(String::as_str)
    }

    /// Whether a stated text is a word with a meaning of its own, so that it is not just another value.
    pub fn is_word(&self, stated: &Value) -> bool {
        self.kind == SettingKind::String && stated.as_str().is_some_and(|text| self.known(text).is_some())
    }

    /// Checks a stated value.
    pub(crate) fn check(&self, node: &Node, problems: &mut Problems) -> bool {
        if self.kind == SettingKind::Mapping {
            return self.check_parts(node, problems);
        }
        if !self.kind.takes(&node.to_json()) {
            let message = format!("`{}` is {}, but this is {}", self.name, self.kind.describe(), node.describe());
            problems.add(Diagnostic::at(node, message));
            return false;
        }
        let unknown = |item: &&Node| !self.open && item.text().is_some_and(|value| self.known(value).is_none());
        let mut is_known = true;
        for item in node.list().unwrap_or_default().iter().filter(unknown) {
            let value = item.text().unwrap_or_default();
            let problem = Diagnostic::at(item, format!("`{value}` is none of the {}", self.name));
            problems.add(problem.names(value, self.values.iter().map(String::as_str)));
            is_known = false;
        }
        is_known
    }

    /// Whether a target file can state a value: of a mapping, its parts and nothing else.
    pub fn can_be(&self, value: &Value) -> bool {
        value.as_object().is_none_or(|mapping| mapping.keys().all(|key| self.parts.contains(key)))
    }

    /// Checks a mapping: it has every part, and no other.
    fn check_parts(&self, node: &Node, problems: &mut Problems) -> bool {
        let Some(entries) = node.entries() else {
            let message = format!("`{}` is a mapping of {}, but this is {}", self.name, self.parts.join(", "), node.describe());
            problems.add(Diagnostic::at(node, message));
            return false;
        };
        let mut found = Vec::new();
        for entry in entries {
            if !self.parts.contains(&entry.key) {
                let problem = Diagnostic::new(&node.source, entry.key_span, format!("`{}` has no `{}`", self.name, entry.key));
                found.push(problem.names(&entry.key, self.parts.iter().map(String::as_str)));
            } else if !SettingKind::Integer.takes(&entry.value.to_json()) {
                let message = format!("`{}` is {}, but this is {}", entry.key, SettingKind::Integer.describe(), entry.value.describe());
                found.push(Diagnostic::at(&entry.value, message));
            }
        }
        let missing = self.parts.iter().filter(|part| !entries.iter().any(|entry| entry.key == **part));
        found.extend(missing.map(|part| Diagnostic::at(node, format!("`{}` needs its `{part}`", self.name))));
        let is_known = found.is_empty();
        found.into_iter().for_each(|problem| problems.add(problem));
        is_known
    }
}

/// Names of settings that only a world of an emulator has, which no target file states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmulatorSettings {
    /// Those of the world.
    pub world: Vec<String>,
    /// Those of each merchant.
    pub merchants: Vec<String>,
}

/// Reads `emulator-settings`.
pub(super) fn read_of_emulators(node: &Node, problems: &mut Problems) -> EmulatorSettings {
    let Some(mut fields) = Fields::from_node(node, "the settings of an emulator", problems) else { return EmulatorSettings::default() };
    let [world, merchants] = ["world", "merchants"].map(|key| fields.texts(key, problems));
    fields.finish(problems);
    EmulatorSettings { world, merchants }
}

/// Checks the names in the `setting` of a scenario or a model: `known` are those that a target file may state.
pub(super) fn check_names(entries: &[Entry], known: &[Setting], of_emulators: &EmulatorSettings, problems: &mut Problems) {
    let names = |of_merchant: bool| known.iter().filter(move |known| known.of_merchant == of_merchant).map(|known| known.name.as_str());
    let world: Vec<&str> = names(false).chain(of_emulators.world.iter().map(String::as_str)).chain([MERCHANTS]).collect();
    let merchants: Vec<&str> = names(true).chain(of_emulators.merchants.iter().map(String::as_str)).collect();
    for entry in entries {
        check_name(entry, "a world", &world, problems);
        let identities = if entry.key == MERCHANTS { entry.value.entries().unwrap_or_default() } else { &[] };
        let own = identities.iter().flat_map(|identity| identity.value.entries().unwrap_or_default());
        own.for_each(|own| check_name(own, "a merchant", &merchants, problems));
    }
}

fn check_name(entry: &Entry, whose: &str, known: &[&str], problems: &mut Problems) {
    if !known.contains(&entry.key.as_str()) {
        let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("{whose} has no setting `{}`", entry.key));
        problems.add(problem.names(&entry.key, known.iter().copied()));
    }
}

/// The type of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Boolean,
    /// A whole number above 0.
    Integer,
    /// A text.
    String,
    /// A list of different texts, at least one.
    List,
    /// A mapping of its parts to whole numbers.
    Mapping,
}

impl SettingKind {
    const ALL: [Self; 5] = [Self::Boolean, Self::Integer, Self::String, Self::List, Self::Mapping];

    /// Its name in JSON Schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::String => "string",
            Self::List => "array",
            Self::Mapping => "object",
        }
    }

    /// Its values in words, for a message.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Boolean => "true or false",
            Self::Integer => "a whole number above 0",
            Self::String => "a text",
            Self::List => "a list of different texts, at least one",
            Self::Mapping => "a mapping of its parts",
        }
    }

    /// Whether a value has this type.
    pub fn takes(self, value: &Value) -> bool {
        match self {
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.as_u64().is_some_and(|number| number > 0),
            Self::String => value.as_str().is_some_and(|text| !text.is_empty()),
            Self::List => value.as_array().is_some_and(|items| {
                let mut seen = HashSet::new();
                !items.is_empty() && items.iter().all(|item| Self::String.takes(item) && seen.insert(item))
            }),
            Self::Mapping => value.is_object(),
        }
    }
}

/// The values of a scenario's setting, each with its path; those of a merchant are below its identity.
pub fn setting_values(setting: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for (name, value) in setting {
        match value {
            Value::Object(merchants) if name == MERCHANTS => {
                for (identity, own) in merchants {
                    let own = own.as_object().into_iter().flatten();
                    found.extend(own.map(|(name, value)| (format!("{MERCHANTS}.{identity}.{name}"), value)));
                }
            }
            value => found.push((name.clone(), value)),
        }
    }
    found
}

/// Reads `settings`.
pub(super) fn read(entries: &[Entry], problems: &mut Problems) -> Vec<Setting> {
    let mut settings = Vec::new();
    for entry in entries {
        if entry.key == MERCHANTS {
            let own = entry.value.entries().unwrap_or_default();
            settings.extend(own.iter().filter_map(|entry| setting(&entry.key, &entry.value, true, problems)));
        } else {
            settings.extend(setting(&entry.key, &entry.value, false, problems));
        }
    }
    settings
}

fn setting(name: &str, node: &Node, of_merchant: bool, problems: &mut Problems) -> Option<Setting> {
    let mut fields = Fields::from_node(node, "a setting", problems)?;
    let written = fields.require_text("type", problems)?;
    let kind = SettingKind::ALL.into_iter().find(|kind| kind.name() == written);
    let says = fields.require_text("says", problems)?;
    let unstated = fields.optional("unstated").map(Node::to_json);
    let values = fields.texts("values", problems);
    let open = fields.flag("open", problems);
    let absent = fields.text("absent", problems);
    let listed = owners(fields.map("fields", problems));
    let along = owners(fields.map("along", problems));
    let needed = fields.map("needed-by", problems).iter();
    let needed_by = needed.map(|entry| (entry.key.clone(), entry.value.to_json().as_object().cloned().unwrap_or_default())).collect();
    let parts = fields.texts("parts", problems);
    let repeats_within = fields.optional("repeats-within").and_then(|node| part_of(node, &parts, problems));
    let only = fields.flag("only", problems);
    fields.finish(problems);
    let Some(kind) = kind else {
        let problem = Diagnostic::at(node, format!("there is no type `{written}`"));
        problems.add(problem.names(&written, SettingKind::ALL.map(SettingKind::name)));
        return None;
    };
    if unstated.as_ref().is_some_and(|value| !kind.takes(value)) {
        problems.add(Diagnostic::at(node, format!("`{name}` is {}", kind.describe())));
    }
    Some(Setting {
        name: name.to_owned(),
        of_merchant,
        kind,
        unstated,
        says,
        values,
        open,
        fields: listed,
        absent,
        along,
        needed_by,
        parts,
        repeats_within,
        only,
    })
}

/// The part of a mapping that a node names.
fn part_of(node: &Node, parts: &[String], problems: &mut Problems) -> Option<String> {
    let name = node.text().unwrap_or_default();
    let part = parts.iter().find(|part| *part == name);
    if part.is_none() {
        problems.add(Diagnostic::at(node, format!("`{name}` is none of the `parts`")).names(name, parts.iter().map(String::as_str)));
    }
    part.cloned()
}

/// Fields, each with what has it.
fn owners(entries: &[Entry]) -> IndexMap<String, Vec<String>> {
    let texts = |node: &Node| node.list().unwrap_or_default().iter().filter_map(Node::text).map(str::to_owned).collect();
    entries.iter().map(|entry| (entry.key.clone(), texts(&entry.value))).collect()
}
