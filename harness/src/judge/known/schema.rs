//! The JSON Schema of the file, for completion in editors.
//!
//! The types here only describe the syntax; [`super::read`] reads it. A test keeps the two consistent.

use schemars::JsonSchema;
use serde_json::Value;

/// Findings that a team has accepted for a while.
#[derive(JsonSchema)]
#[schemars(rename = "known-findings", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct File {
    /// The accepted findings.
    known: Vec<Entry>,
}

/// One accepted finding.
#[derive(JsonSchema)]
#[schemars(rename = "known-finding", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Entry {
    /// The clause that the finding names first.
    #[schemars(length(min = 1))]
    clause: String,
    /// The operation or notification at fault: `gateway.v2.status`. Any without.
    #[schemars(length(min = 1))]
    operation: Option<String>,
    /// Where in the exchange, as the finding says it: `response body /price`. `*` stands for anything. Anywhere without.
    #[schemars(length(min = 1))]
    at: Option<String>,
    /// A part of the name of the cases, or the whole name with `*` for anything. In all without.
    #[schemars(length(min = 1))]
    case: Option<String>,
    /// The person or team responsible for it.
    #[schemars(length(min = 1))]
    owner: String,
    /// Why it is accepted.
    #[schemars(length(min = 1))]
    reason: String,
    /// The last day on which it is accepted (UTC): `2026-12-31`.
    #[schemars(regex(pattern = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"))]
    expires: String,
}

/// The JSON Schema of a file of known findings.
pub fn schema() -> Value {
    schemars::schema_for!(File).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::asked::{asked_by, keys_of};
    use serde_json::json;

    #[test]
    fn it_has_the_keys_that_the_reader_asks_for() {
        let contracts = crate::spec::contract::Contracts::shipped();
        let source = crate::base::source::Source::new("known-findings.yaml", "known: [{}]\n");
        let schema = schema();
        let asked = asked_by(|| drop(super::super::parse(&source, &contracts)));
        let described = [("a known finding", keys_of(&schema["$defs"]["known-finding"])), ("a file of known findings", keys_of(&schema))];
        assert_eq!(asked, described);
    }

    #[test]
    fn it_takes_what_the_reader_takes_and_refuses_what_it_refuses() {
        let contracts = crate::spec::contract::Contracts::shipped();
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let good = json!({ "known": [{ "clause": "gateway.status.code.type", "owner": "o", "reason": "r", "expires": "2026-12-31" }] });
        let mut files = vec![(good.clone(), true), (json!({}), false), (json!({ "known": [] }), true)];
        for (field, value) in [("owner", json!("")), ("expires", json!("2026-13-01")), ("until", json!(1)), ("at", json!(1))] {
            let mut bad = good.clone();
            bad["known"][0][field] = value;
            files.push((bad, false));
        }
        for (file, valid) in files {
            let source = crate::base::source::Source::new("known-findings.yaml", file.to_string());
            assert_eq!((validator.is_valid(&file), super::super::parse(&source, &contracts).is_ok()), (valid, valid), "{file}");
        }
    }
}
