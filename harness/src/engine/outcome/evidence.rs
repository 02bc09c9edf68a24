//! The content of a bug report: the rule with its sentence, the finding, and the messages.

use std::sync::Arc;

use crate::base::text::bounded;
use crate::base::verdict::Finding;
use crate::engine::event::CaseName;
use crate::spec::contract::{Clause, Contracts};
use crate::wire::exchange::{Body, Direction, Exchange, ExchangeOutcome};

/// The most bytes shown of one body.
pub const MAX_SHOWN_BODY_BYTES: usize = 16 * 1024;

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
            place: clause.place(),
        }
    }

    /// Its API: the beginning of its id.
    pub fn api(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    /// Its place in the documents: `"Refund" of 1-payment-gateway`.
    pub fn source(&self) -> String {
        format!("\"{}\" of {}", self.section, self.document)
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
        let file = self.finding.step.as_deref().and_then(|step| step.split(".yaml").next().filter(|file| file.len() < step.len()));
        let again = file.map(|file| format!("; `paycheck verify {file}.yaml` plays the case in a new one")).unwrap_or_default();
        self.world_closed.then(|| format!("the case had a world of its own, which is closed{again}"))
    }
}

/// A message as it went over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireMessage {
    /// `request`, `response`, `notification`, `acknowledgement`.
    pub label: &'static str,
    /// `POST http://…` or `HTTP 200`.
    pub first: String,
    /// The headers, one a line.
    pub headers: Vec<String>,
    /// The body, bounded.
    pub body: String,
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
            first: format!("{} {}", request.method, request.url),
            headers: lines(&request.headers),
            body: shown(&request.body),
        };
        let outcome = match &exchange.outcome {
            ExchangeOutcome::Response(response) => Self {
                label: answered,
                first: format!("HTTP {}", response.status),
                headers: lines(&response.headers),
                body: shown(&response.body),
            },
            ExchangeOutcome::Failed(failure) => {
                Self { label: answered, first: format!("none: {}", failure.detail), headers: Vec::new(), body: String::new() }
            }
        };
        [request, outcome]
    }

    /// The whole message in HTTP notation.
    pub fn text(&self) -> String {
        let mut text = self.first.clone();
        for header in &self.headers {
            text.push('\n');
            text.push_str(header);
        }
        if !self.body.is_empty() {
            text.push_str("\n\n");
            text.push_str(&self.body);
        }
        text
    }
}

fn lines(headers: &[(String, String)]) -> Vec<String> {
    headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}

fn shown(body: &Body) -> String {
    match body.cut_from() {
        Some(length) => format!("{}… (of {length} bytes)", bounded(&body.text, MAX_SHOWN_BODY_BYTES)),
        None => bounded(&body.text, MAX_SHOWN_BODY_BYTES),
    }
}
