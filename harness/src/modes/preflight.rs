//! Before the first scenario, one harmless call for each API and each credential; where the run makes such a call anyway, that one. A
//! mistake in the target file shows here, in one sentence, and not in hundreds of failed cases.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use url::Url;

use crate::base::not_judged::NOTHING_THERE;
use crate::base::skip::SkipReason;
use crate::base::text::clean;
use crate::engine::client::Connector;
use crate::engine::request::RequestContent;
use crate::engine::runner::{Case, Context, Worlds, blockers, says_limited};
use crate::engine::transport::Records;
use crate::judge::check::{nothing_there, response_findings};
use crate::judge::record::redirected;
use crate::spec::contract::{Authorization, Contracts, Operation};
use crate::spec::scenario::{StepVerb, Template};
use crate::spec::target::{MAIN, Offer, wrong_secret_of};
use crate::wire::exchange::{Body, Decoded, Exchange, ExchangeOutcome, Response, TransportFailureKind, Vault};

/// Characters of a response that are quoted.
const QUOTED: usize = 160;

/// The time limit of a call.
const PATIENCE: Duration = Duration::from_secs(10);

/// The status of the page that servers of TLS (Apache, Go, nginx, Tomcat) have for those who call them without it.
const SAYS_TLS: u16 = 400;

/// Why a run would be pointless.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PreflightError {
    /// No connection can be opened.
    #[error("the target can't be reached: no server responds at {url}: {why}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why.
        why: String,
    },
    /// The server speaks TLS, and is called without it.
    #[error("the server at {origin} speaks TLS: write https:// in the target file")]
    SpeaksTls {
        /// The scheme, host and port that are called.
        origin: String,
    },
    /// The response is not one of the API.
    #[error("the {api} API is not at the base URL that the target file states: {call} got {got}")]
    NotTheApi {
        /// The API.
        api: String,
        /// The call.
        call: String,
        /// What the target responded.
        got: String,
    },
    /// A credential is refused like one with a wrong secret.
    #[error(
        "the target refuses the credentials of `{identity}` as it refuses a wrong secret: {call} got {got}. Check the merchant, the secret and the base URL{}",
        stated_as(settings)
    )]
    Credentials {
        /// Whose.
        identity: String,
        /// The call.
        call: String,
        /// What the target responded.
        got: String,
        /// The settings without which a shop refuses the call.
        settings: Vec<String>,
    },
}

/// How a target file says that a shop lacks what the call needs.
fn stated_as(settings: &[String]) -> String {
    let stated: Vec<String> = settings.iter().map(|name| format!("`{name}: false`")).collect();
    if stated.is_empty() {
        String::new()
    } else {
        format!("; a shop that does not allow this call states {} under `settings`", stated.join(" or "))
    }
}

/// What a run calls, and as whom.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    operations: BTreeSet<String>,
    identities: BTreeSet<String>,
}

impl Calls {
    /// Calls of these operations with the credentials of `main`.
    pub fn of_main(operations: BTreeSet<String>) -> Self {
        Self { operations, identities: BTreeSet::from([MAIN.to_owned()]) }
    }

    /// The identities of the target file whose credentials are sent.
    fn credentials<'c>(&self, context: &'c Context) -> impl Iterator<Item = &'c String> {
        context.target.credentials.keys().filter(|identity| self.identities.contains(*identity))
    }
}

/// Makes the calls, for a run that makes these. A target whose worlds are opened for each case
/// knows its credentials; nothing is sent to it here.
///
/// What it could not check is returned, each in a sentence.
///
/// # Errors
/// The first problem that makes calls of these APIs pointless.
pub async fn preflight(context: &Context, calls: &Calls) -> Result<Vec<String>, PreflightError> {
    let mut unchecked = Vec::new();
    if !matches!(context.worlds, Worlds::Driven(_)) {
        return Ok(unchecked);
    }
    if let Some(only) = context.target.settings.only(&context.contracts) {
        unchecked.push(format!("nothing shows that the credentials are right: with this `{only}` every call is refused"));
        return Ok(unchecked);
    }
    let operations = calls.operations.iter().filter_map(|id| context.contracts.operations.get(id));
    let apis: BTreeSet<&str> = operations.map(|operation| operation.api.as_str()).collect();
    for api in apis {
        let mut elsewhere = None;
        let mut found = false;
        for operation in checks(context, api, &calls.operations) {
            // A page for the payer shows no more than a call of the merchant.
            if found && !tries_a_secret(context, operation) {
                continue;
            }
            unchecked.extend(forbidden(context, operation, calls));
            match check(context, operation, calls, &mut unchecked).await? {
                Seen::TheApi => found = true,
                Seen::Nothing => {}
                Seen::Silence => return Ok(unchecked),
                Seen::SomethingElse(error) => elsewhere = elsewhere.or(Some(error)),
            }
        }
        if let (Some(error), false) = (elsewhere, found) {
            return Err(error);
        }
    }
    Ok(unchecked)
}

/// The harmless calls of an API: those that the run makes, and all if none of these tries a secret. A shop may lack the others.
fn checks<'c>(context: &'c Context, api: &str, called: &BTreeSet<String>) -> Vec<&'c Operation> {
    let harmless = context.contracts.operations.values().filter(|operation| operation.preflight && operation.api == api);
    let (made, others): (Vec<_>, Vec<_>) = harmless.partition(|operation| called.contains(&operation.id));
    match made.iter().any(|operation| tries_a_secret(context, operation)) {
        true => made,
        false => made.into_iter().chain(others).collect(),
    }
}

/// Whether a call sends a secret.
fn tries_a_secret(context: &Context, operation: &Operation) -> bool {
    let is_secret = |part: &String| context.contracts.secret_parts.contains(part);
    operation.credentials.header != Authorization::None || operation.credentials.fields.values().any(is_secret)
}

/// Why the credentials of an identity are not tried by a call that would try them.
fn forbidden<'c>(context: &'c Context, operation: &'c Operation, calls: &Calls) -> impl Iterator<Item = String> {
    let identities = calls.credentials(context).filter(|_| tries_a_secret(context, operation));
    identities.filter_map(move |identity| {
        let reason = lacks(context, operation, identity)?;
        Some(format!("the credentials of `{identity}` are not tried by {} before the first scenario: it {reason}", operation.id))
    })
}

/// What a call needs that the shop does not have.
fn lacks(context: &Context, operation: &Operation, identity: &str) -> Option<SkipReason> {
    let example = context.target.example(&context.contracts, operation, identity);
    Offer::new(&context.target.settings, &context.contracts, identity).lacks(&operation.id, &example)
}

/// What the playable cases of a plan call.
pub fn called(context: &Context, plan: &[Case]) -> Calls {
    let mut calls = Calls::of_main(BTreeSet::new());
    for case in plan.iter().filter(|case| blockers(context, case).is_empty()) {
        let text = |template: &Template| template.render(&case.row.values).ok().and_then(|text| text.as_str().map(str::to_owned));
        for step in case.steps.iter() {
            let StepVerb::Call(call) = &step.verb else { continue };
            let Some(operation) = text(&call.operation).filter(|name| context.contracts.operations.contains_key(name)) else { continue };
            calls.operations.insert(operation);
            calls.identities.extend(text(&call.identity));
        }
    }
    calls
}

/// What a call shows of its API.
enum Seen {
    /// It responds.
    TheApi,
    /// Nothing conclusive.
    Nothing,
    /// No response.
    Silence,
    /// Another server responds.
    SomethingElse(PreflightError),
}

/// What a harmless call shows, with each of the credentials.
async fn check(context: &Context, operation: &Operation, calls: &Calls, unchecked: &mut Vec<String>) -> Result<Seen, PreflightError> {
    let mut seen = Seen::Nothing;
    for identity in calls.credentials(context) {
        let exchange = match tokio::time::timeout(PATIENCE, call(context, operation, identity)).await {
            Ok(Some(exchange)) => exchange,
            Ok(None) => continue,
            Err(_) => return Ok(Seen::Silence),
        };
        let response = match &exchange.outcome {
            ExchangeOutcome::Response(response) => response,
            ExchangeOutcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
                return Err(PreflightError::Unreachable { url: exchange.request.url.clone(), why: failure.detail.clone() });
            }
            ExchangeOutcome::Failed(failure) if failure.kind == TransportFailureKind::Broken => {
                unless_it_speaks_tls(context, &exchange).await?;
                return Ok(Seen::Silence);
            }
            // Scenarios judge a missing response; waiting for it twice would only delay them.
            ExchangeOutcome::Failed(_) => return Ok(Seen::Silence),
        };
        match shown_by(context, operation, identity, (&exchange, response), unchecked).await? {
            Seen::Nothing => {}
            something => seen = something,
        }
    }
    Ok(seen)
}

/// What one response shows. Where it is one of the API, it must not refuse the credentials.
async fn shown_by(
    context: &Context,
    operation: &Operation,
    identity: &str,
    (exchange, response): (&Exchange, &Response),
    unchecked: &mut Vec<String>,
) -> Result<Seen, PreflightError> {
    if redirected(operation, exchange) {
        return Ok(Seen::TheApi);
    }
    // A rate limiter says nothing about what is behind it; scenarios wait and send again.
    if says_limited(operation, exchange) {
        return Ok(Seen::Nothing);
    }
    let is_absent = nothing_there(operation, exchange).is_some() && !has_a_code(&context.contracts, response);
    if is_absent && looks_at_the_secret(context, operation, identity, response).await {
        return Ok(Seen::TheApi);
    }
    if is_absent || is_something_else(response) {
        if response.status == SAYS_TLS {
            unless_it_speaks_tls(context, exchange).await?;
        }
        let call = missed(&context.contracts, exchange);
        let error = || PreflightError::NotTheApi { api: operation.api.clone(), call, got: got(response) };
        // An undocumented path is no evidence.
        return Ok(if operation.assumed.is_none() { Seen::SomethingElse(error()) } else { Seen::Nothing });
    }
    if tries_a_secret(context, operation) {
        try_the_secret(context, operation, identity, (exchange, response), unchecked).await?;
    }
    Ok(Seen::TheApi)
}

/// Fails if the response to a call that tries a secret refuses it.
async fn try_the_secret(
    context: &Context,
    operation: &Operation,
    identity: &str,
    (exchange, response): (&Exchange, &Response),
    unchecked: &mut Vec<String>,
) -> Result<(), PreflightError> {
    if says_nothing(&context.contracts, response) {
        unchecked.push(format!(
            "whether the credentials of `{identity}` and the path are right is not known before the first scenario: {} got {}",
            missed(&context.contracts, exchange),
            got(response)
        ));
    }
    if is_refused(&context.contracts, operation, exchange) && is_refused_alike(context, operation, identity, response).await {
        let settings = needed(context, operation, identity);
        return Err(PreflightError::Credentials { identity: identity.to_owned(), call: shown(exchange), got: got(response), settings });
    }
    Ok(())
}

/// Fails if a call without TLS, which got nothing of the API, has met a server of TLS.
async fn unless_it_speaks_tls(context: &Context, exchange: &Exchange) -> Result<(), PreflightError> {
    let url = exchange.request.url.parse().ok().filter(|url: &Url| url.scheme() == "http");
    let Some((url, connector)) = url.zip(Connector::new(&context.target).ok()) else { return Ok(()) };
    if connector.speaks_tls(&url).await {
        return Err(PreflightError::SpeaksTls { origin: url.origin().ascii_serialization() });
    }
    Ok(())
}

/// The settings without which a shop refuses the call.
fn needed(context: &Context, operation: &Operation, identity: &str) -> Vec<String> {
    let example = context.target.example(&context.contracts, operation, identity);
    let needed = context.contracts.settings.iter().filter(|setting| setting.is_needed_by(&operation.id, &example));
    needed.map(|setting| setting.name.clone()).collect()
}

/// Whether a response says nothing of the credentials: its status is one for a path that the server does not know, or the server fails
/// without a code of the API.
fn says_nothing(contracts: &Contracts, response: &Response) -> bool {
    NOTHING_THERE.contains(&response.status) || (response.status >= 500 && !has_a_code(contracts, response))
}

/// Whether a call was refused: by its code or, if its errors are not documented, by the fields that its response lacks.
fn is_refused(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> bool {
    if exchange.response().is_some_and(|response| says_nothing(contracts, response)) {
        return false;
    }
    let fields = contracts.refusal.as_ref().zip(exchange.response_value());
    let has_code = fields.is_some_and(|(fields, body)| fields.is_code_of_refusal(body));
    !operation.accepted(exchange) || has_code || !response_findings(operation, exchange).is_empty()
}

async fn call(context: &Context, operation: &Operation, identity: &str) -> Option<Exchange> {
    if lacks(context, operation, identity).is_some() {
        return None;
    }
    let content = RequestContent::new(operation, context.target.example(&context.contracts, operation, identity), identity);
    let request = context.preparation().prepare(operation, content, context.target.base(&operation.api), "preflight").ok()?;
    let vault = Arc::new(Vault::default());
    Some(context.transport.send(operation, &request, Records { recorder: &context.recorder, vault: &vault }).await)
}

/// Whether a wrong secret is refused otherwise than with a status that says that nothing is there, by a status or by a code of the API: then
/// something is, and what was asked for is not. A day without transfers may be a 404.
async fn looks_at_the_secret(context: &Context, operation: &Operation, identity: &str, response: &Response) -> bool {
    if !tries_a_secret(context, operation) {
        return false;
    }
    let wrong = call(context, operation, &wrong_secret_of(identity)).await;
    let wrong = wrong.as_ref().and_then(Exchange::response);
    let refuses = |wrong: &Response| matches!(wrong.status, 401 | 403) || has_a_code(&context.contracts, wrong);
    wrong.is_some_and(|wrong| wrong.status != response.status && refuses(wrong))
}

/// Whether a wrong secret gets the same response. Responses that can't be read are compared by their text.
async fn is_refused_alike(context: &Context, operation: &Operation, identity: &str, response: &Response) -> bool {
    let wrong = call(context, operation, &wrong_secret_of(identity)).await;
    let wrong = wrong.as_ref().and_then(Exchange::response);
    wrong.is_some_and(|wrong| wrong.status == response.status && is_the_same(&wrong.body, &response.body))
}

fn is_the_same(one: &Body, other: &Body) -> bool {
    match (one.value(), other.value()) {
        (None, None) => one.text == other.text,
        (one, other) => one == other,
    }
}

/// Whether a response is not one of the API: a refusal or a page without fields. A failing server may be the right one, and so
/// may one that labels its JSON with another media type.
fn is_something_else(response: &Response) -> bool {
    if response.body.text.trim_start().starts_with(['{', '[']) {
        return false;
    }
    let has_fields = response.body.value().and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
    let is_list = response.body.value().is_some_and(Value::is_array);
    !has_fields && !is_list && response.status < 500 && !is_silent(&response.body, response.status)
}

/// Whether a response has a code and a message as every call of the API has, also where the fields of its errors are not shown: a day
/// without transfers may be a 404. A web framework repeats its status as the code.
fn has_a_code(contracts: &Contracts, response: &Response) -> bool {
    let code = contracts.refusal.as_ref().zip(response.body.value()).and_then(|(fields, body)| fields.explained_code(body));
    code.is_some_and(|code| code != response.status.to_string())
}

/// Whether a response has only a status, which does not identify the server.
fn is_silent(body: &Body, status: u16) -> bool {
    matches!(body.decoded, Decoded::Empty) && matches!(status, 200..=299 | 401 | 403 | 429)
}

fn shown(exchange: &Exchange) -> String {
    format!("{} {}", exchange.request.method, exchange.request.url)
}

/// A call that met nothing of the API, and whether the base URL looks too long.
fn missed(contracts: &Contracts, exchange: &Exchange) -> String {
    let begins: BTreeSet<&str> = contracts.operations.values().filter_map(|operation| beginning(operation.path.as_str())).collect();
    let too_long = exchange.request.url.parse().ok().and_then(|url: Url| begun_before(&url, &begins));
    let hint = too_long.map(|part| format!(" (documented paths begin with `/{part}`: the base URL may end before it)"));
    format!("{}{}", shown(exchange), hint.unwrap_or_default())
}

/// The first part of a path.
fn beginning(path: &str) -> Option<&str> {
    path.split('/').find(|part| !part.is_empty())
}

/// The last part of a base URL that is too long: documented paths begin with it, and with the part that follows it.
fn begun_before(url: &Url, begins: &BTreeSet<&str>) -> Option<String> {
    let parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    parts.windows(2).find_map(|pair| match pair {
        [part, next] if begins.contains(part) && begins.contains(next) => Some((*part).to_owned()),
        _ => None,
    })
}

fn got(response: &Response) -> String {
    let header = |wanted: &str| response.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| clean(value));
    if let Some(location) = header("location").filter(|_| (300..400).contains(&response.status)) {
        return format!("HTTP {}, a redirect to {location}", response.status);
    }
    let media_type = header("content-type").map(|value| format!(", {value}"));
    let text = clean(&response.body.text);
    let quoted: String = text.chars().take(QUOTED).collect();
    let more = if text.chars().nth(QUOTED).is_some() { "…" } else { "" };
    let body = if quoted.is_empty() { ", no body".to_owned() } else { format!(": {quoted}{more}") };
    format!("HTTP {}{}{body}", response.status, media_type.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_redirect_leads_is_said() {
        let headers = vec![("location".to_owned(), "https://shop.example/v1.0/create".to_owned())];
        let moved = Response { status: 301, headers, body: Body::default() };
        assert_eq!(got(&moved), "HTTP 301, a redirect to https://shop.example/v1.0/create");
        assert_eq!(got(&Response { status: 201, ..moved }), "HTTP 201, no body");
    }

    #[test]
    fn the_end_of_a_base_url_that_is_too_long_is_named() {
        let begins = BTreeSet::from(["v1.0", "v2.0", "pos"]);
        let too_long = |url: &str| begun_before(&url.parse().unwrap(), &begins);
        assert_eq!(too_long("https://shop.example/pay/v2.0/v1.0/create").as_deref(), Some("v2.0"));
        assert_eq!(too_long("https://shop.example/pos/pos/terminal").as_deref(), Some("pos"));
        assert_eq!(too_long("https://shop.example/v1.0/create"), None);
        assert_eq!(too_long("https://shop.example/pay/pay/v1.0/create"), None);
        assert_eq!(too_long("https://shop.example/"), None);
    }
}
