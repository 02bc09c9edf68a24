//! The `call` step: build the request, send it, judge the answer, keep what is to be kept.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::session::{Session, Stop};
use crate::check::{self, Compared, Judgement};
use crate::contract::{Authorization, Contracts, Operation, PathTemplate, Success};
use crate::exchange::{Exchange, Outcome, TransportFailureKind};
use crate::scenario::{Call, HttpExpectation, Matcher, Step, Template, Variables};
use crate::target::{Credential, MAIN, NOBODY};
use crate::transport::Outgoing;
use crate::verdict::Finding;

/// A request with its templates filled in.
pub(super) struct Filled {
    pub(super) parameters: Map<String, Value>,
    pub(super) asked: Map<String, Value>,
    pub(super) fields: Map<String, Value>,
    pub(super) identity: String,
    pub(super) without: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) token: Option<String>,
    /// The body as it is, instead of the fields.
    pub(super) body: Option<String>,
}

impl Filled {
    /// Values by the place where the operation wants them.
    pub(super) fn of(operation: &Operation, values: Map<String, Value>, identity: String) -> Self {
        let in_path = |name: &str| operation.path.parameters().any(|parameter| parameter == name);
        let (parameters, rest): (Map<_, _>, Map<_, _>) = values.into_iter().partition(|(name, _)| in_path(name));
        let (asked, fields) = rest.into_iter().partition(|(name, _)| operation.query.contains(name));
        Self { parameters, asked, fields, identity, without: Vec::new(), query: Vec::new(), token: None, body: None }
    }
}

impl Session<'_> {
    /// Runs a call step.
    pub(super) async fn call(&mut self, step: &Step, call: &Call) -> Result<(), Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        let name = text(&call.operation, &self.variables)?;
        let operation = contracts.operations.get(&name).ok_or_else(|| Stop::Broken(format!("there is no operation `{name}`")))?;
        let filled = self.fill(operation, call)?;
        self.may_send(operation, &filled)?;
        let exchange = if call.until.is_empty() {
            self.send(operation, &filled, step).await?
        } else {
            self.poll(operation, &filled, call, step).await?
        };
        self.judge_expectations(operation, call, &exchange, step)?;
        self.keep(operation, call, &exchange, step)
    }

    /// The request: the example, with what the step says laid over it.
    fn fill(&self, operation: &Operation, call: &Call) -> Result<Filled, Stop> {
        let example = call.example.as_ref().and_then(|name| operation.examples.get(name)).cloned();
        let mut fields = example.unwrap_or_else(|| operation.example());
        for (name, value) in call.with.iter().chain(&call.extra) {
            fields.insert(name.clone(), value.render(&self.variables).map_err(|e| unfilled(name, &e))?);
        }
        fields.retain(|name, _| !call.without.contains(name));
        let identity = text(&call.identity, &self.variables)?;
        let query = self.query(call, &identity)?;
        let token = call.token.as_ref().map(|token| text(token, &self.variables)).transpose()?;
        let body = call.body.as_ref().map(|body| text(body, &self.variables)).transpose()?;
        Ok(Filled { without: call.without.clone(), query, token, body, ..Filled::of(operation, fields, identity) })
    }

    /// The query string. A secret goes there only to show that it is not accepted there, and only to
    /// this machine.
    fn query(&self, call: &Call, identity: &str) -> Result<Vec<(String, String)>, Stop> {
        let mut query = Vec::new();
        for (name, value) in &call.query {
            query.push((name.clone(), text(value, &self.variables)?));
        }
        if !call.query_credentials.is_empty() && !self.context.target.is_local() {
            return Err(Stop::Skipped("a secret is sent in a query string only to this machine".to_owned()));
        }
        let credential = self.context.target.credential(&self.context.contracts, identity).unwrap_or_default();
        let parts = call.query_credentials.iter().filter_map(|part| Some((part.clone(), credential.get(part)?.clone())));
        query.extend(parts);
        Ok(query)
    }

    /// Whether the target may be asked this.
    pub(super) fn may_send(&self, operation: &Operation, filled: &Filled) -> Result<(), Stop> {
        let target = &self.context.target;
        if !operation.is_safe(&filled.fields) {
            target.may_create_production().map_err(|refusal| Stop::Skipped(refusal.to_string()))?;
        }
        if filled.identity == NOBODY {
            return Ok(());
        }
        let Some(credential) = target.credential(&self.context.contracts, &filled.identity) else {
            return Err(Stop::Skipped(format!("the target has no credentials for `{}`", filled.identity)));
        };
        match missing_part(operation, filled, &credential) {
            Some(part) => Err(Stop::Skipped(format!("the target's credentials of `{}` have no `{part}`", filled.identity))),
            None => Ok(()),
        }
    }

    /// Sends one request and judges the answer by everything that is always on.
    pub(super) async fn send(&mut self, operation: &Operation, filled: &Filled, step: &Step) -> Result<Arc<Exchange>, Stop> {
        let token = self.token(operation, filled, step).await?;
        let target = &self.context.target;
        let Some(base) = self.world.base(&operation.api) else {
            return Err(Stop::Skipped(format!("the target has no base URL for `{}`", operation.api)));
        };
        let own = target.paths.get(&operation.id).map(|path| PathTemplate::new(path.as_str()));
        let credential = target.credential(&self.context.contracts, &filled.identity);
        let parameters = with_credentials(operation.path.parameters(), operation, credential.as_ref(), &filled.parameters);
        let asked = with_credentials(operation.query.iter().map(String::as_str), operation, credential.as_ref(), &filled.asked);
        let path = own.as_ref().unwrap_or(&operation.path).fill(&parameters);
        let outgoing = Outgoing {
            operation,
            base,
            path: &path,
            parameters,
            asked,
            fields: filled.fields.clone(),
            identity: &filled.identity,
            credential: credential.as_ref(),
            without: &filled.without,
            query: &filled.query,
            token: token.as_deref(),
            body: filled.body.as_deref(),
            vault: &self.vault,
        };
        let exchange = self.context.transport.send(outgoing, &self.context.recorder).await;
        let exchange = self.keep_exchange(exchange);
        self.judge_call(operation, &exchange, step);
        Ok(exchange)
    }

    /// Asks until the answer is what it is to become; stops at once when it has become something else.
    async fn poll(&mut self, operation: &Operation, filled: &Filled, call: &Call, step: &Step) -> Result<Arc<Exchange>, Stop> {
        let every = self.context.target.poll_every.max(Duration::from_millis(1));
        let deadline = Instant::now() + call.within.unwrap_or(self.context.target.poll_within);
        loop {
            let exchange = self.send(operation, filled, step).await?;
            if !is_pending(operation, &exchange) || Instant::now() + every > deadline {
                return Ok(exchange);
            }
            tokio::time::sleep(every).await;
        }
    }

    fn judge_expectations(&mut self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<(), Stop> {
        if let Outcome::Failed(failure) = &exchange.outcome {
            return Err(match failure.kind {
                // Nothing listens there: that is no rule broken, the run is over for this instance.
                TransportFailureKind::Connect => Stop::Broken(format!("{} can't be reached: {}", operation.id, failure.detail)),
                TransportFailureKind::Timeout | TransportFailureKind::Broken | TransportFailureKind::TooLarge => Stop::Failed,
            });
        }
        let contracts = Arc::clone(&self.context.contracts);
        let (expected, http) = expected(operation, call);
        let mut findings = Vec::new();
        for matchers in [&expected, &call.until] {
            findings.extend(self.compare(&contracts, operation, matchers, exchange, step)?);
        }
        findings.extend(self.compare_http(operation, &http, exchange, step)?);
        let assumed = check::assumed(operation, exchange);
        findings.iter_mut().for_each(|finding| finding.assumed.clone_from(&assumed));
        if findings.is_empty() {
            let mut held = step.clauses.clone();
            held.extend(explicit_code_clause(operation, call, exchange));
            self.take(Judgement::holds(held), &step.place);
        }
        self.fail(findings, &step.place)
    }

    fn compare(
        &self,
        contracts: &Contracts,
        operation: &Operation,
        matchers: &IndexMap<String, Matcher>,
        exchange: &Exchange,
        step: &Step,
    ) -> Result<Vec<Finding>, Stop> {
        let clauses = |mismatch: &crate::scenario::Mismatch| {
            let derived = [
                check::code_clause(operation, mismatch),
                check::state_clause(contracts, operation, mismatch),
                check::field_clause(operation, &mismatch.pointer),
            ];
            self.named_after(step, derived, &operation.clause)
        };
        let body = exchange.answer().map(|answer| &answer.body);
        check::expectation(matchers, Compared::Body(body), exchange, &self.variables, clauses)
            .map_err(|e| Stop::Broken(format!("{}: {e}", step.place)))
    }

    fn compare_http(&self, operation: &Operation, http: &HttpExpectation, exchange: &Exchange, step: &Step) -> Result<Vec<Finding>, Stop> {
        let Some(answer) = exchange.answer() else { return Ok(Vec::new()) };
        let headers: Map<String, Value> = answer.headers.iter().map(|(n, v)| (n.clone(), Value::String(v.clone()))).collect();
        let clauses =
            |mismatch: &crate::scenario::Mismatch| self.named_after(step, [status_clause(operation, mismatch)], &operation.clause);
        let status = http.status.iter().map(|m| ("status".to_owned(), m.clone())).collect();
        let seen = Value::Object(Map::from_iter([("status".to_owned(), Value::from(answer.status))]));
        let mut findings = Vec::new();
        for (matchers, whole, value) in [(&status, "answer HTTP", seen), (&http.headers, "answer headers", Value::Object(headers))] {
            let found = check::expectation(matchers, Compared::Other(whole, &value), exchange, &self.variables, clauses);
            findings.extend(found.map_err(|e| Stop::Broken(format!("{}: {e}", step.place)))?);
        }
        Ok(findings)
    }

    fn keep(&mut self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<(), Stop> {
        for keep in &call.keep {
            let found = exchange.answer().map_or(Ok(None), |answer| answer.body.look(&keep.pointer));
            match found.map_err(|e| Stop::Broken(format!("{}: {e}", step.place)))? {
                Some(value) => self.remember(&keep.name, value.clone()),
                None => {
                    let clauses = self.named_after(step, [check::field_clause(operation, &keep.pointer)], &operation.clause);
                    let message = format!("the answer has no `{}`, which the following steps need", keep.pointer.trim_start_matches('/'));
                    let mut finding = check::about(exchange, "", message).at(format!("answer body {}", keep.pointer));
                    finding.clauses = clauses;
                    return self.fail(vec![finding], &step.place);
                }
            }
        }
        Ok(())
    }

    /// Asks something on the way that no step says (the call that a notification must agree with).
    pub(super) async fn ask(
        &mut self,
        operation: &Operation,
        with: Map<String, Value>,
        identity: &str,
        step: &Step,
    ) -> Result<Arc<Exchange>, Stop> {
        let identity = if identity.is_empty() { MAIN } else { identity }.to_owned();
        self.send(operation, &Filled::of(operation, with, identity), step).await
    }
}

/// What is expected of the body and of the HTTP answer: what the step says, and success where it says
/// nothing of refusal.
fn expected(operation: &Operation, call: &Call) -> (IndexMap<String, Matcher>, HttpExpectation) {
    let (mut body, mut http) = (call.expect.clone(), call.http.clone());
    let says = http.status.is_some() || operation.success.field().is_some_and(|field| body.contains_key(field));
    if !says {
        match &operation.success {
            Success::Code { field, value } => {
                body.insert(field.clone(), Matcher::Equal(Template::Plain(Value::from(*value))));
            }
            Success::NoCode { .. } | Success::Status => http.status = Some(Matcher::Success),
        }
    }
    (body, http)
}

/// The clause of the HTTP status that was expected, where the status is the code.
fn status_clause(operation: &Operation, mismatch: &crate::scenario::Mismatch) -> Option<String> {
    let code = crate::contract::text_of(&mismatch.expected).filter(|_| operation.success == Success::Status)?;
    operation.codes.get(&code).map(|code| code.clause.clone())
}

/// A part of the credential that the call needs and the target does not have.
fn missing_part<'o>(operation: &'o Operation, filled: &Filled, credential: &Credential) -> Option<&'o str> {
    let given = |field: &String| [&filled.fields, &filled.parameters, &filled.asked].iter().any(|values| values.contains_key(field));
    let left_out = |field: &String| given(field) || filled.without.contains(field);
    let in_fields = operation.credentials.fields.iter().filter(|(field, _)| !left_out(field)).map(|(_, part)| part.as_str());
    let in_header = match &operation.credentials.header {
        Authorization::Basic { username, password } => vec![username.as_str(), password.as_str()],
        Authorization::None | Authorization::Bearer(_) => Vec::new(),
    };
    in_fields.chain(in_header).find(|part| !credential.contains_key(*part))
}

/// Path or query parameters, with the parts of the credential that stand there.
fn with_credentials<'n>(
    names: impl Iterator<Item = &'n str>,
    operation: &Operation,
    credential: Option<&Credential>,
    parameters: &Map<String, Value>,
) -> Map<String, Value> {
    let mut parameters = parameters.clone();
    for name in names {
        if let Some(value) = operation.credentials.fields.get(name).and_then(|part| credential?.get(part)) {
            parameters.entry(name.to_owned()).or_insert_with(|| value.clone().into());
        }
    }
    parameters
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

fn is_pending(operation: &Operation, exchange: &Exchange) -> bool {
    let Some(body) = exchange.answered().filter(|_| operation.accepted(exchange)) else { return false };
    operation.pending.iter().any(|(field, values)| {
        let value = body.get(field);
        values.as_array().is_some_and(|values| value.is_some_and(|v| values.contains(v)))
    })
}

fn text(template: &Template, variables: &Variables) -> Result<String, Stop> {
    let value = template.render(variables).map_err(|e| Stop::Broken(e.clone()))?;
    crate::contract::text_of(&value).ok_or_else(|| Stop::Broken(format!("a name is expected, not {value}")))
}

fn unfilled(name: &str, error: &str) -> Stop {
    Stop::Broken(format!("`{name}` can't be filled in: {error}"))
}
