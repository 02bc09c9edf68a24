//! Checks: pure functions from recorded exchanges to findings and proven clauses.
//!
//! A check does no I/O, so the same ones run in `verify`, on every response under load, and on recordings that were mutated on
//! purpose.

mod agreement;
mod assumption;
mod echo;
mod expectation;
mod facts;
mod notification;
mod response;
mod state;
#[cfg(test)]
pub(crate) mod testing;

use crate::base::place::{Message, Place};
use crate::base::pointer;
use crate::base::verdict::Finding;
use crate::spec::contract::Operation;
use crate::wire::exchange::SchemaFault;
use crate::wire::exchange::{Direction, Exchange, curl};

pub use agreement::{agreement, agrees};
pub use assumption::{
    code_assumed, excuse_places, is_shown_there, may_not_be_there, not_there, nothing_there, place_assumed, request_not_shown, shows_there,
    value_not_shown,
};
pub use echo::echo;
pub use expectation::{Compared, code_clause, expectation, field_clause, state_clause};
pub use facts::facts;
pub use notification::{Whose, is_sound_notification, notification, notification_findings};
pub use response::{response, response_findings};
pub use state::{Transitions, transitions};

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The violations.
    pub findings: Vec<Finding>,
    /// The clauses that were judged and passed.
    pub held: Vec<String>,
}

impl Judgement {
    /// A judgement without findings, in which these clauses passed.
    pub fn holds(held: Vec<String>) -> Self {
        Self { findings: Vec::new(), held }
    }

    /// Adds the result of another check.
    pub fn add(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.held.extend(other.held);
    }
}

/// A finding about a notification that we send, with the request that sends it again.
pub(crate) fn about_sent(sent: &Exchange, clause: &str, message: impl Into<String>) -> Finding {
    Finding { curl: Some(curl(sent)), ..about(sent, clause, message) }
}

/// A finding about one exchange, with the request that shows it.
pub(crate) fn about(exchange: &Exchange, clause: &str, message: impl Into<String>) -> Finding {
    let mut finding = Finding::new(clause, exchange.operation.clone(), message);
    // A notification comes from the target: sending it to ourselves would show nothing.
    finding.curl = (exchange.direction == Direction::Call).then(|| curl(exchange));
    finding.exchange = Some(exchange.number);
    finding
}

/// A finding for a keyword of a schema.
fn schema_finding(exchange: &Exchange, operation: &Operation, message: Message, fault: SchemaFault) -> Finding {
    let clause = fault.clause.as_deref().unwrap_or(&operation.clause);
    let words = match fault.keyword.as_str() {
        "required" => format!("`{}` is missing", pointer::split_last(&fault.instance).map_or("", |(_, last)| last)),
        _ => fault.message,
    };
    let mut finding = about(exchange, clause, words).at(Place::value(message, fault.instance)).compare(fault.expected, fault.got);
    finding.contract = Some(fault.contract);
    finding.assumed = fault.assumed;
    finding
}
