//! The models in the binary, without any target.

use serde_json::{Value, json};

use super::command::Command;
use super::generator::SequenceGenerator;
use super::permutations::permutations;
use super::prediction::Observation;
use super::state::{PossibleStates, WorldState};
use super::*;
use crate::spec::contract::{Contracts, Files};

fn model(api: &str) -> Model {
    let files = Files::contracts();
    let models = read_all(&files, &Contracts::read(&files).unwrap()).unwrap();
    models.into_iter().find(|model| model.api == api).unwrap()
}

/// A sequence of commands with their inputs and the responses to them.
struct Session {
    model: Model,
    possible: PossibleStates,
    next: usize,
    assumed: bool,
}

impl Session {
    fn new() -> Self {
        Self::with_model(model("gateway"))
    }

    fn with_model(model: Model) -> Self {
        let possible = super::boundary::beginning(&model, Value::Object(model.setting.clone()), true).unwrap();
        Self { model, possible, next: 0, assumed: true }
    }

    /// Performs a command on the first entity; returns whether the model explains the response.
    fn then(&mut self, action: &str, inputs: Value, code: i64, body: Value) -> bool {
        let states = after(&self.model, self.possible.states(), self.next, action, &inputs, (code, &body), self.assumed);
        self.next += 1;
        let possible = PossibleStates::from_states(states).unwrap();
        let explained = !possible.states().is_empty();
        if explained {
            self.possible = possible;
        }
        explained
    }

    fn paid(price: i64) -> Self {
        let mut session = Self::new();
        assert!(session.then("create", json!({"price": price, "test": false}), 0, json!({"transId": "P1"})));
        assert!(session.then("pay", json!({}), 0, json!({})));
        session
    }

    fn refund(&mut self, amount: i64, code: i64) -> bool {
        self.then("refund", json!({"amount": amount, "test": false}), code, json!({}))
    }
}

fn after(
    model: &Model,
    states: &[WorldState],
    key: usize,
    action: &str,
    inputs: &Value,
    (code, body): (i64, &Value),
    assumed: bool,
) -> Vec<WorldState> {
    let index = model.actions.iter().position(|known| known.id == action).unwrap();
    let command = Command {
        key,
        action: index,
        operation: 0,
        identity: 0,
        on: model.actions[index].on.as_ref().map(|_| 0),
        choices: model.actions[index].with.values().map(|_| 0).collect(),
    };
    let mut bound = command.bind(model, states.first().unwrap()).unwrap().unwrap();
    for (name, value) in inputs.as_object().unwrap() {
        bound.inputs.insert(name.clone(), value.clone());
    }
    let observation = Observation { accepted: code == 0, code: Some(code.to_string()), body: Some(body) };
    states.iter().flat_map(|state| model.predict(&bound, state, &observation, assumed).unwrap().states).collect()
}

#[test]
fn refunds_together_never_exceed_the_price() {
    let mut session = Session::paid(10000);
    assert!(session.refund(4000, 0));
    assert!(!session.refund(6001, 0), "more than is left");
    assert!(!session.refund(6001, 1400), "another code than the documented one");
    assert!(session.refund(6001, 1402));
    assert!(session.refund(6000, 0));
    assert!(!session.refund(1, 0));
}

#[test]
fn a_state_that_no_transition_leads_to_is_not_explained() {
    let mut session = Session::paid(10000);
    assert!(!session.then("read", json!({}), 0, json!({"status": "CANCELLED"})));
    assert!(session.then("read", json!({}), 0, json!({"status": "PAID"})));
}

#[test]
fn an_observation_decides_what_the_document_leaves_open() {
    let mut session = Session { assumed: false, ..Session::new() };
    assert!(session.then("create-pre-authorization", json!({"price": 10000, "test": false}), 0, json!({"transId": "P1"})));
    assert!(session.then("pay", json!({}), 0, json!({})));
    assert!(session.then("capture", json!({"amount": 4000}), 0, json!({})));
    assert!(session.possible.states().len() > 1);
    assert!(session.then("read", json!({}), 0, json!({"status": "AUTHORIZED"})));
    assert!(!session.then("read", json!({}), 0, json!({"status": "PAID"})), "it was AUTHORIZED, and nothing has happened since");
    assert!(!session.refund(100, 0), "an authorized payment is not refunded");
}

#[test]
fn where_assumptions_are_asserted_only_they_explain_a_response() {
    let mut session = Session::new();
    assert!(session.then("create-pre-authorization", json!({"price": 10000, "test": false}), 0, json!({"transId": "P1"})));
    assert!(session.then("pay", json!({}), 0, json!({})));
    assert!(session.then("capture", json!({"amount": 4000}), 0, json!({})));
    assert!(!session.then("read", json!({}), 0, json!({"status": "AUTHORIZED"})));
    assert!(session.then("read", json!({}), 0, json!({"status": "PAID"})));
}

#[test]
fn some_order_must_explain_the_responses_to_concurrent_refunds() {
    let session = Session::paid(10000);
    let ordered = |codes: [i64; 2]| {
        let all = permutations(2).into_iter().flat_map(|order| {
            order.iter().fold(session.possible.states().to_vec(), |states, index| match states.as_slice() {
                [] => Vec::new(),
                states => {
                    let body = Value::Null;
                    let inputs = json!({"amount": 10000, "test": false});
                    after(&session.model, states, 10 + index, "refund", &inputs, (codes[*index], &body), true)
                }
            })
        });
        PossibleStates::from_states(all).unwrap()
    };
    assert!(ordered([0, 0]).states().is_empty(), "both refunded everything");
    assert!(!ordered([0, 1402]).states().is_empty());
    assert!(!ordered([1402, 0]).states().is_empty());
    assert!(ordered([1402, 1402]).states().is_empty(), "one of them comes first");
}

/// How many of 300 generated first commands take a transition.
fn hits(session: &Session, rare: &[(usize, usize)], transition: &str) -> usize {
    let first = session.possible.first().unwrap();
    let takes = |number: &u64| {
        let mut generator = SequenceGenerator::new(&session.model, 1, *number, &[], rare);
        let batch = generator.next(&session.model, &session.possible).unwrap();
        let bound = batch.and_then(|batch| batch.commands()[0].bind(&session.model, first).unwrap());
        bound.is_some_and(|bound| {
            let applies = session.model.transition(&bound, &bound.variables(first)).unwrap();
            format!("{}/{}", bound.action.id, applies.id) == transition
        })
    };
    (0..300).filter(takes).count()
}

#[test]
fn a_rare_transition_is_targeted() {
    let session = Session::paid(10000);
    let action = session.model.actions.iter().position(|action| action.id == "refund").unwrap();
    let transition = session.model.actions[action].transitions.iter().position(|transition| transition.id == "beyond").unwrap();
    let (targeted, by_chance) = (hits(&session, &[(action, transition)], "refund/beyond"), hits(&session, &[], "refund/beyond"));
    assert!(targeted > 60 && targeted > 3 * by_chance, "{targeted} with a target, {by_chance} without");
}

#[test]
fn the_first_command_of_a_race_can_be_accepted() {
    let session = Session::paid(10000);
    let mut pairs = 0;
    for number in 0..50 {
        let mut generator = SequenceGenerator::new(&session.model, 1, number, &[], &[]);
        let Some(batch) = generator.race(&session.model, &session.possible).unwrap() else { continue };
        let [first, second] = batch.commands() else { panic!("{batch:?}") };
        assert_eq!(first.on, second.on);
        assert_ne!(first.key, second.key);
        let id = session.model.actions[first.action].id.as_str();
        assert_eq!(id, "refund", "all else would be refused for a paid payment");
        pairs += 1;
    }
    assert!(pairs > 25, "{pairs}");
}

/// An activated device, and the response to its exchange while nothing has changed.
fn activated() -> (Session, Value) {
    let mut session = Session::with_model(model("device"));
    let activation = json!({"deviceId": 500_001, "deviceToken": "opaque", "configVersion": 7, "config": {"connectionId": 1001}});
    assert!(session.then("activate", json!({}), 0, activation));
    (session, json!({"token": "a.b.c", "configVersion": 7, "paymentCodesAt": null}))
}

#[test]
fn a_version_differs_after_a_change_and_only_then() {
    let (mut session, response) = activated();
    let mut later = response.clone();
    later["configVersion"] = json!(8);
    assert!(!session.then("exchange", json!({}), 0, later.clone()), "nothing has changed");
    assert!(session.then("exchange", json!({}), 0, response.clone()));
    assert!(session.then("reset-pin", json!({}), 0, json!({})));
    assert!(!session.then("exchange", json!({}), 0, response), "the reset has no version");
    assert!(session.then("exchange", json!({}), 0, later.clone()));
    assert!(session.then("exchange", json!({}), 0, later));
}

#[test]
fn after_a_reverted_change_either_version_is_allowed() {
    for version in [7, 8] {
        let (mut session, mut response) = activated();
        for receipts in ["BILLING", "BASIC"] {
            assert!(session.then("change-receipts", json!({"config": {"receiptHeader": receipts}}), 0, json!({})));
        }
        response["configVersion"] = json!(version);
        assert!(session.then("exchange", json!({}), 0, response), "{version}");
    }
}

#[test]
fn a_token_from_a_response_is_sent_from_then_on() {
    let (mut session, response) = activated();
    assert!(session.then("exchange", json!({}), 0, response));
    let device = &session.possible.first().unwrap().entities[&0];
    assert_eq!((&device.variables["token"], &device.variables["jwt"]), (&json!("opaque"), &json!("a.b.c")));
}

#[test]
fn whether_an_announced_deactivation_is_a_change_of_the_configuration_is_open() {
    for version in [7, 8] {
        let (mut session, mut response) = activated();
        assert!(session.then("announce", json!({}), 0, json!({})));
        (response["configVersion"], response["connectionState"]) = (json!(version), json!("PENDING_DEACTIVATION"));
        assert!(session.then("exchange", json!({}), 0, response), "{version}");
    }
}

#[test]
fn an_equal_sync_version_may_be_accepted_or_not() {
    let (mut session, response) = activated();
    assert!(session.then("exchange", json!({}), 0, response));
    let sale = |version: i64| json!({"transactions": [{"id": "sale-0001", "syncVersion": version}]});
    let taken = json!({"accepted": ["sale-0001"], "rejected": []});
    let left = json!({"accepted": [], "rejected": []});
    assert!(session.then("upload", sale(2), 0, taken.clone()));
    assert!(session.then("upload", sale(2), 0, left.clone()), "what comes of the same version is not shown");
    assert!(!session.then("upload", sale(1), 0, left.clone()), "a lower one is acknowledged");
    assert!(!session.then("upload", sale(3), 0, left), "a higher one is taken");
    assert!(session.then("upload", sale(3), 0, taken));
}
