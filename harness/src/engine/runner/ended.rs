//! What ends by itself, as the payments and refunds of a test terminal do about ten seconds after their creation. Where responses come so
//! slowly that a case takes longer, what its steps expect of something pending says nothing about the target.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::created::Created;
use super::session::{Session, Stop};
use crate::judge::record::{RecordEntry, identifier};
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Step};
use crate::wire::exchange::Exchange;

impl Session<'_> {
    /// Notes what an exchange created, if it may end by itself. In a world of a case's own, time passes when the case says so.
    pub(super) fn note_created(&mut self, exchange: &Arc<Exchange>) {
        if self.is_alone() || self.environment.player.is_some() {
            return;
        }
        let contracts = &self.context.contracts;
        let Some(operation) = contracts.operations.get(&exchange.operation) else { return };
        let Some(about) = operation.creates.as_ref().filter(|_| operation.accepted(exchange)) else { return };
        let Some(ending) = contracts.resources.get(&about.resource).and_then(|known| known.ending.clone()) else { return };
        let (Some(id), Some(since)) = (identifier(about, exchange), Instant::now().checked_sub(exchange.elapsed)) else { return };
        if self.context.target.settings.has_not(&ending.unless_off, &exchange.identity) {
            return;
        }
        let (resource, creation) = (about.resource.clone(), Arc::clone(exchange));
        self.created.push(Created { resource, id, creation, since, entry: self.record.entries.len(), ending });
    }

    /// Why a response that is not what its step expects can't be judged: what it is about has ended by itself, as a question shows.
    pub(super) async fn ended_meanwhile(
        &mut self,
        operation: &Operation,
        call: &Call,
        exchange: &Exchange,
        step: &Step,
    ) -> Result<Option<String>, Stop> {
        let Some(created) = self.about_created(operation, exchange) else { return Ok(None) };
        if created.since.elapsed() < created.ending.after || self.has_touched(&created) || self.meets(operation, call, exchange, step)? {
            return Ok(None);
        }
        let has_ended = self.is_final(&created.resource, &created.id, &created.creation, step).await?;
        Ok(has_ended.then(|| format!("what {} is about has ended by itself meanwhile: {}", operation.id, created.ending.says)))
    }

    /// What a call is about, if this case created it and it may end by itself.
    fn about_created(&self, operation: &Operation, exchange: &Exchange) -> Option<Created> {
        let abouts = operation.shows.as_ref().map(|shows| &shows.about).into_iter().chain(&operation.acts_on);
        let of_case = abouts.filter_map(|about| {
            let id = identifier(about, exchange)?;
            self.created.iter().find(|created| created.resource == about.resource && created.id == id)
        });
        of_case.into_iter().next().cloned()
    }

    /// Whether the case did something to it since, let as much time pass as it takes to end, or has seen it in a final state before its
    /// last call.
    fn has_touched(&self, created: &Created) -> bool {
        let actions = &self.context.contracts.actions;
        let since = self.record.entries.iter().skip(created.entry);
        let mut passed = Duration::ZERO;
        for entry in since {
            let RecordEntry::World { action, with, .. } = entry else { continue };
            let Some(action) = actions.get(action) else { continue };
            if action.on.as_ref().and_then(|on| on.subject(with)).is_some_and(|id| id == created.id) {
                return true;
            }
            passed += action.time_passed(with).unwrap_or_default();
        }
        let before = self.record.exchanges().rev().skip(1);
        passed >= created.ending.after || self.shown_pending(before, &created.resource, &created.id) == Some(false)
    }
}
