//! Runs for tests, built case by case.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::base::place::{Message, Place};
use crate::base::skip::SkipReason;
use crate::base::source_place::SourcePlace;
use crate::base::verdict::{Accepted, Finding, Verdict};
use crate::engine::event::{CaseFinished, CaseName, ClauseOutcome, Event, RowOutcome, RunFinished, RunStarted, Standing};
use crate::engine::outcome::{Collector, Ended, Missing, Outcome, StartLine, Verb, WireMessage};
use crate::spec::contract::{Contracts, Files};
use crate::wire::exchange::{self, Body, Coding, Decoded, Direction, Exchange, Request, Response, TransportFailure, TransportFailureKind};

/// A writer whose disk is full.
pub(super) struct Full;

impl io::Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A finding with everything in it.
pub(super) fn finding(clause: &str) -> Finding {
    let mut finding = Finding::new(clause, "gateway.v1.create", format!("the target does not keep {clause}"));
    finding.contract = Some("schemas/gateway/create-answer.json#/properties/code/const".into());
    finding.step = Some(SourcePlace::new("scenarios/gateway/create.yaml", 12, 5));
    finding.curl =
        Some("curl -i -X POST -u 'shop:[secret main]' --data-raw 'price=10000&curr=CZK' 'http://127.0.0.1:4010/v1.0/create'".into());
    finding.exchange = Some(0);
    finding.at(Place::field(Message::Response, "code")).compare(1100, 0)
}

/// A finding against a rule that is assumed.
pub(super) fn assumed(clause: &str) -> Finding {
    Finding { assumed: Some("the documents do not show the path".into()), ..finding(clause) }
}

/// An accepted finding.
pub(super) fn known(clause: &str) -> Finding {
    let accepted = Accepted { owner: "Jana".into(), reason: "fixed in 4.2".into(), expires: "2026-12-31".into() };
    Finding { known: Some(accepted), ..finding(clause) }
}

/// A call and its response.
pub(super) fn call(number: usize, path: &str, body: &str, response: &str) -> Arc<Exchange> {
    Arc::new(Exchange {
        arrived: 0,
        number,
        direction: Direction::Call,
        operation: "gateway.v1.create".into(),
        identity: "main".into(),
        request: Request {
            method: "POST".into(),
            url: format!("http://127.0.0.1:4010/w/quiet-otter{path}"),
            headers: vec![("content-type".into(), "application/x-www-form-urlencoded".into())],
            body: self::body(body, Coding::Form),
            ..Request::default()
        },
        outcome: exchange::ExchangeOutcome::Response(Response {
            status: 200,
            headers: Vec::new(),
            body: self::body(response, Coding::Json),
        }),
        elapsed: Duration::from_millis(3),
    })
}

/// A push from the target.
pub(super) fn push(number: usize, body: &str) -> Arc<Exchange> {
    let mut exchange = Exchange::clone(&call(number, "/inbox", body, ""));
    exchange.direction = Direction::Notification;
    exchange.operation = "gateway.v1.notification".into();
    Arc::new(exchange)
}

/// A call that got no response.
pub(super) fn unanswered(number: usize) -> Arc<Exchange> {
    let mut exchange = Exchange::clone(&call(number, "/v1.0/status", "", ""));
    exchange.outcome =
        exchange::ExchangeOutcome::Failed(TransportFailure { kind: TransportFailureKind::Timeout, detail: "no response in 30 s".into() });
    Arc::new(exchange)
}

/// The value of another message of a case, with which one is compared.
pub(super) fn value_sent() -> Arc<WireMessage> {
    let (method, path, field) = ("POST".to_owned(), "/v1.0/create".to_owned(), "price".to_owned());
    let start = StartLine::Value { method, path, field, value: Some("10000".to_owned()) };
    Arc::new(WireMessage { label: "sent in", start, headers: Vec::new(), body: String::new(), found_at: None })
}

fn body(text: &str, coding: Coding) -> Body {
    Body { text: text.into(), decoded: Decoded::decode(coding, text.as_bytes()), ..Body::default() }
}

/// Text that breaks out of HTML, XML, Markdown, workflow commands and terminals if it is not escaped.
pub(super) const HOSTILE: &str =
    "</pre></style><script>alert(1)</script>]]>\r\n::error::planted\n```\n# planted [x](http://evil.example) @everybody \u{1b}[2J\u{202e}";

/// A run with every verdict, against a target that sends hostile text.
pub(super) fn everything() -> Run {
    let mut planted = finding("gateway.create.limit").compare(HOSTILE, HOSTILE);
    planted.message = format!("the target says {HOSTILE}");
    run()
        .with_contracts()
        .passed("create", 2)
        .failed("limits", vec![finding("gateway.create.code.0"), assumed("gateway.path")])
        .record(vec![call(0, "/v1.0/create", "price=10000&secret=***main***", "{\"code\":1100}")])
        .failed("hostile", vec![planted])
        .record(vec![call(0, "/v1.0/create?a=1&b=%22", HOSTILE, HOSTILE), unanswered(1), push(2, "transId=1")])
        .failed("accepted", vec![known("gateway.refund.late")])
        .skipped_for("pay", SkipReason::Needs("payer".into()))
        .broken("status", "connection refused")
        .clause("gateway.path", Standing::Passed { times: 2, injected: 0, in_passing: 0 })
        .clause("gateway.refund.late", Standing::Untouched)
        .row("payment/created", 3)
        .row("payment/paid", 1)
        .row("payment/cancelled", 0)
        .row("payment/captured", 1)
}

/// A run without cases.
pub(super) fn run() -> Run {
    Run { planned: None, cases: Vec::new(), finished: RunFinished::default(), standings: BTreeMap::new(), contracts: Arc::default() }
}

/// A run from which events are made.
pub(super) struct Run {
    planned: Option<usize>,
    cases: Vec<CaseFinished>,
    finished: RunFinished,
    standings: BTreeMap<String, Standing>,
    contracts: Arc<Contracts>,
}

const CLAUSES: &str = "
document: 1-payment-gateway
clauses:
  gateway.create.code.0: { section: Errors, line: 275, says: 'Code 0 of create: OK.' }
  gateway.create.limit: { section: Limits, says: A price of 1 and above is taken. }
  gateway.path: { section: Paths, says: The paths are these. }
  gateway.refund.late: { section: Refunds, says: A refund may be late. }
  gateway.payment.states: { section: States, says: There are these states. }
";

const STATES: &str = "
resource: payment
document: 1-payment-gateway
section: States
states: { PENDING: { initial: true }, PAID: {}, CANCELLED: { final: true }, UNREACHED: {} }
undocumented: gateway.payment.states
rows:
  - { id: created, clause: gateway.payment.states, trigger: { call: [gateway.v1.create], code: [0] }, to: PENDING }
  - { id: paid, clause: gateway.payment.states, from: PENDING, trigger: { world: [payer.pays] }, to: PAID }
  - { id: cancelled, clause: gateway.payment.states, from: PENDING, trigger: { world: [payer.cancels] }, to: CANCELLED }
  - { id: refunded, clause: gateway.payment.states, from: PAID, trigger: { call: [gateway.v1.refund], code: [0] }, to: PAID }
  - { id: returned, clause: gateway.payment.states, from: PAID, trigger: { world: [payer.returns] }, to: PENDING }
  - { id: captured, clause: gateway.payment.states, from: PAID, trigger: { call: [gateway.v1.capture] }, to: any }
";

fn contracts() -> Contracts {
    let files = Files::from_texts([("clauses/gateway.yaml", CLAUSES), ("states/payment.yaml", STATES)]);
    Contracts::read(&files).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

impl Run {
    /// Cases that passed.
    pub(super) fn passed(mut self, scenario: &str, cases: usize) -> Self {
        for case in 1..=cases {
            self.finished.counts.passed += 1;
            self = self.case(scenario, &format!("case-{case}"), Verdict::Passed);
        }
        self
    }

    /// A case with findings.
    pub(super) fn failed(mut self, scenario: &str, findings: Vec<Finding>) -> Self {
        self.finished.counts.failed += 1;
        for finding in findings.iter().filter(|f| f.counts()) {
            self = self.clause(finding.clause(), Standing::Failed { times: 1 });
        }
        self.case(scenario, "", Verdict::Failed { findings })
    }

    /// A case that did not run.
    pub(super) fn skipped(self, scenario: &str, reason: &str) -> Self {
        self.skipped_for(scenario, SkipReason::Other(reason.to_owned()))
    }

    pub(super) fn skipped_for(mut self, scenario: &str, reason: SkipReason) -> Self {
        self.finished.counts.skipped += 1;
        self.case(scenario, "", Verdict::Skipped { reason })
    }

    /// A case that could not be judged.
    pub(super) fn broken(mut self, scenario: &str, reason: &str) -> Self {
        self.finished.counts.not_judged += 1;
        self.case(scenario, "", Verdict::NotJudged { reason: reason.into() })
    }

    /// The record of the last case.
    pub(super) fn record(mut self, record: Vec<Arc<Exchange>>) -> Self {
        if let Some(last) = self.cases.last_mut() {
            last.record = record;
        }
        self
    }

    /// Sets the standing of a clause.
    pub(super) fn clause(mut self, id: &str, standing: Standing) -> Self {
        self.standings.insert(id.into(), standing);
        self
    }

    /// A row of a transition table.
    pub(super) fn row(mut self, row: &str, times: usize) -> Self {
        self.finished.rows.push(RowOutcome { row: row.into(), times });
        self
    }

    /// Adds the contracts that findings and standings name.
    pub(super) fn with_contracts(mut self) -> Self {
        self.contracts = Arc::new(contracts());
        self
    }

    /// Adds the contracts in the binary.
    pub(super) fn with_shipped_contracts(mut self) -> Self {
        self.contracts = Contracts::shipped();
        self
    }

    /// The clauses of the contracts.
    pub(super) fn clauses(&self) -> impl Iterator<Item = &str> {
        self.contracts.clauses.keys().map(String::as_str)
    }

    /// Adds a reason why the run proves less.
    pub(super) fn inconclusive(mut self, missing: Missing) -> Self {
        self.finished.inconclusive.push(missing);
        self
    }

    /// Sets the number of planned cases.
    pub(super) fn planned(mut self, cases: usize) -> Self {
        self.planned = Some(cases);
        self
    }

    fn case(mut self, scenario: &str, case: &str, verdict: Verdict) -> Self {
        self.cases.push(CaseFinished {
            name: CaseName { api: "gateway".into(), scenario: scenario.into(), case: case.into() },
            title: format!("About {scenario}"),
            verdict,
            held: vec!["gateway.create.code.0".into()],
            about: Vec::new(),
            rows: vec!["payment/pending".into()],
            record: Vec::new(),
            entries: Vec::new(),
            as_unknown_path: std::collections::BTreeSet::new(),
            unless_there: Vec::new(),
            elapsed: Duration::from_millis(12),
        });
        self
    }

    /// The outcome.
    pub(super) fn outcome(&self) -> Outcome {
        let mut collector = Collector::new(Verb::Verify);
        self.events().iter().for_each(|event| collector.collect(event));
        collector.outcome(Ended::Completed)
    }

    /// The events, in order.
    pub(super) fn events(&self) -> Vec<Event> {
        let started = RunStarted {
            target: "emulator".into(),
            seed: 7,
            cases: self.planned.unwrap_or(self.cases.len()),
            scenarios: 3,
            judged: Box::default(),
            contracts: Arc::clone(&self.contracts),
        };
        let finished = RunFinished {
            clauses: self.standings.iter().map(|(id, standing)| ClauseOutcome { id: id.clone(), standing: standing.clone() }).collect(),
            requests: self.cases.len() * 4,
            notifications: self.cases.len(),
            elapsed: Duration::from_millis(3_420),
            ..self.finished.clone()
        };
        let cases = self.cases.iter().cloned().map(|case| Event::CaseFinished(Arc::new(case)));
        std::iter::once(Event::RunStarted(started)).chain(cases).chain([Event::RunFinished(Arc::new(finished))]).collect()
    }
}
