//! The `call` step: prepares the request, sends it, judges the response and keeps values for later steps.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::link::header;
use super::prepare::text;
use super::session::{Session, Stop, narrowed};
use crate::base::place::{Message, Place};
use crate::base::pointer;
use crate::base::skip::SkipReason;
use crate::base::verdict::Finding;
use crate::engine::request::{PreparedRequest, RequestContent};
use crate::judge::check::{self, Compared};
use crate::spec::contract::{Contracts, Operation, Success};
use crate::spec::scenario::{Call, Given, HttpExpectation, Kept, Matcher, Step, Template};
use crate::spec::target::{MAIN, Target};
use crate::wire::exchange::{Exchange, NotKept, Response, TransportFailureKind};

impl Session<'_> {
    /// Runs a call step.
    pub(super) async fn call(&mut self, step: &Step, call: &Call) -> Result<(), Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        let name = text(&call.operation, &self.variables)?;
        let operation = contracts.operations.get(&name).ok_or_else(|| Stop::NotJudged(format!("there is no operation `{name}`")))?;
        self.check_link(operation, call, step)?;
        let mut request = self.prepare(operation, call, step.place.as_str())?;
        self.moved = std::time::Instant::now();
        if let Some(twin) = &call.twin {
            return self.call_twice(operation, &mut request, (call, twin), step).await;
        }
        let exchange = if call.until.is_empty() {
            let exchange = self.send(operation, &mut request, step).await?;
            match self.is_refused_as_busy(operation, call, &exchange, step)? {
                true => self.send_when_free(operation, &mut request, exchange, (call, step)).await?,
                false => exchange,
            }
        } else {
            self.poll(operation, &mut request, call, step).await?
        };
        self.conclude(operation, call, &exchange, step).await
    }

    /// Judges what a step expects of a response, and keeps values of it.
    pub(super) async fn conclude(&mut self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<(), Stop> {
        if let Some(why) = self.ended_meanwhile(operation, call, exchange, step).await? {
            return Err(Stop::NotJudged(why));
        }
        self.judge_expectations(operation, call, exchange, step)?;
        self.keep(operation, call, exchange, step)
    }

    /// Sends one request and judges the response by the checks that are always on.
    pub(super) async fn send(&mut self, operation: &Operation, request: &mut PreparedRequest, step: &Step) -> Result<Arc<Exchange>, Stop> {
        self.check_responds(operation)?;
        self.authorize(operation, request, step).await?;
        let exchange = self.exchange(operation, request).await;
        self.received(operation, request, exchange, step).await
    }

    /// Records a response and judges it by the checks that are always on.
    pub(super) async fn received(
        &mut self,
        operation: &Operation,
        request: &PreparedRequest,
        exchange: Arc<Exchange>,
        step: &Step,
    ) -> Result<Arc<Exchange>, Stop> {
        let exchange = self.keep_exchange(exchange);
        let exchange = self.send_within_limit(operation, request, exchange, step).await?;
        if !operation.pending.is_empty() && operation.accepted(&exchange) && !is_pending(operation, &exchange) {
            self.context.left.note_final();
        }
        // No document describes the response to another method.
        if request.content().method.is_none() {
            if self.is_as_at_unknown_path(operation, request, &exchange, step).await {
                self.as_unknown_path.insert(exchange.number);
            }
            self.judge_call(operation, &exchange, step)?;
        }
        Ok(exchange)
    }

    /// Skips an operation that has never responded: each further call would only cost time. Under load every call counts.
    pub(super) fn check_responds(&self, operation: &Operation) -> Result<(), Stop> {
        let is_called = self.environment.player.is_none() && self.context.observer.is_none();
        let given_up = is_called.then(|| self.context.responsiveness.given_up_operation(&operation.id)).flatten();
        given_up.map_or(Ok(()), |reason| Err(Stop::Skipped(SkipReason::Other(reason))))
    }

    /// Repeats the call while its response is pending.
    async fn poll(
        &mut self,
        operation: &Operation,
        request: &mut PreparedRequest,
        call: &Call,
        step: &Step,
    ) -> Result<Arc<Exchange>, Stop> {
        let deadline = Instant::now() + call.within.unwrap_or(self.context.target.poll_within);
        let first = self.send(operation, request, step).await?;
        self.poll_on(operation, request, (first, deadline), step).await
    }

    /// Repeats the call while its last response is pending, until a deadline.
    pub(super) async fn poll_on(
        &mut self,
        operation: &Operation,
        request: &mut PreparedRequest,
        (mut last, deadline): (Arc<Exchange>, Instant),
        step: &Step,
    ) -> Result<Arc<Exchange>, Stop> {
        let every = pause(&self.context.target);
        while is_pending(operation, &last) && self.waits(every, deadline).await {
            last = self.send(operation, request, step).await?;
        }
        Ok(last)
    }

    /// Waits before the next poll. Returns `false` if no time is left, or a recording has no further response.
    pub(super) async fn waits(&self, every: Duration, deadline: Instant) -> bool {
        if let Some(player) = &self.environment.player {
            return !player.ran_out();
        }
        let in_time = ends_by(every, deadline);
        if in_time {
            tokio::time::sleep(every).await;
        }
        in_time
    }

    pub(super) fn judge_expectations(&mut self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<(), Stop> {
        if let Some(why) = unjudgeable(exchange) {
            return Err(Stop::NotJudged(why));
        }
        if exchange.failure().is_some() {
            return Err(Stop::Failed);
        }
        let (_, http) = expected(operation, call);
        let unread = self.is_found_unreadable(exchange);
        let mut findings = if unread { Vec::new() } else { self.mismatches(operation, call, exchange, step)? };
        if call.documented {
            findings.iter_mut().for_each(|finding| finding.assumed = None);
        }
        findings.extend(self.compare_http(operation, &http, exchange, step)?);
        if !call.documented
            && (unread || findings.iter().any(|finding| finding.assumed.is_none()))
            && let Some(reason) = check::request_not_shown(&self.context.target, operation, exchange)
                .or_else(|| check::value_not_shown(&self.context.target, operation, exchange))
        {
            return Err(Stop::Excused(reason));
        }
        if findings.is_empty() && !unread {
            let mut held = step.clauses.clone();
            held.extend(explicit_code_clause(operation, call, exchange));
            self.hold(held, &step.place);
        } else if let (Some(what), false) = (&call.prepares, self.is_alone()) {
            return Err(Stop::Skipped(SkipReason::NotPrepared { what: what.clone(), action: None }));
        } else if let (Some(why), true) = (&call.may_be_refused, self.may_refuse(call, operation, exchange)) {
            return Err(Stop::Skipped(SkipReason::Refused { operation: operation.id.clone(), why: why.clone() }));
        }
        self.fail(findings, step)?;
        // Following steps need what the response should have said.
        if unread { Err(Stop::Failed) } else { Ok(()) }
    }

    /// Whether a finding says already that the response has no body that can be read. Each expected field would only repeat it.
    fn is_found_unreadable(&self, exchange: &Exchange) -> bool {
        let is_unread = exchange.response().is_some_and(|response| response.body.value().is_none());
        let counts = |finding: &Finding| self.context.target.assert_assumed || finding.assumed.is_none();
        // A body of another media type may still be what the step is about.
        let is_about_body = |finding: &Finding| matches!(&finding.at, Some(Place::Body { message: Message::Response, pointer: None, .. }));
        let is_about_it = |finding: &Finding| finding.exchange == Some(exchange.number) && is_about_body(finding);
        is_unread && self.judgement.findings.iter().any(|finding| is_about_it(finding) && counts(finding))
    }

    /// What the body has that the step does not expect.
    pub(super) fn mismatches(&self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<Vec<Finding>, Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        let (expected, _) = expected(operation, call);
        let mut findings = Vec::new();
        for matchers in [&expected, &call.until] {
            findings.extend(self.compare(&contracts, operation, matchers, exchange, step)?);
        }
        Ok(findings)
    }

    /// Whether a response is what the step expects.
    pub(super) fn meets(&self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<bool, Stop> {
        let (_, http) = expected(operation, call);
        Ok(self.mismatches(operation, call, exchange, step)?.is_empty() && self.compare_http(operation, &http, exchange, step)?.is_empty())
    }

    /// Whether a refusal of the call is excused: others have set up the target, and its file does not state that it has what the call
    /// needs.
    fn may_refuse(&self, call: &Call, operation: &Operation, exchange: &Exchange) -> bool {
        let settings = &self.context.target.settings;
        let is_stated = call.unless_stated.as_ref().is_some_and(|setting| settings.has(setting, &exchange.identity));
        !self.is_alone() && !is_stated && is_refusal(operation, exchange)
    }

    fn compare(
        &self,
        contracts: &Contracts,
        operation: &Operation,
        matchers: &IndexMap<String, Matcher>,
        exchange: &Exchange,
        step: &Step,
    ) -> Result<Vec<Finding>, Stop> {
        let clauses = |mismatch: &crate::spec::scenario::Mismatch| {
            // Never the clause of the field's type: the field may well have its type and another value.
            let derived = [check::code_clause(operation, mismatch), check::state_clause(contracts, operation, mismatch)];
            let field: Vec<String> = pointer::names(&mismatch.pointer).take(1).map(Cow::into_owned).collect();
            narrowed(&contracts.clauses, self.named_after(step, derived, &operation.clause), matchers.keys(), &field)
        };
        let body = exchange.response().map(|response| &response.body);
        check::expectation(operation, matchers, Compared::Body(body), exchange, &self.compared(), clauses)
            .map_err(|e| Stop::NotJudged(format!("{}: {e}", step.place)))
    }

    fn compare_http(&self, operation: &Operation, http: &HttpExpectation, exchange: &Exchange, step: &Step) -> Result<Vec<Finding>, Stop> {
        let Some(response) = exchange.response() else { return Ok(Vec::new()) };
        let headers: Value = response.headers.iter().map(|(n, v)| (n.clone(), Value::String(v.clone()))).collect::<Map<_, _>>().into();
        // What the scenario is about comes later: a call that nothing is expected of but success breaks its own rule.
        let refused = || matches!(http.status, Some(Matcher::Success)).then(|| operation.clause.clone());
        let clauses = |mismatch: &crate::spec::scenario::Mismatch| {
            self.named_after(step, [status_clause(operation, mismatch), refused()], &operation.clause)
        };
        let may_be_unavailable = operation.may_be_unavailable() && operation.accepted(exchange);
        let status = http.status.iter().filter(|m| !(may_be_unavailable && matches!(m, Matcher::Success)));
        let status = status.map(|m| ("status".to_owned(), m.clone())).collect();
        let seen = Value::Object(Map::from_iter([("status".to_owned(), Value::from(response.status))]));
        let mut findings = Vec::new();
        let body = http.body.iter().map(|m| (String::new(), (**m).clone())).collect();
        let text = Value::String(response.body.text.clone());
        let whole = http.page.iter().map(|m| (String::new(), (**m).clone())).collect();
        let page = Value::String(page_of(response));
        let parts = [
            (&status, Compared::Status(&seen)),
            (&http.headers, Compared::Headers(&headers)),
            (&body, Compared::Text(&text)),
            (&whole, Compared::Text(&page)),
        ];
        for (matchers, compared) in parts {
            let found = check::expectation(operation, matchers, compared, exchange, &self.compared(), clauses);
            findings.extend(found.map_err(|e| Stop::NotJudged(format!("{}: {e}", step.place)))?);
        }
        Ok(findings)
    }

    /// Keeps the values of the response that following steps need.
    pub(super) fn keep(&mut self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<(), Stop> {
        for keep in &call.keep {
            let found = match &keep.from {
                Kept::Body(pointer) => {
                    exchange.response().map_or(Ok(None), |response| response.body.value_at(pointer)).map(|value| value.cloned())
                }
                Kept::Item { list, wanted } => self.item(exchange, list, wanted, step)?,
                Kept::Header(name) => Ok(header(exchange, name)),
                Kept::Page => Ok(exchange.response().map(|response| Value::String(page_of(response)))),
            };
            let found = found.map_err(|e| Stop::NotJudged(format!("{}: {e}", step.place)))?;
            match found.or_else(|| keep.otherwise.clone()) {
                Some(value) => self.remember(&keep.name, value),
                None => {
                    let (name, place, clause) = match &keep.from {
                        Kept::Header(name) => (name.as_str(), Place::header(Message::Response, name), None),
                        Kept::Item { list, .. } => ("item", Place::value(Message::Response, list.as_str()), None),
                        Kept::Page => ("page", Place::body(Message::Response), None),
                        Kept::Body(pointer) => {
                            let clause = check::field_clause(operation, pointer);
                            (pointer.trim_start_matches('/'), Place::value(Message::Response, pointer.as_str()), clause)
                        }
                    };
                    let message = match &keep.from {
                        Kept::Item { .. } => "no item in the list is the one that the following steps need".to_owned(),
                        _ => format!("the response has no `{name}`, which the following steps need"),
                    };
                    let mut finding = check::about(exchange, "", message).at(place);
                    finding.clauses = self.named_after(step, [clause], &operation.clause);
                    let mut findings = vec![finding];
                    check::excuse_places(operation, exchange, &mut findings);
                    self.fail(findings, step)?;
                    // Following steps need the value, whether it is documented or not.
                    return Err(Stop::Failed);
                }
            }
        }
        Ok(())
    }

    /// The first item of a list in the body that matches; it can't be known if it may be among those that are not kept.
    fn item(&self, exchange: &Exchange, list: &str, wanted: &Matcher, step: &Step) -> Result<Result<Option<Value>, NotKept>, Stop> {
        let Some(body) = exchange.response().map(|response| &response.body) else { return Ok(Ok(None)) };
        let variables = self.compared();
        let given = Given::with(&variables, body);
        for item in body.value().and_then(|value| value.pointer(list)?.as_array()).into_iter().flatten() {
            if wanted.holds(Some(item), &given).map_err(|error| Stop::NotJudged(format!("{}: {error}", step.place)))? {
                return Ok(Ok(Some(item.clone())));
            }
        }
        let rest = body.rests().iter().find(|rest| rest.pointer == list);
        Ok(rest.map_or(Ok(None), |rest| Err(rest.not_kept())))
    }

    /// Makes a call that no step writes out (the one that a notification must agree with).
    pub(super) async fn ask(
        &mut self,
        operation: &Operation,
        with: Map<String, Value>,
        identity: &str,
        step: &Step,
    ) -> Result<Arc<Exchange>, Stop> {
        let identity = if identity.is_empty() { MAIN } else { identity }.to_owned();
        let mut request = self.prepare_content(operation, RequestContent::new(operation, with, identity), step.place.as_str())?;
        self.send(operation, &mut request, step).await
    }
}

/// Why a call can't be judged: a target that can't be reached breaks no rule, nor does one whose response is not read.
pub(super) fn unjudgeable(exchange: &Exchange) -> Option<String> {
    if let Some(fault) = exchange.unread() {
        return Some(format!("{}: the {} of the response is not read: {}", exchange.operation, fault.position, fault.message));
    }
    let failure = exchange.failure()?;
    match failure.kind {
        TransportFailureKind::Connect => Some(format!("{} can't be reached: {}", exchange.operation, failure.detail)),
        TransportFailureKind::Unread => Some(format!("{}: {}", exchange.operation, failure.detail)),
        TransportFailureKind::Timeout | TransportFailureKind::Broken | TransportFailureKind::TooLarge => None,
    }
}

/// A page as one text, its HTTP status before the text: pages that say the same with another status differ, too.
fn page_of(response: &Response) -> String {
    format!("HTTP {}\n{}", response.status, response.body.text)
}

/// The expected body and HTTP response: the step's own expectation, and success unless the step expects a refusal.
fn expected<'c>(operation: &Operation, call: &'c Call) -> (Cow<'c, IndexMap<String, Matcher>>, Cow<'c, HttpExpectation>) {
    let (mut body, mut http) = (Cow::Borrowed(&call.expect), Cow::Borrowed(&call.http));
    let says = http.status.is_some() || operation.success.field().is_some_and(|field| body.contains_key(field));
    if !says {
        match &operation.success {
            Success::Code { field, value } => {
                body.to_mut().insert(field.clone(), Matcher::Equal(Template::Plain(Value::from(*value))));
            }
            Success::RefusalCode { .. } | Success::Status => http.to_mut().status = Some(Matcher::Success),
        }
    }
    (body, http)
}

/// Whether a call that is not answered as expected was refused, by a page or by the API's own error; a server that fails refuses nothing,
/// unless it does so with a code that the documents list: which HTTP status an error has is not shown.
fn is_refusal(operation: &Operation, exchange: &Exchange) -> bool {
    let has_a_code = operation.code(exchange).is_some_and(|code| operation.codes.contains_key(&code));
    let is_of_the_api = |status| !(300..400).contains(&status) && (status < 500 || has_a_code);
    // A page is no acceptance of a call whose success is a code, nor of one that redirects.
    let redirects = operation.redirect.as_ref().is_some_and(|when| when.holds(&exchange.request));
    let shows_a_page = redirects && !matches!(operation.success, Success::Code { .. });
    let succeeds = operation.accepted(exchange) && !shows_a_page;
    exchange.response().is_some_and(|response| is_of_the_api(response.status)) && !succeeds
}

/// The clause of the expected HTTP status, if the status is the code.
fn status_clause(operation: &Operation, mismatch: &crate::spec::scenario::Mismatch) -> Option<String> {
    let code = crate::wire::expression::text_of(&mismatch.expected).filter(|_| operation.success == Success::Status)?;
    operation.codes.get(&code).map(|code| code.clause.clone())
}

/// The clause of the code that was asked for by name: seeing a code in passing proves nothing of it.
fn explicit_code_clause(operation: &Operation, call: &Call, exchange: &Exchange) -> Option<String> {
    let code = operation.code(exchange)?;
    let asked = match (operation.success.field().and_then(|field| call.expect.get(field)), &call.http.status) {
        (None, None) => operation.accepted(exchange),
        (Some(Matcher::Equal(_)), _) => true,
        (None, Some(Matcher::Equal(_))) => operation.success == Success::Status,
        (Some(_), _) | (None, Some(_)) => false,
    };
    operation.codes.get(&code).filter(|_| asked).map(|code| code.clause.clone())
}

/// Whether a wait that starts now ends by a deadline. A target may ask for one that no clock can count.
fn ends_by(wait: Duration, deadline: Instant) -> bool {
    Instant::now().checked_add(wait).is_some_and(|end| end <= deadline)
}

/// The pause between two polls.
pub(super) fn pause(target: &Target) -> Duration {
    target.poll_every.max(Duration::from_millis(1))
}

pub(super) fn is_pending(operation: &Operation, exchange: &Exchange) -> bool {
    exchange.response_value().is_some_and(|body| operation.accepted(exchange) && is_pending_value(operation, body))
}

/// Whether an accepted response asks for the call to be repeated.
pub(super) fn is_pending_value(operation: &Operation, body: &Value) -> bool {
    operation.pending.iter().any(|(field, values)| {
        let value = body.get(field);
        values.as_array().is_some_and(|values| value.is_some_and(|v| values.contains(v)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::runner::testing::responded;

    #[test]
    fn an_error_with_a_documented_code_refuses_under_any_http_status() {
        let contracts = Contracts::shipped();
        let refuses = |status, body| is_refusal(&contracts.operations["gateway.v2.status"], &responded("gateway.v2.status", status, body));
        assert!(refuses(200, r#"{"code": 1400}"#) && refuses(404, "") && refuses(500, r#"{"code": 1400}"#));
        assert!(!refuses(500, r#"{"code": 4711}"#) && !refuses(500, "") && !refuses(302, ""), "a server that fails refuses nothing");
        assert!(!refuses(200, r#"{"code": 0}"#));
    }

    #[test]
    fn a_wait_that_no_clock_can_count_ends_by_no_deadline() {
        let deadline = Instant::now() + Duration::from_secs(60);
        assert!(ends_by(Duration::from_secs(1), deadline));
        assert!(!ends_by(Duration::from_secs(3600), deadline) && !ends_by(Duration::from_secs(u64::MAX), deadline));
    }
}
