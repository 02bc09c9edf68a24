//! Plays journeys on the fast path: calls with actions of the world and notifications between them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call_recorder::{CallOutcome, CallRecorder};
use super::call_slots::{CallSlot, CallSlots};
use super::played_iteration::PlayedIteration;
use super::polling::Polling;
use crate::engine::runner::{ConfirmingCall, FastCall, FastJourney, Glance, Handover, Journey, JourneyStep, Played, UserSession};
use crate::engine::transport::own_connections::OwnConnection;
use crate::engine::transport::reply::{Failure, Reply};
use crate::load::meter::ResultCode;
use crate::load::run_state::RunState;

/// A journey whose responses and notifications can be judged without a record.
pub(super) struct JourneyPath {
    script: FastJourney,
    /// One for each step that is a call.
    calls: Vec<Option<CallSlot>>,
    /// Those of the calls that confirm notifications, by the index of the operation.
    confirmations: HashMap<usize, CallSlot>,
    connections: Vec<OwnConnection>,
    /// The decoded body of the last response. Its memory is reused.
    decoded: Value,
}

impl JourneyPath {
    /// `None` if the operation or the address of a call is not known in advance.
    pub(super) fn new(script: FastJourney, session: &UserSession, run: &RunState) -> Option<Self> {
        let mut slots = CallSlots::new(session, run);
        let calls = script.steps.iter().map(|step| match step {
            JourneyStep::Call(call) => slots.slot(&call.operation).map(Some),
            JourneyStep::World(_) | JourneyStep::Notification(_) => Some(None),
        });
        let calls = calls.collect::<Option<Vec<_>>>()?;
        let contracts = &run.context.contracts;
        let rules = contracts.notifications.values().filter_map(|operation| operation.notification.as_ref()?.agrees_with.as_ref());
        let confirmations =
            rules.filter_map(|rule| Some((contracts.operations.get_index_of(&rule.operation)?, slots.slot(&rule.operation)?)));
        let confirmations = confirmations.collect();
        Some(Self { script, calls, confirmations, connections: slots.connections, decoded: Value::Null })
    }

    /// Plays the journey once. Where something can't be judged by its bytes, a session judges it and plays the rest as in `verify`.
    pub(super) async fn play(&mut self, session: &UserSession, recorder: &mut CallRecorder<'_>) -> PlayedIteration {
        let _turn = session.turn().await;
        let started = Instant::now();
        let Self { script, calls, confirmations, connections, decoded } = self;
        let wire = JourneyWire { connections, decoded, measured: 0, recorder };
        let mut iteration = JourneyIteration { session, journey: Journey::new(session), wire };
        let settled = iteration.steps((script, calls), confirmations).await;
        let JourneyIteration { journey, wire, .. } = iteration;
        let whole = settled.is_err();
        let played = match settled {
            Ok(()) => Played::default(),
            Err(found) => {
                let played = journey.settle(found).await;
                wire.recorder.recorded_after(&played, wire.measured);
                played
            }
        };
        PlayedIteration { played, service: started.elapsed(), whole }
    }
}

/// Sends the calls of a journey and measures them.
struct JourneyWire<'w, 'r> {
    connections: &'w [OwnConnection],
    decoded: &'w mut Value,
    /// The number of calls that were measured.
    measured: usize,
    recorder: &'w mut CallRecorder<'r>,
}

impl JourneyWire<'_, '_> {
    /// Measures a call whose response is fine.
    fn measure(&mut self, slot: CallSlot, service: Duration, status: Option<u16>) {
        self.measured += 1;
        let codes = self.recorder.codes(slot.operation).zip(status);
        let code = codes.map_or(ResultCode::None, |(codes, status)| codes.code_of_success(status));
        self.recorder.call(slot.operation, service, CallOutcome { status, code, error: None });
    }

    fn note_reached(&self, response: &Result<Reply, Failure>) {
        self.recorder.run.responsiveness.note_kind(response.as_ref().err().map(|failure| failure.kind));
    }
}

/// One iteration of a journey.
struct JourneyIteration<'j, 'w, 'r> {
    session: &'j UserSession,
    journey: Journey<'j>,
    wire: JourneyWire<'w, 'r>,
}

impl<'j> JourneyIteration<'j, '_, '_> {
    async fn steps(
        &mut self,
        (script, slots): (&'j FastJourney, &[Option<CallSlot>]),
        confirmations: &HashMap<usize, CallSlot>,
    ) -> Result<(), Handover<'j>> {
        for (step, slot) in script.steps.iter().zip(slots) {
            match (step, slot) {
                (JourneyStep::Call(call), Some(slot)) => self.call(call, *slot).await?,
                (JourneyStep::Call(call), None) => return Err(Handover::Step(call.step())),
                (JourneyStep::World(index), _) => self.journey.act(*index).await?,
                (JourneyStep::Notification(index), _) => {
                    if let Some(confirming) = self.journey.notification(*index).await? {
                        self.confirm(*index, confirming, confirmations).await?;
                    }
                }
            }
        }
        if self.journey.has_rest() { Err(Handover::Rest) } else { Ok(()) }
    }

    /// Makes a call and repeats it while its response is pending.
    async fn call(&mut self, call: &'j FastCall, slot: CallSlot) -> Result<(), Handover<'j>> {
        let mut sent = self.journey.request(call)?;
        let polling = Polling::start(call, self.session);
        loop {
            let (request, token) = sent;
            let wire = &mut self.wire;
            let Some(connection) = wire.connections.get(slot.connection) else { return Err(Handover::Step(call.step())) };
            let (service, response) = match call.with_token(self.session, &request, &token) {
                Ok(sent) => connection.lock().await.send(&sent, slot.largest).await,
                Err(_) => return Err(Handover::Step(call.step())),
            };
            wire.note_reached(&response);
            let in_time = polling.is_some_and(Polling::has_time);
            let glance = response.as_ref().map_or(Glance::Unsettled, |reply| {
                call.glance(self.session, self.journey.variables(), (&request, reply, in_time), wire.decoded)
            });
            if glance != Glance::Unsettled {
                wire.measure(slot, service, response.as_ref().ok().map(|reply| reply.status));
            }
            // Only a call that is repeated needs its request again.
            let again = (glance == Glance::Pending).then(|| (request.clone(), token.clone()));
            let received = self.journey.received(call, (request, token), (service, response));
            match (glance, again) {
                (Glance::Pending, Some(again)) => {
                    self.journey.add_pending(received);
                    tokio::time::sleep(polling.map(|polling| polling.pause).unwrap_or_default()).await;
                    sent = again;
                }
                (Glance::Fine, _) => {
                    self.journey.add(call, received, wire.decoded);
                    return Ok(());
                }
                (Glance::Unsettled | Glance::Pending, _) => {
                    let deadline = polling.map_or_else(Instant::now, |polling| polling.deadline);
                    return Err(Handover::Response { step: call.step(), call: received, deadline });
                }
            }
        }
    }

    /// Makes the call that confirms a notification.
    async fn confirm(
        &mut self,
        step: usize,
        confirming: ConfirmingCall<'j>,
        confirmations: &HashMap<usize, CallSlot>,
    ) -> Result<(), Handover<'j>> {
        let wire = &mut self.wire;
        let slot = confirmations.get(&confirming.operation).copied();
        let found = slot.and_then(|slot| Some((slot, wire.connections.get(slot.connection)?)));
        let Some((slot, connection)) = found else { return Err(confirming.unasked(step)) };
        let (service, response) = connection.lock().await.send(confirming.to_connection(), slot.largest).await;
        wire.note_reached(&response);
        let status = response.as_ref().ok().map(|reply| reply.status);
        self.journey.confirm(step, confirming, (service, response), wire.decoded)?;
        wire.measure(slot, service, status);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
