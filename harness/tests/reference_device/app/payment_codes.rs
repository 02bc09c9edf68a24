//! Payment codes of card transactions.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::wire::read;
use super::{App, Flaw, Stop};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Codes {
    transactions: Vec<Value>,
    payment_codes_at: Option<i64>,
}

/// A flawed app stops some time, too.
const OFTEN: u32 = 10;

impl App {
    /// "When it differs from stored, fetch the codes. Null means nothing is matched yet."
    pub(super) async fn fetch_codes(&mut self, announced: Option<i64>, now: Timestamp) -> Result<(), Stop> {
        let Some(announced) = announced else { return Ok(()) };
        let mut times = 0;
        while self.differs(self.memory.versions.payment_codes_at, announced) && times < OFTEN {
            let has_more = self.fetch_codes_once(announced, now).await?;
            times += 1;
            // "With an empty list it is the current marker, so stop asking."
            if !has_more && !self.has(Flaw::NeverStopsAsking) {
                break;
            }
        }
        Ok(())
    }

    /// "Store paymentCodesAt and send it next time as since."
    async fn fetch_codes_once(&mut self, announced: i64, now: Timestamp) -> Result<bool, Stop> {
        let since = self.memory.versions.payment_codes_at.filter(|_| !self.has(Flaw::NeverSendsSince));
        let path = since.map_or_else(|| "transactions".to_owned(), |since| format!("transactions?since={since}"));
        if self.has(Flaw::StoresVersionsTooEarly) {
            self.memory.versions.payment_codes_at = Some(announced);
        }
        let response = self.call(&path, None, now).await?;
        let codes: Codes = read(response).map_err(|trouble| self.stop(trouble, now))?;
        self.memory.versions.payment_codes_at = codes.payment_codes_at;
        let has_more = !codes.transactions.is_empty();
        self.memory.codes.extend(codes.transactions);
        Ok(has_more)
    }
}
