//! A proxy between the harness and an emulator, in both directions: calls, actions of the world and
//! their answers, and notifications on their way to the inbox. It changes what passes.

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

/// What a proxy remembers between messages.
pub type Memory = Mutex<HashMap<String, String>>;

/// Remembers a fact; false if it was known.
pub fn remember(memory: &Memory, fact: &str) -> bool {
    memory.lock().unwrap().insert(fact.to_owned(), String::new()).is_none()
}

/// What is done to what passes.
#[derive(Clone, Copy, Default)]
pub struct Tamper {
    /// To an answer.
    pub answer: Option<fn(&Asked<'_>, &mut Message)>,
    /// To a notification.
    pub push: Option<fn(&Memory, &mut Push)>,
    /// To a call on its way to the emulator.
    pub onward: Option<fn(&Asked<'_>, &mut Message)>,
    /// To the path and the query of a call on its way to the emulator.
    pub way: Option<fn(&Asked<'_>, &str) -> String>,
    /// To what is done in the world.
    pub world: Option<fn(&mut Deed<'_>)>,
    /// To the settings of a world before it is opened.
    pub setting: Option<fn(&mut Map<String, Value>)>,
    /// Answers itself; such a call never gets to the emulator.
    pub instead: Option<fn(&Asked<'_>) -> Option<Message>>,
    /// Other words for the same things, in everything that passes.
    pub words: Option<Words>,
    /// Notifications are kept back until the next status call.
    pub late: bool,
    /// Header names `Like-This`.
    pub title_case: bool,
    /// What it remembers from the beginning.
    pub fact: Option<(&'static str, &'static str)>,
    /// How long the harness waits for an answer, where it matters.
    pub timeout: Option<Duration>,
}

/// A translation there and back.
#[derive(Clone, Copy)]
pub struct Words {
    /// What the harness says → what the emulator says.
    pub inward: fn(&str) -> String,
    /// What the emulator says → what the harness hears.
    pub outward: fn(&str) -> String,
}

/// A call, as far as a tamperer needs to know it.
pub struct Asked<'a> {
    /// `gateway.v1.create`.
    pub operation: &'static str,
    /// Path parameters and body fields.
    pub fields: Map<String, Value>,
    /// What is asked in the query.
    pub query: HashMap<String, String>,
    /// Merchant and secret, wherever they stood.
    pub credentials: (String, String),
    /// The Bearer token; empty if there is none.
    pub token: String,
    /// The world that it is sent to; empty if there is none.
    pub world: String,
    /// What the proxy remembers.
    pub memory: &'a Memory,
}

/// An action of the world on its way to the emulator.
pub struct Deed<'a> {
    /// `payer.pays`.
    pub action: String,
    /// The world that it is done in.
    pub world: String,
    /// Its parameters.
    pub with: Map<String, Value>,
    /// What is answered instead of passing it on.
    pub answer: Option<Value>,
    /// What the proxy remembers.
    pub memory: &'a Memory,
}

impl Deed<'_> {
    /// Answers as if it had happened.
    pub fn does_not_happen(&mut self) {
        self.answer = Some(json!({}));
    }
}

/// A notification on its way, and what becomes of it.
pub struct Push {
    pub message: Message,
    /// How often it is delivered.
    pub times: usize,
    /// `POST`.
    pub method: &'static str,
    /// Delivered besides.
    pub besides: Vec<Message>,
    /// How much later it is delivered.
    pub after: Duration,
}

impl Asked<'_> {
    /// Whether this is the call: `status` of any API and version, `v2.status`, or `terminal.status`.
    pub fn is(&self, call: &str) -> bool {
        self.operation.strip_suffix(call).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }

    /// Whether it is a call of this API.
    pub fn of(&self, api: &str) -> bool {
        self.operation.strip_prefix(api).is_some_and(|rest| rest.starts_with('.'))
    }

    /// A parameter of the query; empty if it is not there.
    pub fn asks(&self, parameter: &str) -> &str {
        self.query.get(parameter).map_or("", String::as_str)
    }

    /// A field as text; empty if it is not there.
    pub fn text(&self, field: &str) -> String {
        text_of(self.fields.get(field))
    }

    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Whether another than the main merchant, or than its terminal, asks, by identifier or by secret.
    pub fn by_stranger(&self) -> bool {
        let (user, secret) = self.credentials_of_main();
        self.credentials != (user, secret)
    }

    /// What the main merchant sends with such a call.
    pub fn credentials_of_main(&self) -> (String, String) {
        let (merchant, secret) = super::MAIN;
        match self.operation.split('.').next() {
            Some("qr") => (format!("qr-{merchant}"), format!("{secret}-of-qr")),
            Some("device") => (format!("device-{merchant}"), format!("{secret}-of-devices")),
            Some("terminal" | "transfers") => (format!("T{merchant}"), format!("{secret}-of-the-terminal")),
            _ => (merchant.to_owned(), secret.to_owned()),
        }
    }

    /// What was noted under a name at first; now, if nothing was.
    pub fn noted(&self, name: &str, value: impl Into<String>) -> String {
        self.memory.lock().unwrap().entry(name.to_owned()).or_insert_with(|| value.into()).clone()
    }

    /// Notes a text under a name, in place of what was noted before.
    pub fn note(&self, name: &str, value: impl Into<String>) {
        self.memory.lock().unwrap().insert(name.to_owned(), value.into());
    }

    /// What was noted under a name; empty if nothing was.
    pub fn recall(&self, name: &str) -> String {
        self.memory.lock().unwrap().get(name).cloned().unwrap_or_default()
    }

    /// Remembers a fact; false if it was known.
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
            changed: AtomicUsize::new(0),
            client: Client::builder(TokioExecutor::new()).build_http(),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self { address, shared, server }
    }

    pub fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).unwrap()
    }

    /// What the target file gives as the public address of the inbox.
    pub fn inbox_url(&self) -> Url {
        Url::parse(&format!("http://{}/inbox", self.address)).unwrap()
    }

    /// How many answers were not those that were given.
    pub fn changed(&self) -> usize {
        self.shared.changed.load(Ordering::Relaxed)
    }

    pub fn lead_to_inbox(&self, inbox: SocketAddr) {
        self.shared.inbox.set(inbox).expect("one inbox per proxy");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}
