//! Calls with the device token and with the short-lived one, and what trouble does to the app.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::heed::Markers;
use super::logs::Request;
use super::refusal::Meaning;
use super::wire::{Ask, By, Trouble, read};
use super::{App, Flaw, Life, Stop};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Exchanged {
    token: String,
    #[serde(flatten)]
    markers: Markers,
    request_debug_logs: Option<Request>,
}

impl App {
    pub(super) fn may_speak(&self, now: Timestamp) -> Result<(), Stop> {
        match self.memory.life {
            Life::New => Err(Stop::NotActivated),
            Life::Deactivated => Err(Stop::Deactivated),
            Life::Working if self.back_off.rests(now) => Err(Stop::Rests),
            Life::Working => Ok(()),
        }
    }

    /// The device token is exchanged for a short-lived one. The markers that come with it are heeded later.
    pub(super) async fn exchange(&mut self, now: Timestamp) -> Result<(), Stop> {
        let token = self.memory.device_token.clone().ok_or(Stop::NotActivated)?;
        if self.has(Flaw::LooksIntoTheDeviceToken) && !token.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return Err(Stop::NotActivated);
        }
        let ask = Ask::post("/pos/pokladna-api/authenticate", json!({ "appVersion": "1.4.2" }));
        let response = self.wire.ask(&ask, By::Bearer(&token)).await.and_then(read);
        let exchanged: Exchanged = response.map_err(|trouble| self.stop(trouble, now))?;
        self.back_off.end();
        self.memory.jwt = Some(exchanged.token);
        self.announced = Some(exchanged.markers);
        self.asked = exchanged.request_debug_logs;
        Ok(())
    }

    /// A call with the short-lived token. "TOKEN_EXPIRED means one token refresh", and the call once more.
    pub(super) async fn call(&mut self, path: &str, body: Option<Value>, now: Timestamp) -> Result<Value, Stop> {
        let path = format!("/pos/pokladna-api/{path}");
        let ask = body.map_or_else(|| Ask::get(&path), |body| Ask::post(&path, body));
        if self.memory.jwt.is_none() {
            self.exchange(now).await?;
        }
        let mut response = self.ask(&ask).await;
        let mut refreshes = 0;
        while self.may_refresh(&response, refreshes) {
            self.exchange(now).await?;
            response = self.ask(&ask).await;
            refreshes += 1;
        }
        if self.has(Flaw::RepeatsAtOnce) && response.is_err() {
            response = self.ask(&ask).await;
        }
        let response = response.map_err(|trouble| self.stop(trouble, now))?;
        self.back_off.end();
        Ok(response)
    }

    async fn ask(&self, ask: &Ask) -> Result<Value, Trouble> {
        self.wire.ask(ask, By::Bearer(self.memory.jwt.as_deref().unwrap_or_default())).await
    }

    fn may_refresh(&self, response: &Result<Value, Trouble>, refreshes: u32) -> bool {
        let expired = matches!(response, Err(Trouble::Refused(refusal)) if refusal.meaning(self.flaw) == Meaning::Refresh);
        match self.flaw {
            Some(Flaw::NeverRefreshes) => false,
            Some(Flaw::RefreshesWithoutEnd) => expired,
            _ => expired && refreshes == 0,
        }
    }

    /// What trouble does to the app. A token that is expired after its refresh is trouble like any other.
    pub(super) fn stop(&mut self, trouble: Trouble, now: Timestamp) -> Stop {
        let meaning = match trouble {
            Trouble::Unanswered => Meaning::BackOff,
            Trouble::Refused(refusal) => refusal.meaning(self.flaw),
        };
        match meaning {
            Meaning::Deactivated => self.deactivate(),
            Meaning::Operator(code) => Stop::Refused(code),
            Meaning::BackOff | Meaning::Refresh => {
                if !self.has(Flaw::NeverRests) {
                    self.back_off.begin(now);
                }
                if self.has(Flaw::ForgetsItsTokenInTrouble) {
                    self.memory.jwt = None;
                }
                Stop::BacksOff
            }
        }
    }

    /// Its tokens are worth nothing any more; what it has sold stays until somebody wipes it.
    fn deactivate(&mut self) -> Stop {
        self.memory.life = Life::Deactivated;
        (self.memory.device_token, self.memory.jwt) = (None, None);
        if self.has(Flaw::ForgetsItsConnectionWhenRevoked) {
            self.memory.connection_id = None;
        }
        Stop::Deactivated
    }
}
