//! What a shop may be set to: `settings` of `contracts/world.yaml`.

use serde_json::Value;

use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};

/// The key that holds the settings of merchants.
pub const MERCHANTS: &str = "merchants";

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
}

impl SettingKind {
    const ALL: [Self; 3] = [Self::Boolean, Self::Integer, Self::String];

    /// Its name in JSON Schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::String => "string",
        }
    }

    /// Its values in words, for a message.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Boolean => "true or false",
            Self::Integer => "a whole number above 0",
            Self::String => "a text",
        }
    }

    /// Whether a value has this type.
    pub fn takes(self, value: &Value) -> bool {
        match self {
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.as_u64().is_some_and(|number| number > 0),
            Self::String => value.as_str().is_some_and(|text| !text.is_empty()),
        }
    }
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
    fields.finish(problems);
    let Some(kind) = kind else {
        let problem = Diagnostic::at(node, format!("there is no type `{written}`"));
        problems.add(problem.names(&written, SettingKind::ALL.map(SettingKind::name)));
        return None;
    };
    if unstated.as_ref().is_some_and(|value| !kind.takes(value)) {
        problems.add(Diagnostic::at(node, format!("`{name}` is {}", kind.describe())));
    }
    Some(Setting { name: name.to_owned(), of_merchant, kind, unstated, says })
}
