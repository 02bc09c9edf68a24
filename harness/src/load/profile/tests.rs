use std::sync::{Arc, LazyLock};

use super::*;
use crate::base::source::{Problems, Source};
use crate::load::kinds::{CapacitySearch, ConstantArrivalRate, Soak};
use crate::load::schedule::MixOrder;
use crate::load::shard::Shard;
use crate::load::threshold::{Comparator, Metric};
use crate::spec::contract::Contracts;
use crate::spec::scenario::{self, Scenario, StepVerb};

struct Known {
    contracts: Arc<Contracts>,
    scenarios: Vec<Arc<Scenario>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let contracts = Contracts::shipped();
    let scenarios = scenario::shipped();
    Known { contracts, scenarios }
});

fn read_text(text: &str) -> Result<Profile, Problems> {
    parse(&Source::new("load/some.yaml", text), &KNOWN.contracts, &KNOWN.scenarios)
}

fn shipped() -> Vec<Profile> {
    let profiles = names().into_iter().map(|name| {
        let read = parse(&builtin(&name).unwrap(), &KNOWN.contracts, &KNOWN.scenarios);
        read.unwrap_or_else(|problems| panic!("{}", problems.render(false)))
    });
    profiles.collect()
}

/// The valid end of every profile below.
const MIX: &str = "mix: [{ scenario: gateway/a-payer-cancels }]\n";

#[test]
fn all_keys_are_read() {
    let text = "title: T\nkind: soak\nrate: 12.5\nusers: 7\nfor: 2h\ndrift: 2\nwarm-up: 1m\nmix:\n  - scenario: gateway/a-payer-cancels\n  \
                - { scenario: own/script.yaml, case: any, weight: 3 }\nthresholds: [errors < 1%]\nkillswitch: { errors: 20%, after: 5 }\n\
                notifications: { late: 2s, lost: 20s }\nconservation: sampled 50\ngenerator: { late: 50ms, busy: 90% }\n";
    let part = |scenario: &str, case: Option<&str>, weight, place: &str| MixEntry {
        scenario: scenario.to_owned(),
        case: case.map(str::to_owned),
        weight,
        place: place.to_owned(),
    };
    let load = ConstantArrivalRate { rate: 12.5, duration: Duration::from_secs(7200), users: 7 };
    let expected = Profile {
        name: "some".to_owned(),
        path: "load/some.yaml".to_owned(),
        title: "T".to_owned(),
        kind: Arc::new(Soak { load, drift: 2.0 }),
        warm_up: Duration::from_secs(60),
        mix: vec![
            part("gateway/a-payer-cancels", None, 1, "load/some.yaml:9:5"),
            part("own/script.yaml", Some("any"), 3, "load/some.yaml:10:5"),
        ],
        thresholds: vec![Threshold {
            rule: "errors < 1%".to_owned(),
            operation: None,
            metric: Metric::Errors,
            comparison: Comparator::Below,
            bound: 0.01,
        }],
        killswitch: Killswitch { errors: 0.2, after: 5 },
        notifications: NotificationDeadlines { late: Duration::from_secs(2), lost: Duration::from_secs(20) },
        conservation: Conservation::Sampled(50),
        generator: GeneratorBounds { late: Duration::from_millis(50), busy: 0.9 },
        http: None,
        connections: None,
    };
    // Kinds differ in what they print.
    assert_eq!(format!("{:#?}", read_text(text).unwrap()), format!("{expected:#?}"));
}

#[test]
fn what_is_left_out_has_its_default() {
    let profile = read_text(&format!("title: T\nkind: constant-users\nusers: 2\nfor: 5s\n{MIX}")).unwrap();
    assert_eq!(profile.warm_up, Duration::ZERO);
    assert!(profile.thresholds.is_empty());
    assert_eq!(profile.killswitch, Killswitch::default());
    assert_eq!(profile.notifications, NotificationDeadlines::default());
    assert_eq!(profile.conservation, Conservation::Sampled(200));
    assert_eq!(profile.generator, GeneratorBounds::default());
    let profile =
        read_text(&format!("title: T\nkind: capacity-search\nfrom: 1\nto: 9\nhold: 1s\nusers: 2\nthresholds: [errors = 0]\n{MIX}"));
    let expected = CapacitySearch { from: 1.0, to: 9.0, hold: Duration::from_secs(1), precision: 0.05, users: 2 };
    assert_eq!(format!("{:?}", profile.unwrap().kind), format!("{expected:?}"));
}

#[test]
fn each_kind_has_its_name_its_length_and_its_users() {
    let files = [
        ("constant-users", "users: 4\nfor: 90s\n", false),
        ("ramping-users", "stages: [{ users: 4, for: 60s }, { users: 0, for: 30s }]\n", false),
        ("constant-arrival-rate", "rate: 9\nusers: 4\nfor: 90s\n", true),
        ("ramping-arrival-rate", "users: 4\nstages: [{ rate: 3, for: 30s }, { rate: 0, for: 1m }]\n", true),
        ("capacity-search", "from: 1\nto: 2\nhold: 90s\nusers: 4\nthresholds: [errors = 0]\n", true),
        ("soak", "rate: 9\nusers: 4\nfor: 90s\n", true),
    ];
    for (name, keys, open) in files {
        let kind = read_text(&format!("title: T\nkind: {name}\n{keys}{MIX}")).unwrap_or_else(|p| panic!("{}", p.render(false))).kind;
        assert_eq!((kind.name(), kind.duration(), kind.users(), kind.is_open()), (name, Duration::from_secs(90), 4, open));
    }
}

/// The messages of a profile with mistakes.
fn problems_of(text: &str) -> String {
    read_text(text).expect_err("it has a mistake").render(false)
}

#[test]
fn all_mistakes_of_a_profile_are_reported_together() {
    insta::assert_snapshot!(problems_of(
        "titel: T\nkind: constant-arrival-rate\nrate: 0\nusers: 10001\nfor: 0s\nwarmup: 5s\nmix:\n  \
         - scenario: gateway/a-payer-cancles\n    weight: 0\n  - { scenario: gateway/a-payer-cancels, case: v3.0, wieght: 2 }\n  \
         - { scenario: qr/a-cancellation-has-no-input, case: x }\n  - { scenario: nothing/like-it }\n  \
         - { scenario: gateway/create-in-v1-holds-its-limits }\nthresholds:\n  - error < 1%\n  \
         - gateway.v2.stauts p99 < 50ms\n  - gateway.v2.status p99 < 50\n  - p99 50ms\n  - gateway.v2.status lost = 0\n  \
         - lost = 0%\n  - { p99: 50ms }\nkillswitch: { errors: 0.5, after: 0 }\nnotifications: { late: soon, lose: 1s }\n\
         conservation: sampled\n"
    ));
}

#[test]
fn an_unknown_kind_is_reported_without_its_unknown_keys() {
    insta::assert_snapshot!(problems_of(&format!("title: T\nkind: constant-arrivals\nrate: 1\n{MIX}")));
}

#[test]
fn a_profile_with_only_a_kind_lacks_every_required_key() {
    let kinds = ["constant-users", "ramping-users", "constant-arrival-rate", "ramping-arrival-rate", "capacity-search", "soak"];
    let all: String = kinds.iter().map(|kind| format!("{}\n", read_text(&format!("kind: {kind}\n")).unwrap_err())).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_out_of_bounds_is_refused_at_its_place() {
    let constant = "kind: constant-arrival-rate\n";
    let search = "kind: capacity-search\nhold: 1s\nusers: 1\nthresholds: [errors = 0]\n";
    let wrong = [
        format!("kind: constant-users\nusers: 0\nfor: 1s\n{MIX}"),
        format!("kind: constant-users\nusers: 1.5\nfor: 1s\n{MIX}"),
        format!("kind: constant-users\nusers: 1\nfor: 169h\n{MIX}"),
        format!("kind: constant-users\nusers: 1\nfor: 60\n{MIX}"),
        format!("kind: constant-users\nusers: 1\nfor: 5s\nthresholds: [dropped < 1%]\n{MIX}"),
        format!("kind: ramping-users\nstages: []\n{MIX}"),
        format!("kind: ramping-users\nstages: {{ users: 1, for: 1s }}\n{MIX}"),
        format!("kind: ramping-users\nstages: [{{ users: 0, for: 1s }}]\n{MIX}"),
        format!("kind: ramping-users\nstages: [{{ users: 10001, for: 0s }}, {{ user: 1 }}]\n{MIX}"),
        format!("kind: ramping-arrival-rate\nusers: 1\nstart: -1\nstages: [{{ rate: 1000001, for: 1s }}]\n{MIX}"),
        format!("kind: ramping-arrival-rate\nusers: 1\nstages: [{{ rate: 0, for: 1s }}]\n{MIX}"),
        format!("{constant}rate: 1000001\nusers: 1\nfor: 1s\n{MIX}"),
        format!("{constant}rate: many\nusers: 1\nfor: 1s\nwarm-up: 1s\n{MIX}"),
        format!("{constant}rate: 1\nusers: 1\nfor: 1s\nwarm-up: 1s\n{MIX}"),
        format!("{constant}rate: 1\nusers: 1\nfor: 1s\nmix: []\n"),
        format!("{constant}rate: 1\nusers: 1\nfor: 1s\nmix: gateway/a-payer-cancels\n"),
        format!("{constant}rate: 1\nusers: 1\nfor: 1s\nmix: [{{ scenario: a.yaml, weight: 600 }}, {{ scenario: b.yaml, weight: 401 }}]\n"),
        format!("{search}from: 10\nto: 10\n{MIX}"),
        format!("{search}from: 1\nto: 10\nprecision: 0.001\n{MIX}"),
        format!("kind: capacity-search\nhold: 1s\nusers: 1\nfrom: 1\nto: 2\nthresholds: []\n{MIX}"),
        format!("kind: soak\nrate: 1\nusers: 1\nfor: 1s\ndrift: 0.5\n{MIX}"),
    ];
    let problems: String = wrong.iter().map(|text| format!("{}\n", read_text(&format!("title: T\n{text}")).expect_err(text))).collect();
    insta::assert_snapshot!(problems);
}

#[test]
fn every_profile_in_the_binary_is_sound_and_its_scripts_are_found() {
    let profiles = shipped();
    let shipped: Vec<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
    let wanted = [
        "capacity",
        "create-v1",
        "create-v2",
        "device",
        "journey",
        "mixed-day",
        "qr",
        "soak",
        "spike",
        "status-v1",
        "status-v2",
        "terminal",
    ];
    assert_eq!(shipped, wanted);
    for profile in &profiles {
        let found = scripts(profile, &KNOWN.contracts, &KNOWN.scenarios).unwrap();
        assert_eq!(found.len(), profile.mix.len(), "{}", profile.name);
        assert!(!profile.thresholds.is_empty(), "{}", profile.name);
        assert!(MixOrder::weighing(&profile.mix.iter().map(|entry| entry.weight).collect::<Vec<_>>()).block() >= 1);
        let plan = profile.kind.runs(profile.warm_up, Shard::WHOLE).next().unwrap();
        assert!(plan.schedule.is_none_or(|schedule| !schedule.is_empty()), "{}", profile.name);
    }
}

#[test]
fn what_the_profiles_play_needs_no_world_of_its_own() {
    for profile in shipped() {
        for script in scripts(&profile, &KNOWN.contracts, &KNOWN.scenarios).unwrap() {
            let place = format!("{}: {}", profile.name, script.scenario.name);
            assert!(script.scenario.setting.is_empty(), "{place} has settings of its own");
            for step in script.scenario.steps.iter() {
                let StepVerb::World(step) = &step.verb else { continue };
                let action = step.action.render(&script.row.values).unwrap();
                let alone = action.as_str().is_some_and(|action| action.starts_with("payer.") || action.starts_with("cardholder."));
                assert!(alone, "{place} moves what all users share: {action}");
            }
        }
    }
}

#[test]
fn a_profile_that_is_tried_out_is_over_in_half_a_minute() {
    for profile in shipped().iter().filter(|profile| !["soak", "mixed-day", "capacity"].contains(&profile.name.as_str())) {
        assert!(profile.kind.duration() <= Duration::from_secs(30), "{}", profile.name);
    }
}

#[test]
fn an_unknown_profile_is_reported_with_the_nearest_name() {
    insta::assert_snapshot!(builtin("crate-v1").unwrap_err().render(false));
}

#[test]
fn a_script_on_disk_is_found_relative_to_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    let script = "title: T\ncases: [{ name: a, n: 1 }, { name: b, n: 2 }]\nsteps:\n  - call: gateway.v2.create\n";
    std::fs::write(folder.path().join("own/script.yaml"), script).unwrap();
    let mix = |part: &str| {
        let path = folder.path().join("p.yaml").display().to_string();
        let text = format!("title: T\nkind: constant-users\nusers: 2\nfor: 5s\nmix: [{part}]\n");
        let profile = parse(&Source::new(path, text), &KNOWN.contracts, &KNOWN.scenarios).unwrap();
        scripts(&profile, &KNOWN.contracts, &KNOWN.scenarios)
    };
    let found = mix("{ scenario: own/script.yaml, case: b }").unwrap();
    let found: Vec<_> = found.iter().map(|script| (script.scenario.api.as_str(), script.row.name.as_str())).collect();
    assert_eq!(found, [("own", "b")]);
    assert_eq!(mix("{ scenario: own/script.yaml }").unwrap().first().unwrap().row.name, "a");
    let unknown = mix("{ scenario: own/script.yaml, case: c }").unwrap_err().to_string();
    assert!(unknown.contains("p.yaml:5:7: `own/script` has no case `c` (valid here: a, b)"), "{unknown}");
    assert!(mix("{ scenario: own/none.yaml }").unwrap_err().to_string().contains("none.yaml: the file does not exist"));
}

#[test]
fn every_profile_conforms_to_the_published_schema_and_what_is_wrong_does_not() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for name in names() {
        let profile = builtin(&name).unwrap().parse(&mut Problems::new()).unwrap().to_json();
        let faults: Vec<_> = validator.iter_errors(&profile).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{name}: {faults:#?}");
    }
    let good = serde_json::json!({ "title": "T", "kind": "soak", "rate": 1, "users": 1, "for": "1s", "mix": [{ "scenario": "a/b" }] });
    assert!(validator.is_valid(&good));
    let wrong =
        [("rates", "1"), ("kind", "\"soaks\""), ("hold", "\"1s\""), ("users", "0"), ("rate", "0"), ("for", "\"1 s\""), ("mix", "[]")];
    for (key, value) in wrong {
        let mut profile = good.clone();
        profile[key] = serde_json::from_str(value).unwrap();
        assert!(!validator.is_valid(&profile), "{key}: {value}");
    }
}

#[test]
fn the_published_schema_is_current() {
    let published = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../load/profile.schema.json")).unwrap();
    let current = published == format!("{:#}\n", schema());
    assert!(current, "run: cargo run -q --bin paycheck -- schema profile > load/profile.schema.json");
}

#[test]
fn the_manual_is_right() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/load.md")).unwrap();
    let examples: Vec<&str> = manual.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples.into_iter().filter(|example| example.starts_with("title:")) {
        read_text(example).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    }
    let unmentioned: Vec<String> = names().into_iter().filter(|name| !manual.contains(&format!("`{name}`"))).collect();
    assert!(unmentioned.is_empty(), "docs/load.md does not mention {unmentioned:?}");
}

#[test]
fn a_call_with_a_twin_is_for_no_load() {
    let twin = "gateway/two-refunds-at-the-same-moment-never-exceed-the-price";
    let text = format!("title: T\nkind: ramping-users\nstages: [{{ users: 1, for: 1s }}]\nmix: [{{ scenario: {twin}, case: v1.0 }}]\n");
    let problems = read_text(&text).unwrap_err().to_string();
    assert!(problems.contains("has a call with a `twin`") && problems.contains("`paycheck verify` only"), "{problems}");
}
