//! A live target may learn a little later what a payer did. A scenario waits for it, by a notification or by asking again, before it
//! expects a state.

use std::collections::BTreeSet;

use harness::base::source::Source;
use harness::spec::contract::Contracts;
use harness::spec::scenario::{Call, Matcher, Step, StepVerb, Template, Variables, parse};

use crate::support::{contracts, shipped};

/// Whether a call reads a state once, which a later response may still change.
fn asks_once(call: &Call, row: &Variables, contracts: &Contracts) -> bool {
    let name = call.operation.render(row).ok();
    let operation = name.as_ref().and_then(|name| contracts.operations.get(name.as_str()?));
    operation.is_some_and(|operation| operation.pending.keys().any(|field| call.expect.contains_key(field) && call.until.is_empty()))
}

/// The place where a case expects a state of what a payer has just acted on.
fn expects_at_once<'s>(steps: &'s [Step], row: &Variables, contracts: &Contracts) -> Option<&'s Step> {
    let mut acted: Option<&Template> = None;
    steps.iter().find(|step| match &step.verb {
        StepVerb::World(world) => {
            let action = world.action.render(row).ok();
            let action = action.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
            // Money that comes too late changes nothing.
            let is_of_payer = action.starts_with("payer.") && action != "payer.pays-late";
            if is_of_payer || action.starts_with("clock.") {
                acted = world.with.get("transId").filter(|_| is_of_payer);
            }
            false
        }
        StepVerb::Call(call) => {
            let is_about_it = acted.is_some() && call.with.get("transId") == acted;
            if is_about_it && !call.until.is_empty() {
                acted = None;
            }
            // What is refused whatever the state shows none.
            let shows = call.expect.get("status").is_some_and(|status| !matches!(status, Matcher::Absent));
            is_about_it && shows && asks_once(call, row, contracts)
        }
        StepVerb::Notification(_) => {
            acted = None;
            false
        }
        StepVerb::NoNotification(_) | StepVerb::Inbox(_) | StepVerb::Violations(_) => false,
    })
}

#[test]
fn what_a_payer_did_is_waited_for() {
    let contracts = contracts();
    let cases = shipped(&[" / "]);
    let early: BTreeSet<String> = cases
        .iter()
        .filter_map(|case| expects_at_once(&case.steps, &case.row.values, &contracts))
        .map(|step| step.place.to_string())
        .collect();
    assert_eq!(early, BTreeSet::new(), "a call with `until` asks again");
}

#[test]
fn a_state_that_is_expected_at_once_is_seen() {
    let contracts = contracts();
    let at = |status: &str| {
        let step = "call: gateway.v2.status\n    with: { transId: A }";
        let text = format!("title: T\nsteps:\n  - world: payer.pays\n    with: {{ transId: A }}\n  - {step}\n    {status}\n  - {step}\n");
        let scenario = parse("gateway/t.yaml", &Source::new("gateway/t.yaml", text), &contracts).unwrap();
        expects_at_once(&scenario.steps, &Variables::new(), &contracts).map(|step| step.place.to_string())
    };
    assert_eq!(at("expect: { status: PAID }").as_deref(), Some("gateway/t.yaml:5:5"));
    assert_eq!(at("until: { status: PAID }"), None);
    assert_eq!(at("expect: { code: { $not: 0 }, status: { $absent: true } }"), None, "it is refused whatever the state");
}
