//! Well-formed responses to calls of document 3 that the target should have refused, about resources that do not exist.

use serde_json::{Value, json};

use super::ObservedRequest;

/// A Czech account with valid check digits.
const ACCOUNT: &str = "CZ6508000000192000145399";

impl ObservedRequest<'_> {
    /// A response with every required field, and with the values of the request where it repeats them.
    pub fn sound(&self) -> Value {
        let payment = self.text("transId");
        match self.operation {
            "qr.authenticate" => json!({"token": "eyJhbGciOiJub25lIn0.e30.c2ln", "expiry": "2026-03-01T11:00:00Z"}),
            "qr.methods" => json!({"methods": [
                {"id": "BANK_CZ_T_OTHER", "name": "QR platba", "logo": "https://example.com/qr.png", "logoSvg": null},
            ]}),
            "qr.create" => json!({
                "transId": "ZZZZ-0000-0001", "refId": self.fields.get("refId"), "status": "PENDING", "paymentData": self.drawn(),
            }),
            "qr.status" => json!({"transId": payment, "refId": null, "status": "PENDING", "refunds": []}),
            "qr.change-method" => json!({
                "transId": payment, "refId": null, "status": "PENDING", "paymentData": self.drawn(), "expiration": "2026-03-08T10:00:00Z",
            }),
            "qr.extend" => json!({"transId": payment, "refId": null, "status": "PENDING", "expiration": "2026-03-08T10:00:00Z"}),
            "qr.cancel" => json!({"transId": payment, "status": "CANCELLED"}),
            "qr.refund.create" => json!({
                "transRefundId": "ZZZZ-0000-0001-R1", "status": "PENDING", "transId": payment, "refId": self.fields.get("refId"),
            }),
            "qr.refund.status" => json!({
                "transRefundId": self.text("transRefundId"), "status": "PENDING", "transId": "ZZZZ-0000-0001", "refId": null,
            }),
            "device.activate" => json!({
                "deviceToken": "opaque", "deviceId": 1, "configVersion": 1, "connectionState": "ACTIVE", "config": configuration(),
            }),
            "device.authenticate" => json!({
                "token": "eyJhbGciOiJub25lIn0.e30.c2ln", "expiry": "2026-03-01T10:15:00Z", "configVersion": 1, "catalogVersion": 1, "paymentCodesAt": null,
                "connectionState": "ACTIVE", "minAppVersionCode": null,
            }),
            "device.config" => configuration(),
            "device.payment-codes" => json!({"transactions": [], "paymentCodesAt": null}),
            "device.transactions" => json!({"accepted": self.uploaded(), "rejected": [], "truncated": false}),
            "device.catalog" => json!({"catalogVersion": 1, "items": []}),
            _ => json!({}),
        }
    }

    /// The identifiers of the uploaded transactions.
    pub fn uploaded(&self) -> Vec<Value> {
        let batch = self.fields.get("transactions").and_then(Value::as_array);
        batch.into_iter().flatten().map(|record| record["id"].clone()).collect()
    }

    /// A SPAYD over the requested amount.
    fn drawn(&self) -> String {
        let amount = self.fields.get("amount").and_then(Value::as_i64).unwrap_or(100);
        let currency = if self.text("currency") == "EUR" { "EUR" } else { "CZK" };
        format!("SPD*1.0*ACC:{ACCOUNT}*AM:{}.{:02}*CC:{currency}*X-VS:1234567890", amount / 100, amount % 100)
    }
}

/// A configuration with every required field.
pub fn configuration() -> Value {
    json!({
        "configVersion": 1, "connectionId": 1, "shopId": 1, "platform": "POS", "serialNumber": "SN1", "env": "PROD",
        "terminalId": "T1", "merchantId": "M1", "connectionState": "ACTIVE", "merchant": {}, "currencies": [],
        "receiptPrint": "OFF", "receiptHeader": "BASIC", "documentDeviceCode": null, "reversalEnabled": true,
        "refundEnabled": true, "autoClosing": {}, "qrMoreOptions": false, "pinResetAt": null, "terminalReportedAt": null,
        "minAppVersionCode": null, "qrApi": {},
    })
}
