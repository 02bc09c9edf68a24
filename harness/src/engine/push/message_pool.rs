//! Writes documented notifications in any number, each about a payment of its own that the gateway reports alike.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use url::Url;

use super::acknowledgement::{judge_acknowledgement, statuses};
use super::error::PushError;
use super::gateway::Gateway;
use super::gateway_calls::GatewayCalls;
use super::log::ExchangeLog;
use super::message::{Pace, PushMessage, fields};
use super::route::{Route, routes};
use super::rules::rules;
use super::sender::recorded_exchange;
use crate::base::verdict::Finding;
use crate::engine::recorder::Recorder;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::ExchangeOutcome;

/// Writes notifications about payments in every state that can be reported.
pub(crate) struct MessagePool<'s> {
    gateway: &'s Gateway,
    formats: Vec<&'s Operation>,
    /// How every state of every format is reached, in turn.
    turns: Vec<(usize, Route)>,
}

/// One notification, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub(crate) struct PreparedPush {
    /// The index of its format in [`MessagePool::formats`].
    pub(crate) format: usize,
    /// The HTTP method.
    pub(crate) method: http::Method,
    /// The content type.
    pub(crate) media_type: Option<String>,
    /// The body.
    pub(crate) body: Bytes,
}

impl<'s> MessagePool<'s> {
    /// Notifications of these formats; of all if none is named.
    pub(crate) fn new(contracts: &'s Contracts, gateway: &'s Gateway, named: &[String]) -> Result<Self, PushError> {
        if let Some(unknown) = named.iter().find(|id| !contracts.notifications.contains_key(*id)) {
            return Err(PushError::UnknownNotification(unknown.clone()));
        }
        let wanted = contracts.notifications.values().filter(|notification| named.is_empty() || named.contains(&notification.id));
        let formats: Vec<_> = wanted.filter(|notification| rules(notification).is_some()).collect();
        let mut turns: Vec<(usize, usize, Route)> = Vec::new();
        for (number, notification) in formats.iter().enumerate() {
            let routes = routes(contracts, notification).into_iter().enumerate();
            turns.extend(routes.map(|(place, route)| (place, number, route)));
        }
        // The first state of each format, then the second ones: the formats alternate.
        turns.sort_by_key(|(place, number, _)| (*place, *number));
        if turns.is_empty() {
            return Err(PushError::NoNotification);
        }
        Ok(Self { gateway, formats, turns: turns.into_iter().map(|(_, number, route)| (number, route)).collect() })
    }

    /// The formats, by their index.
    pub(crate) fn formats(&self) -> Vec<String> {
        self.formats.iter().map(|notification| notification.id.clone()).collect()
    }

    /// The statuses that acknowledge each format.
    pub(crate) fn acknowledged_by(&self) -> Vec<Vec<u16>> {
        self.formats.iter().map(|notification| statuses(notification).to_vec()).collect()
    }

    /// Creates a payment, moves it to the state whose turn it is, and writes the notification about it.
    pub(crate) async fn write(&self, number: u64) -> Result<PreparedPush, PushError> {
        let turn = usize::try_from(number).unwrap_or_default() % self.turns.len().max(1);
        let (format, route) = self.turns.get(turn).ok_or(PushError::NoNotification)?;
        let notification = *self.formats.get(*format).ok_or(PushError::NoNotification)?;
        let facts = GatewayCalls::new(self.gateway, notification, &mut ExchangeLog::default()).create_in(route).await?;
        let message = PushMessage::from_fields(notification, &fields(notification, &self.gateway.credential(), &facts)?);
        let method = message.method.parse().map_err(|_| PushError::Method(message.method.clone()))?;
        Ok(PreparedPush { format: *format, method, media_type: message.media_type, body: message.body.into() })
    }

    /// The judge of the responses to them.
    pub(crate) fn judge(&self, contracts: &Arc<Contracts>, endpoint: Url, within: Duration) -> AcknowledgementJudge {
        AcknowledgementJudge {
            contracts: Arc::clone(contracts),
            recorder: Arc::clone(self.gateway.recorder()),
            formats: self.formats(),
            endpoint,
            within,
        }
    }
}

/// Judges the responses to documented notifications.
pub(crate) struct AcknowledgementJudge {
    contracts: Arc<Contracts>,
    recorder: Arc<Recorder>,
    formats: Vec<String>,
    endpoint: Url,
    within: Duration,
}

impl AcknowledgementJudge {
    /// The violations of the response to a notification.
    pub(crate) fn finding(&self, sent: &PreparedPush, outcome: ExchangeOutcome) -> Option<Finding> {
        let notification = self.contracts.notifications.get(self.formats.get(sent.format)?)?;
        let (method, media_type) = (sent.method.to_string(), sent.media_type.clone());
        let message = PushMessage { method, media_type, body: sent.body.to_vec(), pace: Pace::AtOnce };
        let exchange = recorded_exchange(notification, &message, &self.endpoint, outcome, &self.recorder);
        judge_acknowledgement(notification, rules(notification)?, &exchange, self.within)
    }

    /// The recorder that masks what is kept of a notification.
    pub(crate) fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }
}
