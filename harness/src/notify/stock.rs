//! Documented notifications in any number, each about a payment of its own that the gateway tells the same of.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use url::Url;

use super::acknowledgement::{statuses, unacknowledged};
use super::courier::exchange;
use super::gateway::Gateway;
use super::letter::{Letter, Pace, fields};
use super::log::Log;
use super::plan::rules;
use super::route::{Route, routes};
use crate::contract::{Contracts, Operation};
use crate::exchange::Outcome;
use crate::recorder::Recorder;
use crate::verdict::Finding;

/// Writes notifications.
pub(crate) struct Stock<'s> {
    gateway: &'s Gateway,
    formats: Vec<&'s Operation>,
    /// Every state of every format, in turn.
    turns: Vec<(usize, Route)>,
}

/// One notification, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Which format, as numbered by [`Stock::formats`].
    pub(crate) format: usize,
    /// The HTTP method.
    pub(crate) method: http::Method,
    /// The content type.
    pub(crate) media_type: Option<String>,
    /// The body.
    pub(crate) body: Bytes,
}

impl<'s> Stock<'s> {
    /// Notifications of these formats, of all where none is named. The error names one that there is not.
    pub(crate) fn new(contracts: &'s Contracts, gateway: &'s Gateway, named: &[String]) -> Result<Self, String> {
        if let Some(unknown) = named.iter().find(|id| !contracts.notifications.contains_key(*id)) {
            return Err(format!("there is no notification `{unknown}`"));
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
            return Err("the contracts hold no notification that a merchant must take".to_owned());
        }
        Ok(Self { gateway, formats, turns: turns.into_iter().map(|(_, number, route)| (number, route)).collect() })
    }

    /// The notifications by their number.
    pub(crate) fn formats(&self) -> Vec<String> {
        self.formats.iter().map(|notification| notification.id.clone()).collect()
    }

    /// The statuses that acknowledge each of them.
    pub(crate) fn acknowledged_by(&self) -> Vec<Vec<u16>> {
        self.formats.iter().map(|notification| statuses(notification).to_vec()).collect()
    }

    /// Creates a payment, takes it to the state whose turn it is, and writes the notification of it.
    pub(crate) async fn write(&self, number: u64) -> Result<Written, String> {
        let turn = usize::try_from(number).unwrap_or_default() % self.turns.len().max(1);
        let (format, route) = self.turns.get(turn).ok_or("there is nothing to notify of")?;
        let notification = *self.formats.get(*format).ok_or("there is nothing to notify of")?;
        let facts = self.gateway.create_in(notification, route, &mut Log::default()).await?;
        let letter = Letter::of(notification, &fields(notification, &self.gateway.credential(), &facts)?);
        let method = letter.method.parse().map_err(|_| format!("`{}` is no method", letter.method))?;
        Ok(Written { format: *format, method, media_type: letter.media_type, body: letter.body.into() })
    }

    /// Who judges the answers to them.
    pub(crate) fn judge(&self, contracts: &Arc<Contracts>, endpoint: Url, within: Duration) -> Judge {
        Judge { contracts: Arc::clone(contracts), recorder: Arc::clone(self.gateway.recorder()), formats: self.formats(), endpoint, within }
    }
}

/// Judges answers to documented notifications.
pub(crate) struct Judge {
    contracts: Arc<Contracts>,
    recorder: Arc<Recorder>,
    formats: Vec<String>,
    endpoint: Url,
    within: Duration,
}

impl Judge {
    /// What is wrong with the answer to a notification.
    pub(crate) fn finding(&self, written: &Written, outcome: Outcome) -> Option<Finding> {
        let notification = self.contracts.notifications.get(self.formats.get(written.format)?)?;
        let (method, media_type) = (written.method.to_string(), written.media_type.clone());
        let letter = Letter { method, media_type, body: written.body.to_vec(), pace: Pace::AtOnce };
        let exchange = exchange(notification, &letter, &self.endpoint, outcome, &self.recorder);
        unacknowledged(notification, rules(notification)?, &exchange, self.within)
    }

    /// A failure to get an answer, told without secrets and addresses.
    pub(crate) fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }
}
