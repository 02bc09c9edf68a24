//! One case on both sides: every difference, and its standing.

use std::sync::Arc;

use serde_json::Value;

use super::align::{Alignment, align};
use super::diff::changes;
use super::freedom::{self, Opinion};
use super::model::{ComparedSide, DifferenceKind, DifferenceStanding};
use super::place;
use super::rename::Renames;
use super::run::PlayedCase;
use super::sighting::Sighting;
use crate::base::place::{Message, Place};
use crate::base::text::excerpt;
use crate::base::verdict::{Finding, Verdict};
use crate::spec::contract::{Authorization, Content, Contracts, Operation};
use crate::wire::exchange::{Body, Decoded, Direction, Exchange, ExchangeOutcome, Response};

/// All differences between the two sides of a case.
pub(super) fn differences(contracts: &Contracts, a: &PlayedCase, b: &PlayedCase) -> Vec<Sighting> {
    let of = |played: &PlayedCase, direction: Direction| aligned_part(&played.record, direction);
    let calls_of = (of(a, Direction::Call), of(b, Direction::Call));
    let pushes_of = (of(a, Direction::Notification), of(b, Direction::Notification));
    let calls = align(contracts, &refs(&calls_of.0), &refs(&calls_of.1));
    let pushes = align(contracts, &refs(&pushes_of.0), &refs(&pushes_of.1));
    let pairs: Vec<_> = calls.pairs.iter().chain(&pushes.pairs).copied().collect();
    let judge = Judge { contracts, renames: Renames::learn(contracts, &pairs), seen: Vec::new() };
    let breaks = breaks(contracts, a, b);
    let ended_early = |side| breaks.iter().any(|found| found.broken_by == Some(side));
    judge.differences(&calls, &pushes, [ended_early(ComparedSide::A), ended_early(ComparedSide::B)], breaks)
}

fn aligned_part(record: &[Arc<Exchange>], direction: Direction) -> Vec<Arc<Exchange>> {
    record.iter().filter(|exchange| exchange.direction == direction).map(Arc::clone).collect()
}

fn refs(exchanges: &[Arc<Exchange>]) -> Vec<&Exchange> {
    exchanges.iter().map(Arc::as_ref).collect()
}

struct Judge<'j> {
    contracts: &'j Contracts,
    renames: Renames,
    seen: Vec<Sighting>,
}

impl Judge<'_> {
    /// Collects all differences, breaks first; a difference at the place of a break belongs to the break.
    fn differences(
        mut self,
        calls: &Alignment<'_>,
        pushes: &Alignment<'_>,
        ended_early: [bool; 2],
        mut breaks: Vec<Sighting>,
    ) -> Vec<Sighting> {
        calls.pairs.iter().for_each(|(a, b)| self.responses(a, b));
        pushes.pairs.iter().for_each(|(a, b)| self.notifications(a, b));
        let [a_ended, b_ended] = ended_early;
        // A request that one side never got, because it had broken a rule before, is no difference of its own.
        for (side, alone, cut) in [(ComparedSide::A, &calls.only_a, b_ended), (ComparedSide::B, &calls.only_b, a_ended)] {
            let notified_again = !(if side == ComparedSide::A { &pushes.only_a } else { &pushes.only_b }).is_empty();
            alone.iter().filter(|_| !cut).for_each(|exchange| self.call_alone(side, exchange, calls, notified_again));
        }
        for (side, alone, cut) in [(ComparedSide::A, &pushes.only_a, b_ended), (ComparedSide::B, &pushes.only_b, a_ended)] {
            alone.iter().for_each(|exchange| self.push_alone(side, exchange, pushes, cut));
        }
        let mut left = Vec::new();
        for seen in self.seen {
            match breaks.iter_mut().find(|found| found.operation == seen.operation && found.touches(&seen)) {
                Some(found) => found.show(seen),
                None => left.push(seen),
            }
        }
        breaks.extend(left);
        breaks
    }

    fn responses(&mut self, a: &Exchange, b: &Exchange) {
        let Some(operation) = self.contracts.operation(&a.operation) else { return };
        match (&a.outcome, &b.outcome) {
            (ExchangeOutcome::Failed(_), ExchangeOutcome::Failed(_)) => {}
            (ExchangeOutcome::Response(of_a), ExchangeOutcome::Response(of_b)) => self.both_responded(operation, (a, of_a), (b, of_b)),
            (ExchangeOutcome::Response(response), ExchangeOutcome::Failed(failure)) => {
                let values = (response.status.into(), failure.detail.as_str().into());
                self.note(
                    operation,
                    Place::Whole(Message::Response),
                    DifferenceKind::Exchange,
                    values,
                    (DifferenceStanding::Changed, "only A responded"),
                );
            }
            (ExchangeOutcome::Failed(failure), ExchangeOutcome::Response(response)) => {
                let values = (failure.detail.as_str().into(), response.status.into());
                self.note(
                    operation,
                    Place::Whole(Message::Response),
                    DifferenceKind::Exchange,
                    values,
                    (DifferenceStanding::Changed, "only B responded"),
                );
            }
        }
    }

    fn both_responded(&mut self, operation: &Operation, (a, of_a): (&Exchange, &Response), (b, of_b): (&Exchange, &Response)) {
        if operation.accepted(a) != operation.accepted(b) {
            let field = operation.success.field();
            let at = field.map_or(Place::Status, |field| Place::field(Message::Response, field));
            let outcome = |exchange: &Exchange, response: &Response| {
                let code = operation.code(exchange).map(|code| operation.success.code_value(&code));
                code.unwrap_or_else(|| format!("HTTP {}", response.status).into())
            };
            let values = (outcome(a, of_a), outcome(b, of_b));
            return self.note(
                operation,
                at,
                DifferenceKind::Acceptance,
                values,
                (DifferenceStanding::Changed, "one side accepts the call, the other refuses it"),
            );
        }
        if of_a.status != of_b.status {
            let opinion = freedom::of_status(operation, of_a.status, of_b.status);
            self.note(operation, Place::Status, DifferenceKind::Status, (of_a.status.into(), of_b.status.into()), opinion);
        }
        self.headers(operation, of_a, of_b);
        let content = operation.judged_content(a).or_else(|| operation.judged_content(b)).cloned();
        self.bodies(operation, Message::Response, content.as_ref(), &of_a.body, &of_b.body);
    }

    fn notifications(&mut self, a: &Exchange, b: &Exchange) {
        let Some(operation) = self.contracts.operation(&a.operation) else { return };
        self.bodies(operation, Message::Notification, operation.request.as_ref(), &a.request.body, &b.request.body);
    }

    /// Compares all headers; the documents leave them to the target, but for the media type and the location of a redirect.
    fn headers(&mut self, operation: &Operation, a: &Response, b: &Response) {
        let names = a.headers.iter().chain(&b.headers).map(|(name, _)| name.as_str()).collect::<indexmap::IndexSet<_>>();
        for name in names {
            let all = |response: &Response| {
                response.headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.clone()).collect::<Vec<_>>().join(", ")
            };
            let (of_a, of_b) = (all(a), all(b));
            if !self.renames.same_text(&of_a, &of_b) {
                let values = (of_a.into(), of_b.into());
                self.note(
                    operation,
                    Place::header(Message::Response, name),
                    DifferenceKind::Header,
                    values,
                    (DifferenceStanding::Freedom, "headers"),
                );
            }
        }
    }

    fn bodies(&mut self, operation: &Operation, message: Message, content: Option<&Content>, a: &Body, b: &Body) {
        match (&a.decoded, &b.decoded) {
            (Decoded::Value(of_a, _), Decoded::Value(of_b, _)) => self.values(operation, message, content, of_a, of_b),
            (Decoded::Empty, Decoded::Empty) => {}
            _ if self.renames.same_text(&a.text, &b.text) => {}
            _ => {
                let is_page = content.is_none_or(Content::is_any) || (a.value().is_none() && b.value().is_none());
                let opinion: Opinion = if is_page {
                    (DifferenceStanding::Freedom, "pages for people")
                } else {
                    (DifferenceStanding::Changed, "the bodies are written otherwise")
                };
                let shown = |body: &Body| Value::String(excerpt(&body.text, EXCERPT));
                self.note(operation, Place::body(message), DifferenceKind::Body, (shown(a), shown(b)), opinion);
            }
        }
    }

    fn values(&mut self, operation: &Operation, message: Message, content: Option<&Content>, a: &Value, b: &Value) {
        for change in changes(a, b, &self.renames) {
            let Some((standing, why)) = freedom::of_change(operation, content, &change, &self.renames) else { continue };
            let at = if change.pointer.is_empty() { Place::body(message) } else { Place::value(message, change.pointer.as_str()) };
            let clause = content.and_then(|content| content.schema.clause_at(&change.pointer));
            self.seen.push(Sighting {
                standing,
                operation: operation.id.clone(),
                at: Some(at.general()),
                kind: change.kind,
                broken_by: None,
                clauses: clause.into_iter().collect(),
                why: why.to_owned(),
                known: None,
                step: None,
                a: change.a.map(short),
                b: change.b.map(short),
            });
        }
    }

    /// A call that only one side received.
    fn call_alone(&mut self, side: ComparedSide, exchange: &Exchange, calls: &Alignment<'_>, notified_again: bool) {
        let Some(operation) = self.contracts.operation(&exchange.operation) else { return };
        let asked_elsewhere = calls.pairs.iter().any(|(a, _)| a.operation == exchange.operation);
        let tokens = self.contracts.operations.values().filter_map(|o| match &o.credentials.header {
            Authorization::Bearer(token) => Some(&token.operation),
            Authorization::None | Authorization::Basic { .. } => None,
        });
        let mut confirms = self.contracts.notifications.values().filter_map(|o| o.notification.as_ref()?.agrees_with.as_ref());
        let opinion = if !operation.pending.is_empty() && asked_elsewhere {
            (DifferenceStanding::Freedom, "polls")
        } else if tokens.into_iter().any(|token| *token == operation.id) {
            (DifferenceStanding::Freedom, "tokens that were asked for")
        } else if notified_again && confirms.any(|rule| rule.operation == operation.id) {
            (DifferenceStanding::Freedom, "calls that confirm a notification")
        } else {
            (DifferenceStanding::Changed, "only one side was asked this")
        };
        self.alone(side, operation, Place::Call, exchange.response().map(|response| response.status.into()), opinion);
    }

    /// A notification that only one side sent.
    fn push_alone(&mut self, side: ComparedSide, exchange: &Exchange, pushes: &Alignment<'_>, cut: bool) {
        let Some(operation) = self.contracts.operation(&exchange.operation) else { return };
        let delivered_before = |(a, b): &(&Exchange, &Exchange)| {
            let other = if side == ComparedSide::A { a } else { b };
            other.operation == exchange.operation && other.request.body.value() == exchange.request.body.value()
        };
        let opinion = if pushes.pairs.iter().any(delivered_before) {
            (DifferenceStanding::Freedom, "notifications that were delivered again")
        } else if cut {
            return;
        } else {
            (DifferenceStanding::Changed, "only one side sent this notification")
        };
        self.alone(side, operation, Place::Whole(Message::Notification), exchange.request.body.value().map(short), opinion);
    }

    fn alone(&mut self, side: ComparedSide, operation: &Operation, at: Place, value: Option<Value>, opinion: Opinion) {
        let value = value.unwrap_or(Value::Null);
        let (a, b) = if side == ComparedSide::A { (Some(value), None) } else { (None, Some(value)) };
        self.push(operation, at, DifferenceKind::Exchange, (a, b), opinion);
    }

    fn note(&mut self, operation: &Operation, at: Place, kind: DifferenceKind, (a, b): (Value, Value), opinion: Opinion) {
        self.push(operation, at, kind, (Some(a), Some(b)), opinion);
    }

    fn push(
        &mut self,
        operation: &Operation,
        at: Place,
        kind: DifferenceKind,
        (a, b): (Option<Value>, Option<Value>),
        (standing, why): Opinion,
    ) {
        self.seen.push(Sighting {
            standing,
            operation: operation.id.clone(),
            at: Some(at),
            kind,
            broken_by: None,
            clauses: Vec::new(),
            why: why.to_owned(),
            known: None,
            step: None,
            a,
            b,
        });
    }
}

/// The rules that one side breaks and the other follows.
fn breaks(contracts: &Contracts, a: &PlayedCase, b: &PlayedCase) -> Vec<Sighting> {
    let cause = |finding: &Finding| (finding.operation.clone(), at(contracts, finding), finding.clause().to_owned());
    let mut found = Vec::new();
    for (side, of, other) in [(ComparedSide::A, a, b), (ComparedSide::B, b, a)] {
        let elsewhere: Vec<_> = findings(other).map(cause).collect();
        let own = findings(of).filter(|finding| !elsewhere.contains(&cause(finding)));
        found.extend(own.map(|finding| broken(contracts, side, finding)));
    }
    found
}

/// The findings that count; an assumed rule is no rule of the documents.
fn findings(played: &PlayedCase) -> impl Iterator<Item = &Finding> {
    let all = match &played.verdict {
        Verdict::Failed { findings } => findings.as_slice(),
        Verdict::Passed | Verdict::Skipped { .. } | Verdict::NotJudged { .. } => &[],
    };
    all.iter().filter(|finding| finding.assumed.is_none())
}

fn at(contracts: &Contracts, finding: &Finding) -> Option<Place> {
    place::of_finding(contracts.operation(&finding.operation), finding)
}

fn broken(contracts: &Contracts, side: ComparedSide, finding: &Finding) -> Sighting {
    let got = finding.got.as_ref().map(short);
    let (a, b) = if side == ComparedSide::A { (got, None) } else { (None, got) };
    Sighting {
        standing: if finding.known.is_some() { DifferenceStanding::Known } else { DifferenceStanding::Break },
        operation: finding.operation.clone(),
        at: at(contracts, finding),
        kind: DifferenceKind::Finding,
        broken_by: Some(side),
        clauses: finding.clauses.clone(),
        why: finding.message.clone(),
        known: finding.known.clone(),
        step: finding.step.clone(),
        a,
        b,
    }
}

/// The most characters of a text that an example shows.
const EXCERPT: usize = 200;

/// A value that is not too long for an example.
fn short(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(excerpt(text, EXCERPT)),
        Value::Array(items) if value.to_string().len() > EXCERPT => Value::String(format!("a list of {}", items.len())),
        Value::Object(fields) if value.to_string().len() > EXCERPT => Value::String(format!("an object with {} fields", fields.len())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    }
}
