//! The file of freedoms: every place where the documents leave a choice.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::change::Change;
use crate::base::yaml;

/// The file as it is part of the program.
const FILE: &str = include_str!("../../../freedoms.yaml");

/// A place where the documents leave a choice.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Freedom {
    /// `terminal.closing.sides`.
    pub id: String,
    /// The APIs that show it.
    pub apis: Vec<String>,
    /// The document.
    pub document: String,
    /// The section of it.
    pub section: String,
    /// The sentence that leaves the choice.
    pub sentence: String,
    /// Which reasons of the contracts' `x-free` and `x-assumed` it plays.
    #[serde(default)]
    pub plays: Vec<String>,
    /// Not chosen at random: its effect would hide those of others.
    #[serde(default)]
    pub only_by_name: bool,
    /// The name of the alternative that the emulator takes by itself.
    pub default: String,
    /// What a target may do, by name.
    pub alternatives: IndexMap<String, Alternative>,
}

/// One way to use a freedom.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub struct Alternative {
    /// The behaviour in a sentence.
    pub says: String,
    pub(crate) changes: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AlternativeWithChanges {
    says: String,
    changes: Vec<Change>,
}

impl TryFrom<Value> for Alternative {
    type Error = String;

    /// A plain text is its description.
    fn try_from(value: Value) -> Result<Self, String> {
        if let Value::String(says) = value {
            return Ok(Self { says, changes: Vec::new() });
        }
        let AlternativeWithChanges { says, changes } = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Ok(Self { says, changes })
    }
}

/// Fields that may be left out: each is a freedom, and all of them together are one more.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OptionalFields {
    id: String,
    apis: Vec<String>,
    document: String,
    section: String,
    sentence: String,
    r#in: Vec<String>,
    /// The names of each field: a notification spells some in its own way.
    fields: IndexMap<String, Vec<String>>,
    /// Which reasons of the contracts they play.
    #[serde(default)]
    plays: Vec<String>,
    /// Whether the documents know it as null in JSON already; else null is an alternative of its own.
    #[serde(default)]
    without_null: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    freedoms: Vec<Freedom>,
    optional: Vec<OptionalFields>,
}

static CATALOGUE: LazyLock<Vec<Freedom>> = LazyLock::new(|| {
    read(FILE).unwrap_or_else(|error| {
        tracing::error!(error, "the freedoms can't be read");
        Vec::new()
    })
});

/// All freedoms, in the order of the file.
pub fn freedoms() -> &'static [Freedom] {
    &CATALOGUE
}

fn read(text: &str) -> Result<Vec<Freedom>, String> {
    let file: File = serde_json::from_value(yaml::read(text)?).map_err(|error| error.to_string())?;
    let families = file.optional.iter().flat_map(OptionalFields::freedoms);
    // Fields are removed first, so that the other changes see the rest.
    Ok(families.chain(file.freedoms.iter().cloned()).collect())
}

impl OptionalFields {
    fn freedoms(&self) -> impl Iterator<Item = Freedom> {
        let all = self.fields.values().flatten().cloned().collect();
        let together = (self.fields.len() > 1).then(|| self.freedom("all", "none of these fields is there", all));
        self.fields.iter().map(|(name, names)| self.freedom(name, name, names.clone())).chain(together)
    }

    fn freedom(&self, name: &str, shown: &str, fields: Vec<String>) -> Freedom {
        let says = |how: &str| format!("{shown}: {how}");
        let absent = Change { r#in: self.r#in.clone(), absent: fields.clone(), ..Change::default() };
        let null = Change { r#in: self.r#in.clone(), null: fields, ..Change::default() };
        let mut alternatives = IndexMap::from([
            ("present".to_owned(), Alternative { says: says("where it is known"), changes: Vec::new() }),
            ("absent".to_owned(), Alternative { says: says("never"), changes: vec![absent] }),
        ]);
        if !self.without_null {
            alternatives.insert("null".to_owned(), Alternative { says: says("null, or empty in a form"), changes: vec![null] });
        }
        Freedom {
            id: format!("{}.{name}", self.id),
            apis: self.apis.clone(),
            document: self.document.clone(),
            section: self.section.clone(),
            sentence: self.sentence.replace("{field}", name),
            plays: self.plays.clone(),
            only_by_name: false,
            default: "present".to_owned(),
            alternatives,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::behaviour::Behaviour;
    use super::*;

    #[test]
    fn the_file_can_be_read() {
        read(FILE).unwrap();
    }

    #[test]
    fn every_freedom_has_an_id_of_its_own_and_a_default() {
        let mut ids = BTreeSet::new();
        for freedom in freedoms() {
            assert!(ids.insert(&freedom.id), "{} stands there twice", freedom.id);
            assert!(freedom.alternatives.contains_key(&freedom.default), "{} has no alternative `{}`", freedom.id, freedom.default);
            assert!(freedom.alternatives.len() > 1, "{} leaves no choice", freedom.id);
            assert!(!freedom.apis.is_empty() && !freedom.sentence.is_empty(), "{}", freedom.id);
        }
    }

    #[test]
    fn every_alternative_but_the_default_is_implemented() {
        for freedom in freedoms() {
            for (name, alternative) in &freedom.alternatives {
                let implemented = !alternative.changes.is_empty() || Behaviour::find(&freedom.id, name).is_some();
                assert_eq!(implemented, *name != freedom.default, "{}={name}", freedom.id);
                assert!(!alternative.says.is_empty(), "{}={name}", freedom.id);
            }
        }
    }

    #[test]
    fn every_behaviour_is_in_the_file() {
        for behaviour in Behaviour::ALL {
            let (id, name) = behaviour.source();
            let freedom = freedoms().iter().find(|freedom| freedom.id == id);
            assert!(freedom.is_some_and(|freedom| freedom.alternatives.contains_key(name)), "{id}={name}");
        }
    }

    #[test]
    fn there_are_well_over_a_hundred_alternatives() {
        let alternatives: usize = freedoms().iter().map(|freedom| freedom.alternatives.len() - 1).sum();
        assert!(alternatives > 150, "{alternatives}");
    }
}
