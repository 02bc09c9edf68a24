//! "The client stores the last value and re-downloads when a value differs."

use jiff::Timestamp;
use serde::Deserialize;

use super::config::{Config, ConnectionState};
use super::event::happened;
use super::wire::read;
use super::{App, Flaw, Life, Stop, VERSION_CODE};

/// What an exchange tells besides the token.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Markers {
    config_version: i64,
    catalog_version: i64,
    pub payment_codes_at: Option<i64>,
    connection_state: ConnectionState,
    min_app_version_code: Option<i64>,
}

impl App {
    /// Acts on what was told since the last time, once.
    pub(super) async fn heed(&mut self, now: Timestamp) -> Result<(), Stop> {
        if let Some(announced) = self.announced.take() {
            if !self.has(Flaw::UnlocksByConfigurationOnly) {
                self.memory.versions.min_app = announced.min_app_version_code;
            }
            if self.has(Flaw::DeactivatesWhenAnnounced) && announced.connection_state == ConnectionState::PendingDeactivation {
                self.memory.life = Life::Deactivated;
            }
            if self.differs(self.memory.versions.config, announced.config_version) {
                self.download_config(announced.config_version, now).await?;
            }
            if self.differs(self.memory.versions.catalog, announced.catalog_version) {
                self.download_catalog(announced.catalog_version, now).await?;
            }
            self.fetch_codes(announced.payment_codes_at, now).await?;
        }
        self.heed_request(now).await
    }

    /// "Differs", not "is higher".
    pub(super) fn differs(&self, stored: Option<i64>, announced: i64) -> bool {
        match self.flaw {
            Some(Flaw::NeverDownloads) => false,
            Some(Flaw::AlwaysDownloads) => true,
            Some(Flaw::DownloadsHigherVersionsOnly) => stored.is_none_or(|stored| announced > stored),
            _ => stored != Some(announced),
        }
    }

    /// A version is stored when what it stands for has arrived.
    async fn download_config(&mut self, version: i64, now: Timestamp) -> Result<(), Stop> {
        if self.has(Flaw::StoresVersionsTooEarly) {
            self.memory.versions.config = Some(version);
        }
        let response = self.call("config", None, now).await?;
        let config = read(response).map_err(|trouble| self.stop(trouble, now))?;
        self.adopt(config);
        Ok(())
    }

    async fn download_catalog(&mut self, version: i64, now: Timestamp) -> Result<(), Stop> {
        if self.has(Flaw::StoresVersionsTooEarly) {
            self.memory.versions.catalog = Some(version);
        }
        self.memory.catalog = self.call("catalog", None, now).await?;
        self.memory.versions.catalog = Some(version);
        Ok(())
    }

    /// Works by this configuration from now on.
    pub(super) fn adopt(&mut self, config: Config) {
        self.memory.versions.config = Some(config.config_version);
        self.memory.versions.min_app = config.min_app_version_code;
        let events = &mut self.memory.events;
        if happened(&mut events.pin_reset_at, config.pin_reset_at, self.flaw) {
            self.memory.pin.reset();
        }
        if happened(&mut events.terminal_reported_at, config.terminal_reported_at, self.flaw) {
            self.terminal.configurations += 1;
        }
        self.memory.config = Some(config);
    }

    /// "Below it the app locks itself and requests an update. Null means no lock."
    pub fn is_locked(&self) -> bool {
        let lowest = self.memory.versions.min_app;
        match self.flaw {
            Some(Flaw::NeverLocks) => false,
            Some(Flaw::LocksAtTheLowestVersion) => lowest.is_some_and(|lowest| VERSION_CODE <= lowest),
            _ => lowest.is_some_and(|lowest| VERSION_CODE < lowest),
        }
    }

    /// What the app asks the operator for.
    pub fn wants_update(&self) -> bool {
        self.is_locked()
    }
}
