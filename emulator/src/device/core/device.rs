//! An activated device: its tokens and its uploads.

use jiff::Timestamp;
use serde_json::Value;

use super::debug_logs::DebugLogs;
use super::payment_codes::PaymentCodes;
use super::records::{Records, StoredRecord};
use super::token::Claims;
use super::upload::{Upload, UploadReceipt};
use super::{ErrorCode, Refusal, app_version, transaction};

/// The number of logs that a device keeps.
const LOGS_KEPT: usize = 1000;

/// A device. Another activation keeps its uploads.
#[derive(Debug, Default)]
pub(crate) struct Device {
    /// Counts activations: only the last token is good.
    pub(crate) generation: u32,
    /// Whether the operator revoked it.
    pub(crate) revoked: bool,
    /// Whether the last token was exchanged, so the application surely has it.
    pub(crate) exchanged: bool,
    /// "Kept for diagnostics."
    pub(crate) app_version: Option<String>,
    /// The number of next calls to refuse as too many.
    pub(crate) limited: u32,
    /// Codes of its card transactions.
    pub(crate) payment_codes: PaymentCodes,
    /// The pending request of support.
    pub(crate) debug_logs: Option<DebugLogs>,
    pub(crate) transactions: Records,
    pub(crate) closings: Records,
    /// The newest last.
    pub(crate) logs: Vec<Value>,
}

impl Device {
    /// Admits the holder of the token of a generation. Checked on every call, so that a revoked
    /// device stops at once.
    pub(crate) fn admit(&mut self, generation: u32) -> Result<(), Refusal> {
        if self.revoked || generation != self.generation {
            return Err(ErrorCode::DeviceRevoked.into());
        }
        if self.limited > 0 {
            self.limited -= 1;
            return Err(ErrorCode::RateLimited.into());
        }
        Ok(())
    }

    /// The same for a short-lived token.
    pub(crate) fn admit_claims(&mut self, claims: Claims, now: Timestamp) -> Result<(), Refusal> {
        self.admit(claims.holder.generation)?;
        if now >= Timestamp::from_second(claims.exp).unwrap_or(Timestamp::MAX) {
            return Err(ErrorCode::TokenExpired.into());
        }
        Ok(())
    }

    /// The device token is exchanged for a short-lived one.
    pub(crate) fn exchange(&mut self, app_version: Option<&str>) -> Result<(), Refusal> {
        if let Some(version) = app_version::check(app_version)? {
            self.app_version = Some(version.to_owned());
        }
        self.exchanged = true;
        Ok(())
    }

    /// Takes a batch of transactions.
    pub(crate) fn upload_transactions(&mut self, batch: Upload, keep: Option<usize>) -> UploadReceipt {
        transaction::upload(batch, &mut self.transactions, keep)
    }

    /// Takes closings. The document shows no field of a closing besides its identity.
    pub(crate) fn upload_closings(&mut self, batch: Upload, keep: Option<usize>) -> UploadReceipt {
        let mut receipt = UploadReceipt::default();
        for closing in batch.records {
            match StoredRecord::read(&closing.as_object().cloned().unwrap_or_default(), false) {
                Ok(record) => {
                    receipt.accepted.push(record.id.clone());
                    self.closings.upsert(record, keep);
                }
                Err(rejected) => receipt.rejected.push(rejected),
            }
        }
        receipt
    }

    /// Takes logs verbatim, and returns their number.
    pub(crate) fn upload_logs(&mut self, batch: Upload, keep: Option<usize>) -> usize {
        if self.debug_logs.is_some_and(|request| request.is_done_by(&batch.envelope, &batch.records)) {
            self.debug_logs = None;
        }
        let count = batch.records.len();
        self.logs.extend(batch.records);
        let surplus = self.logs.len().saturating_sub(keep.unwrap_or(LOGS_KEPT).min(LOGS_KEPT));
        self.logs.drain(..surplus);
        count
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::common::examples::noon;
    use crate::device::core::token::Holder;

    fn claims(generation: u32, exp: i64) -> Claims {
        Claims { holder: Holder { device: 1, generation }, iat: 0, exp }
    }

    fn codes(device: &mut Device, claims: Claims) -> Option<ErrorCode> {
        device.admit_claims(claims, noon()).err().map(|refusal| refusal.code)
    }

    #[test]
    fn a_token_is_good_until_it_expires() {
        let now = noon().as_second();
        let mut device = Device { generation: 2, ..Device::default() };
        assert_eq!(codes(&mut device, claims(2, now + 1)), None);
        assert_eq!(codes(&mut device, claims(2, now)), Some(ErrorCode::TokenExpired));
    }

    #[test]
    fn a_revoked_or_superseded_token_is_refused_before_anything_else() {
        let mut device = Device { generation: 2, limited: 1, ..Device::default() };
        assert_eq!(codes(&mut device, claims(1, i64::MAX)), Some(ErrorCode::DeviceRevoked));
        device.revoked = true;
        assert_eq!(codes(&mut device, claims(2, 0)), Some(ErrorCode::DeviceRevoked));
        assert_eq!(device.limited, 1);
    }

    #[test]
    fn limited_calls_are_refused_and_the_next_is_admitted() {
        let mut device = Device { limited: 2, ..Device::default() };
        let admitted: Vec<_> = (0..3).map(|_| codes(&mut device, claims(0, i64::MAX))).collect();
        assert_eq!(admitted, [Some(ErrorCode::RateLimited), Some(ErrorCode::RateLimited), None]);
    }

    #[test]
    fn the_newest_logs_are_kept() {
        let mut device = Device::default();
        let batch = |records: Vec<Value>| Upload { envelope: json!({}), records };
        assert_eq!(device.upload_logs(batch(vec![json!("first")]), None), 1);
        device.upload_logs(batch((0..1000).map(|number| json!(number)).collect()), None);
        assert_eq!((device.logs.len(), &device.logs[0]), (1000, &json!(0)));
        device.upload_logs(batch(vec![json!("last")]), Some(2));
        assert_eq!(device.logs, [json!(999), json!("last")]);
    }

    #[test]
    fn closings_are_kept_by_their_identity() {
        let mut device = Device::default();
        let records = vec![json!({ "id": "c1", "total": 1 }), json!({ "id": "c1", "total": 2 }), json!({}), json!("text")];
        let receipt = device.upload_closings(Upload { envelope: json!({}), records }, None);
        assert_eq!((receipt.accepted.len(), receipt.rejected.len()), (2, 2));
        assert_eq!(device.closings.list(), [json!({ "id": "c1", "total": 2 })]);
    }
}
