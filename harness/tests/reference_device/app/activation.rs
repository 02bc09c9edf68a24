//! "It activates a device once per installation."

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::config::Config;
use super::wire::{Ask, By, read};
use super::{App, Flaw, Life, Stop};

/// Where the app was installed: "serialNumber for POS, must be empty for SOFTPOS; activationCode the other way round".
#[derive(Clone, Copy, Debug)]
pub enum Installation {
    Pos { serial: &'static str },
    Softpos { code: &'static str },
}

/// The connections that every world begins with.
pub const POS: Installation = Installation::Pos { serial: "SN100001" };
pub const SOFTPOS: Installation = Installation::Softpos { code: "AC100001" };

/// The bootstrap credentials, part of the app's package.
const BOOTSTRAP: By<'static> = By::Basic { user: "device-100001", password: "secret-device-100001" };

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Activated {
    device_token: String,
    device_id: i64,
    config: Config,
}

impl Installation {
    fn request(self, flaw: Option<Flaw>) -> Value {
        let mut request = match self {
            Self::Pos { serial } => json!({ "platform": "POS", "serialNumber": serial }),
            Self::Softpos { code } => json!({ "platform": "SOFTPOS", "activationCode": code }),
        };
        if flaw == Some(Flaw::SendsBothNames) {
            request["serialNumber"] = "SN100001".into();
            request["activationCode"] = "AC100001".into();
        }
        request
    }
}

impl App {
    /// What happens at every start of the app: only a new one is activated.
    pub async fn start(&mut self, installation: Installation, now: Timestamp) -> Result<(), Stop> {
        if self.memory.life == Life::New || self.has(Flaw::ActivatesAtEveryStart) {
            return self.send_activation(installation, now).await;
        }
        Ok(())
    }

    /// The operator activates the device, for the first time or after a revocation.
    pub async fn activate(&mut self, installation: Installation, now: Timestamp) -> Result<(), Stop> {
        if self.memory.life == Life::Working {
            return Err(Stop::AlreadyActivated);
        }
        self.send_activation(installation, now).await
    }

    async fn send_activation(&mut self, installation: Installation, now: Timestamp) -> Result<(), Stop> {
        if self.back_off.rests(now) {
            return Err(Stop::Rests);
        }
        let ask = Ask::post("/pos/pokladna-api/activate", installation.request(self.flaw));
        let response = self.wire.ask(&ask, BOOTSTRAP).await.and_then(read);
        let activated: Activated = response.map_err(|trouble| self.stop(trouble, now))?;
        self.back_off.end();
        self.accept(activated)
    }

    /// "If a later activation returns a different connectionId, the app must refuse it and require data wiping first."
    fn accept(&mut self, activated: Activated) -> Result<(), Stop> {
        let is_other = self.memory.connection_id.is_some_and(|kept| kept != activated.config.connection_id);
        if is_other && !self.has(Flaw::TakesAnyConnection) {
            return Err(Stop::NeedsWiping);
        }
        self.terminal.prints = self.has(Flaw::LeavesTheTerminalPrinting);
        self.memory.life = Life::Working;
        self.memory.connection_id = Some(activated.config.connection_id);
        self.memory.device_id = Some(activated.device_id);
        self.memory.device_token = Some(activated.device_token);
        self.memory.jwt = None;
        self.adopt(activated.config);
        Ok(())
    }
}
