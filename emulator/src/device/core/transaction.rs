//! Transactions as registers upload them. The field list is not shown; the document's rules for single fields apply, the rest is
//! stored unchanged.

use serde_json::{Map, Value};

use super::records::{Records, StoredRecord};
use super::upload::{Rejected, Upload, UploadReceipt};

/// "A batch of at most 50 transactions."
pub(crate) const MOST: usize = 50;

/// Replaces "unknown".
const UNKNOWN: &str = "UNKNOWN";

/// The values of `type` that are known here. Not shown in the document; the plausible ones.
const TYPES: [&str; 20] = [
    "PAYMENT",
    "SALE",
    "REFUND",
    "REVERSAL",
    "CANCEL",
    "STORNO",
    "PREAUTH",
    "TIP",
    "CARD",
    "CARD_PAYMENT",
    "CARD_SALE",
    "CARD_REFUND",
    "QR",
    "QR_PAYMENT",
    "QR_REFUND",
    "CASH",
    "CASH_PAYMENT",
    "CASH_REFUND",
    "CLOSING",
    UNKNOWN,
];

/// The values of `status` that are known here, likewise.
const STATUSES: [&str; 24] = [
    "NEW",
    "CREATED",
    "PENDING",
    "APPROVED",
    "AUTHORIZED",
    "PAID",
    "OK",
    "SUCCESS",
    "COMPLETED",
    "CAPTURED",
    "SETTLED",
    "CLOSED",
    "DECLINED",
    "REJECTED",
    "CANCELLED",
    "CANCELED",
    "REVERSED",
    "REFUNDED",
    "PARTIALLY_REFUNDED",
    "FAILED",
    "ERROR",
    "TIMEOUT",
    "EXPIRED",
    UNKNOWN,
];

/// Stores a batch: at most fifty records, each by its identity.
pub(crate) fn upload(batch: Upload, stored: &mut Records, keep: Option<usize>) -> UploadReceipt {
    let mut receipt = UploadReceipt { truncated: batch.records.len() > MOST, ..UploadReceipt::default() };
    for record in batch.records.into_iter().take(MOST) {
        match read(record) {
            Ok(record) => {
                receipt.accepted.push(record.id.clone());
                stored.upsert(record, keep);
            }
            Err(rejected) => receipt.rejected.push(rejected),
        }
    }
    receipt
}

fn read(record: Value) -> Result<StoredRecord, Rejected> {
    let Value::Object(mut fields) = record else {
        return Err(Rejected { id: Value::Null, error_message: "a transaction is an object" });
    };
    if let Some(error_message) = fault(&fields) {
        return Err(Rejected { id: fields.remove("id").unwrap_or_default(), error_message });
    }
    coerce(&mut fields, "type", &TYPES);
    coerce(&mut fields, "status", &STATUSES);
    unfold(&mut fields, "saleJson");
    unfold(&mut fields, "rawJson");
    StoredRecord::read(&fields, true)
}

/// "Amounts are integers in minor units; currency is an alphabetic code."
fn fault(fields: &Map<String, Value>) -> Option<&'static str> {
    let is_amount = |name: &str| name == "amount" || name.ends_with("Amount");
    let mut amounts = fields.iter().filter(|(name, value)| is_amount(name) && !value.is_null());
    if amounts.any(|(_, amount)| !amount.is_i64()) {
        return Some("amounts are integers in minor units");
    }
    match fields.get("currency") {
        None | Some(Value::Null) => None,
        Some(Value::String(code)) if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) => None,
        Some(_) => Some("currency is an alphabetic code of ISO 4217"),
    }
}

/// "Unknown `type` or `status` is coerced to UNKNOWN."
fn coerce(fields: &mut Map<String, Value>, name: &str, known: &[&str]) {
    if let Some(value) = fields.get_mut(name)
        && !value.as_str().is_some_and(|word| known.contains(&word))
    {
        *value = UNKNOWN.into();
    }
}

/// JSON within text is stored as JSON. "An unparsable `saleJson` or `rawJson` is stored verbatim as a JSON string."
fn unfold(fields: &mut Map<String, Value>, name: &str) {
    if let Some(value) = fields.get_mut(name)
        && let Some(parsed) = value.as_str().and_then(|text| serde_json::from_str(text).ok())
    {
        *value = parsed;
    }
}

/// Whether the matching job can find a code for it: "Only card transactions. QR payments are excluded. Card refunds get no
/// code yet."
pub(crate) fn is_card_payment(transaction: &Value) -> bool {
    let kinds = ["type", "method", "paymentMethod"].iter().filter_map(|name| transaction.get(name)?.as_str());
    let mut words = kinds.flat_map(|text| text.split('_'));
    !words.any(|word| ["QR", "CASH", "REFUND", "CLOSING"].contains(&word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn store(records: Vec<Value>) -> (UploadReceipt, Vec<Value>) {
        let mut stored = Records::default();
        let receipt = upload(Upload { envelope: json!({}), records }, &mut stored, None);
        (receipt, stored.list())
    }

    fn one(changes: Value) -> Value {
        let mut transaction = json!({ "id": "t1", "syncVersion": 1 });
        transaction.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        transaction
    }

    fn stored(changes: Value) -> Value {
        store(vec![one(changes)]).1.remove(0)
    }

    #[test]
    fn fifty_are_processed_and_the_rest_is_cut_off() {
        let batch = |count: usize| (0..count).map(|id| json!({ "id": id, "syncVersion": 1 })).collect();
        let (receipt, stored) = store(batch(50));
        assert_eq!((receipt.truncated, receipt.accepted.len(), stored.len()), (false, 50, 50));
        let (receipt, stored) = store(batch(51));
        assert_eq!((receipt.truncated, receipt.accepted.len(), stored.len()), (true, 50, 50));
        assert!(receipt.rejected.is_empty(), "the 51st is neither accepted nor rejected");
    }

    #[test]
    fn a_lower_version_is_dropped_but_acknowledged() {
        let (receipt, stored) = store(vec![one(json!({ "syncVersion": 2, "amount": 2 })), one(json!({ "syncVersion": 1, "amount": 1 }))]);
        assert_eq!(receipt.accepted, [json!("t1"), json!("t1")]);
        assert_eq!(stored, [json!({ "id": "t1", "syncVersion": 2, "amount": 2 })]);
    }

    #[test]
    fn unknown_words_are_coerced_and_known_ones_kept() {
        assert_eq!(stored(json!({ "type": "SALE", "status": "APPROVED" }))["type"], "SALE");
        let coerced = stored(json!({ "type": "TELEPORT", "status": 5 }));
        assert_eq!((&coerced["type"], &coerced["status"]), (&json!("UNKNOWN"), &json!("UNKNOWN")));
    }

    #[test]
    fn json_within_text_is_unfolded_or_kept_verbatim() {
        let kept = stored(json!({ "saleJson": "{\"items\":[1]}", "rawJson": "{broken" }));
        assert_eq!((&kept["saleJson"], &kept["rawJson"]), (&json!({ "items": [1] }), &json!("{broken")));
        assert_eq!(stored(json!({ "saleJson": { "items": [] } }))["saleJson"], json!({ "items": [] }));
    }

    #[test]
    fn what_is_not_a_transaction_is_rejected_and_the_others_accepted() {
        let (receipt, stored) = store(vec![
            json!("text"),
            json!({ "syncVersion": 1 }),
            one(json!({ "id": "a", "amount": 1.5 })),
            one(json!({ "id": "b", "refundedAmount": "1" })),
            one(json!({ "id": "c", "currency": "203" })),
            one(json!({ "id": "d", "currency": "czk" })),
            one(json!({ "id": "e", "amount": 100, "currency": "CZK", "tipAmount": null })),
        ]);
        assert_eq!(receipt.accepted, [json!("e")]);
        assert_eq!(
            receipt.rejected.iter().map(|rejected| rejected.id.clone()).collect::<Vec<_>>()[2..],
            [json!("a"), json!("b"), json!("c"), json!("d")]
        );
        assert_eq!(stored.len(), 1);
    }

    #[test]
    fn only_card_payments_are_matched() {
        for card in
            [json!({ "type": "SALE" }), json!({ "type": "PAYMENT", "paymentMethod": "CARD" }), json!({}), json!({ "type": "UNKNOWN" })]
        {
            assert!(is_card_payment(&card), "{card}");
        }
        for other in [
            json!({ "type": "REFUND" }),
            json!({ "type": "SALE", "method": "QR" }),
            json!({ "type": "QR_PAYMENT" }),
            json!({ "type": "CARD_REFUND" }),
        ] {
            assert!(!is_card_payment(&other), "{other}");
        }
    }
}
