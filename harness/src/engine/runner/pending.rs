//! What a case leaves pending. A target may take one resource at a time: while one is pending, it refuses the next creation as busy.
//! The runner then cancels what this case and those before it have left pending, waits for what an action has ended already or a
//! response has just shown final, and sends the creation again. At its end a case in a shared world notes what it leaves for those that follow
//! ([`LeftPending`](super::pending_leftovers::LeftPending)).

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::call::{is_pending, pause};
use super::pending_leftovers::PendingResource;
use super::session::{Session, Stop};
use crate::base::skip::SkipReason;
use crate::engine::request::PreparedRequest;
use crate::engine::world::Act;
use crate::judge::record::{RecordEntry, identifier};
use crate::spec::contract::{OnPending, Operation};
use crate::spec::scenario::{Call, Step};
use crate::wire::exchange::Exchange;

impl Session<'_> {
    /// Whether an action ends what is pending and the record shows its resource in a final state already.
    pub(super) fn is_about_final(&self, action: &str, with: &Map<String, Value>) -> bool {
        let Some(action) = self.context.contracts.actions.get(action).filter(|action| action.on_pending.is_some()) else { return false };
        let Some(on) = &action.on else { return false };
        let Some(id) = on.subject(with) else { return false };
        on.resources.iter().any(|resource| self.last_shown_pending(resource, &id) == Some(false))
    }

    /// Whether an action that failed had nothing to end: the resource is in a final state, as its status shows.
    pub(super) async fn has_become_final(&mut self, action: &str, with: &Map<String, Value>, step: &Step) -> Result<bool, Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        let Some(action) = contracts.actions.get(action).filter(|action| action.on_pending.is_some()) else { return Ok(false) };
        let Some(on) = &action.on else { return Ok(false) };
        let Some(id) = on.subject(with) else { return Ok(false) };
        let created = on.resources.iter().find_map(|resource| {
            let (creation, _) = self.record.creation(&contracts, resource, &id, None)?;
            Some((resource, Arc::clone(creation)))
        });
        let Some((resource, creation)) = created else { return Ok(false) };
        self.is_final(resource, &id, &creation, step).await
    }

    /// Asks for the state of a resource by the call that shows it, and whether that is final. A refund is below its payment, so the path
    /// parameters of its creation are sent, too.
    pub(super) async fn is_final(&mut self, resource: &str, id: &str, creation: &Exchange, step: &Step) -> Result<bool, Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        let shows = |operation: &&Operation| {
            let same = operation.shows.as_ref().is_some_and(|shows| shows.about.resource == resource);
            same && !operation.pending.is_empty()
        };
        let Some(operation) = contracts.operations.values().find(shows) else { return Ok(false) };
        let Some(name) = operation.shows.as_ref().and_then(|shows| shows.about.parameter()) else { return Ok(false) };
        let mut with = creation.request.path.clone();
        with.insert(name.to_owned(), Value::String(id.to_owned()));
        self.ask(operation, with, &creation.identity, step).await?;
        Ok(self.last_shown_pending(resource, id) == Some(false))
    }

    /// Whether a call is refused because the target is busy with something else, although the step expects something else.
    pub(super) fn is_refused_as_busy(&self, operation: &Operation, call: &Call, exchange: &Exchange, step: &Step) -> Result<bool, Stop> {
        if operation.busy.is_none() || operation.code(exchange) != operation.busy || self.environment.player.is_some() {
            return Ok(false);
        }
        let needs_success = needs_what_is_free(operation, call) && !call.keep.is_empty();
        Ok(needs_success || !self.mismatches(operation, call, exchange, step)?.is_empty())
    }

    /// Sends a call again until it is not refused as busy. What is pending is cancelled for a creation, and for a call that prepares
    /// something; another call may be about what is pending, and waits for what has just become final alone.
    pub(super) async fn send_when_free(
        &mut self,
        operation: &Operation,
        request: &mut PreparedRequest,
        refused: Arc<Exchange>,
        (call, step): (&Call, &Step),
    ) -> Result<Arc<Exchange>, Stop> {
        let (until, kept) = match needs_what_is_free(operation, call) {
            true => self.cancel_pending().await,
            false => (self.context.left.settles_until(self.context.target.poll_within), false),
        };
        let mut exchange = refused;
        let every = pause(&self.context.target);
        while let Some(deadline) = until.filter(|_| operation.code(&exchange) == operation.busy)
            && self.waits(every, deadline).await
        {
            exchange = self.send(operation, request, step).await?;
        }
        match kept && operation.code(&exchange) == operation.busy {
            true => Err(Stop::Skipped(SkipReason::SomethingPending)),
            false => Ok(exchange),
        }
    }

    /// Cancels what this case and those before it have left pending. What an action has ended is waited for instead. Returns until when the
    /// target may take to be free, if it is expected to be, and whether anything could not be cancelled.
    async fn cancel_pending(&mut self) -> (Option<Instant>, bool) {
        let own = self.pending();
        let left = self.context.left.take();
        let within = self.context.target.poll_within;
        let (mut until, mut kept) = (self.context.left.settles_until(within), false);
        for (pending, is_own) in own.into_iter().map(|own| (own, true)).chain(left.into_iter().map(|left| (left, false))) {
            if let Some(ended) = pending.ended {
                until = until.max(Some(ended + within));
            } else if self.cancel(&pending, is_own).await {
                until = until.max(Some(Instant::now() + within));
                self.remember("freed", Value::Bool(true));
            } else {
                kept = true;
            }
        }
        (until, kept)
    }

    /// Cancels a pending resource by the first action that can; one that is final by now is no failure of the target.
    async fn cancel(&mut self, pending: &PendingResource, is_own: bool) -> bool {
        let context = self.context;
        let cancelling = context.contracts.actions.values().filter(|action| {
            let fits = action.on.as_ref().is_some_and(|on| on.includes(&pending.resource));
            fits && action.on_pending == Some(OnPending::GivesUp) && context.cannot_act(&action.name).is_none()
        });
        for action in cancelling {
            let Some(on) = &action.on else { continue };
            let with = Map::from_iter([(on.parameter.clone(), Value::String(pending.id.clone()))]);
            let resource = self.resource_of(&action.name, &with);
            if let Ok(response) = self.world.act(Act { action: &action.name, with: &with, resource: &resource }).await {
                if is_own {
                    self.note_action(&action.name, &with, &response);
                }
                return true;
            }
        }
        false
    }

    /// The resources that this case has created and that no response has shown in a final state.
    pub(super) fn pending(&self) -> Vec<PendingResource> {
        let operations = &self.context.contracts.operations;
        let created = self.record.exchanges().filter_map(|exchange| {
            let operation = operations.get(&exchange.operation).filter(|operation| operation.accepted(exchange))?;
            let about = operation.creates.as_ref()?;
            Some((about.resource.clone(), identifier(about, exchange)?))
        });
        let created =
            created.filter(|(resource, id)| self.can_become_final(resource) && self.last_shown_pending(resource, id) != Some(false));
        let now = Instant::now();
        created.map(|(resource, id)| PendingResource { ended: self.is_ended(&id).then_some(now), resource, id }).collect()
    }

    /// Whether some action ends what is pending of a kind of resource.
    fn can_become_final(&self, resource: &str) -> bool {
        let mut actions = self.context.contracts.actions.values();
        actions.any(|action| action.on_pending.is_some() && action.on.as_ref().is_some_and(|on| on.includes(resource)))
    }

    /// Whether an action has ended a resource; no response need have shown it yet.
    fn is_ended(&self, id: &str) -> bool {
        self.record.entries.iter().any(|entry| match entry {
            RecordEntry::World { action, with, .. } => self.context.contracts.actions.get(action).is_some_and(|action| {
                let subject = action.on.as_ref().and_then(|on| on.subject(with));
                action.on_pending.is_some() && subject.as_deref() == Some(id)
            }),
            RecordEntry::Exchange(_) => false,
        })
    }

    /// Whether the last response about a resource shows it pending; `None` if no response shows it.
    pub(super) fn last_shown_pending(&self, resource: &str, id: &str) -> Option<bool> {
        self.shown_pending(self.record.exchanges().rev(), resource, id)
    }

    /// Whether the first of these exchanges that shows the state of a resource shows it pending.
    pub(super) fn shown_pending<'e>(
        &self,
        mut exchanges: impl Iterator<Item = &'e Arc<Exchange>>,
        resource: &str,
        id: &str,
    ) -> Option<bool> {
        let operations = &self.context.contracts.operations;
        exchanges.find_map(|exchange| {
            let operation = operations.get(&exchange.operation).filter(|operation| !operation.pending.is_empty())?;
            let shows = operation.shows.as_ref().filter(|shows| shows.about.resource == resource)?;
            let own = operation.accepted(exchange) && identifier(&shows.about, exchange).as_deref() == Some(id);
            own.then(|| is_pending(operation, exchange))
        })
    }
}

/// Whether a call needs a target that nothing keeps busy.
fn needs_what_is_free(operation: &Operation, call: &Call) -> bool {
    operation.creates.is_some() || call.prepares.is_some()
}
