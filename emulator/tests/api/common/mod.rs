//! A world of its own for each test, called without a socket.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod pos;

use std::collections::BTreeMap;

use axum::Router;
use axum::body::Body;
use base64::Engine as _;
use emulator::{AppState, WorldSettings, app};
use http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

pub type Form = BTreeMap<String, String>;

pub struct World {
    router: Router,
    path: String,
    control: String,
}

pub fn valid_form() -> Form {
    let fields = [
        ("merchant", "100001"),
        ("secret", "secret-100001"),
        ("prepareOnly", "true"),
        ("price", "10000"),
        ("curr", "CZK"),
        ("label", "Shoes"),
        ("refId", "2026001"),
        ("method", "ALL"),
        ("email", "jan@example.com"),
        ("fullName", "Jan Novák"),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

pub fn valid_json() -> Value {
    json!({
        "price": 10000, "curr": "CZK", "label": "Shoes", "refId": "2026001", "method": "ALL",
        "email": "jan@example.com", "fullName": "Jan Novák",
    })
}

pub fn with(mut value: Value, changes: Value) -> Value {
    let fields = value.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        fields.insert(name.clone(), value.clone());
    }
    value
}

pub fn basic(merchant: &str, secret: &str) -> String {
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{merchant}:{secret}")))
}

impl World {
    /// An emulator with one more world, of these settings.
    pub async fn open(settings: Value) -> Self {
        let router = app(AppState::new(WorldSettings::default()).unwrap());
        let mut world = Self { router, path: String::new(), control: "/__emulator/worlds".into() };
        let (status, opened) = world.json("POST", "/__emulator/worlds", &settings).await;
        assert_eq!(status, StatusCode::CREATED, "{opened}");
        world.path = opened["path"].as_str().unwrap().to_owned();
        world.control = opened["control"].as_str().unwrap().to_owned();
        world
    }

    pub async fn default() -> Self {
        Self::open(json!({})).await
    }

    /// Another world of the same emulator.
    pub async fn beside(&self, settings: Value) -> Self {
        let (_, opened) = self.json("POST", "/__emulator/worlds", &settings).await;
        Self {
            router: self.router.clone(),
            path: opened["path"].as_str().unwrap().to_owned(),
            control: opened["control"].as_str().unwrap().to_owned(),
        }
    }

    pub async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub async fn json(&self, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        read_json(self.send(request).await).await
    }

    pub async fn v1_bytes(&self, call: &str, content_type: &str, body: impl Into<Body>) -> Response<Body> {
        let request = Request::post(format!("{}/v1.0/{call}", self.path)).header(header::CONTENT_TYPE, content_type);
        self.send(request.header(header::HOST, "pay.test:8080").body(body.into()).unwrap()).await
    }

    pub async fn v1(&self, call: &str, fields: &Form) -> Form {
        let response = self.v1_bytes(call, "application/x-www-form-urlencoded", encode(fields)).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/x-www-form-urlencoded; charset=UTF-8");
        decode(&text(response).await)
    }

    pub async fn v1_about(&self, call: &str, trans_id: &str, more: &[(&str, &str)]) -> Form {
        let mut fields: Form = [("merchant", "100001"), ("secret", "secret-100001"), ("transId", trans_id)].map(owned).into();
        fields.extend(more.iter().copied().map(owned));
        self.v1(call, &fields).await
    }

    pub async fn v2(&self, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        self.v2_as(&basic("100001", "secret-100001"), method, path, body).await
    }

    pub async fn v2_as(&self, authorization: &str, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        let mut request = Request::builder().method(method).uri(format!("{}/v2.0/{path}", self.path));
        request = request.header(header::AUTHORIZATION, authorization).header(header::HOST, "pay.test:8080");
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        read_json(self.send(request.body(Body::from(body.map(Value::to_string).unwrap_or_default())).unwrap()).await).await
    }

    /// Creates a payment and gives its code.
    pub async fn created(&self, changes: Value) -> String {
        let (_, response) = self.v2("POST", "payment.json", Some(&with(valid_json(), changes))).await;
        assert_eq!(response["code"], 0, "{response}");
        response["transId"].as_str().unwrap().to_owned()
    }

    pub async fn paid(&self, changes: Value) -> String {
        let id = self.created(changes).await;
        self.act("payer.pays", json!({ "transId": id })).await;
        id
    }

    pub async fn status(&self, trans_id: &str) -> Value {
        self.v2("GET", &format!("payment/transId/{trans_id}.json"), None).await.1
    }

    pub async fn try_act(&self, action: &str, parameters: Value) -> (StatusCode, Value) {
        self.json("POST", &format!("{}/actions/{action}", self.control), &parameters).await
    }

    pub async fn act(&self, action: &str, parameters: Value) -> Value {
        let (status, response) = self.try_act(action, parameters).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        response
    }

    pub async fn see(&self, what: &str) -> Value {
        let (status, response) = self.json("GET", &format!("{}{what}", self.control), &json!({})).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        response
    }

    pub fn control(&self) -> &str {
        &self.control
    }

    pub fn path(&self) -> &str {
        &self.path
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

pub async fn text(response: Response<Body>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

pub async fn read_json(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    (status, serde_json::from_str(&text(response).await).unwrap_or(Value::Null))
}

pub fn encode(fields: &Form) -> String {
    let escape = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    fields.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect::<Vec<_>>().join("&")
}

/// Reads only what the emulator promises to write: no plus, every escape two digits.
pub fn decode(form: &str) -> Form {
    let unescape = |text: &str| {
        let mut parts = text.split('%');
        let mut bytes = parts.next().unwrap().as_bytes().to_vec();
        for part in parts {
            bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
            bytes.extend(&part.as_bytes()[2..]);
        }
        String::from_utf8(bytes).unwrap()
    };
    assert!(!form.contains(['+', ' ']), "{form}");
    form.split('&').map(|pair| pair.split_once('=').unwrap()).map(|(name, value)| (unescape(name), unescape(value))).collect()
}
