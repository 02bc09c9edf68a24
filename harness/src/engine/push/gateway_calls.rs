//! Calls and actions at the gateway that bring about what a merchant is notified of.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::PushError;
use super::gateway::Gateway;
use super::log::ExchangeLog;
use super::message::ResourceFacts;
use super::route::Route;
use crate::engine::request::PrepareError;
use crate::spec::contract::{About, Operation};
use crate::spec::target::{MAIN, OTHER};
use crate::wire::exchange::Exchange;

/// The calls of one merchant about the resources of one notification.
pub(crate) struct GatewayCalls<'c> {
    gateway: &'c Gateway,
    identity: &'static str,
    notification: &'c Operation,
    /// Takes in their exchanges.
    log: &'c mut ExchangeLog,
}

impl<'c> GatewayCalls<'c> {
    /// Those of the merchant under test.
    pub(crate) fn new(gateway: &'c Gateway, notification: &'c Operation, log: &'c mut ExchangeLog) -> Self {
        Self { gateway, identity: MAIN, notification, log }
    }

    /// Those of the other merchant.
    pub(crate) fn of_the_other(self) -> Self {
        Self { identity: OTHER, ..self }
    }

    /// Creates a payment by the first call that the notification's contract names for it.
    pub(crate) async fn create(&mut self, when: &Map<String, Value>) -> Result<ResourceFacts, PushError> {
        let creating = self.notification.notification.as_ref().and_then(|rules| rules.created_by.first());
        let creating =
            creating.and_then(|id| self.gateway.contracts().operations.get(id)).ok_or(PushError::NoCall("creates the resource"))?;
        let mut sent = creating.example();
        sent.extend(when.clone());
        let exchange = self.send(creating, sent.clone()).await?;
        if !creating.accepted(&exchange) {
            return Err(PushError::Refused(creating.id.clone()));
        }
        let id = creating.creates.as_ref().and_then(|about| about.id.text(&exchange));
        let id = id.ok_or_else(|| PushError::NoIdentifier(creating.id.clone()))?;
        self.facts(ResourceFacts { id, creation: sent, status: Value::Null }).await
    }

    /// Creates a payment and moves it to the state of a route.
    pub(crate) async fn create_in(&mut self, route: &Route) -> Result<ResourceFacts, PushError> {
        let facts = self.create(&route.when).await?;
        self.move_along(facts, route).await
    }

    /// Moves a new payment along a route.
    pub(crate) async fn move_along(&mut self, facts: ResourceFacts, route: &Route) -> Result<ResourceFacts, PushError> {
        let with = Map::from_iter([(route.parameter.clone(), Value::String(facts.id.clone()))]);
        self.gateway.act(&route.action, &with).await?;
        self.facts(facts).await
    }

    /// Moves a payment by a call.
    pub(crate) async fn call(&mut self, call: &str, facts: ResourceFacts) -> Result<ResourceFacts, PushError> {
        let operation = self.gateway.contracts().operations.get(call).ok_or_else(|| PushError::UnknownOperation(call.to_owned()))?;
        let mut with = operation.example();
        if let Some(name) = operation.acts_on.as_ref().and_then(id_parameter) {
            with.insert(name.to_owned(), Value::String(facts.id.clone()));
        }
        let exchange = self.send(operation, with).await?;
        if !operation.accepted(&exchange) {
            return Err(PushError::Refused(call.to_owned()));
        }
        self.facts(facts).await
    }

    /// Uses up the failures that the merchant did not meet: each operation that reads the state is called once.
    pub(crate) async fn use_up_failures(&mut self, id: &str) -> Result<(), PushError> {
        let resource = self.notification.shows.as_ref().map(|shows| &shows.about.resource);
        for operation in self.gateway.contracts().operations.values() {
            let about = operation.shows.as_ref().map(|shows| &shows.about).filter(|about| Some(&about.resource) == resource);
            if let Some(name) = about.and_then(id_parameter) {
                let with = Map::from_iter([(name.to_owned(), Value::String(id.to_owned()))]);
                self.send(operation, with).await?;
            }
        }
        Ok(())
    }

    /// The response of the status call; null if it does not know the payment.
    pub(crate) async fn status(&mut self, id: &str) -> Result<Value, PushError> {
        let no_call = PushError::NoCall("reports the state");
        let Some(rule) = self.notification.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref()) else { return Err(no_call) };
        let Some(operation) = self.gateway.contracts().operations.get(&rule.operation) else { return Err(no_call) };
        let with = rule.with.keys().map(|name| (name.clone(), Value::String(id.to_owned()))).collect();
        let exchange = self.send(operation, with).await?;
        Ok(exchange.response_value().filter(|_| operation.accepted(&exchange)).cloned().unwrap_or(Value::Null))
    }

    /// The facts, with the status read anew.
    async fn facts(&mut self, facts: ResourceFacts) -> Result<ResourceFacts, PushError> {
        let status = self.status(&facts.id).await?;
        if status.is_null() { Err(PushError::UnknownPayment) } else { Ok(ResourceFacts { status, ..facts }) }
    }

    async fn send(&mut self, operation: &Operation, with: Map<String, Value>) -> Result<Arc<Exchange>, PrepareError> {
        let exchange = self.gateway.send_as(self.identity, operation, with).await?;
        Ok(self.log.add(exchange))
    }
}

/// The parameter or field of a request that identifies the resource.
fn id_parameter(about: &About) -> Option<&str> {
    about.id.request_field()
}
