//! The settings of a world.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::common::MerchantSettings;
use crate::common::freedoms::FreedomSettings;
use crate::world::SettingsError;

/// Which clock a world runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockKind {
    /// Stays the same until `clock.advances`.
    Virtual,
    /// The computer's clock.
    Real,
}

/// How notifications are repeated until they are acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct RetrySettings {
    /// Pause after the first attempt; it doubles from attempt to attempt.
    pub first_seconds: u32,
    /// The longest pause.
    pub max_seconds: u32,
    /// The number of attempts.
    pub attempts: u32,
    /// The longest wait for a response, in real time.
    pub timeout_seconds: u32,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self { first_seconds: 60, max_seconds: 3600, attempts: 1000, timeout_seconds: 10 }
    }
}

impl RetrySettings {
    /// The pause after `attempts` failed attempts, or `None` if there are no more.
    pub(crate) fn pause_after(&self, attempts: u32) -> Option<SignedDuration> {
        if attempts >= self.attempts {
            return None;
        }
        let doublings = attempts.saturating_sub(1).min(31);
        let seconds = u64::from(self.first_seconds) << doublings;
        let seconds = seconds.min(u64::from(self.max_seconds));
        Some(SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX)))
    }
}

/// The settings of a world; every one has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct WorldSettings {
    /// Its name; omitted: one is generated.
    pub name: Option<String>,
    /// Payment codes and variable symbols derive from it. Omitted, they derive from the name of a virtual world; in a
    /// real-time world they can't be predicted.
    pub seed: Option<u64>,
    /// Its clock.
    pub clock: ClockKind,
    /// Where a virtual clock starts.
    pub start: Timestamp,
    /// Accepts requests that the documents forbid but real clients send.
    pub tolerant: bool,
    /// HTTP status of v2.0 errors.
    pub error_status: u16,
    /// Addresses that calls are accepted from; `null`: all.
    pub allowed_addresses: Option<Vec<IpAddr>>,
    /// Its merchants; none: one `100001` with everything enabled.
    pub merchants: Vec<MerchantSettings>,
    /// Repetition of notifications.
    pub retry: RetrySettings,
    /// Certificates in PEM, the only ones trusted for https endpoints; `null`: those of the platform.
    pub trust: Option<String>,
    /// Test payments initiated with this e-mail: their recurring payments are CANCELLED by themselves.
    pub recurring_cancelled_email: String,
    /// The number of finished payments kept, and of uploaded records of each device; `null`: as many as the default world keeps,
    /// and there all.
    pub keep_finished: Option<usize>,
    /// The lifetime of a token of the QR payment API.
    pub qr_token_seconds: u32,
    /// The lifetime of the short-lived token of a device.
    pub device_token_seconds: u32,
    /// How long a QR payment waits for its money.
    pub qr_expiration_seconds: u32,
    /// Alternatives where the documents leave a choice, laid over those of the emulator.
    pub freedoms: Option<FreedomSettings>,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            name: None,
            seed: None,
            clock: ClockKind::Virtual,
            start: "2026-01-15T12:00:00Z".parse().unwrap_or(Timestamp::UNIX_EPOCH),
            tolerant: false,
            error_status: 200,
            allowed_addresses: None,
            merchants: Vec::new(),
            retry: RetrySettings::default(),
            trust: None,
            recurring_cancelled_email: "recurring-cancelled@example.com".to_owned(),
            keep_finished: None,
            qr_token_seconds: 60 * 60,
            device_token_seconds: 15 * 60,
            qr_expiration_seconds: 15 * 60,
            freedoms: None,
        }
    }
}

impl WorldSettings {
    /// Checks the settings, and adds a merchant if none is described.
    pub(super) fn completed(mut self) -> Result<Self, SettingsError> {
        if !(200..=599).contains(&self.error_status) {
            return Err(SettingsError::ErrorStatus(self.error_status));
        }
        if self.merchants.is_empty() {
            self.merchants.push(MerchantSettings::named("100001"));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_from_a_minute_to_an_hour() {
        let retry = RetrySettings::default();
        let pauses: Vec<_> = (1..=9).filter_map(|attempt| retry.pause_after(attempt)).map(|pause| pause.as_secs() / 60).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn there_are_a_thousand_attempts() {
        let retry = RetrySettings::default();
        assert!(retry.pause_after(999).is_some());
        assert_eq!(retry.pause_after(1000), None);
    }
}
