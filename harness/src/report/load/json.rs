//! The result as JSON: written, read again, and described by a schema (`docs/load.schema.json`).

use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::Value;

use crate::base::text::{LONGEST_REASON, bounded};
use crate::load::encoded_times::add_encoded;
use crate::load::latency::{self, LatencyError};
use crate::load::result::{FORMAT, Latency, LoadResult};

/// Writes a result as `paycheck load --json FILE` does. An error is a fault of Paycheck.
pub fn write(result: &LoadResult) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(result)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// A file can't be read as a result: what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAResult(String);

/// Reads a result; `name` is the name of the file in messages. Everything is checked, the histograms included.
pub fn read(bytes: &[u8], name: &str) -> Result<LoadResult, NotAResult> {
    let result = read_part(bytes, name)?;
    histograms(&result).map_err(|what| NotAResult(format!("{name}: {what}; was the file changed by hand?")))?;
    Ok(result)
}

/// Reads a result that is to be merged. The merge checks the histograms, so they are not checked here.
pub fn read_part(bytes: &[u8], name: &str) -> Result<LoadResult, NotAResult> {
    let advice = "give the file that `paycheck load --json FILE` wrote";
    match format_of(bytes).map_err(|error| at(name, &error, &format!("this is not JSON; {advice}")))? {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => return Err(other_format(name, format)),
        None => return Err(NotAResult(format!("{name}: this is JSON, but not the result of a load test; {advice}"))),
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let what = without_place(&error);
        at(name, &error, &format!("this is not what `paycheck load` writes: {what}; was the file changed by hand?"))
    })
}

/// The version of the format in the file; everything else is skipped.
fn format_of(bytes: &[u8]) -> serde_json::Result<Option<u64>> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<u64>,
    }
    match serde_json::from_slice(bytes) {
        Ok(Head { format }) => Ok(format),
        // JSON without a valid number in `format`.
        Err(error) if error.is_data() => Ok(None),
        Err(error) => Err(error),
    }
}

fn at(name: &str, error: &serde_json::Error, what: &str) -> NotAResult {
    NotAResult(format!("{name}:{}:{}: {what}", error.line(), error.column()))
}

fn other_format(name: &str, format: u64) -> NotAResult {
    let advice = "use the paycheck that wrote it, or run that load again with this one";
    NotAResult(format!("{name}: the result is of format {format}, this paycheck reads format {FORMAT}: {advice}"))
}

/// The error without its place: the library appends it, and our message begins with it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // It may quote a value of any length.
    bounded(text.split(" at line ").next().unwrap_or_default(), LONGEST_REASON)
}

/// Checks that every distribution can be read; the error names the first one that can't. Those of the timelines of operations are
/// checked by a merge, the only one to use them.
fn histograms(result: &LoadResult) -> Result<(), String> {
    // One sum serves for all checks, because its contents are not used.
    let mut sum = latency::histogram();
    let mut check = |name: String, latency: &Latency| latency.add_to(&mut sum).map_err(|what| broken(&name, &what));
    for operation in &result.operations {
        check(format!("the response time of {}", operation.operation), &operation.response)?;
        check(format!("the service time of {}", operation.operation), &operation.service)?;
    }
    for scenario in &result.scenarios {
        check(format!("the time of {}", scenario.scenario), &scenario.response)?;
    }
    if let Some(notifications) = &result.notifications {
        check("the lag of notifications".into(), &notifications.lag)?;
    }
    check("the scheduling of the generator".into(), &result.generator.scheduling)?;
    let mut check =
        |at: f64, text: &str| add_encoded(&mut sum, text).map(drop).map_err(|what| broken(&format!("the timeline at {at} s"), &what));
    for moment in &result.timeline {
        check(moment.at, &moment.histogram)?;
        check(moment.at, moment.lag.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

fn broken(name: &str, what: &LatencyError) -> String {
    format!("{name} has a histogram that {what}")
}

/// The JSON Schema of a result, as committed in `docs/load.schema.json`.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<LoadResult>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".into(), "The result of a load test by Paycheck".into());
    }
    if let Some(format) = schema.pointer_mut("/properties/format").and_then(Value::as_object_mut) {
        format.insert("const".into(), FORMAT.into());
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::load::example_results as sample;

    const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/load.schema.json");

    fn refused(text: &str) -> String {
        read(text.as_bytes(), "earlier.json").unwrap_err().to_string()
    }

    fn changed(change: impl FnOnce(&mut Value)) -> String {
        let mut value = serde_json::to_value(sample::everything()).unwrap();
        change(&mut value);
        value.to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for result in [sample::everything(), sample::passed(), sample::empty()] {
            assert_eq!(read(&write(&result).unwrap(), "x").unwrap(), result);
        }
    }

    #[test]
    fn a_file_that_is_no_result_is_refused_with_advice() {
        let mut refusals = vec![
            refused("{\n  \"format\": 1,\n  oops"),
            refused("[]"),
            refused("{\"event\": \"run-started\"}"),
            refused("{\"format\": 2}"),
            refused("{\"format\": 1}"),
        ];
        let mut unknown = serde_json::to_value(sample::empty()).unwrap();
        unknown["p98"] = 3.into();
        refusals.push(refused(&unknown.to_string()));
        refusals.push(refused(&changed(|value| value["operations"][0]["response"]["histogram"] = "AAAA".into())));
        refusals.push(refused(&changed(|value| value["operations"][1]["service"]["count"] = 1.into())));
        refusals.push(refused(&changed(|value| value["timeline"][3]["histogram"] = "ř".into())));
        refusals.push(refused(&changed(|value| value["timeline"][4]["lag"] = "AAAA".into())));
        insta::assert_snapshot!(refusals.join("\n"));
    }

    static SHORT: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut result = sample::everything();
        result.timeline.truncate(3);
        write(&result).unwrap()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_a_file_holds_it_is_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)) {
            let mut bytes = SHORT.clone();
            for (index, byte) in changes {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            if let Err(error) = read(&bytes, "earlier.json") {
                prop_assert!(error.to_string().starts_with("earlier.json:"), "{}", error);
            }
        }
    }

    #[test]
    fn results_follow_the_schema() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        for result in [sample::everything(), sample::passed(), sample::empty()] {
            let value = serde_json::to_value(result).unwrap();
            let errors: Vec<_> = validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }

    #[test]
    fn the_schema_refuses_what_is_not_a_result() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let refused = |change: fn(&mut Value)| !validator.is_valid(&serde_json::from_str(&changed(change)).unwrap());
        assert!(refused(|value| value["format"] = 99.into()));
        assert!(refused(|value| value["p98"] = 3.into()));
        assert!(refused(|value| value["verdict"] = "fine".into()));
        assert!(refused(|value| value["operations"][0]["requests"] = (-1).into()));
        assert!(refused(|value| drop(value.as_object_mut().unwrap().remove("seconds"))));
    }

    #[test]
    fn the_committed_schema_is_current() {
        let committed = std::fs::read_to_string(SCHEMA).unwrap_or_default();
        let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        let advice = "docs/load.schema.json is not current: cargo run -q --bin paycheck -- schema load > docs/load.schema.json";
        assert!(committed == current, "{advice}");
    }
}
