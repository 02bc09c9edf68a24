//! The content of a bug report: the rule with its sentence, the finding, and the messages.

mod counterpart;
mod place_in_text;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::base::place::{Message, Place};
use crate::base::text::{ROOM_FOR_THE_REST, bounded};
use crate::base::verdict::Finding;
use crate::engine::event::CaseName;
use crate::spec::contract::{Clause, Contracts, Files, api_of};
use crate::wire::exchange::{Body, Direction, Exchange, ExchangeOutcome};
use counterpart::{Counterpart, counterpart};
use place_in_text::place_in_text;

/// The most bytes shown of one body.
pub const MAX_SHOWN_BODY_BYTES: usize = 16 * 1024;

/// Stands for the beginning of a body that is shown from further below.
const BEGINNING: &str = "(the beginning is left out here) …\n";

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
    /// The request and the response, then the value of another message that they are compared with, if there is one; empty if nothing
    /// was sent.
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
        let compared = exchange.and_then(|exchange| counterpart(contracts, finding, exchange, record));
        let messages = exchange.into_iter().flat_map(|exchange| WireMessage::around(exchange, finding.at.as_ref(), finding.got.as_ref()));
        Self {
            rule: contracts.clauses.get(finding.clause()).map(Rule::from_clause),
            case: case.clone(),
            finding: finding.clone(),
            messages: messages.chain(compared.map(WireMessage::from_counterpart)).map(Arc::new).collect(),
            world_closed: world_closed && exchange.is_some(),
            cases: 1,
        }
    }

    /// A hint for readers who want to send the request again.
    pub fn note(&self) -> Option<String> {
        let is_embedded = |request: &Arc<WireMessage>| match &request.start {
            StartLine::Request { url, .. } => url.contains(EMBEDDED_ADDRESS),
            StartLine::Status(_) | StartLine::NoResponse(_) | StartLine::Value { .. } => false,
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

/// A message as it went over the wire, or one value of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireMessage {
    /// `request`, `response`, `notification`, `acknowledgement`; `sent in` or `shown in` for one value.
    pub label: &'static str,
    /// How it begins.
    pub start: StartLine,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body, bounded: its beginning, or the part around the place of the finding.
    pub body: String,
    /// The bytes of `body` at the place of the finding, if it is there.
    pub found_at: Option<Range<usize>>,
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
    /// Nothing but one value: the message is another one than that of the finding.
    Value {
        /// The method of the call that sent or showed it.
        method: String,
        /// The path of the call.
        path: String,
        /// The field.
        field: String,
        /// The value as JSON; none if the message does not have the field.
        value: Option<String>,
    },
}

impl fmt::Display for StartLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { method, url } => write!(f, "{method} {url}"),
            Self::Status(status) => write!(f, "HTTP {status}"),
            Self::NoResponse(detail) => write!(f, "none: {detail}"),
            Self::Value { method, path, field, value: Some(value) } => write!(f, "{method} {path}: {field} = {value}"),
            Self::Value { method, path, field, value: None } => write!(f, "{method} {path}: no {field}"),
        }
    }
}

impl WireMessage {
    /// The request and its response.
    pub fn request_and_response(exchange: &Exchange) -> [Self; 2] {
        Self::around(exchange, None, None)
    }

    /// The request and its response; of a long body the part around the place of a finding. `got` is the value that was found there.
    pub fn around(exchange: &Exchange, at: Option<&Place>, got: Option<&Value>) -> [Self; 2] {
        let [asked, answered] = match exchange.direction {
            Direction::Call => ["request", "response"],
            Direction::Notification => ["notification", "acknowledgement"],
        };
        let place_in = |body: &Body, messages: &[Message]| {
            let at = at.filter(|at| at.message().is_some_and(|message| messages.contains(&message)))?;
            place_in_text(&body.text, at, got)
        };
        let request = &exchange.request;
        let (body, found_at) = shown(&request.body, place_in(&request.body, &[Message::Request, Message::Notification]));
        let start = StartLine::Request { method: request.method.clone(), url: request.url.clone() };
        let request = Self { label: asked, start, headers: request.headers.clone(), body, found_at };
        let outcome = match &exchange.outcome {
            ExchangeOutcome::Response(response) => {
                let (body, found_at) = shown(&response.body, place_in(&response.body, &[Message::Response]));
                Self { label: answered, start: StartLine::Status(response.status), headers: response.headers.clone(), body, found_at }
            }
            ExchangeOutcome::Failed(failure) => Self::without_body(answered, StartLine::NoResponse(failure.detail.clone())),
        };
        [request, outcome]
    }

    /// One value of another message.
    fn from_counterpart(compared: Counterpart) -> Self {
        let Counterpart { label, method, path, field, value } = compared;
        let value = value.map(|value| bounded(&value, MAX_SHOWN_BODY_BYTES));
        Self::without_body(label, StartLine::Value { method, path, field, value })
    }

    fn without_body(label: &'static str, start: StartLine) -> Self {
        Self { label, start, headers: Vec::new(), body: String::new(), found_at: None }
    }

    /// The whole message in HTTP notation.
    pub fn text(&self) -> String {
        self.text_with(&self.body)
    }

    /// The message in HTTP notation for a reader who takes its first `most` bytes: if the place of the finding is further below, the
    /// beginning of the body is left out.
    pub fn text_for(&self, most: usize) -> String {
        let room = most.saturating_sub(self.text_with("").len());
        self.text_with(&reaching(&self.body, self.found_at.as_ref(), room).0)
    }

    fn text_with(&self, body: &str) -> String {
        let mut text = self.start.to_string();
        for (name, value) in &self.headers {
            text.push_str(&format!("\n{name}: {value}"));
        }
        if !body.is_empty() {
            text.push_str("\n\n");
            text.push_str(body);
        }
        text
    }
}

/// A body and the bytes of a place in it, bounded.
fn shown(body: &Body, place: Option<Range<usize>>) -> (String, Option<Range<usize>>) {
    let (text, left_out) = reaching(&body.text, place.as_ref(), MAX_SHOWN_BODY_BYTES);
    let mut text = bounded(&text, MAX_SHOWN_BODY_BYTES);
    if let Some(length) = body.cut_from() {
        text.push_str(&format!("… (of {length} bytes)"));
    }
    let before = if left_out == 0 { 0 } else { BEGINNING.len() };
    let moved = |at: usize| (at + before).saturating_sub(left_out).min(text.len());
    let found_at = place.map(|place| moved(place.start)..moved(place.end));
    (text, found_at)
}

/// The text, if its first `most` bytes have the place in it; else what begins a little before the place. Also the number of bytes that are
/// left out before.
fn reaching<'t>(text: &'t str, place: Option<&Range<usize>>, most: usize) -> (Cow<'t, str>, usize) {
    let Some(place) = place.filter(|place| text.len() > most && reached(place, most) > most.saturating_sub(ROOM_FOR_THE_REST)) else {
        return (Cow::Borrowed(text), 0);
    };
    let near = text.floor_char_boundary(place.start.saturating_sub(most / 4));
    // If there is a whole line before the place, nothing less is shown of one.
    let line = text.get(near..place.start).and_then(|before| before.find('\n')).map_or(near, |end| near + end + 1);
    if line == 0 {
        return (Cow::Borrowed(text), 0);
    }
    (Cow::Owned(format!("{BEGINNING}{}", text.get(line..).unwrap_or_default())), line)
}

/// How far a text has to be shown: to the end of the place, or of as much of it as a reader needs to recognise it.
fn reached(place: &Range<usize>, most: usize) -> usize {
    place.end.min(place.start + most / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source_place::SourcePlace;
    use crate::base::text::first_bytes;
    use crate::wire::exchange::{Coding, Decoded, Request, Response};

    fn evidence(url: &str, file: &str) -> Evidence {
        let mut finding = Finding::new("gateway.refund.sum", "gateway.v1.refund", "too much".to_owned());
        finding.step = Some(SourcePlace::new(file, 9, 5));
        let case = CaseName { api: "gateway".into(), scenario: "a-paid-payment-is-refunded-in-parts".into(), case: "v1.0".into() };
        let start = StartLine::Request { method: "POST".into(), url: url.into() };
        let request = WireMessage::without_body("request", start);
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

    /// A response with this body, and a request.
    fn response(text: String) -> Exchange {
        let decoded = Decoded::decode(Coding::Json, text.as_bytes());
        let body = Body { text, decoded, ..Body::default() };
        let outcome = ExchangeOutcome::Response(Response { status: 200, headers: Vec::new(), body });
        Exchange::unnumbered(Direction::Call, "shop.list", "main", Request::default(), outcome)
    }

    fn items(count: usize, break_after: &str) -> String {
        let items: Vec<_> = (0..count).map(|number| format!("{{\"id\":\"A{number}\"}}")).collect();
        format!("[{}]", items.join(&format!(",{break_after}")))
    }

    #[test]
    fn of_a_long_body_the_part_around_the_place_is_kept() {
        for break_after in ["", "\n"] {
            let exchange = response(items(9_000, break_after));
            let at = Place::value(Message::Response, "/7000/id");
            let [request, response] = WireMessage::around(&exchange, Some(&at), None);
            assert_eq!((request.body.as_str(), request.found_at), ("", None));
            assert_eq!(response.body.get(response.found_at.clone().unwrap()), Some("\"id\":\"A7000\""));
            assert!(response.body.starts_with(BEGINNING) && response.body.ends_with("left out here)"), "{}", response.body);
            assert!(response.body.len() <= MAX_SHOWN_BODY_BYTES, "{}", response.body.len());
            let short = response.text_for(600);
            assert!(short.starts_with("HTTP 200\n\n(the beginning") && first_bytes(&short, 500).contains("A7000"), "{short}");
        }
    }

    #[test]
    fn a_body_is_shown_from_its_beginning_where_the_place_is_near_or_unknown() {
        let exchange = response(items(9_000, "\n"));
        for at in [None, Some(Place::value(Message::Response, "/3/id")), Some(Place::Status), Some(Place::field(Message::Request, "id"))] {
            let [_, response] = WireMessage::around(&exchange, at.as_ref(), None);
            assert!(response.body.starts_with("[{\"id\":\"A0\"}") && response.text_for(600) == response.text(), "{at:?}");
        }
        let whole = Place::value(Message::Response, "/3");
        let [_, response] = WireMessage::around(&response("[1]".to_owned()), Some(&whole), None);
        assert_eq!((response.body.as_str(), response.found_at), ("[1]", None));
    }

    #[test]
    fn a_value_of_another_message_is_one_line() {
        let value = |value: Option<&str>| Counterpart {
            label: "sent in",
            method: "POST".to_owned(),
            path: "/order".to_owned(),
            field: "size".to_owned(),
            value: value.map(str::to_owned),
        };
        let text = |value| WireMessage::from_counterpart(value).text();
        assert_eq!(text(value(Some("3"))), "POST /order: size = 3");
        assert_eq!(text(value(None)), "POST /order: no size");
    }
}
