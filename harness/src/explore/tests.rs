//! The model of the gateway, asked without any target.

use serde_json::{Value, json};

use super::moves::Move;
use super::predict::Heard;
use super::state::{Belief, State};
use super::*;
use crate::contract::{Contracts, Files};

fn model(api: &str) -> Model {
    let files = Files::contracts();
    let models = read_all(&files, &Contracts::read(&files).unwrap()).unwrap();
    models.into_iter().find(|model| model.api == api).unwrap()
}

/// A sequence of moves, each with the values of its fields and the code that it was answered.
struct Story {
    model: Model,
    belief: Belief,
    next: usize,
    assumed: bool,
}

impl Story {
    fn new() -> Self {
        Self::of(model("gateway"))
    }

    fn of(model: Model) -> Self {
        let belief = Belief::new(&model.shared);
        Self { model, belief, next: 0, assumed: true }
    }

    /// Plays a move on the first payment; answers whether something explains it.
    fn then(&mut self, action: &str, inputs: Value, code: i64, body: Value) -> bool {
        let states = after(&self.model, self.belief.states(), self.next, action, &inputs, (code, &body), self.assumed);
        self.next += 1;
        let belief = Belief::of(states).unwrap();
        let explained = !belief.is_impossible();
        if explained {
            self.belief = belief;
        }
        explained
    }

    fn paid(price: i64) -> Self {
        let mut story = Self::new();
        assert!(story.then("create", json!({"price": price, "test": false}), 0, json!({"transId": "P1"})));
        assert!(story.then("pay", json!({}), 0, json!({})));
        story
    }

    fn refund(&mut self, amount: i64, code: i64) -> bool {
        self.then("refund", json!({"amount": amount, "test": false}), code, json!({}))
    }
}

fn after(
    model: &Model,
    states: &[State],
    key: usize,
    action: &str,
    inputs: &Value,
    (code, body): (i64, &Value),
    assumed: bool,
) -> Vec<State> {
    let index = model.actions.iter().position(|known| known.id == action).unwrap();
    let chosen = Move {
        key,
        action: index,
        operation: 0,
        identity: 0,
        on: model.actions[index].on.as_ref().map(|_| 0),
        ways: model.actions[index].with.values().map(|_| 0).collect(),
    };
    let mut prepared = chosen.prepared(model, states.first().unwrap()).unwrap().unwrap();
    for (name, value) in inputs.as_object().unwrap() {
        prepared.inputs.insert(name.clone(), value.clone());
    }
    let heard = Heard { accepted: code == 0, code: Some(code.to_string()), body: Some(body) };
    states.iter().flat_map(|state| model.after(&prepared, state, &heard, assumed).unwrap().states).collect()
}

#[test]
fn refunds_together_never_exceed_the_price() {
    let mut story = Story::paid(10000);
    assert!(story.refund(4000, 0));
    assert!(!story.refund(6001, 0), "more than is left");
    assert!(!story.refund(6001, 1400), "another code than the documented one");
    assert!(story.refund(6001, 1402));
    assert!(story.refund(6000, 0));
    assert!(!story.refund(1, 0));
}

#[test]
fn a_state_that_nothing_brought_about_is_not_explained() {
    let mut story = Story::paid(10000);
    assert!(!story.then("read", json!({}), 0, json!({"status": "CANCELLED"})));
    assert!(story.then("read", json!({}), 0, json!({"status": "PAID"})));
}

#[test]
fn what_the_document_leaves_open_is_decided_by_what_is_seen() {
    let mut story = Story { assumed: false, ..Story::new() };
    assert!(story.then("create-pre-authorization", json!({"price": 10000, "test": false}), 0, json!({"transId": "P1"})));
    assert!(story.then("pay", json!({}), 0, json!({})));
    assert!(story.then("capture", json!({"amount": 4000}), 0, json!({})));
    assert!(story.belief.states().len() > 1);
    assert!(story.then("read", json!({}), 0, json!({"status": "AUTHORIZED"})));
    assert!(!story.then("read", json!({}), 0, json!({"status": "PAID"})), "it was seen as AUTHORIZED, and nothing has happened since");
    assert!(!story.refund(100, 0), "an authorized payment is not refunded");
}

#[test]
fn where_assumptions_are_asserted_only_they_are_explained() {
    let mut story = Story::new();
    assert!(story.then("create-pre-authorization", json!({"price": 10000, "test": false}), 0, json!({"transId": "P1"})));
    assert!(story.then("pay", json!({}), 0, json!({})));
    assert!(story.then("capture", json!({"amount": 4000}), 0, json!({})));
    assert!(!story.then("read", json!({}), 0, json!({"status": "AUTHORIZED"})));
    assert!(story.then("read", json!({}), 0, json!({"status": "PAID"})));
}

#[test]
fn of_two_refunds_that_meet_one_order_must_explain_the_answers() {
    let story = Story::paid(10000);
    let ordered = |codes: [i64; 2]| {
        let all = super::orders::orders(2).into_iter().flat_map(|order| {
            order.iter().fold(story.belief.states().to_vec(), |states, index| match states.as_slice() {
                [] => Vec::new(),
                states => {
                    let body = Value::Null;
                    let inputs = json!({"amount": 10000, "test": false});
                    after(&story.model, states, 10 + index, "refund", &inputs, (codes[*index], &body), true)
                }
            })
        });
        Belief::of(all).unwrap()
    };
    assert!(ordered([0, 0]).is_impossible(), "both got all of it");
    assert!(!ordered([0, 1402]).is_impossible());
    assert!(!ordered([1402, 0]).is_impossible());
    assert!(ordered([1402, 1402]).is_impossible(), "one of them comes first");
}

/// How many of so many first moves take a row.
fn hits(story: &Story, seldom: &[(usize, usize)], row: &str) -> usize {
    let first = story.belief.first().unwrap();
    let takes = |number: &u64| {
        let mut walk = super::walk::Walk::new(&story.model, 1, *number, &[], seldom);
        let stride = walk.step(&story.model, &story.belief).unwrap();
        let prepared = stride.and_then(|stride| stride.moves()[0].prepared(&story.model, first).unwrap());
        prepared.is_some_and(|prepared| {
            let applies = story.model.row(&prepared, &prepared.known(first)).unwrap();
            format!("{}/{}", prepared.action.id, applies.id) == row
        })
    };
    (0..300).filter(takes).count()
}

#[test]
fn a_row_that_was_seldom_taken_is_aimed_at() {
    let story = Story::paid(10000);
    let action = story.model.actions.iter().position(|action| action.id == "refund").unwrap();
    let row = story.model.actions[action].rows.iter().position(|row| row.id == "beyond").unwrap();
    let (aimed, by_chance) = (hits(&story, &[(action, row)], "refund/beyond"), hits(&story, &[], "refund/beyond"));
    assert!(aimed > 60 && aimed > 3 * by_chance, "{aimed} with an aim, {by_chance} without");
}

#[test]
fn of_what_meets_the_first_may_change_something() {
    let story = Story::paid(10000);
    let mut pairs = 0;
    for number in 0..50 {
        let mut walk = super::walk::Walk::new(&story.model, 1, number, &[], &[]);
        let Some(stride) = walk.race(&story.model, &story.belief).unwrap() else { continue };
        let [first, second] = stride.moves() else { panic!("{stride:?}") };
        assert_eq!(first.on, second.on);
        assert_ne!(first.key, second.key);
        let id = story.model.actions[first.action].id.as_str();
        assert_eq!(id, "refund", "all else would be refused for a paid payment");
        pairs += 1;
    }
    assert!(pairs > 25, "{pairs}");
}

/// An activated device, and what its exchange tells when nothing has changed.
fn activated() -> (Story, Value) {
    let mut story = Story::of(model("device"));
    let activation = json!({"deviceId": 500_001, "deviceToken": "opaque", "configVersion": 7, "config": {"connectionId": 1001}});
    assert!(story.then("activate", json!({}), 0, activation));
    (story, json!({"token": "a.b.c", "configVersion": 7, "paymentCodesAt": null}))
}

#[test]
fn a_version_differs_after_a_change_and_only_then() {
    let (mut story, told) = activated();
    let mut later = told.clone();
    later["configVersion"] = json!(8);
    assert!(!story.then("exchange", json!({}), 0, later.clone()), "nothing has changed");
    assert!(story.then("exchange", json!({}), 0, told.clone()));
    assert!(story.then("reset-pin", json!({}), 0, json!({})));
    assert!(!story.then("exchange", json!({}), 0, told), "the reset has no version");
    assert!(story.then("exchange", json!({}), 0, later.clone()));
    assert!(story.then("exchange", json!({}), 0, later));
}

#[test]
fn after_a_change_that_was_taken_back_a_version_may_be_either() {
    for version in [7, 8] {
        let (mut story, mut told) = activated();
        for receipts in ["BILLING", "BASIC"] {
            assert!(story.then("change-receipts", json!({"config": {"receiptHeader": receipts}}), 0, json!({})));
        }
        told["configVersion"] = json!(version);
        assert!(story.then("exchange", json!({}), 0, told), "{version}");
    }
}

#[test]
fn a_token_that_an_answer_told_is_sent_from_then_on() {
    let (mut story, told) = activated();
    assert!(story.then("exchange", json!({}), 0, told));
    let device = &story.belief.first().unwrap().things[&0];
    assert_eq!((&device.variables["token"], &device.variables["jwt"]), (&json!("opaque"), &json!("a.b.c")));
}

#[test]
fn where_too_much_is_open_nothing_is_believed() {
    let worlds =
        |count: i64| (0..count).map(|number| State { shared: json!({"n": number}).as_object().cloned().unwrap(), ..State::default() });
    assert_eq!(Belief::of(worlds(256)).unwrap().states().len(), 256);
    assert_eq!(Belief::of(worlds(257)), None);
}

#[test]
fn whether_an_announced_deactivation_is_a_change_of_the_configuration_is_open() {
    for version in [7, 8] {
        let (mut story, mut told) = activated();
        assert!(story.then("announce", json!({}), 0, json!({})));
        (told["configVersion"], told["connectionState"]) = (json!(version), json!("PENDING_DEACTIVATION"));
        assert!(story.then("exchange", json!({}), 0, told), "{version}");
    }
}

#[test]
fn the_sync_version_that_is_stored_may_be_taken_or_not() {
    let (mut story, told) = activated();
    assert!(story.then("exchange", json!({}), 0, told));
    let sale = |version: i64| json!({"transactions": [{"id": "sale-0001", "syncVersion": version}]});
    let taken = json!({"accepted": ["sale-0001"], "rejected": []});
    let left = json!({"accepted": [], "rejected": []});
    assert!(story.then("upload", sale(2), 0, taken.clone()));
    assert!(story.then("upload", sale(2), 0, left.clone()), "what comes of the same version is not shown");
    assert!(!story.then("upload", sale(1), 0, left.clone()), "a lower one is acknowledged");
    assert!(!story.then("upload", sale(3), 0, left), "a higher one is taken");
    assert!(story.then("upload", sale(3), 0, taken));
}
