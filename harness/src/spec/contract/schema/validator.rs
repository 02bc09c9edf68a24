//! How the schemas of contracts are compiled: by JSON Schema 2020-12, with a keyword of our own.

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::unique;

/// Compiles a schema, or a part of one, with every `$ref` written out.
pub(super) fn compile(schema: &Value) -> Result<Validator, Box<ValidationError<'static>>> {
    let options = jsonschema::draft202012::options().with_keyword(unique::UNIQUE, unique::compile);
    options.build(schema).map_err(Box::new)
}
