//! Which responses to a mutated request are acceptable. The reasons are in `docs/fuzz.md`.

use serde_json::Value;

use super::edit::Edit;
use super::spelling::MARK;
use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::judge::check::{self, about};
use crate::spec::contract::{Expected, Operation, Success, violations};
use crate::wire::exchange::SchemaFault;
use crate::wire::exchange::{Exchange, ExchangeOutcome, MAX_BODY_BYTES, Request, TransportFailureKind};

/// The HTTP status for an unknown method.
const NOT_IMPLEMENTED: u16 = 501;
/// Statuses of HTTP for conditions, ranges and upgrades, whatever the call is.
const OF_HTTP: [u16; 3] = [101, 206, 304];
/// Keywords whose violation by any value is as much of a violation as the one that is generated.
const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "maxLength"];

/// A mutated request and its outcome.
pub(super) struct Tried<'t> {
    /// What was changed.
    pub(super) edits: &'t [Edit],
    /// The operation at the request's address; none where the documents have none there.
    pub(super) meant: Option<&'t Operation>,
    /// The exchange.
    pub(super) exchange: &'t Exchange,
    /// The same response, judged as one to the valid request.
    pub(super) to_the_valid: &'t dyn Fn() -> Exchange,
    /// The valid request that was changed.
    pub(super) valid: &'t Request,
}

/// Returns everything that the response breaks.
pub(super) fn judge(operation: &Operation, tried: &Tried<'_>) -> Vec<Finding> {
    let exchange = tried.exchange;
    let status = match &exchange.outcome {
        ExchangeOutcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
            return vec![
                about(exchange, &operation.clause, format!("no connection can be opened any more: {}", failure.detail))
                    .at(Place::Connection),
            ];
        }
        ExchangeOutcome::Failed(failure) if failure.kind == TransportFailureKind::Unread => return Vec::new(),
        // The reader has stopped below the documented size.
        ExchangeOutcome::Failed(failure)
            if failure.kind == TransportFailureKind::TooLarge && may_be_larger(tried.meant.unwrap_or(operation)) =>
        {
            return Vec::new();
        }
        ExchangeOutcome::Failed(_) => return check::response_findings(operation, exchange),
        ExchangeOutcome::Response(response) => response.status,
    };
    let mut findings: Vec<Finding> = injected(operation, exchange).into_iter().collect();
    if status >= 500 && !is_documented_refusal(tried.meant.unwrap_or(operation), exchange) {
        let unknown_method = status == NOT_IMPLEMENTED && tried.edits.iter().any(|edit| matches!(edit, Edit::Method(_)));
        if !unknown_method {
            findings.push(about(exchange, &operation.clause, format!("the target failed: HTTP {status}")).at(Place::Status));
        }
        return findings;
    }
    if let Some(meant) = tried.meant.filter(|_| !is_of_http(tried.edits, status) && !is_coded(exchange)) {
        findings.extend(undocumented(meant, tried));
        findings.extend(not_refused(meant, tried));
    }
    findings
}

/// Whether documented responses may be larger than what is read of one.
fn may_be_larger(operation: &Operation) -> bool {
    operation.largest > MAX_BODY_BYTES
}

/// Whether the operation responds with pages for people: success is a redirect, and a page reports an error under any HTTP status.
fn responds_with_pages(operation: &Operation) -> bool {
    operation.response.first().is_some_and(|page| page.media_type == "text/html")
}

/// Whether the body is coded as the request asked for, so that it can't be read as it is.
fn is_coded(exchange: &Exchange) -> bool {
    let coding = exchange.response().and_then(|response| response.header("content-encoding"));
    let is_coded = coding.is_some_and(|coding| !coding.trim().eq_ignore_ascii_case("identity"));
    is_coded && exchange.request.header("accept-encoding").is_some()
}

/// Whether HTTP itself explains the response: a refusal of a malformed request, or a redirection of a malformed address.
fn is_of_http(edits: &[Edit], status: u16) -> bool {
    let about_http = edits.iter().any(Edit::is_about_http);
    let elsewhere = edits.iter().any(Edit::leads_elsewhere);
    (about_http && ((400..500).contains(&status) || OF_HTTP.contains(&status))) || (elsewhere && (300..400).contains(&status))
}

/// Whether the response has a code that the documents give the operation for this.
fn is_documented_refusal(operation: &Operation, exchange: &Exchange) -> bool {
    let code = operation.code(exchange).filter(|code| operation.codes.contains_key(code));
    let refused = !matches!(operation.success, Success::Code { .. }) || !operation.accepted(exchange);
    code.is_some() && refused
}

/// Whether the response has a documented code for a failure of the target itself.
pub(super) fn is_own_failure(operation: &Operation, exchange: &Exchange) -> bool {
    exchange.response().is_some_and(|response| response.status >= 500) && is_documented_refusal(operation, exchange)
}

/// Finds a header of the response that the request has injected.
fn injected(operation: &Operation, exchange: &Exchange) -> Option<Finding> {
    exchange.response()?.header(MARK)?;
    let message = "what was sent has become a header of the response".to_owned();
    Some(about(exchange, &operation.clause, message).at(Place::header(Message::Response, MARK)))
}

/// The undocumented parts of the response. The documentation may depend on fields of the request; if those are changed or
/// repeated, the response may be the one to their former values.
fn undocumented(operation: &Operation, tried: &Tried<'_>) -> Vec<Finding> {
    let found = check::response_findings(operation, tried.exchange);
    if found.is_empty() || tried.edits.is_empty() {
        return found;
    }
    if check::response_findings(operation, &(tried.to_the_valid)()).is_empty() { Vec::new() } else { found }
}

/// Finds an accepted value beyond a bound at which the contract requires a refusal.
fn not_refused(operation: &Operation, tried: &Tried<'_>) -> Option<Finding> {
    let [Edit::Set { pointer, .. }] = tried.edits else { return None };
    let field = pointer.strip_prefix('/').filter(|field| !field.contains('/'))?;
    let accepted = operation.accepted(tried.exchange) && !responds_with_pages(operation);
    let content = operation.request.as_ref().filter(|_| accepted)?;
    let sent = tried.exchange.request.body.value()?;
    let before: Vec<SchemaFault> = tried.valid.body.value().map(|valid| content.schema.faults(valid)).unwrap_or_default();
    let is_bound = |fault: &SchemaFault| fault.instance == *pointer && BOUNDS.contains(&fault.keyword.as_str()) && fault.clause.is_some();
    let broken = content.schema.faults(sent).into_iter().find(|fault| is_bound(fault) && !before.contains(fault))?;
    let rules = violations(operation);
    let is_rule = rules.iter().any(|v| v.field == field && v.clause == broken.clause && matches!(v.expected, Expected::Refused(_)));
    if !is_rule {
        return None;
    }
    let message = format!("accepted, although {}", broken.message);
    let finding = about(tried.exchange, broken.clause.as_deref().unwrap_or(&operation.clause), message);
    let sent = sent.get(field).cloned().unwrap_or(Value::Null);
    Some(
        Finding { contract: Some(broken.contract), assumed: broken.assumed, ..finding }
            .at(Place::value(Message::Request, pointer.as_str()))
            .compare(broken.expected, sent),
    )
}
