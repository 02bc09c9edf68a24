//! A fuzz case: an operation with a valid request, and the mutated requests that are sent in its place.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Map, Value};
use url::Url;

use super::edit::Edit;
use super::judge::{Tried, judge};
use super::raw_request::RawRequest;
use super::sender::{RawMessage, RawReply, RawSender};
use super::start::Start;
use crate::base::not_judged::NotJudgedReason;
use crate::base::verdict::Finding;
use crate::engine::request::{Origin, PreparedRequest, RefusedRequest};
use crate::engine::runner::{Context, UserClient, UserSession};
use crate::engine::transport::{Records, recorded};
use crate::judge::check;
use crate::spec::contract::Operation;
use crate::spec::target::MAIN;
use crate::wire::exchange::{
    Body, Coding, Direction, Exchange, ExchangeOutcome, HttpVersion, MAX_BODY_BYTES, Request, TransportFailure, TransportFailureKind,
    decode_form,
};

/// How many finished payments a world keeps.
const KEPT: usize = 1_000;

/// FuzzContext by all fuzz cases.
pub(super) struct FuzzContext {
    pub(super) context: Arc<Context>,
    pub(super) sender: RawSender,
}

/// One mutated request and its outcome.
#[derive(Debug)]
pub(super) struct FuzzTrial {
    /// The operation at the address, if there is one.
    pub(super) meant: Option<String>,
    pub(super) exchange: Exchange,
    pub(super) findings: Vec<Finding>,
    /// Why nothing can be judged, if nothing is at an assumed path.
    pub(super) not_there: Option<NotJudgedReason>,
}

/// An operation with a valid request, in a world of its own if the target offers one.
pub(super) struct FuzzCase<'s> {
    shared: &'s FuzzContext,
    pub(super) operation: &'s Operation,
    user: UserSession,
    /// Where the calls of its API go.
    base: Url,
    prepared: PreparedRequest,
    /// Where the valid request comes from.
    origin: String,
    pub(super) raw: RawRequest,
    valid: Request,
}

/// Why there is no fuzz case.
#[derive(Debug)]
pub(super) enum Unready {
    /// The target lacks what is needed, or a step before the request fails.
    Unplayable(String),
    /// A request of the steps before it had no response.
    Silent(Box<Finding>),
}

impl<'s> FuzzCase<'s> {
    /// Opens a world, plays the steps before the request, and prepares the request.
    pub(super) async fn open(shared: &'s FuzzContext, operation: &'s Operation, start: &Start, name: &str) -> Result<Self, Unready> {
        let unplayable = |reason: String| Unready::Unplayable(format!("{}: {reason}", start.origin()));
        if let Some(reason) = crate::engine::runner::unplayable(&shared.context, &start.case) {
            return Err(unplayable(reason));
        }
        let client = UserClient::new(&shared.context);
        let opened = UserSession::open(Arc::clone(&shared.context), Arc::clone(&start.case), (name, KEPT), &client).await;
        let mut user = opened.map_err(|error| unplayable(error.to_string()))?;
        let played = user.begin().await;
        let silent = played.record.exchanges().any(|exchange| exchange.failure().is_some());
        let prepared = match played.findings.first().or(played.unexpected.first()) {
            Some(finding) if silent => Err(Unready::Silent(Box::new(finding.clone()))),
            Some(finding) => Err(unplayable(finding.message.clone())),
            None => match played.stopped {
                Some(reason) => Err(unplayable(reason)),
                None => dry_run(&user, operation, start).await.map_err(unplayable),
            },
        };
        match prepared {
            Ok((prepared, base, raw)) => {
                let origin = start.origin().to_owned();
                let mut fuzz_case = Self { shared, operation, user, base, prepared, origin, raw, valid: Request::default() };
                fuzz_case.valid = fuzz_case.recorded(operation, &[], &fuzz_case.raw);
                Ok(fuzz_case)
            }
            Err(unready) => {
                // A world that cannot be closed is no fault of the operation.
                let _ = user.close().await;
                Err(unready)
            }
        }
    }

    /// Sends the valid request with these changes and judges the response. Fails with the reason why it may not be sent.
    pub(super) async fn attempt(&self, edits: &[Edit]) -> Result<FuzzTrial, RefusedRequest> {
        let recorder = &self.shared.context.recorder;
        let solid = |raw: &mut RawRequest| raw.solid = recorder.secrets(&raw.body);
        let raw = self.raw.with(edits, self.operation.request.as_ref(), solid);
        let elsewhere = edits.iter().any(Edit::leads_elsewhere);
        let meant = if elsewhere { self.operation_at(&raw) } else { Some(self.operation.id.as_str()) };
        let operations = &self.shared.context.contracts.operations;
        let meant = meant.and_then(|id| operations.get(id));
        let judged = meant.unwrap_or(self.operation);
        let request = self.recorded(judged, edits, &raw);
        let consent = raw.consent(&self.shared.context.guard, Origin { operation: &self.operation.id, place: &self.origin })?;
        let message =
            RawMessage { bytes: Bytes::from(raw.bytes()), is_head: raw.method == "HEAD", most: judged.largest.min(MAX_BODY_BYTES) };
        let started = Instant::now();
        let reply = self.shared.sender.send(&self.base, message, consent).await;
        let elapsed = started.elapsed();
        let exchange = self.exchange(judged, request, &reply, elapsed);
        self.shared.context.responsiveness.note_outcome(&self.operation.id, &exchange.request.url, exchange.failure());
        let to_the_valid = || self.exchange(judged, self.valid.clone(), &reply, elapsed);
        let tried = Tried { edits, meant, exchange: &exchange, to_the_valid: &to_the_valid, valid: &self.valid };
        let target = &self.shared.context.target;
        let shown = &self.shared.context.shown;
        if let (Some(meant), Some(response)) = (meant, exchange.response()) {
            shown.note(&meant.id, response.status);
        }
        let not_there = check::not_there(target, judged, &exchange).filter(|_| !shown.has(&judged.id));
        // Where nothing is, nothing can be wrong.
        let mut findings = if not_there.is_some() { Vec::new() } else { judge(self.operation, &tried) };
        if target.assert_assumed {
            findings.iter_mut().for_each(|finding| finding.assumed = None);
        }
        findings.retain(|finding| finding.assumed.is_none());
        Ok(FuzzTrial { meant: meant.map(|meant| meant.id.clone()), exchange, findings, not_there })
    }

    /// The operation at the address of a request.
    fn operation_at(&self, raw: &RawRequest) -> Option<&str> {
        let below = raw.path.strip_prefix(self.base.path().trim_end_matches('/').as_bytes())?;
        self.shared.context.guard.routes().exact(&raw.method, below)
    }

    /// Returns the request with these changes as it is recorded. Secrets are masked before the changes: a secret that
    /// they take apart would not be recognised.
    pub(super) fn masked(&self, edits: &[Edit]) -> RawRequest {
        let recorder = &self.shared.context.recorder;
        let vault = &self.user.first().vault;
        self.raw.with(edits, self.operation.request.as_ref(), |raw| {
            raw.body = recorder.bytes(&raw.body, vault);
            raw.move_to(recorder.bytes(&raw.path, vault));
            raw.query = recorder.bytes(&raw.query, vault);
            for (name, value) in &mut raw.headers {
                *value = recorder.header(name, value, vault).into_bytes();
            }
        })
    }

    /// The request with these changes, as it is recorded.
    pub(super) fn request(&self, edits: &[Edit]) -> Request {
        self.recorded(self.operation, edits, &self.raw.with(edits, self.operation.request.as_ref(), |_| {}))
    }

    /// Ends the world.
    pub(super) async fn close(self) {
        // A world that cannot be closed is no fault of the operation.
        let _ = self.user.close().await;
    }

    fn recorded(&self, operation: &Operation, edits: &[Edit], raw: &RawRequest) -> Request {
        let recorder = &self.shared.context.recorder;
        let content = operation.request.as_ref();
        let base = recorder.text(&self.base[..url::Position::BeforePath]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let masked = self.masked(edits);
        let body = recorder.body(&raw.body, content.map_or(Coding::Other, |content| content.coding), content);
        Request {
            method: raw.method.clone(),
            url: format!("{base}{}", text(&masked.target())),
            path: self.prepared.content().path.clone(),
            query: asked(operation, &raw.query).unwrap_or_else(|| self.prepared.content().query.clone()),
            headers: masked.headers.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
            body: Body { text: text(&masked.body), ..body },
            http: HttpVersion::One,
        }
    }

    fn exchange(&self, operation: &Operation, request: Request, reply: &Result<RawReply, TransportFailure>, elapsed: Duration) -> Exchange {
        let recorder = &self.shared.context.recorder;
        let outcome = match reply {
            Err(failure) => ExchangeOutcome::Failed(TransportFailure { kind: failure.kind, detail: recorder.text(&failure.detail) }),
            Ok(reply) if reply.cut => ExchangeOutcome::Failed(TransportFailure {
                kind: TransportFailureKind::TooLarge,
                detail: format!("more than {} bytes; the rest was not read", operation.largest.min(MAX_BODY_BYTES)),
            }),
            Ok(reply) => {
                let records = Records { recorder, vault: &self.user.first().vault };
                ExchangeOutcome::Response(recorded(operation, &request, (reply.status, &reply.headers, &reply.body), records))
            }
        };
        Exchange { arrived: recorder.arrival(), elapsed, ..Exchange::unnumbered(Direction::Call, &operation.id, MAIN, request, outcome) }
    }
}

/// Prepares the valid request. Fails with the reason why there is none.
async fn dry_run(user: &UserSession, operation: &Operation, start: &Start) -> Result<(PreparedRequest, Url, RawRequest), String> {
    let prepared = user.dry_run(operation, &start.step, &start.call).await.map_err(|halt| halt.to_string())?;
    let base = user.base(&operation.api).cloned().ok_or_else(|| format!("the target has no base URL for `{}`", operation.api))?;
    let sent = prepared.to_connection().map_err(|error| error.to_string())?;
    let raw = RawRequest::new(&prepared, sent.headers(), operation.request.as_ref());
    Ok((prepared, base, raw))
}

/// The documented query parameters as they were sent, where the query can be read.
fn asked(operation: &Operation, query: &[u8]) -> Option<Map<String, Value>> {
    let (pairs, _) = decode_form(query).ok()?;
    Some(pairs.into_iter().filter(|(name, _)| operation.query.contains(name)).collect())
}
