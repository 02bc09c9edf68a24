//! Calls of the QR payment and the device API.

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};

use super::{World, basic, read_json, with};

pub const QR: &str = "/pos/qr-api";
pub const DEVICE: &str = "/pos/pokladna-api";

/// A creation that is in order.
pub fn valid_qr() -> Value {
    json!({
        "merchantId": "M100001", "terminalId": "Q100001", "refId": "2026001", "amount": 10_000, "currency": "CZK",
        "method": "BANK_CZ_T_OTHER",
    })
}

/// An activation of the first POS that is in order.
pub fn valid_activation() -> Value {
    json!({ "platform": "POS", "serialNumber": "SN100001" })
}

impl World {
    /// A call with this `Authorization`, which is left out where empty, and this body.
    pub async fn pos(&self, method: &str, path: &str, authorization: &str, body: impl Into<Body>) -> (StatusCode, Value) {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.path())).header(header::HOST, "pay.test:8080");
        if !authorization.is_empty() {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        read_json(self.send(request.header(header::CONTENT_TYPE, "application/json").body(body.into()).unwrap()).await).await
    }

    /// The token of a merchant, as it goes into the header.
    pub async fn qr_token_of(&self, merchant: &str) -> String {
        let user = basic(&format!("qr-{merchant}"), &format!("secret-qr-{merchant}"));
        let body = json!({ "mid": format!("M{merchant}") }).to_string();
        let (status, response) = self.pos("POST", "/pos/auth-api/authenticate", &user, body).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        format!("Bearer {}", response["token"].as_str().unwrap())
    }

    /// A call of the QR payment API by the first merchant.
    pub async fn qr(&self, method: &str, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        let token = self.qr_token_of("100001").await;
        self.pos(method, &format!("{QR}{path}"), &token, body.map(Value::to_string).unwrap_or_default()).await
    }

    /// The same where nothing is expected to go wrong.
    pub async fn qr_ok(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, response) = self.qr(method, path, body).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        response
    }

    /// Creates a QR payment and returns the response.
    pub async fn qr_created(&self, changes: Value) -> Value {
        self.qr_ok("POST", "/payment", Some(&with(valid_qr(), changes))).await
    }

    /// Creates a QR payment and gives the path about it.
    pub async fn qr_payment(&self, changes: Value) -> String {
        format!("/payment/{}", self.qr_created(changes).await["transId"].as_str().unwrap())
    }

    pub async fn qr_status(&self, path: &str) -> Value {
        self.qr_ok("GET", path, None).await
    }

    pub async fn advance(&self, seconds: u32) {
        self.act("clock.advances", json!({ "seconds": seconds })).await;
    }

    /// An activation by the first merchant's user.
    pub async fn activate(&self, request: &Value) -> (StatusCode, Value) {
        self.pos("POST", &format!("{DEVICE}/activate"), &basic("device-100001", "secret-device-100001"), request.to_string()).await
    }

    /// Exchanges a device token.
    pub async fn exchange(&self, token: &Value) -> (StatusCode, Value) {
        self.pos("POST", &format!("{DEVICE}/authenticate"), &bearer(token), "").await
    }

    /// A call of the device API under a JWT.
    pub async fn device(&self, method: &str, path: &str, jwt: &Value, body: &Value) -> (StatusCode, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.pos(method, &format!("{DEVICE}{path}"), &bearer(jwt), body).await
    }

    /// Activates the first POS and exchanges its token.
    pub async fn register(&self) -> Register {
        let (status, activated) = self.activate(&valid_activation()).await;
        assert_eq!(status, StatusCode::OK, "{activated}");
        let (status, exchanged) = self.exchange(&activated["deviceToken"]).await;
        assert_eq!(status, StatusCode::OK, "{exchanged}");
        Register { token: activated["deviceToken"].clone(), id: activated["deviceId"].clone(), jwt: exchanged["token"].clone(), activated }
    }
}

/// A cash register: what it holds after activation and a token exchange.
pub struct Register {
    pub token: Value,
    pub id: Value,
    pub jwt: Value,
    pub activated: Value,
}

pub fn bearer(token: &Value) -> String {
    format!("Bearer {}", token.as_str().unwrap_or_default())
}

/// The `errorCode` of a response, and its status.
pub fn code((status, response): (StatusCode, Value)) -> (u16, Value) {
    assert!(response["errorMessage"].is_string(), "{response}");
    (status.as_u16(), response["errorCode"].clone())
}
