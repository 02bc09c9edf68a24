//! Worlds of an emulator, changed through its control API (`/__emulator`). The control API returns paths, never hosts; they are
//! joined to the target's base URL, so that a proxy between the two stays in use.

use futures::future::{BoxFuture, FutureExt};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use url::Url;

use super::{Act, World, WorldError};
use crate::engine::client::{MOVING, explained};
use crate::engine::request::ConnectionRequest;
use crate::engine::transport::connection::Connection;
use crate::engine::transport::connections::Connections;
use crate::spec::contract::{CLOCK, MERCHANTS, VIRTUAL_CLOCK, capability_of};
use crate::spec::target::Credential;
use crate::wire::exchange::MAX_BODY_BYTES;

/// The control API of an emulator.
#[derive(Clone)]
pub struct Emulator {
    client: reqwest::Client,
    /// Opens connections of users; `None` behind a proxy, which only the client supports.
    connections: Option<Connections>,
    base: Url,
    actions: Vec<String>,
}

/// The settings of a new world.
#[derive(Debug)]
pub struct NewWorld<'o> {
    /// Its name.
    pub name: &'o str,
    /// The seed of everything random in it.
    pub seed: u64,
    /// The merchants: identity → credentials.
    pub credentials: &'o IndexMap<String, Credential>,
    /// The URL for notifications.
    pub notification_url: Option<String>,
    /// Settings of the scenario; under `merchants`, by identity.
    pub setting: &'o Map<String, Value>,
    /// Base URLs of the target, by API.
    pub bases: &'o IndexMap<String, Url>,
}

/// One world.
struct EmulatedWorld {
    emulator: Emulator,
    control: String,
    bases: IndexMap<String, Url>,
    /// The connection for its actions alone.
    own: Option<Mutex<Connection>>,
}

impl Emulator {
    /// Connects to an emulator and reads its actions.
    pub(crate) async fn connect(client: reqwest::Client, connections: Option<Connections>, base: Url) -> Result<Self, WorldError> {
        let mut emulator = Self { client, connections, base, actions: Vec::new() };
        let response = emulator.ask(reqwest::Method::GET, "/__emulator/actions", None).await?;
        let actions = response.get("actions").and_then(Value::as_array).into_iter().flatten();
        emulator.actions = actions.filter_map(|a| a.as_str().map(str::to_owned)).collect();
        Ok(emulator)
    }

    /// Why an action cannot be carried out, if so.
    pub fn cannot(&self, action: &str) -> Option<String> {
        let known = self.actions.iter().any(|a| a == action);
        (!known).then(|| format!("this emulator does not know `{action}`"))
    }

    /// Whether any action of a capability can be carried out.
    pub fn is_able(&self, capability: &str) -> bool {
        self.actions.iter().any(|action| capability_of(action) == capability)
    }

    /// Opens a world of its own.
    pub async fn open(&self, open: NewWorld<'_>) -> Result<Box<dyn World>, WorldError> {
        let response = self.ask(reqwest::Method::POST, "/__emulator/worlds", Some(settings(&open))).await?;
        let path = |key: &str| response.get(key).and_then(Value::as_str).map(str::to_owned);
        let missing = || WorldError::Failed("the emulator's response to a new world lacks `path` or `control`".to_owned());
        let (path, control) = path("path").zip(path("control")).ok_or_else(missing)?;
        let bases = open.bases.iter().map(|(api, base)| Ok((api.clone(), joined(base, &path)?))).collect::<Result<_, WorldError>>()?;
        Ok(Box::new(EmulatedWorld { emulator: self.clone(), control, bases, own: None }))
    }

    /// The world at the root, which always exists.
    pub fn root(&self, bases: &IndexMap<String, Url>) -> Box<dyn World> {
        let control = "/__emulator/worlds/default".to_owned();
        Box::new(EmulatedWorld { emulator: self.clone(), control, bases: bases.clone(), own: None })
    }

    async fn ask(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> Result<Value, WorldError> {
        let url = joined(&self.base, path)?;
        let mut request = self.client.request(method, url);
        if let Some(body) = body {
            request = request.header(http::header::CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let failed = |error: reqwest::Error| {
            let why = if error.is_timeout() {
                format!("no response within {} s", MOVING.as_secs())
            } else {
                explained::advised(explained::request(error))
            };
            WorldError::Failed(format!("the emulator's control API at {path}: {why}"))
        };
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        let text = response.text().await.map_err(failed)?;
        outcome(path, status, text)
    }

    /// The same over a connection of one user.
    async fn ask_over(&self, own: &Mutex<Connection>, path: &str, body: String) -> Result<Value, WorldError> {
        let url = joined(&self.base, path)?;
        let failed = |error: &str| WorldError::Failed(format!("the emulator's control API at {path}: {error}"));
        let request = ConnectionRequest::to_control(http::Method::POST, &url, body.into()).map_err(|error| failed(&error.to_string()))?;
        let (_, response) = own.lock().await.send(&request, MAX_BODY_BYTES).await;
        let reply = response.map_err(|failure| failed(&failure.detail))?;
        let status = http::StatusCode::from_u16(reply.status).map_err(|error| failed(&error.to_string()))?;
        outcome(path, status, String::from_utf8_lossy(&reply.body).into_owned())
    }
}

/// The result of a request to the control API.
fn outcome(path: &str, status: http::StatusCode, text: String) -> Result<Value, WorldError> {
    let response: Value = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap_or(Value::String(text)) };
    if status.is_success() {
        return Ok(response);
    }
    let error = response.get("error").and_then(Value::as_str).map_or_else(|| response.to_string(), str::to_owned);
    Err(WorldError::Failed(format!("{path} responded with {status}: {error}")))
}

/// The settings of a world: the target's merchants, overlaid with those of the scenario.
fn settings(open: &NewWorld<'_>) -> Value {
    let mut settings = open.setting.clone();
    let over = settings.remove(MERCHANTS).unwrap_or(Value::Null);
    let merchants = open.credentials.iter().map(|(identity, credential)| {
        let mut merchant: Map<String, Value> = credential.iter().map(|(part, value)| (part.clone(), value.clone().into())).collect();
        merchant.insert("notification-url".to_owned(), open.notification_url.clone().into());
        merchant.extend(over.get(identity).and_then(Value::as_object).cloned().unwrap_or_default());
        Value::Object(merchant)
    });
    settings.insert(MERCHANTS.to_owned(), merchants.collect());
    settings.insert("name".to_owned(), open.name.into());
    settings.insert("seed".to_owned(), open.seed.into());
    settings.entry(CLOCK).or_insert_with(|| json!(VIRTUAL_CLOCK));
    Value::Object(settings)
}

/// A base URL with a path below it.
fn joined(base: &Url, path: &str) -> Result<Url, WorldError> {
    let text = format!("{}{path}", base.as_str().trim_end_matches('/'));
    Url::parse(&text).map_err(|e| WorldError::Failed(format!("`{text}` is not a URL: {e}")))
}

impl World for EmulatedWorld {
    fn base(&self, api: &str) -> Option<&Url> {
        self.bases.get(api).or_else(|| self.bases.get("default"))
    }

    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>> {
        async move {
            let path = format!("{}/actions/{}", self.control, act.action);
            let with = Value::Object(act.with.clone());
            match &self.own {
                Some(own) => self.emulator.ask_over(own, &path, with.to_string()).await,
                None => self.emulator.ask(reqwest::Method::POST, &path, Some(with)).await,
            }
        }
        .boxed()
    }

    fn keep_connection(&mut self) {
        let Emulator { connections, base, .. } = &self.emulator;
        self.own = connections.as_ref().map(|connections| Mutex::new(Connection::new(connections.clone(), base.clone(), MOVING)));
    }

    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
        async move {
            let path = format!("{}/actions/world.settles", self.control);
            self.emulator.ask(reqwest::Method::POST, &path, Some(json!({}))).await.map(|_| true)
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
        async move { self.emulator.ask(reqwest::Method::DELETE, &self.control, None).await.map(|_| ()) }.boxed()
    }
}
