//! How the app speaks: one request, one response, or why there is none.

use std::time::Duration;

use http::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::refusal::Refusal;

/// Why there is no response to work with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// None came in time, or none that can be read.
    Unanswered,
    /// An error answer.
    Refused(Refusal),
}

/// A request without who asks.
#[derive(Clone, Debug)]
pub struct Ask {
    method: Method,
    path: String,
    body: Option<Value>,
}

impl Ask {
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None }
    }

    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::POST, path: path.into(), body: Some(body) }
    }
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub enum By<'a> {
    Basic { user: &'a str, password: &'a str },
    Bearer(&'a str),
}

/// The line to the service.
pub struct Wire {
    base: String,
    client: reqwest::Client,
    /// How long a response is waited for.
    pub patience: Duration,
}

impl Wire {
    pub fn to(base: String) -> Self {
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { base, client, patience: Duration::from_secs(30) }
    }

    pub async fn ask(&self, ask: &Ask, by: By<'_>) -> Result<Value, Trouble> {
        let request = self.client.request(ask.method.clone(), format!("{}{}", self.base, ask.path)).timeout(self.patience);
        let request = match by {
            By::Basic { user, password } => request.basic_auth(user, Some(password)),
            By::Bearer(token) => request.bearer_auth(token),
        };
        let request = match &ask.body {
            None => request,
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
        };
        let response = request.send().await.map_err(|_| Trouble::Unanswered)?;
        let status = response.status();
        let text = response.text().await.map_err(|_| Trouble::Unanswered)?;
        let body: Option<Value> = serde_json::from_str(&text).ok();
        if status.is_success() {
            return body.ok_or(Trouble::Unanswered);
        }
        let code = body.and_then(|body| body.get("errorCode")?.as_str().map(str::to_owned));
        Err(Trouble::Refused(Refusal { status: status.as_u16(), code }))
    }

    /// A file at an address that a response named.
    pub async fn fetch(&self, address: &str) -> Result<Vec<u8>, Trouble> {
        let response = self.client.get(address).timeout(self.patience).send().await.map_err(|_| Trouble::Unanswered)?;
        let status = response.status();
        if !status.is_success() {
            return Err(Trouble::Refused(Refusal { status: status.as_u16(), code: None }));
        }
        response.bytes().await.map(Into::into).map_err(|_| Trouble::Unanswered)
    }
}

/// Reads a response; one that is not as documented is no response.
pub fn read<T: DeserializeOwned>(response: Value) -> Result<T, Trouble> {
    serde_json::from_value(response).map_err(|_| Trouble::Unanswered)
}
