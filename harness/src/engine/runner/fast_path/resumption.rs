//! How a journey goes on as in `verify` where something was not settled by its bytes.

use std::sync::Arc;
use std::time::Instant;

use super::gone;
use super::handover::{Handover, PerformedAction};
use super::journey::{Journey, JourneyEvent};
use super::received_call::ReceivedCall;
use crate::engine::runner::call::is_pending;
use crate::engine::runner::session::{Session, Stop};
use crate::engine::runner::user_session::Played;
use crate::spec::scenario::{Call, NotificationStep, Step, StepVerb};
use crate::wire::exchange::Exchange;

impl<'j> Journey<'j> {
    /// Judges the iteration by a record of everything so far, and plays what is left of it, as in `verify`.
    pub(crate) async fn settle(self, found: Handover<'j>) -> Played {
        let Self { user, variables, events, moved, .. } = self;
        let mut session = user.iteration(variables);
        session.moved = moved;
        let stop = match session.add_events(events) {
            Ok(()) => session.settle(found).await.err(),
            Err(stop) => Some(stop),
        };
        user.conclude(session, stop).await
    }
}

impl<'s> Session<'s> {
    fn add_events(&mut self, events: Vec<JourneyEvent<'_>>) -> Result<(), Stop> {
        for event in events {
            match event {
                JourneyEvent::Call(call) => drop(self.keep_exchange(Arc::new(self.exchange_of(&call)?))),
                JourneyEvent::Notification(exchange) => drop(self.keep_exchange(exchange)),
                JourneyEvent::World { action, with, response } => self.note_action(&action, &with, &response),
            }
        }
        Ok(())
    }

    fn exchange_of(&self, call: &ReceivedCall<'_>) -> Result<Exchange, Stop> {
        call.exchange(self.context, &self.vault)
    }

    async fn settle(&mut self, found: Handover<'_>) -> Result<(), Stop> {
        let case = self.case;
        let (Some(index), true) = (found.step(), !matches!(found, Handover::Step(_))) else {
            let from = found.step().unwrap_or(case.steps.len());
            return self.steps(from, |step| !step.once).await;
        };
        let step = case.steps.get(index).ok_or_else(gone)?;
        match (found, &step.verb) {
            (Handover::Response { call, deadline, .. }, StepVerb::Call(wanted)) => {
                self.settle_response(step, wanted, (&call, deadline)).await?;
            }
            (Handover::Action { performed, .. }, StepVerb::World(world)) => {
                let PerformedAction { action, with, response } = *performed;
                self.acted(step, world, (action, with), response).await?;
            }
            (found, StepVerb::Notification(wanted)) => self.settle_notification(step, wanted, found).await?,
            _ => return Err(gone()),
        }
        self.steps(index + 1, |step| !step.once).await
    }

    async fn settle_response(&mut self, step: &Step, wanted: &Call, (call, deadline): (&ReceivedCall<'_>, Instant)) -> Result<(), Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        let operation = call.operation(&contracts)?;
        let mut exchange = self.keep_exchange(Arc::new(self.exchange_of(call)?));
        self.judge_call(operation, &exchange, step)?;
        if !wanted.until.is_empty() && is_pending(operation, &exchange) {
            let mut request = call.prepared();
            exchange = self.poll_on(operation, &mut request, (exchange, deadline.into()), step).await?;
        }
        self.judge_expectations(operation, wanted, &exchange, step)?;
        self.keep(operation, wanted, &exchange, step)
    }

    async fn settle_notification(&mut self, step: &Step, wanted: &NotificationStep, found: Handover<'_>) -> Result<(), Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        match found {
            Handover::Missing { .. } => {
                let mailbox = self.open_mailbox()?;
                self.missing(&mailbox, step, wanted)
            }
            Handover::Arrival { arrived, .. } => {
                let exchange = self.keep_exchange(arrived);
                self.judge_notification(&exchange, &step.place);
                self.accept(step, wanted, &exchange).await
            }
            Handover::Unconfirmed { notification, .. } => self.confirm(&contracts, &notification, step).await,
            Handover::Confirmation { notification, call, asked, .. } => {
                let operation = call.operation(&contracts)?;
                let status = self.keep_exchange(Arc::new(self.exchange_of(&call)?));
                self.judge_call(operation, &status, step)?;
                self.agree(&notification, &status, asked, step);
                Ok(())
            }
            Handover::Step(_) | Handover::Response { .. } | Handover::Action { .. } | Handover::Rest => Err(gone()),
        }
    }
}
