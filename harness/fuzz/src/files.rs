//! Files that people write.

use std::sync::{Arc, LazyLock};

use harness::base::source::{Node, NodeKind, Problems, Source};
use harness::judge::known;
use harness::load::profile;
use harness::spec::contract::{Contracts, Files};
use harness::spec::scenario::{self, Scenario, Template, Variables, parse_all};
use harness::spec::target;
use serde_json::Value;

static CONTRACTS: LazyLock<Contracts> = LazyLock::new(|| Contracts::read(&Files::contracts()).expect("the contracts are sound"));
static SCENARIOS: LazyLock<Vec<Arc<Scenario>>> = LazyLock::new(|| {
    let scenarios = parse_all(&Files::scenarios(), &CONTRACTS).expect("the scenarios are sound");
    scenarios.into_iter().map(Arc::new).collect()
});
/// A value that stands nowhere else.
const SECRET: &str = "Zq7-the-secret-9xK";

fn source(bytes: &[u8]) -> Arc<Source> {
    Source::new("fuzzed.yaml", String::from_utf8_lossy(bytes))
}

fn have_positions(problems: &Problems) -> bool {
    !problems.is_empty() && problems.render(false).contains("fuzzed.yaml")
}

/// Findings that are known and accepted: the file is sound, or every mistake in it is reported.
pub fn known(bytes: &[u8]) {
    if let Err(problems) = known::parse(&source(bytes), &CONTRACTS) {
        assert!(have_positions(&problems), "{problems:?}");
    }
}

/// Load profiles: one is sound, or every mistake in it is reported.
pub fn profile(bytes: &[u8]) {
    match profile::parse(&source(bytes), &CONTRACTS, &SCENARIOS) {
        Ok(profile) => assert!(!profile.mix.is_empty() && profile.mix.iter().all(|part| part.weight > 0)),
        Err(problems) => assert!(have_positions(&problems), "{problems:?}"),
    }
}

/// Scenarios: one is sound, or every mistake in it is reported with its place.
pub fn scenario(bytes: &[u8]) {
    match scenario::parse("gateway/fuzzed.yaml", &source(bytes), &CONTRACTS) {
        Ok(scenario) => assert!(!scenario.steps.is_empty() && !scenario.cases.is_empty()),
        Err(problems) => assert!(have_positions(&problems), "{problems:?}"),
    }
}

/// Target files: one is sound, or every mistake in it is reported, and what may be a secret is not shown.
pub fn target(bytes: &[u8]) {
    let text = format!("{}\ncredentials: {{ main: {{ secret: {SECRET} }} }}\n", String::from_utf8_lossy(bytes));
    if let Err(problems) = target::parse(&Source::new("fuzzed.yaml", text), &CONTRACTS, &|_| None) {
        let error = problems.render(false);
        assert!(!error.is_empty() && !error.contains(SECRET), "{error}");
    }
}

/// Templates: a text is one or is refused; filled in with nothing known, it is a value or says what is missing.
pub fn template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    if let Ok(template) = Template::parse(&Value::from(text.as_str())) {
        let _ = template.names();
        let rendered = template.render(&Variables::new());
        if !text.contains('{') {
            assert_eq!(rendered, Ok(Value::from(text)));
        }
    }
}

/// YAML: every node is at its stated place, and every mistake is reported.
pub fn yaml(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut problems = Problems::new();
    if let Some(node) = source(bytes).parse(&mut problems) {
        assert_within(&node, text.chars().count());
        let _ = node.to_json();
    }
    assert!(problems.is_empty() || have_positions(&problems), "{problems:?}");
}

fn assert_within(node: &Node, length: usize) {
    assert!(node.span.start <= node.span.end && node.span.end <= length, "{:?} of {length}", node.span);
    match &node.kind {
        NodeKind::Map(entries) => entries.iter().for_each(|entry| assert_within(&entry.value, length)),
        NodeKind::List(items) => items.iter().for_each(|item| assert_within(item, length)),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => {}
    }
}
