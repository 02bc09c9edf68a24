//! The world file of `paycheck emulate --world`: validated against the description that the emulator publishes, so that every
//! mistake is reported at its place.

use std::collections::HashMap;
use std::path::Path;

use emulator::{SettingsError, WorldSettings};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use super::failure::Failure;
use crate::base::pointer;
use crate::base::source::{Diagnostic, Node, Problems, Source, Span};
use crate::spec::contract::{CLOCK, REAL_CLOCK};

/// A world file that was read.
pub(super) struct WorldFile {
    /// The settings of the world at the root. It runs on real time unless the file says otherwise.
    pub(super) settings: WorldSettings,
    node: Node,
}

impl WorldFile {
    /// What the emulator refuses about these settings, at the place in the file. The line is not drawn: it may hold a secret.
    pub(super) fn mistake(&self, error: &SettingsError, settings: &WorldSettings) -> Failure {
        let mut problems = Problems::new();
        let here = self.node.nearest_to(&error.pointer(settings));
        problems.add(Diagnostic::at(here, error.to_string()).without_line());
        Failure::Settings(problems)
    }
}

/// Reads a world file.
pub(super) fn read(path: &Path) -> Result<WorldFile, Failure> {
    parsed(path).map_err(|failure| match failure {
        Failure::Problems(problems) => Failure::Settings(problems),
        other => other,
    })
}

fn parsed(path: &Path) -> Result<WorldFile, Failure> {
    let mut problems = Problems::new();
    let node = Source::read(path, &mut problems).and_then(|source| source.parse(&mut problems));
    let node = problems.or(node)?.ok_or_else(|| Failure::internal("a file without mistakes was not read"))?;
    check(&node)?;
    let mut settings = node.to_json();
    if let Some(fields) = settings.as_object_mut() {
        fields.entry(CLOCK).or_insert_with(|| REAL_CLOCK.into());
    }
    match serde_path_to_error::deserialize(settings) {
        Ok(settings) => Ok(WorldFile { settings, node }),
        Err(error) => {
            let mut problems = Problems::new();
            problems.add(Diagnostic::at(node.nearest_to(&pointer_to(error.path())), error.inner().to_string()));
            Err(Failure::Problems(problems))
        }
    }
}

/// The JSON Schema of a world file, as the emulator describes the settings of a world, with references resolved.
pub(super) fn schema() -> Result<Value, Failure> {
    // The paths use anchors, which the files that we read do without; the settings do not.
    let components = emulator::DESCRIPTION.find("\ncomponents:").and_then(|at| emulator::DESCRIPTION.get(at..)).unwrap_or_default();
    let description = Source::new("emulator/openapi.yaml", components);
    let mut problems = Problems::new();
    let node = description.parse(&mut problems);
    let description = problems.or(node)?.map(|node| node.to_json()).unwrap_or_default();
    let schemas = description.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default();
    let settings = schemas.get("WorldSettings").map(|settings| resolved(settings, &schemas));
    let Some(Value::Object(settings)) = settings else { return Err(Failure::internal("the emulator describes no settings of a world")) };
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".to_owned(), "world".into());
    schema.insert("description".to_owned(), "The world at the root of `paycheck emulate --world FILE`.".into());
    schema.extend(settings);
    Ok(Value::Object(schema))
}

/// A schema with its references resolved. The description has no circular ones.
fn resolved(schema: &Value, schemas: &Map<String, Value>) -> Value {
    match schema {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
            let mut whole = match name.and_then(|name| schemas.get(name)).map(|schema| resolved(schema, schemas)) {
                Some(Value::Object(referred)) => referred,
                Some(_) | None => Map::new(),
            };
            whole.extend(fields.iter().filter(|(key, _)| *key != "$ref").map(|(key, value)| (key.clone(), resolved(value, schemas))));
            Value::Object(whole)
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| resolved(item, schemas)).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// Reports everything that the description does not allow, at its place.
fn check(node: &Node) -> Result<(), Failure> {
    let schema = schema()?;
    let validator =
        jsonschema::validator_for(&schema).map_err(|error| Failure::internal(format!("the emulator's description: {error}")))?;
    let mut problems = Problems::new();
    for error in validator.iter_errors(&node.to_json()) {
        let here = node.nearest_to(&error.instance_path().to_string());
        let what = what_is(&error.instance_path().to_string());
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = known_beside(&schema, &error.schema_path().to_string());
                let places: HashMap<&str, Span> =
                    here.entries().unwrap_or_default().iter().map(|entry| (entry.key.as_str(), entry.key_span)).collect();
                for key in unexpected {
                    let span = places.get(key.as_str()).copied().unwrap_or(here.span);
                    problems.add(unknown(here, span, &what, key, &known));
                }
            }
            ValidationErrorKind::Required { property } => {
                problems.add(Diagnostic::at(here, format!("{what} needs {property}").replace('"', "`")));
            }
            ValidationErrorKind::Type { kind } => problems.add(wrong_kind(here, &what, kind)),
            _ => problems.add(Diagnostic::at(here, format!("{what}: {error}"))),
        }
    }
    Ok(problems.or(())?)
}

/// The known settings at the place of an unknown one.
fn known_beside(schema: &Value, path: &str) -> Vec<String> {
    let beside = path.rsplit_once('/').map_or("", |(beside, _)| beside);
    let properties = schema.pointer(&format!("{beside}/properties")).and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

fn unknown(here: &Node, span: Span, what: &str, key: &str, known: &[String]) -> Diagnostic {
    Diagnostic::new(&here.source, span, format!("{what} has no `{key}`")).names(key, known.iter().map(String::as_str))
}

fn wrong_kind(here: &Node, what: &str, kind: &TypeKind) -> Diagnostic {
    let wanted: Vec<String> = match kind {
        TypeKind::Single(kind) => vec![kind.to_string()],
        TypeKind::Multiple(kinds) => kinds.iter().map(|kind| kind.to_string()).collect(),
    };
    let wanted: Vec<&str> = wanted.iter().map(|kind| in_words(kind)).collect();
    let problem = Diagnostic::at(here, format!("{what} is {}, but this is {}", wanted.join(" or "), here.describe()));
    let is_number = here.to_json().is_number();
    if is_number && wanted.contains(&"a text") { problem.help("put it in quotes") } else { problem }
}

fn in_words(kind: &str) -> &str {
    match kind {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping",
        "null" => "null",
        other => other,
    }
}

/// The name of the value at a pointer: for an item of a list, the list's.
fn what_is(pointer: &str) -> String {
    let name = pointer.rsplit('/').find(|part| !part.is_empty() && part.parse::<usize>().is_err());
    name.map_or_else(|| "a world".to_owned(), |name| format!("`{name}`"))
}

/// The JSON Pointer to the value that could not be read.
fn pointer_to(path: &serde_path_to_error::Path) -> String {
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => pointer::item(&pointer, *index),
        Segment::Map { key } => pointer::field(&pointer, key),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use emulator::{Config, Emulator, StartError};

    /// What is wrong with a file when it is read or, if nothing is, when the emulator starts with it.
    async fn mistakes(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.yaml");
        std::fs::write(&path, text).unwrap();
        let refused = match read(&path) {
            Err(failure) => failure,
            Ok(file) => {
                let listen = ([127, 0, 0, 1], 0).into();
                let config = Config { listen, world: file.settings.clone(), ..Config::default() };
                match Emulator::start(config).await.err() {
                    Some(StartError::Settings(error)) => file.mistake(&error, &file.settings),
                    other => panic!("{other:?}"),
                }
            }
        };
        let Failure::Settings(problems) = refused else { panic!("{refused}") };
        problems.to_string().replace(&format!("{}/", folder.path().display()), "")
    }

    #[tokio::test]
    async fn every_mistake_is_reported_at_its_place_with_the_nearest_name() {
        let text =
            "clok: real\ntolerant: perhaps\nretry: { first-second: 60 }\nmerchants:\n  - merchant: 100001\n    secert: s\n  - secret: s\n";
        let reported = mistakes(text).await;
        for part in [
            "world.yaml:1:1: a world has no `clok` (did you mean `clock`?)",
            "world.yaml:2:11: `tolerant` is true or false, but this is the text \"perhaps\"",
            "world.yaml:3:10: `retry` has no `first-second` (did you mean `first-seconds`?)",
            "world.yaml:5:15: `merchant` is a text, but this is the number 100001 (put it in quotes)",
            "world.yaml:6:5: `merchants` has no `secert` (did you mean `secret`?)",
            "world.yaml:7:5: `merchants` needs `merchant`",
        ] {
            assert!(reported.contains(part), "{part}\n{reported}");
        }
    }

    #[tokio::test]
    async fn what_the_emulator_refuses_is_reported_at_its_place_without_the_line() {
        let refused = [
            (
                "merchants:\n  - { merchant: '1', secret: a }\n  - { merchant: '1', secret: a }\n",
                "world.yaml:3:17: the merchant 1 is described twice\n",
            ),
            ("merchants:\n  - merchant: '1'\n  - merchant: '2'\n    terminal: T1\n", "world.yaml:4:15: two merchants have a terminal T1"),
            ("merchants:\n  - merchant: '1'\n    expiration: 8d\n", "world.yaml:3:17: expiration `8d` is not between"),
            ("error-status: 99\n", "world.yaml:1:15: "),
            ("freedoms: { no.such: x }\n", "world.yaml:1:22: there is no freedom `no.such`"),
        ];
        for (text, expected) in refused {
            let reported = mistakes(text).await;
            assert!(reported.starts_with(expected), "{reported}");
        }
    }

    #[tokio::test]
    async fn what_the_schema_allows_and_the_emulator_can_t_read_is_reported_at_its_place() {
        let reported = mistakes("merchants:\n  - merchant: '1'\n    secret: s\nstart: yesterday\n").await;
        assert!(reported.contains("world.yaml:4:8: "), "{reported}");
        let reported = mistakes("retry:\n  first-seconds: 99999999999999999999999\n").await;
        assert!(reported.contains("world.yaml:2:18: "), "{reported}");
    }

    /// The description and the emulator know the same settings: the emulator's own output is valid, and it has each setting of
    /// the description.
    #[test]
    fn the_schema_describes_what_the_emulator_reads() {
        let schema = schema().unwrap();
        assert_eq!(jsonschema::meta::validate(&schema).err().map(|error| error.to_string()), None);
        let text = serde_json::to_string(&schema).unwrap();
        assert!(!text.contains("$ref"), "{text}");
        let settings = WorldSettings { merchants: vec![emulator::MerchantSettings::named("1")], ..WorldSettings::default() };
        let read = serde_json::to_value(settings).unwrap();
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
        assert_eq!(names(&schema["properties"]), names(&read));
        assert_eq!(names(&schema["properties"]["merchants"]["items"]["properties"]), names(&read["merchants"][0]));
    }
}
