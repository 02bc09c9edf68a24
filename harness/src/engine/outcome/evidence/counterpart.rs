//! The other one of two messages that a finding compares.

use std::sync::Arc;

use serde_json::Value;

use crate::base::pointer;
use crate::base::verdict::Finding;
use crate::judge::record::{Record, RecordEntry, identifier};
use crate::spec::contract::{Contracts, EchoSource, Operation};
use crate::wire::exchange::{Direction, Exchange};
use crate::wire::expression::text_of;

/// A value of another message of the case, which the message of a finding should have too.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counterpart {
    /// How the message has the value: `sent in`, `shown in`.
    pub(super) label: &'static str,
    /// The method of its call.
    pub(super) method: String,
    /// The path of its call.
    pub(super) path: String,
    /// The field.
    pub(super) field: String,
    /// Its value as JSON; none if the message does not have the field.
    pub(super) value: Option<String>,
}

/// Looks up the counterpart of a finding: in the call that created the resource, or in the response that a notification must agree with.
/// None if the finding compares no messages, or if the record lacks the other one. `exchange` is the one of the finding.
pub(super) fn counterpart(contracts: &Contracts, finding: &Finding, exchange: &Exchange, record: &[Arc<Exchange>]) -> Option<Counterpart> {
    let at = finding.at.as_ref()?.pointer()?;
    let known = match exchange.direction {
        Direction::Call => &contracts.operations,
        Direction::Notification => &contracts.notifications,
    };
    let both = TwoMessages { contracts, operation: known.get(&exchange.operation)?, finding, at, exchange, record };
    both.with_creation().or_else(|| both.with_status())
}

/// The message of a finding, and where the other one may be.
struct TwoMessages<'c> {
    contracts: &'c Contracts,
    operation: &'c Operation,
    finding: &'c Finding,
    /// The JSON Pointer to the value.
    at: &'c str,
    exchange: &'c Exchange,
    record: &'c [Arc<Exchange>],
}

impl TwoMessages<'_> {
    /// What the creation sent, if the value must repeat it.
    fn with_creation(&self) -> Option<Counterpart> {
        let clause = self.finding.clause();
        let echo = self.operation.echoes.iter().find(|echo| echo.clause == clause && echo.pointer == self.at)?;
        let EchoSource::Creation(field) = &echo.from else { return None };
        let about = &self.operation.shows.as_ref()?.about;
        let id = identifier(about, self.exchange)?;
        let record = Record { entries: self.record.iter().cloned().map(RecordEntry::Exchange).collect() };
        let (creation, _) = record.creation(self.contracts, &about.resource, &id, self.body())?;
        Some(counterpart_in("sent in", creation, field, creation.request.body.value().and_then(|sent| sent.get(field))))
    }

    /// What the status call shows, if a notification must agree with it.
    fn with_status(&self) -> Option<Counterpart> {
        let rules = self.operation.notification.as_ref()?;
        let rule = rules.agrees_with.as_ref().filter(|rule| rule.clause == self.finding.clause())?;
        let (_, field) = rule.fields.iter().find(|(own, _)| pointer::is_field(self.at, own))?;
        let id = identifier(&self.operation.shows.as_ref()?.about, self.exchange)?;
        let about = &self.contracts.operations.get(&rule.operation)?.shows.as_ref()?.about;
        // The status is asked for once the notification has arrived.
        let is_asked = |call: &&Arc<Exchange>| call.operation == rule.operation && call.number > self.exchange.number;
        let is_other = |call: &&Arc<Exchange>| {
            identifier(about, call).as_ref() == Some(&id) && shown(call, field).and_then(text_of) == self.expected()
        };
        let status = self.record.iter().filter(is_asked).find(is_other)?;
        Some(counterpart_in("shown in", status, field, shown(status, field)))
    }

    /// The body with the value.
    fn body(&self) -> Option<&Value> {
        match self.exchange.direction {
            Direction::Call => self.exchange.response_value(),
            Direction::Notification => self.exchange.request.body.value(),
        }
    }

    /// The value that the other message has.
    fn expected(&self) -> Option<String> {
        self.finding.expected.as_ref().and_then(text_of)
    }
}

fn shown<'e>(call: &'e Exchange, field: &str) -> Option<&'e Value> {
    call.response_value()?.get(field)
}

fn counterpart_in(label: &'static str, exchange: &Exchange, field: &str, value: Option<&Value>) -> Counterpart {
    let (method, path) = (exchange.request.method.clone(), path_of(&exchange.request.url).to_owned());
    Counterpart { label, method, path, field: field.to_owned(), value: value.map(Value::to_string) }
}

/// The path of a URL: the address of the target is in the messages beside it.
fn path_of(url: &str) -> &str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find('/').and_then(|at| after_scheme.get(at..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::place::{Message, Place};
    use crate::judge::check::testing::{contracts, order, push, read, record};

    /// An order, its status, a notification about it, and the status afterwards.
    fn exchanges() -> Vec<Arc<Exchange>> {
        let before = read(json!({ "code": 0, "state": "OPEN", "size": 4, "colour": "red" }));
        let after = read(json!({ "code": 0, "state": "OPEN" }));
        record([order(), before, push(json!({ "number": "N1", "state": "SENT" })), after]).exchanges().map(Arc::clone).collect()
    }

    /// The counterpart of a finding about a field of this exchange: label, method and path, field and value.
    fn of(clause: &str, number: usize, at: Place, expected: &str) -> Option<String> {
        let record = exchanges();
        let finding = Finding::new(clause, "", "").at(at).compare(expected, "other");
        let found = counterpart(&contracts(), &finding, &record[number], &record)?;
        Some(format!("{} {} {}: {} {}", found.label, found.method, found.path, found.field, found.value.as_deref().unwrap_or("-")))
    }

    #[test]
    fn a_value_that_must_repeat_what_was_sent_has_the_creation() {
        let at = |name: &str| Place::field(Message::Response, name);
        assert_eq!(of("shop.read.size", 1, at("size"), "3").as_deref(), Some("sent in GET /order: size 3"));
        assert_eq!(of("shop.read.colour", 1, at("colour"), "").as_deref(), Some("sent in GET /order: colour -"));
        assert_eq!(of("shop.read.call", 1, at("size"), "3"), None, "a finding of another rule at the same place");
        assert_eq!(of("shop.read.size", 1, Place::Status, "3"), None);
    }

    #[test]
    fn a_notification_has_the_status_that_was_asked_for_after_it() {
        let at = |name: &str| Place::field(Message::Notification, name);
        let found = of("shop.push.agrees", 2, at("state"), "OPEN");
        assert_eq!(found.as_deref(), Some("shown in GET /order: state \"OPEN\""));
        assert_eq!(of("shop.push.agrees", 2, at("state"), "GONE"), None, "no response shows it");
        assert_eq!(of("shop.push.agrees", 2, at("number"), "N1"), None);
    }

    #[test]
    fn a_path_has_neither_address_nor_query() {
        for (url, path) in [("https://shop.example:1/a/b?c=/d#e", "/a/b"), ("http://shop", "/"), ("/a", "/a"), ("", "/")] {
            assert_eq!(path_of(url), path, "{url}");
        }
    }
}
