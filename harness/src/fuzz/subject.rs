//! An operation of a target while it is fuzzed: a valid request, and everything that is sent in its place.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Map, Value};

use super::draft::Draft;
use super::edit::Edit;
use super::judge::{Tried, judge};
use super::route::Routes;
use super::sender::{Reply, Sender};
use super::start::Start;
use crate::contract::Operation;
use crate::exchange::{
    Answer, Body, Coding, Direction, Exchange, MAX_BODY_BYTES, Outcome, Request, TransportFailure, TransportFailureKind, decode_form,
};
use crate::recorder::Received;
use crate::runner::{Aimed, Context, Stand};
use crate::target::MAIN;
use crate::verdict::Finding;

/// Finished payments that a world keeps.
const KEPT: usize = 1_000;

/// What all operations share.
pub(super) struct Lab {
    pub(super) context: Arc<Context>,
    pub(super) sender: Sender,
    pub(super) routes: Routes,
}

/// One made-up request and what came of it.
#[derive(Debug)]
pub(super) struct Trial {
    /// The operation that stands at the address, if one does.
    pub(super) meant: Option<String>,
    pub(super) exchange: Exchange,
    pub(super) findings: Vec<Finding>,
}

/// An operation with a valid request, in a world of its own where the target gives one.
pub(super) struct Subject<'s> {
    lab: &'s Lab,
    pub(super) operation: &'s Operation,
    stand: Stand,
    aimed: Aimed,
    pub(super) draft: Draft,
    valid: Request,
}

/// Why there is no subject.
#[derive(Debug)]
pub(super) enum Unready {
    /// The target can't play what is needed, or what goes before the request fails.
    Unplayable(String),
    /// A request of the preparation has got no answer.
    Silent(Box<Finding>),
}

impl<'s> Subject<'s> {
    /// Opens a world, plays what goes before the request, and makes the request.
    pub(super) async fn open(lab: &'s Lab, operation: &'s Operation, start: &Start, name: &str) -> Result<Self, Unready> {
        let unplayable = |reason: String| Unready::Unplayable(format!("{}: {reason}", start.origin()));
        if let Some(reason) = crate::runner::unplayable(&lab.context, &start.instance) {
            return Err(unplayable(reason));
        }
        let opened = Stand::open(Arc::clone(&lab.context), Arc::clone(&start.instance), name, KEPT).await;
        let mut stand = opened.map_err(|error| unplayable(error.to_string()))?;
        let played = stand.begin().await;
        let silent = played.record.exchanges().any(|exchange| exchange.failure().is_some());
        let aimed = match played.findings.first().or(played.unexpected.first()) {
            Some(finding) if silent => Err(Unready::Silent(Box::new(finding.clone()))),
            Some(finding) => Err(unplayable(finding.message.clone())),
            None => match played.stopped {
                Some(reason) => Err(unplayable(reason)),
                None => stand.aim(operation, &start.step, &start.call).await.map_err(unplayable),
            },
        };
        match aimed {
            Ok(aimed) => {
                let draft = Draft::of(&aimed, operation.request.as_ref());
                let mut subject = Self { lab, operation, stand, aimed, draft, valid: Request::default() };
                subject.valid = subject.recorded(operation, &[], &subject.draft);
                Ok(subject)
            }
            Err(unready) => {
                // The world is of no use any more; that it can't be ended says nothing of the operation.
                let _ = stand.close().await;
                Err(unready)
            }
        }
    }

    /// Sends the valid request with these changes, and judges what comes of it.
    pub(super) async fn attempt(&self, edits: &[Edit]) -> Trial {
        let recorder = &self.lab.context.recorder;
        let solid = |draft: &mut Draft| draft.solid = recorder.secrets(&draft.body);
        let draft = self.draft.with(edits, self.operation.request.as_ref(), solid);
        let elsewhere = edits.iter().any(Edit::leads_elsewhere);
        let meant = if elsewhere { self.lab.routes.find(&self.aimed.base, &draft) } else { Some(self.operation.id.as_str()) };
        let operations = &self.lab.context.contracts.operations;
        let meant = meant.and_then(|id| operations.get(id));
        let judged = meant.unwrap_or(self.operation);
        let request = self.recorded(judged, edits, &draft);
        let started = Instant::now();
        let most = judged.largest.min(MAX_BODY_BYTES);
        let reply = self.lab.sender.send(&self.aimed.base, Bytes::from(draft.bytes()), draft.method == "HEAD", most).await;
        let elapsed = started.elapsed();
        let exchange = self.exchange(judged, request, &reply, elapsed);
        let to_the_valid = || self.exchange(judged, self.valid.clone(), &reply, elapsed);
        let tried = Tried { edits, meant, exchange: &exchange, to_the_valid: &to_the_valid, valid: &self.valid };
        let mut findings = judge(self.operation, &tried);
        if self.lab.context.target.assert_assumed {
            findings.iter_mut().for_each(|finding| finding.assumed = None);
        }
        findings.retain(|finding| finding.assumed.is_none());
        Trial { meant: meant.map(|meant| meant.id.clone()), exchange, findings }
    }

    /// The request with these changes as it is recorded. Secrets are masked before the changes: what they take
    /// apart, nobody would recognise.
    pub(super) fn masked(&self, edits: &[Edit]) -> Draft {
        let recorder = &self.lab.context.recorder;
        let vault = &self.stand.first().vault;
        self.draft.with(edits, self.operation.request.as_ref(), |draft| {
            draft.body = recorder.bytes(&draft.body, vault);
            draft.move_to(recorder.bytes(&draft.path, vault));
            draft.query = recorder.bytes(&draft.query, vault);
            for (name, value) in &mut draft.headers {
                *value = recorder.header(name, value, vault).into_bytes();
            }
        })
    }

    /// The request with these changes, as it is recorded.
    pub(super) fn request(&self, edits: &[Edit]) -> Request {
        self.recorded(self.operation, edits, &self.draft.with(edits, self.operation.request.as_ref(), |_| {}))
    }

    /// Ends the world.
    pub(super) async fn close(self) {
        // That a world can't be ended is nothing of the operation's.
        let _ = self.stand.close().await;
    }

    fn recorded(&self, operation: &Operation, edits: &[Edit], draft: &Draft) -> Request {
        let recorder = &self.lab.context.recorder;
        let content = operation.request.as_ref();
        let base = recorder.text(&self.aimed.base[..url::Position::BeforePath]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let masked = self.masked(edits);
        let body = recorder.body(&draft.body, content.map_or(Coding::Other, |content| content.coding), content);
        Request {
            method: draft.method.clone(),
            url: format!("{base}{}", text(&masked.target())),
            path: self.aimed.parameters.clone(),
            query: asked(operation, &draft.query).unwrap_or_else(|| self.aimed.asked.clone()),
            headers: masked.headers.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
            body: Body { text: text(&masked.body), ..body },
        }
    }

    fn exchange(&self, operation: &Operation, request: Request, reply: &Result<Reply, TransportFailure>, elapsed: Duration) -> Exchange {
        let recorder = &self.lab.context.recorder;
        let outcome = match reply {
            Err(failure) => Outcome::Failed(TransportFailure { kind: failure.kind, detail: recorder.text(&failure.detail) }),
            Ok(reply) if reply.cut => Outcome::Failed(TransportFailure {
                kind: TransportFailureKind::TooLarge,
                detail: format!("more than {} bytes; the rest was not read", operation.largest.min(MAX_BODY_BYTES)),
            }),
            Ok(reply) => {
                let vault = &self.stand.first().vault;
                let media_type = reply.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
                let content = operation.content(&request, reply.status, media_type);
                let received = Received { media_type, content, tells: &operation.tells, request: &request, vault };
                let body = recorder.answer(&reply.body, received);
                Outcome::Answer(Answer { status: reply.status, headers: recorder.headers(&reply.headers, vault), body })
            }
        };
        Exchange {
            number: 0,
            arrived: recorder.arrival(),
            direction: Direction::Call,
            operation: operation.id.clone(),
            identity: MAIN.to_owned(),
            request,
            outcome,
            elapsed,
        }
    }
}

/// The documented query parameters as they were sent, where the query can be read.
fn asked(operation: &Operation, query: &[u8]) -> Option<Map<String, Value>> {
    let (pairs, _) = decode_form(query).ok()?;
    Some(pairs.into_iter().filter(|(name, _)| operation.query.contains(name)).collect())
}
