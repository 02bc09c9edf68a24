//! A live target may count requests and refuse some for a while (HTTP 429, or the code that the contract names): the runner waits and
//! sends the request again. Only a case about this limit judges the refusal.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::call::pause;
use super::session::{Session, Stop};
use crate::base::text::counted;
use crate::engine::request::PreparedRequest;
use crate::spec::contract::{Operation, Success};
use crate::spec::scenario::{Matcher, Step, StepVerb};
use crate::wire::exchange::Exchange;

/// HTTP status of a request beyond a limit (RFC 6585, section 4).
const TOO_MANY_REQUESTS: u16 = 429;

/// How often a request is sent again.
const MOST_REPEATS: usize = 5;

/// How long a request may wait in all.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Session<'_> {
    /// Sends a request that was refused because of too many requests again, until it is not.
    pub(super) async fn send_within_limit(
        &mut self,
        operation: &Operation,
        request: &PreparedRequest,
        mut last: Arc<Exchange>,
        step: &Step,
    ) -> Result<Arc<Exchange>, Stop> {
        let deadline = Instant::now() + LONGEST_WAIT.min(self.context.target.poll_within);
        for _ in 0..MOST_REPEATS {
            let wait = asked_wait(&last).unwrap_or_else(|| pause(&self.context.target));
            if !self.is_limited(operation, &last, step) || !self.waits(wait, deadline).await {
                break;
            }
            let exchange = self.exchange(operation, request).await;
            last = self.keep_exchange(exchange);
        }
        match self.is_limited(operation, &last, step) {
            true => Err(Stop::NotJudged(stays_limited(operation))),
            false => Ok(last),
        }
    }

    /// Whether a request is refused because of too many requests, in a case that is about something else. Under load every call counts.
    fn is_limited(&self, operation: &Operation, exchange: &Exchange, step: &Step) -> bool {
        if self.context.observer.is_some() || (self.is_alone() && !self.is_foreign(operation, exchange)) {
            return false;
        }
        let code = operation.limited.as_ref().and_then(|code| operation.codes.get(code));
        let is_meant = code.is_some_and(|code| self.case.clauses().any(|clause| *clause == code.clause));
        !is_meant && !self.expects_limit(operation, exchange, step) && says_limited(operation, exchange)
    }

    /// Whether a step expects the very code by which the API refuses too many requests.
    fn expects_limit(&self, operation: &Operation, exchange: &Exchange, step: &Step) -> bool {
        let StepVerb::Call(call) = &step.verb else { return false };
        let Some(code) = operation.code(exchange).filter(|code| operation.limited.as_ref() == Some(code)) else { return false };
        let is_code = |value: Value| value.as_str() == Some(&code);
        call.expect.values().any(|matcher| match matcher {
            Matcher::Equal(template) => template.render(&self.variables).is_ok_and(is_code),
            _ => false,
        })
    }

    /// Whether a refusal in a world of its own may come from something in front of it, which counts the requests of all. In the world
    /// nothing but the case is counted, so what the API itself says there is judged; and a recording is judged as it is.
    fn is_foreign(&self, operation: &Operation, exchange: &Exchange) -> bool {
        let is_own = operation.code(exchange).is_some_and(|code| operation.codes.contains_key(&code));
        !is_own && self.environment.player.is_none()
    }
}

/// Whether a response says that there were too many requests. A documented code beside HTTP 429 says what was refused, for the HTTP
/// status of errors is not shown; unless the response asks to wait.
pub fn says_limited(operation: &Operation, exchange: &Exchange) -> bool {
    let code = operation.code(exchange);
    let by_code = operation.limited.is_some() && code == operation.limited;
    let says_otherwise = || code.is_some_and(|code| operation.success != Success::Status && operation.codes.contains_key(&code));
    let by_status = exchange.response().is_some_and(|response| response.status == TOO_MANY_REQUESTS);
    by_code || by_status && (asked_wait(exchange).is_some() || !says_otherwise())
}

/// How long a response asks to wait, in seconds.
fn asked_wait(exchange: &Exchange) -> Option<Duration> {
    let seconds = exchange.response()?.header("retry-after")?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn stays_limited(operation: &Operation) -> String {
    let sent = counted(MOST_REPEATS + 1, "time");
    format!(
        "{} is refused because of too many requests, at most {sent} in a row; run fewer `--jobs` or raise the target's limit",
        operation.id
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::runner::testing::responded;
    use crate::spec::contract::Contracts;
    use crate::wire::exchange::ExchangeOutcome;

    fn refused(status: u16, header: Option<&str>, body: &str) -> Exchange {
        let mut exchange = responded("device.config", status, body);
        if let ExchangeOutcome::Response(response) = &mut exchange.outcome {
            response.headers = header.map(|value| ("retry-after".to_owned(), value.to_owned())).into_iter().collect();
        }
        exchange
    }

    #[test]
    fn the_status_or_the_code_says_that_there_were_too_many_requests() {
        let contracts = Contracts::shipped();
        let says =
            |operation: &str, status, body: &str| says_limited(contracts.operations.get(operation).unwrap(), &refused(status, None, body));
        assert!(says("device.config", 400, r#"{"errorCode": "RATE_LIMITED"}"#) && says("device.config", 429, ""));
        assert!(says("qr.create", 429, r#"{"errorMessage": "slow down"}"#));
        assert!(!says("device.config", 401, r#"{"errorCode": "UNAUTHORIZED"}"#) && !says("device.config", 503, ""));
        assert!(!says("qr.create", 400, "{}"), "no code, and none is named");
        assert!(!says("gateway.v2.cancel", 429, r#"{"code": 1400, "message": "paid"}"#), "the code says what was refused");
        assert!(says("gateway.v2.cancel", 429, r#"{"code": 99, "message": "slow down"}"#) && says("gateway.v2.cancel", 429, ""));
    }

    #[test]
    fn a_response_may_say_how_long_to_wait() {
        let asked = |header| asked_wait(&refused(429, header, ""));
        assert_eq!(asked(Some("3")), Some(Duration::from_secs(3)));
        for unknown in [None, Some(""), Some("-1"), Some("soon")] {
            assert_eq!(asked(unknown), None, "{unknown:?}");
        }
    }
}
