//! The data files hold to their standards, says somebody else: OpenAPI 3.1 and JSON Schema 2020-12.

use std::path::{Path, PathBuf};

use harness::base::source::{Problems, Source};
use jsonschema::Registry;
use roas::loader::{Loader, LoaderError, ResourceFetcher};
use roas::v3_1::spec::Spec;
use roas::validation::{Options, Validate};
use serde_json::Value;
use url::Url;

fn contracts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts").canonicalize().unwrap()
}

/// Every file below a folder with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Value {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).unwrap()).parse(&mut Problems::new()).unwrap().to_json()
}

/// Reads `file://` references for roas.
struct Disk;

impl ResourceFetcher for Disk {
    fn fetch(&mut self, uri: &Url) -> Result<Value, LoaderError> {
        Ok(read(&uri.to_file_path().unwrap()))
    }
}

/// References beside the file become absolute, as the standard reads them.
fn with_absolute_references(value: &mut Value, base: &Url) {
    match value {
        Value::Object(map) => {
            for (key, item) in map {
                match item {
                    Value::String(reference) if key == "$ref" && !reference.starts_with('#') => {
                        *reference = base.join(reference).unwrap().to_string();
                    }
                    other => with_absolute_references(other, base),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| with_absolute_references(item, base)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What roas has against an OpenAPI description that stands in `contracts/`.
fn faults_of(mut description: Value) -> String {
    let base = Url::from_file_path(contracts().join("gateway.openapi.yaml")).unwrap();
    with_absolute_references(&mut description, &base);
    let spec: Spec = match serde_json::from_value(description) {
        Ok(spec) => spec,
        Err(error) => return error.to_string(),
    };
    let mut loader = Loader::new();
    loader.register_fetcher("file://", Disk);
    spec.validate(Options::new(), Some(&mut loader)).err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn every_description_is_openapi() {
    let descriptions = files(&contracts(), ".openapi.yaml");
    assert!(!descriptions.is_empty());
    for path in descriptions {
        assert_eq!(faults_of(read(&path)), "", "{}", path.display());
    }
}

type Change = fn(&mut Value);

#[test]
fn the_judge_of_descriptions_sees_mistakes() {
    let good = read(&contracts().join("gateway.openapi.yaml"));
    let breaks: [(&str, Change); 3] = [
        ("a reference that leads nowhere", |d| {
            *d.pointer_mut("/paths/~1v1.0~1create/post/requestBody/content/application~1x-www-form-urlencoded/schema/$ref").unwrap() =
                "#/components/schemas/nothing".into();
        }),
        ("two operations of one name", |d| {
            *d.pointer_mut("/paths/~1v1.0~1create/post/operationId").unwrap() = "gateway.v1.status".into();
        }),
        ("no version", |d| drop(d.pointer_mut("/info").unwrap().as_object_mut().unwrap().remove("version"))),
    ];
    for (name, break_it) in breaks {
        let mut broken = good.clone();
        break_it(&mut broken);
        assert_ne!(faults_of(broken), "", "{name}");
    }
}

#[test]
fn every_schema_is_json_schema_2020_12() {
    let schemas = files(&contracts().join("schemas"), ".json");
    assert!(!schemas.is_empty());
    for path in schemas {
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", path.display());
        let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(schema["$id"], format!("https://paycheck.invalid/schemas/{folder}/{name}"));
        let faults = jsonschema::meta::validate(&schema).err().map(|error| format!("{}: {error}", error.instance_path()));
        assert_eq!(faults, None, "{}", path.display());
    }
}

#[test]
fn every_schema_compiles_with_what_it_refers_to() {
    let schemas: Vec<Value> = files(&contracts().join("schemas"), ".json").iter().map(|path| read(path)).collect();
    let mut registry = Registry::new();
    for schema in &schemas {
        registry = registry.add(schema["$id"].as_str().unwrap(), schema.clone()).unwrap();
    }
    let registry = registry.prepare().unwrap();
    for schema in &schemas {
        let compiled = jsonschema::options().with_registry(&registry).build(schema);
        assert_eq!(compiled.err().map(|error| error.to_string()), None, "{}", schema["$id"]);
    }
}

#[test]
fn the_schemas_that_are_generated_are_json_schema_2020_12() {
    for (name, schema) in [
        ("scenario", harness::spec::scenario::schema()),
        ("profile", harness::load::profile::schema()),
        ("events", harness::report::schema()),
    ] {
        assert_eq!(jsonschema::meta::validate(&schema).err().map(|error| error.to_string()), None, "{name}");
    }
}
