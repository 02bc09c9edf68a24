//! The machine-readable form of the documents: what `contracts/` holds, read strictly and compiled once.
//!
//! The format is described in `docs/contracts.md`. This module knows the format, not the APIs.

mod allowance;
mod amount_format;
mod clause;
mod coerce;
mod ending;
mod expand;
mod fact_rule;
mod files;
mod folder;
mod id;
mod layout;
mod list_rules;
mod open_value;
mod openapi;
mod operation;
mod parsed_files;
mod resource;
mod schema;
mod schema_path;
mod schema_walk;
mod setting;
mod state;
mod success;
mod sum;
mod usage;
mod violation;
mod when;
mod world;

use std::collections::BTreeSet;

use indexmap::IndexMap;

pub use allowance::Allowance;
pub use amount_format::AmountFormat;
pub use clause::Clause;
pub use ending::Ending;
pub use fact_rule::FactRule;
pub use files::Files;
pub use id::{api_of, capability_of, has_word, words};
pub use layout::{Column, Layout, LayoutRows, Layouts};
pub(crate) use list_rules::{ItemFault, ReportedCauses};
pub use list_rules::{ListRules, ListsByItem};
pub use open_value::OpenValue;
pub(crate) use operation::METHODS;
pub use operation::{
    About, Agreement, Authorization, Code, Content, Credentials, Echo, EchoSource, MerchantRules, NotificationRules, Operation,
    PathTemplate, PlacedFault, RefusedCreation, Shows, Token,
};
pub use resource::{Resource, ShownField, ShownKind};
pub use schema::Schema;
pub(crate) use schema::{Exclusion, REPORTED_PER_CAUSE, Wanted};
pub(crate) use schema_walk::{clauses_in, describing};
pub use setting::{CLOCK, EmulatorSettings, KEEP_FINISHED, MERCHANTS, REAL_CLOCK, Setting, SettingKind, VIRTUAL_CLOCK, setting_values};
pub use state::{State, StateTable, TransitionRow, Trigger};
pub use success::Success;
pub use usage::ClausePlace;
pub use violation::{Expected, Violation, violations};
pub use when::When;
pub use world::{ActsOn, Made, OnPending, RefusalFields, WorldAction};

use crate::base::source::{Diagnostic, Entry, Problems};
use parsed_files::ParsedFiles;

/// Everything the documents say, as data.
#[derive(Debug, Default)]
pub struct Contracts {
    /// Calls by id.
    pub operations: IndexMap<String, Operation>,
    /// Notifications by id.
    pub notifications: IndexMap<String, Operation>,
    /// APIs in which a merchant has one thing that every caller changes: if cases share a world, they call such an API one after the
    /// other.
    pub one_at_a_time: Vec<String>,
    /// All clauses by id.
    pub clauses: IndexMap<String, Clause>,
    /// The transition tables by resource.
    pub tables: IndexMap<String, StateTable>,
    /// What can happen in the world.
    pub actions: IndexMap<String, WorldAction>,
    /// How a response of any API says why its call is refused.
    pub refusal: Option<RefusalFields>,
    /// What is known of resources, by their kind.
    pub resources: IndexMap<String, Resource>,
    /// What a shop may be set to, as far as the file of a live target may state it.
    pub settings: Vec<Setting>,
    /// What else a world of an emulator may be set to.
    pub emulator_settings: EmulatorSettings,
    /// The layouts of files that the documents leave open, with what is known of their rows.
    pub layouts: IndexMap<String, LayoutRows>,
    /// The parts of a credential that calls send, secret or not.
    pub credential_parts: Vec<String>,
    /// The parts of a credential that are secret: passwords of a Basic header, and fields marked `x-secret`.
    pub secret_parts: Vec<String>,
    /// The carriers of each clause in the contracts.
    pub carriers: IndexMap<String, Vec<ClausePlace>>,
}

impl Contracts {
    /// Reads all files of a set. Reports every mistake of every file.
    pub fn read(files: &Files) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut contracts = Self::default();
        let files = ParsedFiles::parse(files, &mut problems);
        for (_, root) in files.matching(|path| path.starts_with("clauses/")) {
            clause::read(root, &mut contracts.clauses, &mut problems);
        }
        for (path, root) in files.matching(|path| path.ends_with(".openapi.yaml")) {
            let description = openapi::read(&files, path, root, &mut problems);
            contracts.add(description, &root.source, &mut problems);
        }
        for (_, root) in files.matching(|path| path.starts_with("states/")) {
            if let Some(table) = state::read(root, &mut problems) {
                contracts.tables.insert(table.resource.clone(), table);
            }
        }
        if let Some(root) = files.get("world.yaml") {
            contracts.add_vocabulary(world::read(root, &mut problems));
        }
        contracts.layouts = files.matching(|path| path.starts_with("schemas/")).filter_map(|(_, root)| layout::read_rows(root)).collect();
        contracts.secret_parts = secret_parts(&contracts.operations);
        contracts.credential_parts = credential_parts(contracts.operations.values());
        contracts.carriers = usage::collect(&files, &contracts.clauses, &mut problems);
        problems.or(contracts)
    }

    /// Checks the names in the `setting` of a scenario or a model.
    pub(crate) fn check_setting(&self, entries: &[Entry], problems: &mut Problems) {
        setting::check_names(entries, &self.settings, &self.emulator_settings, problems);
    }

    fn add_vocabulary(&mut self, vocabulary: Option<world::Vocabulary>) {
        let Some(vocabulary) = vocabulary else { return };
        (self.actions, self.settings) = (vocabulary.actions, vocabulary.settings);
        self.emulator_settings = vocabulary.emulator_settings;
        (self.resources, self.refusal) = (vocabulary.resources, vocabulary.refusal);
    }

    fn add(&mut self, description: openapi::Description, source: &crate::base::source::Source, problems: &mut Problems) {
        if let (true, Some(operation)) = (description.one_at_a_time, description.operations.first()) {
            self.one_at_a_time.push(operation.api.clone());
        }
        for operation in description.operations {
            if let Some(twice) = self.operations.insert(operation.id.clone(), operation) {
                problems.add(Diagnostic::of_file(source.path.clone(), format!("the operation `{}` is described twice", twice.id)));
            }
        }
        for notification in description.notifications {
            if let Some(twice) = self.notifications.insert(notification.id.clone(), notification) {
                problems.add(Diagnostic::of_file(source.path.clone(), format!("the notification `{}` is described twice", twice.id)));
            }
        }
    }

    /// The action by which time passes.
    pub fn clock(&self) -> Option<&WorldAction> {
        self.actions.values().find(|action| action.passes.is_some())
    }

    /// The parts of a credential that the calls of one API send, each once.
    pub fn credential_parts_of(&self, api: &str) -> Vec<String> {
        credential_parts(self.operations.values().filter(|operation| operation.api == api))
    }

    /// A call or a notification.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.get(id).or_else(|| self.notifications.get(id))
    }
}

/// The parts of a credential that calls send, each once.
fn credential_parts<'o>(operations: impl Iterator<Item = &'o Operation>) -> Vec<String> {
    let mut parts: BTreeSet<&String> = BTreeSet::new();
    for operation in operations {
        if let Authorization::Basic { username, password } = &operation.credentials.header {
            parts.extend([username, password]);
        }
        parts.extend(operation.credentials.fields.iter().map(|(_, part)| part));
    }
    parts.into_iter().cloned().collect()
}

/// The parts of a credential that calls treat as secret, each once.
fn secret_parts(operations: &IndexMap<String, Operation>) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for operation in operations.values() {
        if let Authorization::Basic { password, .. } = &operation.credentials.header {
            parts.push(password.clone());
        }
        let secrets = operation.request.as_ref().map(|content| content.schema.secrets.as_slice()).unwrap_or_default();
        let in_fields = operation.credentials.fields.iter().filter(|(field, _)| secrets.contains(field));
        parts.extend(in_fields.map(|(_, part)| part.clone()));
    }
    parts.sort();
    parts.dedup();
    parts
}

#[cfg(test)]
impl Contracts {
    /// Those in the binary, read once for all tests.
    pub(crate) fn shipped() -> std::sync::Arc<Self> {
        use std::sync::{Arc, LazyLock};

        static SHIPPED: LazyLock<Arc<Contracts>> = LazyLock::new(|| {
            Arc::new(Contracts::read(&Files::contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false))))
        });
        Arc::clone(&SHIPPED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_in_the_binary_are_sound() {
        assert!(!Contracts::shipped().operations.is_empty());
    }

    #[test]
    fn every_example_conforms_to_its_schema() {
        let contracts = Contracts::shipped();
        for operation in contracts.operations.values().chain(contracts.notifications.values()) {
            let Some(content) = &operation.request else { continue };
            for (name, example) in &operation.examples {
                let mut body = example.clone();
                for (field, _) in operation.credentials.in_body(operation) {
                    body.entry(field.clone()).or_insert_with(|| serde_json::json!("credential"));
                }
                let faults = content.schema.faults(&serde_json::Value::Object(body));
                assert!(faults.is_empty(), "{} {name}: {faults:#?}", operation.id);
            }
        }
    }

    #[test]
    fn every_clause_is_declared_and_every_mistake_is_reported_with_its_place() {
        let files = Files::from_texts([
            ("clauses/a.yaml", "document: d\nclauses:\n  a.call: { section: s, says: x }\n  a.call: { section: s, says: y }\n"),
            ("clauses/b.yaml", "document: d\nclauses:\n  b.call: { sektion: s, says: x }\n"),
            (
                "a.openapi.yaml",
                "openapi: 3.1.0\npaths:\n  /x/{id}:\n    get:\n      operationId: a.read\n      x-clause: a.cal\n      x-shown: 1\n\
                 \x20     responses:\n        2XX: { content: { application/json: { schema: { $ref: schemas/no.json } } } }\n",
            ),
        ]);
        insta::assert_snapshot!(Contracts::read(&files).unwrap_err().to_string());
    }

    #[test]
    fn no_mistake_of_a_contract_weakens_a_rule() {
        let with = |keywords: &str| {
            let api = format!(
                "openapi: 3.1.0\npaths:\n  /x:\n    post:\n      operationId: a.pay\n      x-clause: a.call\n{keywords}\
                 webhooks:\n  w: {{ post: {{ operationId: a.push, x-clause: a.call, x-created-by: [a.pay] }} }}\n"
            );
            let clauses = "document: d\nclauses:\n  a.call: { section: s, line: 1, says: x }\n";
            Contracts::read(&Files::from_texts([("clauses/a.yaml", clauses), ("a.openapi.yaml", &api)])).unwrap_err().to_string()
        };
        let mistakes = with("      x-safe-when: [test]\n      x-pending: 5\n      x-shows: { resource: x, id: $response.body#/id }\n");
        for expected in ["`x-safe-when`", "`x-pending`", "its `state`", "`x-format-clause`", "`x-unknown`"] {
            assert!(mistakes.contains(expected), "{expected}: {mistakes}");
        }
    }

    #[test]
    fn what_lies_above_a_missing_place_is_not_taken_for_it() {
        let schema = "rows: { type: array, items: { type: string } }\n";
        let api = "openapi: 3.1.0\npaths:\n  /x:\n    post:\n      operationId: a.pay\n      x-clause: a.call\n      responses:\n        \
                   2XX: { content: { application/json: { schema: { $ref: 'schemas/x.yaml#/rows/item' } } } }\n";
        let clauses = "document: d\nclauses:\n  a.call: { section: s, line: 1, says: x }\n";
        let files = Files::from_texts([("clauses/a.yaml", clauses), ("schemas/x.yaml", schema), ("a.openapi.yaml", api)]);
        let mistakes = Contracts::read(&files).unwrap_err().to_string();
        assert!(mistakes.contains("`schemas/x.yaml` has nothing at `/rows/item`"), "{mistakes}");
    }
}
