//! The content of a bug report: the rule with its sentence, the finding, and the messages.

use std::fmt;
use std::sync::Arc;

use crate::base::text::bounded;
use crate::base::verdict::Finding;
use crate::engine::event::CaseName;
use crate::spec::contract::{Clause, Contracts, Files, api_of};
use crate::wire::exchange::{Body, Direction, Exchange, ExchangeOutcome};

/// The most bytes shown of one body.
pub const MAX_SHOWN_BODY_BYTES: usize = 16 * 1024;

/// Stands in records for the address of an emulator that ends with the command.
pub const EMBEDDED_ADDRESS: &str = "http://emulator";

/// A rule of the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// The rule in one sentence.
    pub says: String,
    /// Its document.
    pub document: String,
    /// The section of that document.
    pub section: String,
    /// The line of that document.
    pub line: Option<usize>,
    /// The place in the contracts: `clauses/gateway.yaml:12`.
    pub place: String,
}

impl Rule {
    /// The rule of a clause.
    pub fn from_clause(clause: &Clause) -> Self {
        Self {
            id: clause.id.clone(),
            says: clause.says.clone(),
            document: clause.document.clone(),
            section: clause.section.clone(),
            line: clause.line,
            place: clause.place(),
        }
    }

    /// Its API: the beginning of its id.
    pub fn api(&self) -> &str {
        api_of(&self.id)
    }

    /// Its place in the documents: `"Refund", line 275 of 1-payment-gateway`.
    pub fn source(&self) -> String {
        let line = self.line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("\"{}\"{line} of {}", self.section, self.document)
    }
}

/// The first finding of a cause, with everything that a report needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The rule that is broken; none for an expectation of a scenario.
    pub rule: Option<Rule>,
    /// The case that shows it.
    pub case: CaseName,
    /// The finding.
    pub finding: Finding,
    /// The request and the response; empty if nothing was sent.
    pub messages: Vec<Arc<WireMessage>>,
    /// Whether the case had a world of its own, which is closed.
    pub world_closed: bool,
    /// Cases that show the same.
    pub cases: usize,
}

impl Evidence {
    /// The evidence of a finding of a case that recorded these exchanges.
    pub fn new(contracts: &Contracts, case: &CaseName, finding: &Finding, record: &[Arc<Exchange>], world_closed: bool) -> Self {
        let exchange = finding.exchange.and_then(|number| record.iter().find(|exchange| exchange.number == number));
        Self {
            rule: contracts.clauses.get(finding.clause()).map(Rule::from_clause),
            case: case.clone(),
            finding: finding.clone(),
            messages: exchange.map(|exchange| WireMessage::request_and_response(exchange).map(Arc::new).into()).unwrap_or_default(),
            world_closed: world_closed && exchange.is_some(),
            cases: 1,
        }
    }

    /// A hint for readers who want to send the request again.
    pub fn note(&self) -> Option<String> {
        let is_embedded = |request: &Arc<WireMessage>| match &request.start {
            StartLine::Request { url, .. } => url.contains(EMBEDDED_ADDRESS),
            StartLine::Status(_) | StartLine::NoResponse(_) => false,
        };
        let embedded = self.messages.first().is_some_and(is_embedded);
        let (gone, again) = match embedded {
            true => ("the emulator ended with the run, and the world of the case with it", "plays the case again"),
            false => ("the case had a world of its own, which is closed", "with the same target plays the case in a new one"),
        };
        let command = self.command().map(|command| format!("; `{command}` {again}")).unwrap_or_default();
        self.world_closed.then(|| format!("{gone}{command}"))
    }

    /// The command that plays the scenario again.
    fn command(&self) -> Option<String> {
        let file = self.finding.step.as_ref()?.file();
        if !file.ends_with(".yaml") {
            return None;
        }
        let CaseName { api, scenario, .. } = &self.case;
        Some(if Files::is_shipped_scenario(file) {
            format!("paycheck verify --filter '{api} / {scenario}'")
        } else {
            format!("paycheck verify {file}")
        })
    }
}

/// A message as it went over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireMessage {
    /// `request`, `response`, `notification`, `acknowledgement`.
    pub label: &'static str,
    /// How it begins.
    pub start: StartLine,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body, bounded.
    pub body: String,
}

/// How a message begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartLine {
    /// A request.
    Request {
        /// The method.
        method: String,
        /// The URL.
        url: String,
    },
    /// A response and its HTTP status.
    Status(u16),
    /// No complete response, and why.
    NoResponse(String),
}

impl fmt::Display for StartLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { method, url } => write!(f, "{method} {url}"),
            Self::Status(status) => write!(f, "HTTP {status}"),
            Self::NoResponse(detail) => write!(f, "none: {detail}"),
        }
    }
}

impl WireMessage {
    /// The request and its response.
    pub fn request_and_response(exchange: &Exchange) -> [Self; 2] {
        let [asked, answered] = match exchange.direction {
            Direction::Call => ["request", "response"],
            Direction::Notification => ["notification", "acknowledgement"],
        };
        let request = &exchange.request;
        let request = Self {
            label: asked,
            start: StartLine::Request { method: request.method.clone(), url: request.url.clone() },
            headers: request.headers.clone(),
            body: shown(&request.body),
        };
        let outcome = match &exchange.outcome {
            ExchangeOutcome::Response(response) => Self {
                label: answered,
                start: StartLine::Status(response.status),
                headers: response.headers.clone(),
                body: shown(&response.body),
            },
            ExchangeOutcome::Failed(failure) => {
                Self { label: answered, start: StartLine::NoResponse(failure.detail.clone()), headers: Vec::new(), body: String::new() }
            }
        };
        [request, outcome]
    }

    /// The whole message in HTTP notation.
    pub fn text(&self) -> String {
        let mut text = self.start.to_string();
        for (name, value) in &self.headers {
            text.push_str(&format!("\n{name}: {value}"));
        }
        if !self.body.is_empty() {
            text.push_str("\n\n");
            text.push_str(&self.body);
        }
        text
    }
}

fn shown(body: &Body) -> String {
    match body.cut_from() {
        Some(length) => format!("{}… (of {length} bytes)", bounded(&body.text, MAX_SHOWN_BODY_BYTES)),
        None => bounded(&body.text, MAX_SHOWN_BODY_BYTES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source_place::SourcePlace;

    fn evidence(url: &str, file: &str) -> Evidence {
        let mut finding = Finding::new("gateway.refund.sum", "gateway.v1.refund", "too much".to_owned());
        finding.step = Some(SourcePlace::new(file, 9, 5));
        let case = CaseName { api: "gateway".into(), scenario: "a-paid-payment-is-refunded-in-parts".into(), case: "v1.0".into() };
        let start = StartLine::Request { method: "POST".into(), url: url.into() };
        let request = WireMessage { label: "request", start, headers: Vec::new(), body: String::new() };
        Evidence { rule: None, case, finding, messages: vec![Arc::new(request)], world_closed: true, cases: 1 }
    }

    #[test]
    fn a_closed_world_is_opened_again_by_a_command_that_works_anywhere() {
        let shipped = "scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml";
        let notes = [("http://emulator/w/1", shipped), ("http://127.0.0.1/w/1", shipped), ("http://emulator/w/1", "mine/x.yaml")];
        let notes = notes.map(|(url, step)| evidence(url, step).note().unwrap_or_default());
        insta::assert_snapshot!(notes.join("\n"), @r"
        the emulator ended with the run, and the world of the case with it; `paycheck verify --filter 'gateway / a-paid-payment-is-refunded-in-parts'` plays the case again
        the case had a world of its own, which is closed; `paycheck verify --filter 'gateway / a-paid-payment-is-refunded-in-parts'` with the same target plays the case in a new one
        the emulator ended with the run, and the world of the case with it; `paycheck verify mine/x.yaml` plays the case again
        ");
    }
}
