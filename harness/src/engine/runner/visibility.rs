//! What an action of a driver has made: a live target may show it only later.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::call::pause;
use super::session::{Session, Stop};
use crate::base::skip::SkipReason;
use crate::engine::request::RequestContent;
use crate::spec::contract::{Made, Operation};
use crate::spec::scenario::Step;
use crate::spec::target::MAIN;
use crate::wire::exchange::Exchange;
use crate::wire::expression::text_of;

impl Session<'_> {
    /// Waits until what a driver has made is shown. Nothing of it can be judged before then.
    pub(super) async fn await_visible(&self, action: &str, with: &Map<String, Value>, response: &Value, step: &Step) -> Result<(), Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        // A recording has not kept the calls that waited.
        let is_waited_for = self.is_driven() && self.environment.player.is_none();
        let made = contracts.actions.get(action).and_then(|action| action.makes.as_ref()).filter(|_| is_waited_for);
        let Some((made, operation)) = made.and_then(|made| Some((made, contracts.operations.get(&made.call)?))) else { return Ok(()) };
        let whose = with.get(&made.merchant).and_then(Value::as_str);
        let identity = self.context.target.credentials.iter().find(|(_, parts)| parts.get(&made.merchant).map(String::as_str) == whose);
        let identity = identity.map_or(MAIN, |(identity, _)| identity.as_str());
        let items = response.get(&made.list).and_then(Value::as_array);
        let deadline = Instant::now() + self.context.target.poll_within;
        for id in items.into_iter().flatten().filter_map(|item| item.get(&made.id)).filter_map(text_of) {
            self.await_one(made, operation, &id, identity, deadline, step).await?;
        }
        Ok(())
    }

    async fn await_one(
        &self,
        made: &Made,
        operation: &Operation,
        id: &str,
        identity: &str,
        deadline: Instant,
        step: &Step,
    ) -> Result<(), Stop> {
        let with = Map::from_iter([(made.id.clone(), Value::String(id.to_owned()))]);
        loop {
            let content = RequestContent::new(operation, with.clone(), identity.to_owned());
            let request = self.prepare_content(operation, content, step.place.as_str())?;
            let exchange = self.exchange(operation, &request).await;
            if !is_absent(&exchange) {
                return Ok(());
            }
            if !self.waits(pause(&self.context.target), deadline).await {
                let why = format!("{} shows no `{}` {id} yet; the information may come on a later day", made.call, made.id);
                return Err(Stop::Skipped(SkipReason::Other(self.context.recorder.text(&why))));
            }
        }
    }
}

/// Whether a response shows that there is no such thing: it is not found, or a list of nothing.
fn is_absent(exchange: &Exchange) -> bool {
    let Some(response) = exchange.response() else { return false };
    let is_empty = exchange.response_value().and_then(Value::as_array).is_some_and(Vec::is_empty);
    response.status == 404 || (response.status < 300 && is_empty)
}
