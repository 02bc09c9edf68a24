//! The gateway that the merchant's status calls reach: the emulator, with payments that the harness creates.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

use super::error::PushError;
use crate::engine::client;
use crate::engine::recorder::Recorder;
use crate::engine::request::{Guard, Preparation, PrepareError, RequestContent};
use crate::engine::runner::StartError;
use crate::engine::transport::{Records, Transport};
use crate::engine::world::{Act, Emulator, KnownResource, World};
use crate::spec::contract::{Contracts, MerchantRules, Operation};
use crate::spec::target::{Credential, MAIN, Notifications, OTHER, Target};
use crate::wire::exchange::{Exchange, Vault};

/// The secret of the other merchant that a gateway in this process knows.
const FOREIGN_SECRET: &str = "made-up-secret-of-another-merchant";

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
        let merchants = vec![merchant(credential)?, merchant(&foreign(&contracts, credential))?];
        let world = emulator::WorldSettings { seed: Some(seed), merchants, keep_finished: keep, ..Default::default() };
        let config = emulator::Config {
            listen,
            tls: None,
            world,
            freedoms: None,
            // An address for other machines means that the merchant there asks back.
            access: emulator::Access { remote: !listen.ip().is_loopback(), hosts: Vec::new() },
            log: None,
            journal: 0,
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
        let target = target(base.clone(), credential, &foreign(&contracts, credential));
        let transport = Transport::new(&target).map_err(|error| StartError::Invalid(error.to_string()))?;
        let guard = Guard::new(Arc::clone(&contracts), &target);
        let aliases =
            vec![(text.trim_end_matches('/').to_owned(), "http://gateway".to_owned()), (client::authority(&base), "gateway".to_owned())];
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

    /// What it offers.
    pub(super) fn contracts(&self) -> &Contracts {
        &self.contracts
    }

    pub(crate) fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }

    /// The merchant's own credentials.
    pub(crate) fn credential(&self) -> Credential {
        self.target.credentials.get(MAIN).cloned().unwrap_or_default()
    }

    /// The credentials of another merchant, whom a gateway in this process knows too.
    pub(crate) fn foreign_credential(&self) -> Credential {
        self.target.credentials.get(OTHER).cloned().unwrap_or_default()
    }

    /// Credentials with a secret that is not the merchant's.
    pub(crate) fn wrong_credential(&self) -> Credential {
        self.target.credential(&self.contracts, crate::spec::target::WRONG_SECRET).unwrap_or_default()
    }

    /// Plays an action.
    pub(super) async fn act(&self, action: &str, with: &Map<String, Value>) -> Result<(), PushError> {
        let acted = self.world.act(Act { action, with, resource: &KnownResource::default() }).await;
        acted.map_err(|error| error.masked(&self.recorder))?;
        Ok(())
    }

    /// Makes the next call of each operation that reads the state fail.
    pub(crate) async fn fail_status(&self, rules: &MerchantRules) -> Result<(), PushError> {
        for fault in &rules.failing {
            self.act(&fault.action, &fault.with).await?;
        }
        Ok(())
    }

    /// Sends a call of a merchant.
    pub(super) async fn send_as(&self, identity: &str, operation: &Operation, with: Map<String, Value>) -> Result<Exchange, PrepareError> {
        let preparation = Preparation { contracts: &self.contracts, target: &self.target, guard: &self.guard };
        let content = RequestContent::new(operation, with, identity);
        let request = preparation.prepare(operation, content, Some(&self.base), &self.target.title)?;
        let records = Records { recorder: &self.recorder, vault: &Arc::<Vault>::default() };
        Ok(self.transport.send(operation, &request, records).await)
    }
}

/// The settings of a merchant with these credentials.
fn merchant(credential: &Credential) -> Result<emulator::MerchantSettings, StartError> {
    let parts = credential.iter().map(|(part, value)| (part.clone(), Value::String(value.clone()))).collect();
    serde_json::from_value(Value::Object(parts)).map_err(|e| StartError::Invalid(format!("the credentials don't fit: {e}")))
}

/// The credentials of a merchant that is not the one under test: another identifier of the same shape, and a made-up secret, from
/// which nothing about the real one can be learned.
fn foreign(contracts: &Contracts, credential: &Credential) -> Credential {
    let other = |(part, value): (&String, &String)| {
        let value = if contracts.secret_parts.contains(part) { FOREIGN_SECRET.to_owned() } else { another_id(value) };
        (part.clone(), value)
    };
    credential.iter().map(other).collect()
}

/// An identifier of the same shape: each letter and digit is the next one.
pub(crate) fn another_id(id: &str) -> String {
    id.chars().map(next).collect()
}

/// The next letter or digit; any other character stays.
fn next(character: char) -> char {
    match character {
        '9' => '0',
        'z' => 'a',
        'Z' => 'A',
        c if c.is_ascii_alphanumeric() => char::from(u8::try_from(c).unwrap_or(b'0') + 1),
        c => c,
    }
}

fn target(base: Url, credential: &Credential, foreign: &Credential) -> Target {
    let notifications = Notifications { listen: None, public: None, within: Duration::ZERO };
    Target::emulated(
        "gateway (in this process)",
        base,
        IndexMap::from([(MAIN.to_owned(), credential.clone()), (OTHER.to_owned(), foreign.clone())]),
        notifications,
    )
}
