//! A proxy between the harness and an emulator that tampers with traffic in both directions: calls, world actions, their
//! responses, and notifications to the inbox.

mod file;
mod message;
mod route;
mod server;
mod sound;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;

#[allow(unused_imports, reason = "not every test looks into files")]
pub use file::{Archive, Statement, Table};
#[allow(unused_imports, reason = "not every test spells forms itself")]
pub use message::form;
use message::text_of;
pub use message::{Ending, Message};
use server::{Shared, serve};

/// Facts that a proxy remembers between messages.
pub type Memory = Mutex<HashMap<String, String>>;

/// Remembers a fact; returns false if it was known.
pub fn remember(memory: &Memory, fact: &str) -> bool {
    memory.lock().unwrap().insert(fact.to_owned(), String::new()).is_none()
}

/// How traffic is changed.
#[derive(Clone, Copy, Default)]
pub struct Tamper {
    /// Changes a response.
    pub response: Option<fn(&ObservedRequest<'_>, &mut Message)>,
    /// Changes a notification.
    pub push: Option<fn(&Memory, &mut Push)>,
    /// Changes a call on its way to the emulator.
    pub onward: Option<fn(&ObservedRequest<'_>, &mut Message)>,
    /// Whether a call is held until what was sent with it has arrived too. Actions of the world are held then as well, for less long.
    pub overlaps: Option<fn(&ObservedRequest<'_>) -> bool>,
    /// Whether a call comes twice at the same moment: the first waits until the second has arrived too, however busy the machine is.
    pub twins: Option<fn(&ObservedRequest<'_>) -> bool>,
    /// Changes the path and the query of a call on its way to the emulator.
    pub way: Option<fn(&ObservedRequest<'_>, &str) -> String>,
    /// Changes an action of the world.
    pub world: Option<fn(&mut WorldAction<'_>)>,
    /// Changes the settings of a world before it is opened.
    pub setting: Option<fn(&mut Map<String, Value>)>,
    /// Responds in place of the emulator, which never gets the call.
    pub instead: Option<fn(&ObservedRequest<'_>) -> Option<Message>>,
    /// Translates texts in all traffic.
    pub words: Option<Translation>,
    /// Holds notifications back until the next status call.
    pub late: bool,
    /// Holds what card holders do back until some calls of the terminal have come.
    pub slow_hands: bool,
    /// Header names `Like-This`.
    pub title_case: bool,
    /// The facts that are known from the beginning.
    pub fact: Option<(&'static str, &'static str)>,
    /// The time limit for responses, if it matters.
    pub timeout: Option<Duration>,
}

/// A translation of texts in both directions.
#[derive(Clone, Copy)]
pub struct Translation {
    /// From the harness to the emulator.
    pub inward: fn(&str) -> String,
    /// From the emulator to the harness.
    pub outward: fn(&str) -> String,
}

/// A call, as a tamperer sees it.
pub struct ObservedRequest<'a> {
    /// `gateway.v1.create`.
    pub operation: &'static str,
    /// Path parameters and body fields.
    pub fields: Map<String, Value>,
    /// The query.
    pub query: HashMap<String, String>,
    /// Merchant and secret, wherever the request carries them.
    pub credentials: (String, String),
    /// The Bearer token; empty if there is none.
    pub token: String,
    /// The world that the request addresses; empty if there is none.
    pub world: String,
    /// The memory of the proxy.
    pub memory: &'a Memory,
}

/// An action of the world on its way to the emulator.
pub struct WorldAction<'a> {
    /// `payer.pays`.
    pub action: String,
    /// Its world.
    pub world: String,
    /// Its parameters.
    pub with: Map<String, Value>,
    /// The response, if the action is not passed on.
    pub response: Option<Value>,
    /// The memory of the proxy.
    pub memory: &'a Memory,
}

impl WorldAction<'_> {
    /// Responds as if the action had happened.
    pub fn does_not_happen(&mut self) {
        self.response = Some(json!({}));
    }
}

/// A notification on its way, and how it is delivered.
pub struct Push {
    pub message: Message,
    /// How often it is delivered.
    pub times: usize,
    /// `POST`.
    pub method: &'static str,
    /// What follows the address.
    pub query: Option<String>,
    /// Further notifications that are delivered.
    pub besides: Vec<Message>,
    /// The delay of the delivery.
    pub after: Duration,
}

impl ObservedRequest<'_> {
    /// Whether this is the call: `status` of any API and version, `v2.status`, or `terminal.status`.
    pub fn is(&self, call: &str) -> bool {
        self.operation.strip_suffix(call).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }

    /// Whether it is a call of this API.
    pub fn is_of_api(&self, api: &str) -> bool {
        self.operation.strip_prefix(api).is_some_and(|rest| rest.starts_with('.'))
    }

    /// A parameter of the query; empty if it is not there.
    pub fn query_parameter(&self, parameter: &str) -> &str {
        self.query.get(parameter).map_or("", String::as_str)
    }

    /// A field as text; empty if it is not there.
    pub fn text(&self, field: &str) -> String {
        text_of(self.fields.get(field))
    }

    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Whether the credentials are not those of the main merchant or its terminal.
    pub fn is_by_another_merchant(&self) -> bool {
        let (user, secret) = self.credentials_of_main();
        self.credentials != (user, secret)
    }

    /// The credentials that the main merchant sends with such a call.
    pub fn credentials_of_main(&self) -> (String, String) {
        let (merchant, secret) = super::MAIN;
        match self.operation.split('.').next() {
            Some("qr") => (format!("qr-{merchant}"), format!("{secret}-of-qr")),
            Some("device") => (format!("device-{merchant}"), format!("{secret}-of-devices")),
            Some("terminal" | "transfers") => (format!("T{merchant}"), format!("{secret}-of-the-terminal")),
            _ => (merchant.to_owned(), secret.to_owned()),
        }
    }

    /// The first text noted under a name; notes this one if there is none.
    pub fn noted(&self, name: &str, value: impl Into<String>) -> String {
        self.memory.lock().unwrap().entry(name.to_owned()).or_insert_with(|| value.into()).clone()
    }

    /// Notes a text under a name, replacing an earlier one.
    pub fn note(&self, name: &str, value: impl Into<String>) {
        self.memory.lock().unwrap().insert(name.to_owned(), value.into());
    }

    /// The text noted under a name; empty if there is none.
    pub fn recall(&self, name: &str) -> String {
        self.memory.lock().unwrap().get(name).cloned().unwrap_or_default()
    }

    /// Remembers a fact; returns false if it was known.
    pub fn first_time(&self, fact: &str) -> bool {
        remember(self.memory, fact)
    }

    /// Whether a fact is remembered.
    pub fn knows(&self, fact: &str) -> bool {
        self.memory.lock().unwrap().contains_key(fact)
    }
}

/// A running proxy; it ends when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl Proxy {
    pub async fn start(emulator: SocketAddr, tamper: Tamper) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            emulator,
            inbox: OnceLock::new(),
            tamper,
            memory: Mutex::new(tamper.fact.map(|(key, value)| (key.to_owned(), value.to_owned())).into_iter().collect()),
            kept_back: Mutex::default(),
            in_hand: Mutex::default(),
            meetings: Mutex::default(),
            changed: AtomicUsize::new(0),
            client: Client::builder(TokioExecutor::new()).build_http(),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self { address, shared, server }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).unwrap()
    }

    /// The public address of the inbox for the target file.
    pub fn inbox_url(&self) -> Url {
        Url::parse(&format!("http://{}/inbox", self.address)).unwrap()
    }

    /// The number of responses that were changed.
    pub fn changed(&self) -> usize {
        self.shared.changed.load(Ordering::Relaxed)
    }

    pub fn forward_to_inbox(&self, inbox: SocketAddr) {
        self.shared.inbox.set(inbox).expect("one inbox per proxy");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}
