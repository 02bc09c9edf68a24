//! Scenario scripts: what `scenarios/` holds, parsed completely before the first request.
//!
//! The format is described in `docs/scenarios.md`.

mod amount;
mod flow;
mod forged;
mod instant;
mod interned;
mod iso8601;
mod link;
mod matcher;
mod near;
mod parse;
mod schema;
mod step;
mod template;
mod written;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::source_place::SourcePlace;

pub(crate) use forged::forged;
pub use matcher::{Given, MatchError, Matcher, Mismatch};
pub(crate) use parse::request_fields;
pub use parse::{parse, parse_all};
pub use schema::schema;
pub use step::{
    Call, EndpointResponse, HttpExpectation, InboxStep, Keep, Kept, Login, NeededLayout, NotificationStep, Round, Step, StepVerb, Twin,
    ViolationsStep, WorldStep,
};
pub use template::{Template, TemplateError, Variables};
pub(crate) use written::{WrittenScenario, WrittenStep};

/// One script.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its file name without the ending: `refund-in-parts`.
    pub name: String,
    /// Its folder: the API.
    pub api: String,
    /// The path as the user knows it.
    pub path: String,
    /// What it shows, as a sentence.
    pub title: String,
    /// The clauses it carries.
    pub clauses: Vec<String>,
    /// The capabilities of the world that the target must have.
    pub needs: Vec<String>,
    /// Settings of the world.
    pub setting: Map<String, Value>,
    /// Those of which a live target may state another value, which templates read.
    pub as_stated: Vec<String>,
    /// The table; one row without columns if the script has none.
    pub cases: Vec<TableRow>,
    /// The steps; every case of the table shares them.
    pub steps: Arc<[Step]>,
}

impl Scenario {
    /// Its file as a place.
    pub fn place(&self) -> SourcePlace {
        SourcePlace::of_file(self.path.as_str())
    }
}

/// One row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// Its name, unique in the scenario; empty if the scenario has no table.
    pub name: String,
    /// Its columns.
    pub values: Map<String, Value>,
}

/// The scenarios in the binary, read once for all tests.
#[cfg(test)]
pub(crate) fn shipped() -> Vec<std::sync::Arc<Scenario>> {
    use std::sync::{Arc, LazyLock};

    use crate::spec::contract::{Contracts, Files};

    static SHIPPED: LazyLock<Vec<Arc<Scenario>>> = LazyLock::new(|| {
        let scenarios = parse_all(&Files::scenarios(), &Contracts::shipped());
        scenarios.unwrap_or_else(|problems| panic!("{}", problems.render(false))).into_iter().map(Arc::new).collect()
    });
    SHIPPED.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::{Problems, Source};
    use crate::spec::contract::{Contracts, Files};

    #[test]
    fn the_scenarios_in_the_binary_are_sound() {
        let scenarios = parse_all(&Files::scenarios(), &Contracts::shipped());
        assert!(!scenarios.unwrap_or_else(|problems| panic!("{}", problems.render(false))).is_empty());
    }

    #[test]
    fn every_scenario_conforms_to_the_published_schema() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        for (path, source) in Files::scenarios().matching(|path| path.ends_with(".yaml")) {
            let script = source.parse(&mut Problems::new()).unwrap().to_json();
            let faults: Vec<_> = validator.iter_errors(&script).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert!(faults.is_empty(), "{path}: {faults:#?}");
        }
    }

    #[test]
    fn the_published_schema_is_current() {
        let published = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/scenario.schema.json")).unwrap();
        let current = published == format!("{:#}\n", schema());
        assert!(current, "run: cargo run -q --bin paycheck -- schema scenario > scenarios/scenario.schema.json");
    }

    #[test]
    fn the_mistakes_of_a_script_are_reported_together_with_the_nearest_names() {
        let script = "title: T\nclauses: [gateway.create.cal]\nsteps:\n  - call: gateway.v1.creat\n  - call: gateway.v1.create\n    \
                      with: { pricee: 1, price: '{{ pris }}' }\n    expects: { code: 0 }\n    expect: { coed: { $one_of: [1] } }\n  - world: payer.pay\n    \
                      with: { transId: x }\n  - cal: x\n  - notification: { status: PAID }\n    within: 5\n";
        let problems = parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped()).unwrap_err();
        insta::assert_snapshot!(problems.render(false));
    }

    #[test]
    fn a_name_that_is_not_known_is_a_mistake_in_what_is_expected_of_http_too() {
        let script = "title: T\nsteps:\n  - call: gateway.v1.create\n    http: { status: '{{ statuss }}', headers: { location: '{{ lnk }}' }, \
                      body: { $contains: '{{ bdy }}' }, page: { $not: '{{ pge }}' } }\n";
        let problems = parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped()).unwrap_err();
        for name in ["statuss", "lnk", "bdy", "pge"] {
            assert!(problems.to_string().contains(&format!("nothing named `{name}` is known here")), "{name}: {problems}");
        }
    }

    #[test]
    fn a_twin_is_read_like_the_call_and_goes_with_no_second_round() {
        let read = |keys: &str| {
            let script = format!(
                "title: T\nsteps:\n  - call: gateway.v1.refund\n    {keys}\n  - call: gateway.v2.status\n    with: {{ transId: '{{{{ other }}}}' }}\n"
            );
            parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped())
        };
        let kept = "twin: { expect: { code: { $not: 0 } }, keep: { other: { field: message, otherwise: none } } }";
        let scenario = read(kept).unwrap_or_else(|problems| panic!("{problems}"));
        let step = scenario.steps.first().unwrap();
        assert_eq!(step.verb.kept().map(|keep| keep.name.as_str()).collect::<Vec<_>>(), ["other"], "later steps know it");
        for (keys, mistake) in [
            (format!("until: {{ code: 0 }}\n    {kept}"), "a call with `until` has no `twin`"),
            (format!("at: https://shop.example/\n    {kept}"), "a call with `at` has no `twin`"),
            (kept.replace("$not: 0", "$not: 0, x: 1"), "a matcher must be the only key"),
            (kept.replace("{ code: { $not: 0 } }", "{ code: 4711 }"), "never `4711`"),
            (kept.replace("expect:", "expects:"), "expects"),
        ] {
            let problems = read(&keys).unwrap_err().to_string();
            assert!(problems.contains(mistake), "{keys}: {problems}");
        }
    }

    #[test]
    fn a_target_file_is_told_from_a_scenario_without_showing_a_line_of_it() {
        let target = "title: T\nbase: http://shop.invalid\ncredentials: { main: { secret: Zq7-secret } }\n";
        let problems = parse("t.yaml", &Source::new("t.yaml", target), &Contracts::shipped()).unwrap_err().render(false);
        assert!(problems.contains("t.yaml") && problems.contains("`--target` takes it") && !problems.contains("Zq7"), "{problems}");
        assert_eq!(problems.matches("error:").count(), 1, "{problems}");
    }

    #[test]
    fn a_capability_that_no_action_begins_with_is_a_mistake() {
        let script = "title: T\nneeds: [payr]\nsteps:\n  - call: gateway.v1.create\n";
        let problems = parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped()).unwrap_err();
        assert!(problems.to_string().contains("2:8: no action begins with `payr` (did you mean `payer`?)"), "{problems}");
    }

    #[test]
    fn a_field_that_may_be_left_out_is_kept_otherwise() {
        let keep = |keep: &str| {
            let script = format!("title: T\nsteps:\n  - call: terminal.closing\n    keep: {{ number: {keep} }}\n");
            parse("terminal/t.yaml", &Source::new("scenarios/terminal/t.yaml", script), &Contracts::shipped())
        };
        let scenario = keep("{ field: batchNumber, otherwise: none }").unwrap();
        let kept: Vec<_> = scenario.steps.iter().flat_map(|step| step.verb.kept()).collect();
        assert_eq!((kept[0].pointer(), &kept[0].otherwise), (Some("/batchNumber"), &Some("none".into())));
        for (kept, expected) in
            [("{ otherwise: none }", "field"), ("{ field: batchNumbr, otherwise: none }", "did you mean `batchNumber`?")]
        {
            let found = keep(kept).unwrap_err().to_string();
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn a_setting_that_no_world_has_is_a_mistake() {
        let script = "title: T\nsetting: { clok: real, merchants: { main: { qr-tset: true, qr-test: true } } }\nsteps:\n  - call: \
                      gateway.v1.create\n";
        let problems = parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped()).unwrap_err();
        let problems = problems.to_string();
        for expected in [
            "2:12: a world has no setting `clok` (did you mean `clock`?)",
            "2:45: a merchant has no setting `qr-tset` (did you mean `qr-test`?)",
        ] {
            assert!(problems.contains(expected), "{problems}");
        }
        assert!(!problems.contains("`qr-test` "), "{problems}");
    }

    #[test]
    fn every_case_has_the_columns_of_the_first() {
        let cases = |rows: &str| {
            let script = format!("title: T\ncases:\n{rows}steps:\n  - call: gateway.v1.create\n    with: {{ price: '{{{{ price }}}}' }}\n");
            parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped())
                .map_err(|problems| problems.to_string())
        };
        assert!(cases("  - { name: a, price: 1 }\n  - { name: b, price: 2 }\n").is_ok());
        let error = cases("  - { name: a, price: 1 }\n  - { name: b, price: 2, pirce: 3 }\n").unwrap_err();
        assert!(error.contains("4:26: the first case has no column `pirce` (did you mean `price`?)"), "{error}");
        let error = cases("  - { name: a, price: 1 }\n  - { name: b }\n").unwrap_err();
        assert!(error.contains("4:5: this case has no column `price`, as the first case has"), "{error}");
    }

    #[test]
    fn only_parts_of_credentials_that_exist_are_sent() {
        let call = |keys: &str| {
            let script = format!("title: T\nsteps:\n  - call: gateway.v1.create\n    {keys}\n");
            parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped())
                .map_err(|problems| problems.to_string())
        };
        assert!(call("extra: { $credentials: [merchant, secret] }").is_ok());
        for key in ["extra", "query"] {
            let error = call(&format!("{key}: {{ $credentials: [secrett] }}")).unwrap_err();
            assert!(error.contains("4:29: there is no such part of the credentials (did you mean `secret`?)"), "{error}");
            let error = call(&format!("{key}: {{ $credentials: secret }}")).unwrap_err();
            assert!(error.contains("4:28: `$credentials` takes a list of parts of the credentials"), "{error}");
        }
    }

    fn parse_steps(steps: &str) -> Result<Vec<bool>, Problems> {
        let script = format!("title: T\nsteps:\n{steps}");
        let scenario = parse("gateway/t.yaml", &Source::new("scenarios/gateway/t.yaml", script), &Contracts::shipped())?;
        Ok(scenario.steps.iter().map(|step| step.once).collect())
    }

    #[test]
    fn repeated_steps_are_there_once_for_each_time() {
        let create = "  - call: gateway.v1.create\n";
        let repeat = |times: &str, steps: &str| format!("{create}  - repeat: {times}\n    steps: [{steps}]\n{create}");
        assert_eq!(parse_steps(&repeat("3", "{ call: gateway.v1.create }, { call: gateway.v1.create }")).unwrap().len(), 8);
        for (times, steps, error) in [
            ("1", "{ call: gateway.v1.create }", "steps are repeated 2 to 1000 times"),
            ("2", "", "a repetition has at least one step"),
            ("2", "{ violations: gateway.v1.create }", "no `violations`"),
            ("2", "{ call: gateway.v1.create, once: true }", "comes after one that is repeated"),
        ] {
            let found = parse_steps(&repeat(times, steps)).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }

    #[test]
    fn a_method_is_one_of_http() {
        assert!(parse_steps("  - call: gateway.v1.create\n    method: GET\n").is_ok());
        let error = parse_steps("  - call: gateway.v1.create\n    method: GOT\n").unwrap_err().to_string();
        assert!(error.contains("`GOT` is no method of a request (valid here: GET, POST, PUT, PATCH, DELETE)"), "{error}");
    }

    #[test]
    fn steps_that_are_played_once_come_first() {
        let create = "  - call: gateway.v1.create\n";
        let once = format!("{create}    once: true\n");
        assert_eq!(parse_steps(&format!("{once}{once}{create}")).unwrap(), [true, true, false]);
        assert_eq!(parse_steps(&format!("{once}{create}    once: false\n")).unwrap(), [true, false]);
        let wrong = [
            format!("{create}{once}"),
            format!("{once}{once}"),
            format!("{create}    once: 1\n"),
            format!("  - violations: gateway.v1.create\n    once: true\n{create}"),
        ];
        let errors: String = wrong.iter().map(|steps| format!("{}\n", parse_steps(steps).unwrap_err())).collect();
        insta::assert_snapshot!(errors);
    }
}
