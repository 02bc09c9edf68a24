//! The gateway that the merchant asks back: the emulator, with payments made to order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

use super::letter::Facts;
use super::log::Log;
use super::route::Route;
use crate::contract::{About, Contracts, Expression, Operation};
use crate::exchange::Vault;
use crate::recorder::Recorder;
use crate::runner::StartError;
use crate::target::{Allow, Credential, MAIN, Notifications, Target, WorldKind};
use crate::transport::{Outgoing, Transport};
use crate::world::{Emulator, World, WorldError};

/// The gateway that the merchant asks back.
pub struct Gateway {
    contracts: Arc<Contracts>,
    emulator: emulator::Emulator,
    base: Url,
    target: Target,
    transport: Transport,
    recorder: Arc<Recorder>,
    world: Box<dyn World>,
}

impl Gateway {
    /// Starts it. It pushes nothing by itself.
    ///
    /// # Errors
    /// When it can't listen there, or the credentials are not those of a merchant.
    pub async fn start(contracts: Arc<Contracts>, listen: SocketAddr, credential: &Credential, seed: u64) -> Result<Self, StartError> {
        Self::start_keeping(contracts, listen, credential, seed, None).await
    }

    /// Starts one that forgets finished payments beyond the newest so many.
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
        let config = emulator::Config { listen, tls: None, world };
        let emulator =
            emulator::Emulator::start(config).await.map_err(|e| StartError::Internal(format!("the gateway can't start: {e}")))?;
        let text = emulator.base_url();
        let base = Url::parse(&text).map_err(|e| StartError::Internal(format!("the gateway's address {text}: {e}")))?;
        let target = target(base.clone(), credential);
        let transport = Transport::new(&target).map_err(StartError::Invalid)?;
        let aliases = vec![(text.trim_end_matches('/').to_owned(), "http://gateway".to_owned()), (authority(&base), "gateway".to_owned())];
        let recorder = Arc::new(Recorder::new(target.masker(&contracts), aliases));
        let control = Emulator::connect(transport.client().clone(), base.clone()).await.map_err(|WorldError(e)| StartError::Internal(e))?;
        let world = control.root(&target.bases);
        Ok(Self { contracts, emulator, base, target, transport, recorder, world })
    }

    /// The base URL that the merchant must be configured with.
    pub fn base_url(&self) -> String {
        self.emulator.base_url()
    }

    /// Stops it, gracefully.
    pub async fn stop(self) {
        self.emulator.stop().await;
    }

    pub(crate) fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }

    /// The merchant's own credentials.
    pub(super) fn credential(&self) -> Credential {
        self.target.credentials.get(MAIN).cloned().unwrap_or_default()
    }

    /// Credentials with a secret that is not the merchant's.
    pub(super) fn wrong_credential(&self) -> Credential {
        self.target.credential(&self.contracts, crate::target::WRONG_SECRET).unwrap_or_default()
    }

    /// A payment as it is right after its creation by the first of the notification's creating calls.
    pub(super) async fn create(&self, notification: &Operation, when: &Map<String, Value>, log: &mut Log) -> Result<Facts, String> {
        let creating = notification.notification.as_ref().and_then(|rules| rules.created_by.first());
        let creating = creating.and_then(|id| self.contracts.operations.get(id)).ok_or("the contract names no creating call")?;
        let mut sent = creating.example();
        sent.extend(when.clone());
        let exchange = log.add(self.send(creating, sent.clone()).await);
        if !creating.accepted(&exchange) {
            return Err(format!("{} was not accepted", creating.id));
        }
        let id = creating.creates.as_ref().and_then(|about| about.id.text(&exchange)).ok_or("the creation told no identifier")?;
        self.facts(notification, id, sent, log).await
    }

    /// A payment in the state that a route leads to.
    pub(super) async fn create_in(&self, notification: &Operation, route: &Route, log: &mut Log) -> Result<Facts, String> {
        let facts = self.create(notification, &route.when, log).await?;
        self.follow(notification, facts, route, log).await
    }

    /// Takes a new payment along a route.
    pub(super) async fn follow(&self, notification: &Operation, facts: Facts, route: &Route, log: &mut Log) -> Result<Facts, String> {
        let with = Map::from_iter([(route.parameter.clone(), Value::String(facts.id.clone()))]);
        self.world.act(&route.action, &with).await.map_err(|WorldError(e)| e)?;
        self.facts(notification, facts.id, facts.sent, log).await
    }

    /// What becomes of a payment by a call.
    pub(super) async fn call(&self, notification: &Operation, call: &str, facts: Facts, log: &mut Log) -> Result<Facts, String> {
        let operation = self.contracts.operations.get(call).ok_or_else(|| format!("there is no call {call}"))?;
        let mut with = operation.example();
        if let Some(name) = operation.acts_on.as_ref().and_then(identifying) {
            with.insert(name.to_owned(), Value::String(facts.id.clone()));
        }
        let exchange = log.add(self.send(operation, with).await);
        if !operation.accepted(&exchange) {
            return Err(format!("{call} was not accepted"));
        }
        self.facts(notification, facts.id, facts.sent, log).await
    }

    /// What the status call says about a payment; null where it knows none.
    pub(super) async fn told(&self, notification: &Operation, id: &str, log: &mut Log) -> Result<Value, String> {
        let rule = notification.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref()).ok_or("no call tells the state")?;
        let operation = self.contracts.operations.get(&rule.operation).ok_or("no call tells the state")?;
        let with = rule.with.keys().map(|name| (name.clone(), Value::String(id.to_owned()))).collect();
        let exchange = log.add(self.send(operation, with).await);
        Ok(exchange.answered().filter(|_| operation.accepted(&exchange)).cloned().unwrap_or(Value::Null))
    }

    async fn facts(&self, notification: &Operation, id: String, sent: Map<String, Value>, log: &mut Log) -> Result<Facts, String> {
        let told = self.told(notification, &id, log).await?;
        if told.is_null() { Err("the gateway does not know its own payment".to_owned()) } else { Ok(Facts { id, sent, told }) }
    }

    async fn send(&self, operation: &Operation, with: Map<String, Value>) -> crate::exchange::Exchange {
        let names: Vec<String> = operation.path.parameters().map(str::to_owned).collect();
        let (parameters, fields): (Map<_, _>, Map<_, _>) = with.into_iter().partition(|(name, _)| names.contains(name));
        let path = operation.path.fill(&parameters);
        let credential = self.target.credentials.get(MAIN);
        let outgoing = Outgoing {
            operation,
            base: &self.base,
            path: &path,
            parameters,
            asked: Map::new(),
            fields,
            identity: MAIN,
            credential,
            without: &[],
            query: &[],
            token: None,
            body: None,
            vault: &Arc::<Vault>::default(),
        };
        self.transport.send(outgoing, &self.recorder).await
    }
}

/// The parameter or field that identifies the resource.
fn identifying(about: &About) -> Option<&str> {
    match &about.id {
        Expression::RequestPath(name) | Expression::RequestQuery(name) => Some(name),
        Expression::RequestBody(pointer) => pointer.strip_prefix('/'),
        Expression::ResponseBody(_) => None,
    }
}

fn authority(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port().unwrap_or_default())
}

fn target(base: Url, credential: &Credential) -> Target {
    Target {
        title: "gateway (in this process)".to_owned(),
        bases: IndexMap::from([("default".to_owned(), base.clone())]),
        credentials: IndexMap::from([(MAIN.to_owned(), credential.clone())]),
        paths: IndexMap::new(),
        assert_assumed: true,
        notifications: Notifications { listen: None, public: None, within: Duration::ZERO },
        world: WorldKind::Emulator(base),
        timeout: Duration::from_secs(10),
        poll_every: Duration::from_millis(5),
        poll_within: Duration::from_millis(500),
        certificate: None,
        allow: Allow::default(),
    }
}
