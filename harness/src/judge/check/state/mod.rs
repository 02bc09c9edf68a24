//! The documents' transition tables, compared with what was observed.
//!
//! A resource is followed through its record: each call on it and each action of the world may trigger transitions; each
//! observation of its state determines which transitions happened, or that the change is undocumented.

mod resource;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Judgement, about, place_assumed};
use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::judge::record::{Record, RecordEntry, identifier, redirected};
use crate::spec::contract::{Contracts, Operation, StateTable, TransitionRow, Trigger};
use crate::wire::exchange::{Direction, Exchange};
use crate::wire::expression::RuntimeExpression;
use resource::{Resource, StateObservation};

/// Stands for the identifier of a resource until it is known. No real identifier begins like this.
const NAMELESS: &str = "\u{0}created by exchange ";

/// The result of comparing a record with the tables.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    /// The findings, and the clauses of the transitions that happened.
    pub judgement: Judgement,
    /// The transitions that happened: `payment/paid`.
    pub rows: Vec<String>,
}

/// Follows every resource of a record through its table. `alone` means that only the actions in the record change the world, as
/// in an isolated world; elsewhere a payer may act unseen.
pub fn transitions<'c>(contracts: &'c Contracts, record: &'c Record, alone: bool) -> Transitions {
    let mut followed = Followed { contracts, record, alone, resources: BTreeMap::new(), out: Transitions::default() };
    for entry in &record.entries {
        match entry {
            RecordEntry::World { action, with, .. } => followed.world(action, with),
            RecordEntry::Exchange(exchange) => followed.exchange(exchange),
        }
    }
    followed.out
}

struct Followed<'c> {
    contracts: &'c Contracts,
    record: &'c Record,
    alone: bool,
    resources: BTreeMap<(String, String), Resource<'c>>,
    out: Transitions,
}

impl<'c> Followed<'c> {
    fn world(&mut self, action: &str, with: &Map<String, Value>) {
        let on = self.contracts.actions.get(action).and_then(|a| a.on.as_ref());
        let subject = on.and_then(|on| on.subject(with)).unwrap_or_default();
        // In a shared world an action may take time, and too little time may have passed.
        let at_once = self.alone && on.is_some();
        let contracts = self.contracts;
        // A resource created by redirect may change before any message has named it.
        let is_known = |name: &String| self.resources.contains_key(&(name.clone(), subject.clone()));
        let unnamed = on.is_some_and(|on| !on.resources.iter().any(is_known));
        for ((name, id), resource) in &mut self.resources {
            let nameless = unnamed && id.starts_with(NAMELESS);
            if on.is_some_and(|on| !on.includes(name) || (subject != *id && !nameless)) {
                continue;
            }
            let Some(table) = contracts.tables.get(name) else { continue };
            let acts = |trigger: &Trigger| matches!(trigger, Trigger::World { actions } if actions.iter().any(|a| a == action));
            if at_once && !nameless {
                resource.step(table, acts);
            } else {
                resource.may_step(table, acts);
            }
        }
    }

    fn exchange(&mut self, exchange: &'c Exchange) {
        let Some(operation) = self.contracts.operation(&exchange.operation) else { return };
        if exchange.direction == Direction::Call {
            self.creation(operation, exchange);
            self.act(operation, exchange);
        }
        self.sighting(operation, exchange);
    }

    fn creation(&mut self, operation: &Operation, exchange: &'c Exchange) {
        let Some(created) = &operation.creates else { return };
        let Some(table) = self.contracts.tables.get(&created.resource) else { return };
        let by_redirect = redirected(operation, exchange);
        if !by_redirect && !operation.accepted(exchange) {
            return;
        }
        // A redirect has no identifier: the resource is recognised once a message shows it.
        let id = if by_redirect { Some(format!("{NAMELESS}{}", exchange.number)) } else { identifier(created, exchange) };
        let Some(id) = id else { return };
        let rows = table.rows.iter().filter(|row| row.from.is_none() && called(&row.trigger, operation, exchange));
        self.resources.insert((created.resource.clone(), id), Resource::created(rows, exchange.request.body.value()));
    }

    /// Assigns its identifier to a resource that was created by redirect.
    fn name(&mut self, resource: &str, id: &str, exchange: &Exchange) {
        let key = (resource.to_owned(), id.to_owned());
        let shown = match exchange.direction {
            Direction::Call => exchange.response_value(),
            Direction::Notification => exchange.request.body.value(),
        };
        if self.resources.contains_key(&key) {
            return;
        }
        let creation = self.record.creation(self.contracts, resource, id, shown);
        let nameless = creation.map(|(creation, _)| (resource.to_owned(), format!("{NAMELESS}{}", creation.number)));
        if let Some(found) = nameless.and_then(|nameless| self.resources.remove(&nameless)) {
            self.resources.insert(key, found);
        }
    }

    fn act(&mut self, operation: &Operation, exchange: &Exchange) {
        let Some(acted) = &operation.acts_on else { return };
        let Some(table) = self.contracts.tables.get(&acted.resource) else { return };
        let Some(id) = identifier(acted, exchange) else { return };
        if let Some(resource) = self.resources.get_mut(&(acted.resource.clone(), id)) {
            let fits = |trigger: &Trigger| called(trigger, operation, exchange);
            if operation.accepted(exchange) {
                resource.step(table, fits);
            } else {
                resource.refused(table, fits);
            }
        }
    }

    fn sighting(&mut self, operation: &Operation, exchange: &Exchange) {
        let Some(shows) = &operation.shows else { return };
        // A refusal shows no state: a field of that name in it is something else, for example an HTTP status.
        if exchange.direction == Direction::Call && !operation.accepted(exchange) {
            return;
        }
        let Some(table) = self.contracts.tables.get(&shows.about.resource) else { return };
        let (Some(id), Some(state)) = (identifier(&shows.about, exchange), shows.state.text(exchange)) else { return };
        self.name(&table.resource, &id, exchange);
        if table.states.get(&state).is_some_and(|state| state.unshown) {
            return;
        }
        let Some(resource) = self.resources.get_mut(&(table.resource.clone(), id.clone())) else { return };
        // A notification may be late and show an earlier state, so it only confirms.
        let confirms_only = exchange.direction == Direction::Notification;
        match resource.see(table, &state, confirms_only, self.alone) {
            StateObservation::Rows(rows) => {
                if !rows.is_empty() {
                    self.out.judgement.held.push(table.undocumented.clone());
                }
                for row in rows {
                    self.out.judgement.held.push(row.clause.clone());
                    self.out.rows.push(format!("{}/{}", table.resource, row.id));
                }
            }
            StateObservation::NotTaken(row) => self.found(operation, exchange, not_taken(exchange, &id, &state, row)),
            StateObservation::NeverWas(now) => {
                let clause = operation.notification.as_ref().and_then(|n| n.agrees_with.as_ref()).map(|rule| rule.clause.as_str());
                let message = format!("a notification says that {id} is {state}, but it is {now} and never was {state}");
                let finding = about(exchange, clause.unwrap_or(&table.undocumented), message).at(Place::body(Message::Notification));
                self.found(operation, exchange, finding.compare(now, state));
            }
            StateObservation::Undocumented(before) => self.found(operation, exchange, undocumented(exchange, table, &id, &before, &state)),
            StateObservation::Possible => {}
        }
    }

    /// Adds a finding about a state; if the documents do not show the field that holds it, the finding is assumed.
    fn found(&mut self, operation: &Operation, exchange: &Exchange, finding: Finding) {
        let field = operation.shows.as_ref().and_then(|shows| match &shows.state {
            RuntimeExpression::ResponseBody(pointer) => Some(Place::value(Message::Response, pointer.as_str())),
            RuntimeExpression::RequestPath(_) | RuntimeExpression::RequestQuery(_) | RuntimeExpression::RequestBody(_) => None,
        });
        let assumed = field.and_then(|place| place_assumed(operation, exchange, &place));
        self.out.judgement.findings.push(Finding { assumed, ..finding });
    }
}

/// Whether a transition's trigger is this call with the code of its response.
fn called(trigger: &Trigger, operation: &Operation, exchange: &Exchange) -> bool {
    let Trigger::Call { operations, codes } = trigger else { return false };
    let fits = if codes.is_empty() {
        operation.accepted(exchange) || redirected(operation, exchange)
    } else {
        operation.code(exchange).is_some_and(|code| codes.contains(&code))
    };
    operations.contains(&operation.id) && fits
}

fn not_taken(exchange: &Exchange, id: &str, state: &str, row: &TransitionRow) -> Finding {
    let to = row.to.clone().unwrap_or_default();
    let why = match &row.trigger {
        Trigger::Call { .. } => "a call responded as if it had become",
        Trigger::World { .. } => "what happened in the world was to make it",
    };
    let place = Place::body(exchange.direction.message());
    let message = format!("{id} is {state}, although {why} {to} (row `{}`)", row.id);
    about(exchange, &row.clause, message).at(place).compare(to, state)
}

fn undocumented(exchange: &Exchange, table: &StateTable, id: &str, before: &str, state: &str) -> Finding {
    let message = format!("{id} went from {before} to {state}, a change that no row of the {} table describes", table.resource);
    about(exchange, &table.undocumented, message)
        .at(Place::body(Message::Response))
        .compare(format!("a documented change from {before}"), state)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, contracts, named, order, push, read, record};
    use super::*;
    use serde_json::json;

    fn seen(state: &str) -> Exchange {
        read(json!({"code": 0, "state": state}))
    }

    fn sent(code: i64) -> Exchange {
        call("shop.send", "N1", Value::Null, json!({ "code": code }))
    }

    fn lost(mut record: Record, at: usize) -> Record {
        let with = Map::from_iter([("number".to_owned(), json!("N1"))]);
        record.entries.insert(at, RecordEntry::World { action: "post.loses".into(), with, response: Value::Null });
        record
    }

    /// Rows taken and clauses of the findings where the world may move unseen.
    fn followed(record: &Record) -> (Vec<String>, Vec<String>) {
        let transitions = transitions(&contracts(), record, false);
        (transitions.rows, named(&transitions.judgement))
    }

    /// Clauses of the findings in a world of its own.
    fn named_alone(record: &Record) -> Vec<String> {
        named(&super::transitions(&contracts(), record, true).judgement)
    }

    #[test]
    fn rows_are_taken_when_the_state_is_seen_after_their_trigger() {
        let record = lost(record([order(), seen("OPEN"), sent(0), seen("SENT"), seen("GONE")]), 4);
        assert_eq!(followed(&record), (vec!["order/made".into(), "order/sent".into(), "order/lost".into()], vec![]));
    }

    #[test]
    fn rows_between_two_sightings_are_all_taken() {
        let record = lost(record([order(), sent(0), seen("GONE")]), 2);
        assert_eq!(followed(&record).0, ["order/made", "order/sent", "order/lost"]);
    }

    #[test]
    fn a_change_that_no_row_describes_is_found() {
        let (_, clauses) = followed(&record([order(), seen("OPEN"), sent(0), seen("SENT"), seen("OPEN")]));
        assert_eq!(clauses, ["shop.states"]);
    }

    #[test]
    fn an_accepted_call_without_effect_is_found() {
        let (rows, clauses) = followed(&record([order(), seen("OPEN"), sent(0), seen("OPEN")]));
        assert_eq!((rows, clauses), (vec!["order/made".to_owned()], vec!["shop.states.sent".to_owned()]));
    }

    #[test]
    fn the_world_may_take_its_time_and_may_move_by_itself() {
        let slow = lost(record([order(), sent(0), seen("SENT"), seen("SENT"), seen("GONE")]), 3);
        assert_eq!(followed(&slow).1, Vec::<String>::new());
        let by_itself = record([order(), sent(0), seen("SENT"), seen("GONE")]);
        assert_eq!(followed(&by_itself), (vec!["order/made".into(), "order/sent".into()], vec![]));
    }

    #[test]
    fn what_a_call_leaves_open_may_take_its_time_elsewhere() {
        let slow = record([order(), sent(0), seen("SENT"), sent(0), seen("SENT"), seen("OPEN")]);
        assert_eq!(followed(&slow).1, Vec::<String>::new());
        assert_eq!(named_alone(&slow), ["shop.states"]);
        let never_seen_before = record([order(), sent(0), sent(0), seen("SENT"), seen("OPEN")]);
        assert_eq!(followed(&never_seen_before).1, Vec::<String>::new());
        let refused_meanwhile = record([order(), sent(0), seen("SENT"), sent(0), sent(9), seen("SENT"), seen("OPEN")]);
        assert_eq!(followed(&refused_meanwhile).1, Vec::<String>::new());
        let twice = record([order(), sent(0), seen("SENT"), sent(0), seen("OPEN"), seen("BURNT")]);
        assert_eq!(followed(&twice).1, ["shop.states"], "once it has shown, nothing is open");
    }

    #[test]
    fn in_a_world_of_its_own_nothing_moves_by_itself() {
        assert_eq!(named_alone(&record([order(), seen("SENT")])), ["shop.states.made"], "it was born in another state");
        assert_eq!(named_alone(&record([order(), seen("OPEN"), sent(0), seen("SENT"), seen("GONE")])), ["shop.states"]);
    }

    #[test]
    fn in_a_world_of_its_own_what_the_world_does_has_happened() {
        let ignored = lost(record([order(), sent(0), seen("SENT"), seen("SENT")]), 3);
        assert_eq!(named_alone(&ignored), ["shop.states.lost"]);
        let unseen = lost(record([order(), sent(0), seen("SENT")]), 2);
        assert_eq!(named_alone(&unseen), ["shop.states.lost"], "although it was never read before");
    }

    #[test]
    fn another_change_than_the_one_that_was_due_is_found_under_its_row() {
        let back = lost(record([order(), sent(0), seen("SENT"), seen("OPEN")]), 3);
        assert_eq!(followed(&back).1, ["shop.states.lost"]);
        let skipped = record([order(), seen("OPEN"), sent(0), seen("GONE")]);
        assert_eq!(named_alone(&skipped), ["shop.states.sent"]);
        assert_eq!(followed(&skipped).1, Vec::<String>::new(), "elsewhere it may have been lost unseen");
    }

    #[test]
    fn where_more_than_one_row_was_due_the_table_is_named() {
        let both = lost(record([order(), seen("OPEN"), sent(0), seen("BURNT")]), 3);
        assert_eq!(named_alone(&both), ["shop.states"]);
        let none = record([order(), seen("OPEN"), seen("BURNT")]);
        assert_eq!(named_alone(&none), ["shop.states"]);
    }

    #[test]
    fn of_two_rows_that_were_due_the_one_that_left_the_state_is_named() {
        let still_open = lost(record([order(), seen("OPEN"), sent(0), seen("OPEN")]), 3);
        assert_eq!(named_alone(&still_open), ["shop.states.sent"]);
    }

    #[test]
    fn of_two_rows_with_one_trigger_the_one_for_fewer_resources_is_named() {
        let red = call("shop.order", "", json!({"size": 3, "colour": "red"}), json!({"code": 0, "number": "N1"}));
        let ignored = lost(record([red, sent(0), seen("SENT"), seen("SENT")]), 3);
        assert_eq!(named_alone(&ignored), ["shop.states.lost-in-red"]);
    }

    #[test]
    fn in_an_isolated_world_a_notification_shows_only_caused_states() {
        let early = record([order(), seen("OPEN"), sent(0), push(json!({"number": "N1", "state": "GONE"}))]);
        assert_eq!(named_alone(&early), ["shop.states.sent"]);
        assert_eq!(followed(&early).1, Vec::<String>::new(), "elsewhere it may have been lost unseen");
        let notified = push(json!({"number": "N1", "state": "SENT"}));
        let late = lost(record([order(), seen("OPEN"), sent(0), notified, seen("GONE")]), 3);
        assert_eq!(named_alone(&late), Vec::<String>::new(), "it was SENT on the way");
    }

    #[test]
    fn a_late_notification_is_no_step_back() {
        let late = push(json!({"number": "N1", "state": "OPEN"}));
        assert_eq!(followed(&record([order(), seen("OPEN"), sent(0), seen("SENT"), late])).1, Vec::<String>::new());
    }

    #[test]
    fn a_notification_that_is_repeated_late_does_not_end_what_is_open() {
        let back = || call("shop.back", "", json!({"number": "N1"}), json!({"code": 0, "note": "thanks"}));
        let notified = |state: &str| push(json!({"number": "N1", "state": state}));
        // What is sent again becomes anything, and was KEPT by the time that it came back.
        let kept = [order(), sent(0), seen("SENT"), sent(0), seen("SENT"), back(), notified("SENT"), notified("KEPT")];
        assert_eq!(followed(&record(kept)).1, Vec::<String>::new());
        let never_open = [order(), sent(0), seen("SENT"), back(), notified("SENT"), notified("KEPT")];
        assert_eq!(followed(&record(never_open)).1, ["shop.push.agrees"]);
    }

    #[test]
    fn a_notification_of_a_state_that_never_was_is_found() {
        let wrong = push(json!({"number": "N1", "state": "OPEN"}));
        assert_eq!(followed(&record([order(), sent(0), seen("SENT"), wrong])).1, Vec::<String>::new(), "it was made as OPEN");
        let gone = lost(record([order(), sent(0), seen("SENT"), seen("GONE"), push(json!({"number": "N1", "state": "BURNT"}))]), 3);
        assert_eq!(followed(&gone).1, ["shop.push.agrees"]);
    }

    #[test]
    fn a_refused_call_takes_no_row() {
        assert_eq!(followed(&record([order(), sent(9), seen("OPEN")])), (vec!["order/made".into()], vec![]));
    }
}
