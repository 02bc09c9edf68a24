//! The fast path of a case in which something happens outside the API too: actions of the world, and notifications.
//!
//! Everything that was fine is kept as it was received. Where something is not settled by its bytes, a record is built of it, and a
//! session goes on from there as in `verify` ([`Handover`]).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::documented::{SuccessForm, success};
use super::handover::{Handover, PerformedAction};
use super::received_call::ReceivedCall;
use super::{FastCall, FastRequest, SentToken, explain};
use crate::engine::inbox::Mailbox;
use crate::engine::notification_observer::named;
use crate::engine::request::{ConnectionRequest, RequestContent};
use crate::engine::runner::case::rendered;
use crate::engine::runner::notification_steps::{announce, fits, kept, question};
use crate::engine::runner::user_session::UserSession;
use crate::engine::transport::reply::{Failure, Reply};
use crate::engine::world::{Act, KnownResource};
use crate::judge::check;
use crate::spec::contract::{Agreement, Operation};
use crate::spec::scenario::{NotificationStep, Step, StepVerb, Variables};
use crate::spec::target::MAIN;
use crate::wire::exchange::Exchange;
use crate::wire::expression::{RuntimeExpression, text_of};

/// A case for the fast path whose steps are not all calls.
pub(crate) struct FastJourney {
    pub(crate) steps: Vec<JourneyStep>,
}

/// A step of a journey; those that are no calls by their index among the steps of the case.
pub(crate) enum JourneyStep {
    Call(Box<FastCall>),
    World(usize),
    Notification(usize),
}

impl FastJourney {
    /// The steps of a case; `None` if one of them needs the slow path, or the world is not its own.
    pub(crate) fn compile(user: &UserSession) -> Option<Self> {
        if !user.environment().alone {
            return None;
        }
        let steps = user.case().steps.iter().enumerate().filter(|(_, step)| !step.once);
        let steps = steps.map(|(index, step)| JourneyStep::compile(user, index, step)).collect::<Option<Vec<_>>>()?;
        (!steps.is_empty()).then_some(Self { steps })
    }
}

impl JourneyStep {
    fn compile(user: &UserSession, index: usize, step: &Step) -> Option<Self> {
        match &step.verb {
            StepVerb::Call(_) => FastCall::compile(user, index, step).filter(|call| call.by_bytes).map(Box::new).map(Self::Call),
            StepVerb::World(_) | StepVerb::Notification(_) => {
                let (context, variables) = (user.context(), &user.first().variables);
                let by = explain::judged_by(&context.contracts, &context.target, variables, step);
                let is_world = matches!(step.verb, StepVerb::World(_));
                (by == explain::JudgedBy::Event).then_some(if is_world { Self::World(index) } else { Self::Notification(index) })
            }
            StepVerb::NoNotification(_) | StepVerb::Inbox(_) | StepVerb::Violations(_) => None,
        }
    }
}

/// One iteration of a journey, of which everything was fine so far.
pub(crate) struct Journey<'j> {
    pub(super) user: &'j UserSession,
    pub(super) variables: Variables,
    pub(super) events: Vec<JourneyEvent<'j>>,
    created: Vec<CreatedResource<'j>>,
    /// When the last step started that may have changed something.
    pub(super) moved: Instant,
}

/// What happened.
pub(super) enum JourneyEvent<'j> {
    Call(Box<ReceivedCall<'j>>),
    World { action: String, with: Map<String, Value>, response: Value },
    Notification(Arc<Exchange>),
}

/// A resource that a call of the iteration has created.
struct CreatedResource<'j> {
    resource: &'j str,
    id: String,
    /// The call.
    operation: &'j str,
    identity: String,
}

/// The call that confirms a notification.
pub(crate) struct ConfirmingCall<'j> {
    /// The index of its operation.
    pub(crate) operation: usize,
    request: FastRequest,
    rule: &'j Agreement,
    notification: Arc<Exchange>,
    asked: Instant,
}

impl<'j> Journey<'j> {
    /// An iteration that begins now.
    pub(crate) fn new(user: &'j UserSession) -> Self {
        let variables = user.first().variables.clone();
        Self { user, variables, events: Vec::new(), created: Vec::new(), moved: Instant::now() }
    }

    /// The request of a call, and the token to send with it. `Err` where the session must prepare it.
    pub(crate) fn request(&mut self, call: &'j FastCall) -> Result<(Cow<'j, FastRequest>, SentToken), Handover<'j>> {
        let request = call.request(self.user, &self.variables).map_err(|_| Handover::Step(call.step))?;
        let token = call.known_token(self.user, &request).ok_or(Handover::Step(call.step))?;
        self.moved = Instant::now();
        Ok((request, token))
    }

    /// The variables of the iteration.
    pub(crate) fn variables(&self) -> &Variables {
        &self.variables
    }

    /// A call whose response was received just now.
    pub(crate) fn received(
        &self,
        call: &FastCall,
        sent: (Cow<'j, FastRequest>, SentToken),
        received: (Duration, Result<Reply, Failure>),
    ) -> Box<ReceivedCall<'j>> {
        ReceivedCall::now(self.user, call.index, sent, received)
    }

    /// Adds a call whose response asks for another one.
    pub(crate) fn add_pending(&mut self, call: Box<ReceivedCall<'j>>) {
        self.events.push(JourneyEvent::Call(call));
    }

    /// Adds a call whose response is fine, and keeps what following steps need. `response` is its decoded body. Returns `false` if a value
    /// is missing.
    pub(crate) fn add(&mut self, call: &FastCall, received: Box<ReceivedCall<'j>>, response: &Value) -> bool {
        self.note_created(&received, response);
        self.events.push(JourneyEvent::Call(received));
        call.keep(self.user, &mut self.variables, response)
    }

    fn note_created(&mut self, received: &ReceivedCall<'j>, response: &Value) {
        let Ok(operation) = received.operation(&self.user.context().contracts) else { return };
        let Some(about) = &operation.creates else { return };
        let content = received.request().prepared.content();
        if let Some(id) = text_at(&about.id, content, response).filter(|id| !id.is_empty()) {
            let identity = content.identity.clone();
            self.user.environment().seen.note(&id);
            self.created.push(CreatedResource { resource: &about.resource, id, operation: &operation.id, identity });
        }
    }

    /// Carries out the action of a step.
    pub(crate) async fn act(&mut self, step: usize) -> Result<(), Handover<'j>> {
        let Some(Step { verb: StepVerb::World(world), .. }) = self.step(step) else { return Err(Handover::Step(step)) };
        let (action, with) = rendered(world, &self.variables).map_err(|_| Handover::Step(step))?;
        self.moved = Instant::now();
        // The control API of an emulator knows its payments.
        let act = Act { action: &action, with: &with, resource: &KnownResource::default() };
        let response = self.user.environment().world.act(act).await;
        self.user.world_moved();
        let found =
            |response: &Value| world.keep.iter().all(|keep| keep.pointer().is_some_and(|pointer| response.pointer(pointer).is_some()));
        match response {
            Ok(response) if world.expect.is_empty() && found(&response) => {
                for keep in &world.keep {
                    let value = keep.pointer().and_then(|pointer| response.pointer(pointer)).cloned();
                    self.variables.extend(value.map(|value| (keep.name.clone(), value)));
                }
                self.events.push(JourneyEvent::World { action, with, response });
                Ok(())
            }
            response => Err(Handover::Action { step, performed: Box::new(PerformedAction { action, with, response }) }),
        }
    }

    /// Waits for the notification of a step and judges it. Returns the call that confirms it, if its contract names one.
    pub(crate) async fn notification(&mut self, step: usize) -> Result<Option<ConfirmingCall<'j>>, Handover<'j>> {
        let user = self.user;
        let Some(Step { verb: StepVerb::Notification(wanted), .. }) = self.step(step) else { return Err(Handover::Step(step)) };
        let mailbox = user.environment().mailbox().ok_or(Handover::Step(step))?;
        announce(user.context(), &user.environment().name, wanted, (&self.variables, self.moved));
        let arrived = self.arrival(&mailbox, wanted).await.ok_or(Handover::Missing { step })?;
        let Some((operation, created)) = self.sound(&arrived) else { return Err(Handover::Arrival { step, arrived }) };
        let identity = if created.identity.is_empty() { MAIN.to_owned() } else { created.identity.clone() };
        self.variables.extend(kept(wanted, &arrived));
        self.events.push(JourneyEvent::Notification(Arc::clone(&arrived)));
        let Some(rule) = operation.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref()) else { return Ok(None) };
        let confirming = self.confirming((rule, identity), &arrived, step);
        confirming.map(Some).ok_or(Handover::Unconfirmed { step, notification: arrived })
    }

    async fn arrival(&self, mailbox: &Mailbox, wanted: &NotificationStep) -> Option<Arc<Exchange>> {
        let within = wanted.within.unwrap_or(self.user.context().target.notifications.within);
        let deadline = tokio::time::Instant::now() + within;
        loop {
            let seen = mailbox.arrivals();
            if let Some(found) = mailbox.claim(|exchange| fits(&wanted.fields, exchange, &self.variables)) {
                return Some(found);
            }
            if !mailbox.more(seen, deadline).await {
                return None;
            }
        }
    }

    /// The operation of a notification, and the call that has created its resource, if the notification has no fault.
    fn sound(&self, notification: &Exchange) -> Option<(&'j Operation, &CreatedResource<'j>)> {
        let context = self.user.context();
        let operation = context.contracts.notifications.get(&notification.operation)?;
        let about = &operation.shows.as_ref()?.about;
        let id = about.id.text(notification)?;
        let created = self.created.iter().find(|created| created.resource == about.resource && created.id == id)?;
        let whose = |identity: &str, part: &str| context.target.credentials.get(identity)?.get(part).cloned();
        let by = (created.operation, created.identity.as_str());
        check::is_sound_notification(&context.contracts, operation, notification, by, &whose).then_some((operation, created))
    }

    fn confirming(
        &self,
        (rule, identity): (&'j Agreement, String),
        notification: &Arc<Exchange>,
        step: usize,
    ) -> Option<ConfirmingCall<'j>> {
        let (user, place) = (self.user, self.step(step)?.place.as_str());
        let (index, _, operation) = user.context().contracts.operations.get_full(&rule.operation)?;
        let content = RequestContent::new(operation, question(rule, notification), identity);
        let prepared = user.context().preparation().prepare(operation, content, user.base(&operation.api), place).ok()?;
        let request = FastRequest::new(user, operation, prepared).ok()?;
        let needs_no_token = request.bearer.is_none();
        let confirming = ConfirmingCall { operation: index, request, rule, notification: Arc::clone(notification), asked: Instant::now() };
        needs_no_token.then_some(confirming)
    }

    /// Judges the response to a confirming call; `decoded` then holds its body.
    pub(crate) fn confirm(
        &mut self,
        step: usize,
        confirming: ConfirmingCall<'j>,
        received: (Duration, Result<Reply, Failure>),
        decoded: &mut Value,
    ) -> Result<(), Handover<'j>> {
        let ConfirmingCall { operation, request, rule, notification, asked } = confirming;
        let call = ReceivedCall::now(self.user, operation, (Cow::Owned(request), SentToken::default()), received);
        if !self.agrees(&call, rule, &notification, decoded) {
            return Err(Handover::Confirmation { step, notification, call, asked });
        }
        self.report_status(&call, asked, decoded);
        self.events.push(JourneyEvent::Call(call));
        Ok(())
    }

    fn agrees(&self, call: &ReceivedCall<'j>, rule: &Agreement, notification: &Exchange, decoded: &mut Value) -> bool {
        let (Ok(operation), Ok(reply)) = (call.operation(&self.user.context().contracts), call.response()) else { return false };
        let form = success(operation, &call.request().documented, (reply.status, &reply.headers, &reply.body), decoded);
        form == Some(SuccessForm::Value) && check::agrees(rule, notification, decoded)
    }

    /// Reports to the observer the state of a resource in a response.
    fn report_status(&self, call: &ReceivedCall<'j>, asked: Instant, response: &Value) {
        let (Some(observer), Ok(operation)) = (&self.user.context().observer, call.operation(&self.user.context().contracts)) else {
            return;
        };
        let Some(shows) = &operation.shows else { return };
        let content = call.request().prepared.content();
        let id = text_at(&shows.about.id, content, response).filter(|id| !id.is_empty());
        if let Some((id, state)) = id.zip(text_at(&shows.state, content, response)) {
            observer.status_seen(&named(&self.user.environment().name, &id), &state, asked);
        }
    }

    /// Whether a notification arrived that no step has claimed.
    pub(crate) fn has_rest(&self) -> bool {
        let (contracts, environment) = (&self.user.context().contracts, self.user.environment());
        let Some(mailbox) = environment.mailbox().filter(|mailbox| !mailbox.is_empty()) else { return false };
        environment.seen.drop_earlier(contracts, &mailbox, |_, id, _| self.created.iter().any(|created| created.id == id));
        !mailbox.is_empty()
    }

    fn step(&self, index: usize) -> Option<&'j Step> {
        self.user.case().steps.get(index)
    }
}

impl<'j> ConfirmingCall<'j> {
    /// The request as a connection sends it.
    pub(crate) fn to_connection(&self) -> &ConnectionRequest {
        &self.request.connection
    }

    /// The session must make the call.
    pub(crate) fn unasked(self, step: usize) -> Handover<'j> {
        Handover::Unconfirmed { step, notification: self.notification }
    }
}

/// The text at a place of an exchange that is not recorded.
fn text_at(place: &RuntimeExpression, request: &RequestContent, response: &Value) -> Option<String> {
    let value = match place {
        RuntimeExpression::RequestPath(name) => request.path.get(name),
        RuntimeExpression::RequestQuery(name) => request.query.get(name),
        RuntimeExpression::RequestBody(pointer) => request.fields.get(pointer.trim_start_matches('/')),
        RuntimeExpression::ResponseBody(pointer) => response.pointer(pointer),
    };
    value.and_then(text_of)
}
