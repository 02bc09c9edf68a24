//! The gateway that the merchant's status calls reach: the emulator, with payments that the harness creates.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

use super::error::PushError;
use super::log::ExchangeLog;
use super::message::PaymentFacts;
use super::route::Route;
use crate::engine::recorder::Recorder;
use crate::engine::request::{Guard, Preparation, PrepareError, RequestContent};
use crate::engine::runner::StartError;
use crate::engine::transport::{Records, Transport};
use crate::engine::world::{Act, Emulator, World};
use crate::spec::contract::{About, Contracts, Operation};
use crate::spec::target::{Credential, MAIN, Notifications, Target};
use crate::wire::exchange::{Exchange, Vault};
use crate::wire::expression::RuntimeExpression;

/// The gateway that the merchant's status calls reach.
pub struct Gateway {
    contracts: Arc<Contracts>,
    /// The emulator in this process; none where it is another one.
    own: Option<emulator::Emulator>,
    base: Url,
    /// The base URL as the merchant is configured with it.
    text: String,
    target: Target,
    guard: Guard,
    transport: Transport,
    recorder: Arc<Recorder>,
    world: Box<dyn World>,
}

impl Gateway {
    /// Starts a gateway that sends no notifications itself.
    ///
    /// # Errors
    /// If it cannot listen there, or the credentials are not those of a merchant.
    pub async fn start(contracts: Arc<Contracts>, listen: SocketAddr, credential: &Credential, seed: u64) -> Result<Self, StartError> {
        Self::start_keeping(contracts, listen, credential, seed, None).await
    }

    /// Starts a gateway that keeps only the newest `keep` finished payments.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn start_keeping(
        contracts: Arc<Contracts>,
        listen: SocketAddr,
        credential: &Credential,
        seed: u64,
        keep: Option<usize>,
    ) -> Result<Self, StartError> {
        let parts = credential.iter().map(|(part, value)| (part.clone(), Value::String(value.clone()))).collect();
        let merchant =
            serde_json::from_value(Value::Object(parts)).map_err(|e| StartError::Invalid(format!("the credentials don't fit: {e}")))?;
        let world = emulator::WorldSettings { seed: Some(seed), merchants: vec![merchant], keep_finished: keep, ..Default::default() };
        let config = emulator::Config {
            listen,
            tls: None,
            world,
            freedoms: None,
            // An address for other machines means that the merchant there asks back.
            access: emulator::Access { remote: !listen.ip().is_loopback(), hosts: Vec::new() },
        };
        let emulator = emulator::Emulator::start(config).await.map_err(|e| StartError::Invalid(format!("the gateway can't start: {e}")))?;
        let text = emulator.base_url();
        Self::at(contracts, text, credential, Some(emulator)).await
    }

    /// An emulator that runs already, as the gateway of several processes that notify one merchant.
    ///
    /// # Errors
    /// If there is no emulator.
    pub async fn shared(contracts: Arc<Contracts>, base: &Url, credential: &Credential) -> Result<Self, StartError> {
        Self::at(contracts, base.as_str().trim_end_matches('/').to_owned(), credential, None).await
    }

    async fn at(
        contracts: Arc<Contracts>,
        text: String,
        credential: &Credential,
        own: Option<emulator::Emulator>,
    ) -> Result<Self, StartError> {
        let base = Url::parse(&text).map_err(|e| StartError::Internal(format!("the gateway's address {text}: {e}")))?;
        let target = target(base.clone(), credential);
        let transport = Transport::new(&target).map_err(|error| StartError::Invalid(error.to_string()))?;
        let guard = Guard::new(Arc::clone(&contracts), &target);
        let aliases = vec![(text.trim_end_matches('/').to_owned(), "http://gateway".to_owned()), (authority(&base), "gateway".to_owned())];
        let recorder = Arc::new(Recorder::new(target.masker(&contracts), aliases));
        let control = Emulator::connect(transport.client().clone(), None, base.clone()).await.map_err(|error| match own {
            Some(_) => StartError::Internal(error.to_string()),
            None => StartError::Invalid(format!("{text} is no emulator that can be controlled: {error}")),
        })?;
        let world = control.root(&target.bases);
        Ok(Self { contracts, own, base, text, target, guard, transport, recorder, world })
    }

    /// The base URL that the merchant must be configured with.
    pub fn base_url(&self) -> String {
        self.text.clone()
    }

    /// Whether it is an emulator that other processes use too.
    pub fn is_shared(&self) -> bool {
        self.own.is_none()
    }

    /// Stops it, gracefully, if it is in this process.
    pub async fn stop(self) {
        if let Some(emulator) = self.own {
            emulator.stop().await;
        }
    }

    pub(crate) fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }

    /// The merchant's own credentials.
    pub(crate) fn credential(&self) -> Credential {
        self.target.credentials.get(MAIN).cloned().unwrap_or_default()
    }

    /// Credentials with a secret that is not the merchant's.
    pub(crate) fn wrong_credential(&self) -> Credential {
        self.target.credential(&self.contracts, crate::spec::target::WRONG_SECRET).unwrap_or_default()
    }

    /// Creates a payment by the first call that the notification's contract names for it.
    pub(crate) async fn create(
        &self,
        notification: &Operation,
        when: &Map<String, Value>,
        log: &mut ExchangeLog,
    ) -> Result<PaymentFacts, PushError> {
        let creating = notification.notification.as_ref().and_then(|rules| rules.created_by.first());
        let creating = creating.and_then(|id| self.contracts.operations.get(id)).ok_or(PushError::NoCall("creates the resource"))?;
        let mut sent = creating.example();
        sent.extend(when.clone());
        let exchange = log.add(self.send(creating, sent.clone()).await?);
        if !creating.accepted(&exchange) {
            return Err(PushError::Refused(creating.id.clone()));
        }
        let id = creating.creates.as_ref().and_then(|about| about.id.text(&exchange));
        let id = id.ok_or_else(|| PushError::NoIdentifier(creating.id.clone()))?;
        self.facts(notification, id, sent, log).await
    }

    /// Creates a payment and moves it to the state of a route.
    pub(crate) async fn create_in(
        &self,
        notification: &Operation,
        route: &Route,
        log: &mut ExchangeLog,
    ) -> Result<PaymentFacts, PushError> {
        let facts = self.create(notification, &route.when, log).await?;
        self.move_along(notification, facts, route, log).await
    }

    /// Moves a new payment along a route.
    async fn move_along(
        &self,
        notification: &Operation,
        facts: PaymentFacts,
        route: &Route,
        log: &mut ExchangeLog,
    ) -> Result<PaymentFacts, PushError> {
        let with = Map::from_iter([(route.parameter.clone(), Value::String(facts.id.clone()))]);
        self.world.act(Act { action: &route.action, with: &with, payment: &Map::new() }).await?;
        self.facts(notification, facts.id, facts.creation, log).await
    }

    /// Moves a payment by a call.
    pub(crate) async fn call(
        &self,
        notification: &Operation,
        call: &str,
        facts: PaymentFacts,
        log: &mut ExchangeLog,
    ) -> Result<PaymentFacts, PushError> {
        let operation = self.contracts.operations.get(call).ok_or_else(|| PushError::UnknownOperation(call.to_owned()))?;
        let mut with = operation.example();
        if let Some(name) = operation.acts_on.as_ref().and_then(id_parameter) {
            with.insert(name.to_owned(), Value::String(facts.id.clone()));
        }
        let exchange = log.add(self.send(operation, with).await?);
        if !operation.accepted(&exchange) {
            return Err(PushError::Refused(call.to_owned()));
        }
        self.facts(notification, facts.id, facts.creation, log).await
    }

    /// The response of the status call; null if it does not know the payment.
    pub(crate) async fn status(&self, notification: &Operation, id: &str, log: &mut ExchangeLog) -> Result<Value, PushError> {
        let no_call = PushError::NoCall("reports the state");
        let Some(rule) = notification.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref()) else { return Err(no_call) };
        let Some(operation) = self.contracts.operations.get(&rule.operation) else { return Err(no_call) };
        let with = rule.with.keys().map(|name| (name.clone(), Value::String(id.to_owned()))).collect();
        let exchange = log.add(self.send(operation, with).await?);
        Ok(exchange.response_value().filter(|_| operation.accepted(&exchange)).cloned().unwrap_or(Value::Null))
    }

    async fn facts(
        &self,
        notification: &Operation,
        id: String,
        creation: Map<String, Value>,
        log: &mut ExchangeLog,
    ) -> Result<PaymentFacts, PushError> {
        let status = self.status(notification, &id, log).await?;
        if status.is_null() { Err(PushError::UnknownPayment) } else { Ok(PaymentFacts { id, creation, status }) }
    }

    async fn send(&self, operation: &Operation, with: Map<String, Value>) -> Result<Exchange, PrepareError> {
        let preparation = Preparation { contracts: &self.contracts, target: &self.target, guard: &self.guard };
        let content = RequestContent::new(operation, with, MAIN);
        let request = preparation.prepare(operation, content, Some(&self.base), &self.target.title)?;
        let records = Records { recorder: &self.recorder, vault: &Arc::<Vault>::default() };
        Ok(self.transport.send(operation, &request, records).await)
    }
}

/// The parameter or field of a request that identifies the resource.
fn id_parameter(about: &About) -> Option<&str> {
    match &about.id {
        RuntimeExpression::RequestPath(name) | RuntimeExpression::RequestQuery(name) => Some(name),
        RuntimeExpression::RequestBody(pointer) => pointer.strip_prefix('/'),
        RuntimeExpression::ResponseBody(_) => None,
    }
}

fn authority(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port().unwrap_or_default())
}

fn target(base: Url, credential: &Credential) -> Target {
    let notifications = Notifications { listen: None, public: None, within: Duration::ZERO };
    Target::emulated("gateway (in this process)", base, IndexMap::from([(MAIN.to_owned(), credential.clone())]), notifications)
}
