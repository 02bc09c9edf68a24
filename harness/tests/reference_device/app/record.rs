//! A transaction, as the app keeps and uploads it. The fields are assumed, but for those that the document names.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sale::Kind;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// "The record identity is the client `id`."
    pub id: String,
    pub kind: Kind,
    pub status: String,
    /// Minor units.
    pub amount: i64,
    /// Minor units.
    pub refunded: i64,
    pub symbol: Option<String>,
    pub closing: Option<String>,
    pub document: Option<String>,
    pub sync_version: i64,
    /// The version that the service has accepted.
    pub synchronized: Option<i64>,
}

impl Record {
    pub fn is_synchronized(&self) -> bool {
        self.synchronized == Some(self.sync_version)
    }

    pub(super) fn upload(&self) -> Value {
        json!({
            "id": self.id,
            "syncVersion": self.sync_version,
            "type": self.kind.word(),
            "status": self.status,
            "amount": self.amount,
            "refundedAmount": self.refunded,
            "currency": "CZK",
            "variableSymbol": self.symbol,
            "closingId": self.closing,
            "documentNumber": self.document,
        })
    }
}
