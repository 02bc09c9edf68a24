//! Fields that are there only under a condition, in both directions: each is left out where it must be present, and present where it must
//! not be. A test reads the contracts and fails when a field is in neither column.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

/// What is known of one direction.
pub enum Direction {
    /// The break that is found.
    Found(Box<Break>),
    /// Why the documents allow it.
    Allowed(&'static str),
}

/// A field that need not be there, or may be null.
pub struct Conditional {
    /// The file of the record, below `contracts/schemas`.
    pub schema: &'static str,
    /// The field, or its path.
    pub field: &'static str,
    /// When it is there.
    pub when: &'static str,
    /// It is missing although the condition holds.
    pub missing: Direction,
    /// It is there although the condition does not hold.
    pub surplus: Direction,
}

/// Rows: the schema, then its fields, each with its condition and both directions.
macro_rules! conditions {
    ($($schema:literal { $($field:literal when $when:literal: missing $missing:tt, surplus $surplus:tt;)+ })+) => {
        vec![$($(Conditional {
            schema: $schema,
            field: $field,
            when: $when,
            missing: conditions!(@ concat!($schema, "/", $field, " is missing, when ", $when), $missing),
            surplus: conditions!(@ concat!($schema, "/", $field, " is told, and not ", $when), $surplus),
        }),+),+]
    };
    (@ $name:expr, { $case:expr => $clause:literal: $($kind:ident($what:expr)),+ }) => {
        Direction::Found(Box::new(Break { name: $name, case: $case, clause: $clause, tamper: tamper!($($kind($what)),+) }))
    };
    (@ $name:expr, ($reason:literal)) => { Direction::Allowed($reason) };
}

mod gateway;

const PAID: &str = "a-payment-is-paid-on-the-terminal / CZK";
const NOTHING: &str = "what-has-not-happened-is-not-told";
const REFUND: &str = "a-refund-is-paid-back-and-cancelled / CZK";
const CLOSED: &str = "a-closing-tells-what-was-done";
const BUSY: &str = "a-terminal-that-is-busy-is-not-closed";
const BARE: &str = "qr / a-payment-without-a-reference-has-none";
const REFERRED: &str = "qr / a-reference-is-in-every-response / crowns";
const CANCELLED: &str = "qr / a-pending-payment-is-cancelled / crowns";
const LISTED: &str = "a-transfer-is-listed-on-its-day";

/// Changes the response to a call where it succeeds.
fn on_success(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, change: impl FnOnce(&mut Message)) {
    if asked.is(call) && message.fulfils() {
        change(message);
    }
}

/// Changes the configuration, in an activation and in a download.
fn config(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut serde_json::Map<String, Value>)) {
    if asked.is("device.config") && message.fulfils() {
        change(&mut message.fields);
    } else if let Some(Value::Object(config)) = message.fields.get_mut("config").filter(|_| asked.is("activate")) {
        change(config);
    }
}

/// Removes a field of each transfer in a list.
fn unlisted(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if asked.is("transfers.list") {
        message.each(|item| _ = item.as_object_mut().unwrap().shift_remove(field));
    }
}

/// The whole table.
pub fn table() -> Vec<Conditional> {
    [gateway::table(), terminal(), transfers(), qr(), device()].into_iter().flatten().collect()
}

/// The breaks of both columns.
pub fn all() -> Vec<Break> {
    let directions = table().into_iter().flat_map(|row| [row.missing, row.surplus]);
    let found = directions.filter_map(|direction| match direction {
        Direction::Found(found) => Some(*found),
        Direction::Allowed(_) => None,
    });
    found.collect()
}

fn terminal() -> Vec<Conditional> {
    conditions! {
        "terminal/creation-response.json" {
            "transId" when "it is accepted":
                missing { PAID => "terminal.create.answer.transId.present": response(|asked, message| on_success(asked, message, "terminal.create", |message| message.remove("transId"))) },
                surplus { "create-answers-every-documented-code / code 1200" => "terminal.create.answer.refused":
                    response(|asked, message| if asked.is("terminal.create") && !message.succeeds() { message.set("transId", "AAAA-BBBB-CCCC-DDDD") }) };
        }
        "terminal/refund-creation-response.json" {
            "transId" when "it is accepted":
                missing { REFUND => "terminal.refund.create.answer.transId.present": response(|asked, message| on_success(asked, message, "refund.create", |message| message.remove("transId"))) },
                surplus { "create-of-a-refund-answers-every-documented-code / code 1200" => "terminal.refund.create.answer.refused":
                    response(|asked, message| if asked.is("refund.create") && !message.succeeds() { message.set("transId", "AAAA-BBBB") }) };
        }
        "terminal/status-response.json" {
            "price" when "the code is 0":
                missing { PAID => "terminal.status.price.required": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.remove("price"))) },
                surplus { "an-unknown-payment-is-neither-read-nor-cancelled" => "terminal.status.unknown":
                    response(|asked, message| if asked.is("terminal.status") { message.set("price", "10000") }) };
            "status" when "the code is 0":
                missing { PAID => "terminal.status.status.required": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.remove("status"))) },
                surplus { "an-unknown-payment-is-neither-read-nor-cancelled" => "terminal.status.unknown":
                    response(|asked, message| if asked.is("terminal.status") { message.set("status", "PENDING") }) };
            "curr" when "the code is 0":
                missing { PAID => "terminal.status.curr.required": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.remove("curr"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, price and status show");
            "refId" when "the code is 0":
                missing { PAID => "terminal.status.refId.required": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.remove("refId"))) },
                surplus ("beside an error the document forbids nothing");
            "transId" when "the code is 0":
                missing { PAID => "terminal.status.transId.required": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.remove("transId"))) },
                surplus ("an error may repeat what was asked for");
            "reversed" when "the code is 0":
                missing { PAID => "terminal.status.reversed.required": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.remove("reversed"))) },
                surplus ("beside an error the document forbids nothing");
            "tip" when "a tip was given":
                missing ("required: no"),
                surplus { NOTHING => "terminal.status.tip.value": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.set("tip", 500))) };
            "fee" when "a day has passed":
                missing ("required: no"),
                surplus { "a-fee-is-known-the-next-day" => "terminal.status.fee.next-day": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.set("fee", "100"))) };
            "cardValid" when "a card was used":
                missing ("required: no"),
                surplus { NOTHING => "terminal.status.cardValid.value": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.set("cardValid", "11/29"))) };
            "cardNumber" when "a card was used":
                missing ("required: no"),
                surplus { NOTHING => "terminal.status.cardNumber.value": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.set("cardNumber", "411111******6789"))) };
            "paymentErrorReason" when "the payment was rejected":
                missing ("if available"),
                surplus { NOTHING => "terminal.status.paymentErrorReason.value": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.set("paymentErrorReason", "NO_FUNDS"))) };
            "amountRefunded" when "something was returned":
                missing ("required: no"),
                surplus { NOTHING => "terminal.status.amountRefunded.value": response(|asked, message| on_success(asked, message, "terminal.status", |message| message.set("amountRefunded", "100"))) };
        }
        "terminal/refund-status-response.json" {
            "price" when "the code is 0":
                missing { REFUND => "terminal.refund.status.price.required": response(|asked, message| on_success(asked, message, "refund.status", |message| message.remove("price"))) },
                surplus { "an-unknown-refund-is-neither-read-nor-cancelled" => "terminal.refund.status.unknown":
                    response(|asked, message| if asked.is("refund.status") { message.set("price", "4000") }) };
            "status" when "the code is 0":
                missing { REFUND => "terminal.refund.status.status.required": response(|asked, message| on_success(asked, message, "refund.status", |message| message.remove("status"))) },
                surplus { "an-unknown-refund-is-neither-read-nor-cancelled" => "terminal.refund.status.unknown":
                    response(|asked, message| if asked.is("refund.status") { message.set("status", "PENDING") }) };
            "curr" when "the code is 0":
                missing { REFUND => "terminal.refund.status.curr.required": response(|asked, message| on_success(asked, message, "refund.status", |message| message.remove("curr"))) },
                surplus ("beside an error the document forbids nothing");
            "refId" when "the code is 0":
                missing { REFUND => "terminal.refund.status.refId.required": response(|asked, message| on_success(asked, message, "refund.status", |message| message.remove("refId"))) },
                surplus ("beside an error the document forbids nothing");
            "transId" when "the code is 0":
                missing { REFUND => "terminal.refund.status.transId.required": response(|asked, message| on_success(asked, message, "refund.status", |message| message.remove("transId"))) },
                surplus ("an error may repeat what was asked for");
            "reversed" when "the code is 0":
                missing { REFUND => "terminal.refund.status.reversed.required": response(|asked, message| on_success(asked, message, "refund.status", |message| message.remove("reversed"))) },
                surplus ("beside an error the document forbids nothing");
            "cardNumber" when "a card was used":
                missing ("optional"),
                surplus { NOTHING => "terminal.refund.status.cardNumber.only": response(|asked, message| on_success(asked, message, "refund.status", |message| message.set("cardNumber", "411111******6789"))) };
        }
        "terminal/terminal-status.json" {
            "status" when "the state is told":
                missing { "a-terminal-that-is-connected-is-online" => "terminal.state.status.required": response(|asked, message| if asked.is("state") { message.remove("status") }) },
                surplus { "terminal / calls-without-the-right-credentials-are-refused / without credentials" => "terminal.credentials":
                    response(|asked, message| if asked.is("state") { message.set("status", "ONLINE") }) };
            "code" when "it is refused":
                missing ("the document shows status alone"),
                surplus ("every call answers with a code");
            "message" when "it is refused":
                missing ("the document shows status alone"),
                surplus ("every call answers with a message");
        }
        "terminal/closing-response.json" {
            "batchNumber" when "the terminal was closed":
                missing { CLOSED => "terminal.closing.summary": response(|asked, message| on_success(asked, message, "closing", |message| { message.remove("batchNumber"); message.remove("batchData"); })) },
                surplus { BUSY => "terminal.closing.code.1500": response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("batchNumber", 7) }) };
            "batchData" when "the terminal was closed":
                missing { "a-closing-counts-payments" => "terminal.closing.totals.payments": response(|asked, message| on_success(asked, message, "closing", |message| message.remove("batchData"))) },
                surplus { BUSY => "terminal.closing.code.1500": response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("batchData", json!([{ "curr": "CZK", "creditsAmount": 4500, "creditsCount": 1, "debitsAmount": 0, "debitsCount": 0 }])) }) };
        }
        "terminal/batch-data.json" {
            "curr" when "a currency has totals":
                missing { "a-closing-counts-payments" => "terminal.closing.totals.payments": response(|asked, message| totals(asked, message, "curr")) },
                surplus ("an item is a currency");
            "creditsAmount" when "money was taken":
                missing ("a side without money may be left out, and which side is which is not shown; that an amount is lost, closings.rs shows"),
                surplus ("a side without money may be 0");
            "creditsCount" when "money was taken":
                missing ("a side without money may be left out"),
                surplus ("a side without money may be 0");
            "debitsAmount" when "money was returned":
                missing ("a side without money may be left out"),
                surplus ("a side without money may be 0");
            "debitsCount" when "money was returned":
                missing ("a side without money may be left out"),
                surplus ("a side without money may be 0");
        }
    }
}

/// Removes a field of the totals of a closing.
fn totals(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
        totals.iter_mut().filter_map(Value::as_object_mut).for_each(|total| _ = total.shift_remove(field));
    }
}

fn transfers() -> Vec<Conditional> {
    conditions! {
        "transfers/transfer-list-item.json" {
            "transferDate" when "a transfer is listed":
                missing { LISTED => "transfers.list.transferDate.value": response(|asked, message| unlisted(asked, message, "transferDate")) },
                surplus ("an item is a transfer");
            "accountCounterparty" when "a transfer is listed":
                missing { LISTED => "transfers.list.item": response(|asked, message| unlisted(asked, message, "accountCounterparty")) },
                surplus ("an item is a transfer");
            "accountOutgoing" when "a transfer is listed":
                missing { LISTED => "transfers.list.item": response(|asked, message| unlisted(asked, message, "accountOutgoing")) },
                surplus ("an item is a transfer");
            "variableSymbol" when "a transfer is listed":
                missing { LISTED => "transfers.list.item": response(|asked, message| unlisted(asked, message, "variableSymbol")) },
                surplus ("an item is a transfer");
        }
        "transfers/transfer-detail-item.json" {
            "Produkt" when "a name was given":
                missing { "the-detail-repeats-what-was-sent" => "transfers.detail.product.value":
                    response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Produkt"] = Value::Null) }) },
                surplus { "a-payment-without-a-product-has-none" => "transfers.detail.product.value":
                    response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Produkt"] = json!("ball-42")) }) };
            "Měsíc fakturace" when "the month is known":
                missing ("integer or null, and the document does not say when"),
                surplus ("integer or null, and the document does not say when");
            "Typ karty" when "a card was used":
                missing { "the-card-of-a-payment-is-told" => "transfers.detail.card.value":
                    response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Typ karty"] = json!("")) }) },
                surplus { "a-bank-payment-has-no-card" => "transfers.detail.card.value":
                    response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Typ karty"] = json!("Visa")) }) };
        }
        "transfers/csv-envelope.json" {
            "nazev" when "a statement is told":
                missing { "a-statement-comes-in-an-envelope" => "transfers.csv.nazev.required": response(|asked, message| on_success(asked, message, "csv", |message| message.remove("nazev"))) },
                surplus ("errors of these calls are not shown");
            "csv" when "a statement is told":
                missing { "a-statement-comes-in-an-envelope" => "transfers.csv.csv.required": response(|asked, message| on_success(asked, message, "csv", |message| message.remove("csv"))) },
                surplus { "a-foreign-transfer-is-not-told" => "transfers.access.foreign": onward(|asked, sent| if asked.is("csv") { sent.in_the_name_of_main(asked) }) };
            "code" when "it is refused":
                missing ("errors of these calls are not shown"),
                surplus ("errors of these calls are not shown");
        }
        "transfers/abo-envelope.json" {
            "nazev" when "a statement is told":
                missing { "a-statement-comes-in-an-envelope" => "transfers.abo.nazev.required": response(|asked, message| on_success(asked, message, "abo", |message| message.remove("nazev"))) },
                surplus ("errors of these calls are not shown");
            "abo" when "a statement is told":
                missing { "a-statement-comes-in-an-envelope" => "transfers.abo.abo.required": response(|asked, message| on_success(asked, message, "abo", |message| message.remove("abo"))) },
                surplus { "a-foreign-transfer-is-not-told" => "transfers.access.foreign": onward(|asked, sent| if asked.is("abo") { sent.in_the_name_of_main(asked) }) };
            "code" when "it is refused":
                missing ("errors of these calls are not shown"),
                surplus ("errors of these calls are not shown");
        }
    }
}

fn qr() -> Vec<Conditional> {
    conditions! {
        "qr/creation-response.json" {
            "refId" when "one was given":
                missing { REFERRED => "qr.create.answer.refId.value": response(|asked, message| if asked.is("qr.create") { message.remove("refId") }) },
                surplus { BARE => "qr.create.answer.refId.value": response(|asked, message| if asked.is("qr.create") { message.set("refId", "order-1") }) };
            "paymentData" when "it is pending":
                missing { CANCELLED => "qr.create.answer.paymentData.present": response(|asked, message| if asked.is("qr.create") { message.remove("paymentData") }) },
                surplus { "qr / a-payment-that-is-rejected-at-once-has-no-code" => "qr.create.answer.paymentData.cancelled":
                    response(|asked, message| if asked.is("qr.create") { message.set("paymentData", "SPD*1.0*ACC:CZ6508000000192000145399*AM:100.00*CC:CZK*X-VS:1234567890") }) };
            "paymentRejectedReason" when "it is cancelled":
                missing ("the document says when it is there, not that it must be"),
                surplus { CANCELLED => "qr.create.answer.paymentRejectedReason.only": response(|asked, message| if asked.is("qr.create") { message.set("paymentRejectedReason", "Not specified") }) };
        }
        "qr/status-record.json" {
            "refId" when "one was given":
                missing { REFERRED => "qr.status.refId.value": response(|asked, message| if asked.is("qr.status") { message.remove("refId") }) },
                surplus { BARE => "qr.status.refId.value": response(|asked, message| if asked.is("qr.status") { message.set("refId", "order-1") }) };
            "paymentRejectedReason" when "it is cancelled":
                missing ("the document says when it is there, not that it must be"),
                surplus { "qr / money-that-arrives-pays" => "qr.status.paymentRejectedReason.only": response(|asked, message| if asked.is("qr.status") { message.set("paymentRejectedReason", "Not specified") }) };
            "refunds/refId" when "one was given":
                missing { "refunds-are-listed-in-their-order" => "qr.status.refunds.refId.value": response(|asked, message| if asked.is("qr.status") { refunds(message, Value::Null) }) },
                surplus { BARE => "qr.status.refunds.refId.value": response(|asked, message| if asked.is("qr.status") { refunds(message, json!("order-1")) }) };
        }
        "qr/change-method-response.json" {
            "refId" when "one was given":
                missing { REFERRED => "qr.change-method.refId.value": response(|asked, message| on_success(asked, message, "change-method", |message| message.set("refId", Value::Null))) },
                surplus { BARE => "qr.change-method.refId.value": response(|asked, message| on_success(asked, message, "change-method", |message| message.set("refId", "order-1"))) };
        }
        "qr/extend-response.json" {
            "refId" when "one was given":
                missing { REFERRED => "qr.extend.refId.value": response(|asked, message| on_success(asked, message, "qr.extend", |message| message.remove("refId"))) },
                surplus { BARE => "qr.extend.refId.value": response(|asked, message| on_success(asked, message, "qr.extend", |message| message.set("refId", "order-1"))) };
            "expiration" when "it is pending":
                missing { "an-extension-lasts-seven-days / crowns" => "qr.extend.expiration.required": response(|asked, message| on_success(asked, message, "qr.extend", |message| message.remove("expiration"))) },
                surplus ("a paid payment is unchanged, and may keep the expiry it had");
        }
        "qr/refund-response.json" {
            "refId" when "one was given":
                missing { "a-refund-needs-no-reference" => "qr.refund.answer.refId.value": response(|asked, message| on_success(asked, message, "qr.refund.create", |message| message.remove("refId"))) },
                surplus { BARE => "qr.refund.answer.refId.value": response(|asked, message| on_success(asked, message, "qr.refund.create", |message| message.set("refId", "order-1"))) };
        }
        "qr/refund-status.json" {
            "refId" when "one was given":
                missing { "a-refund-needs-no-reference" => "qr.refund.status.refId.value": response(|asked, message| on_success(asked, message, "qr.refund.status", |message| message.remove("refId"))) },
                surplus { BARE => "qr.refund.status.refId.value": response(|asked, message| on_success(asked, message, "qr.refund.status", |message| message.set("refId", "order-1"))) };
        }
        "qr/method-list.json" {
            "methods/logoSvg" when "there is a vector variant":
                missing ("string or null, and which methods have one is not shown"),
                surplus ("string or null, and which methods have one is not shown");
        }
    }
}

/// Puts a reference into each refund of a status.
fn refunds(message: &mut Message, reference: Value) {
    let refunds = message.fields.get_mut("refunds").and_then(Value::as_array_mut);
    refunds.into_iter().flatten().for_each(|refund| refund["refId"] = reference.clone());
}

const TIPS: &str = "tips-are-told-only-when-set";
const SYMBOLS: &str = "rules-for-variable-symbols-are-told-only-when-set";
const PIN: &str = "a-pin-reset-is-an-event";
const REPORTED: &str = "a-reported-terminal-is-an-event";
const APP: &str = "a-lowest-version-of-the-app-is-for-all-devices";
const MATCHED: &str = "a-matched-transaction-has-a-code";
const LOGS: &str = "logs-are-asked-for-until-they-are-uploaded";

fn device() -> Vec<Conditional> {
    conditions! {
        "device/configuration.json" {
            "serialNumber" when "it is a terminal":
                missing ("string or null, and the document does not say when"),
                surplus ("string or null, and the document does not say when");
            "tip" when "it is set in administration":
                missing { TIPS => "device.config.tip.only": response(|asked, message| config(asked, message, |config| _ = config.shift_remove("tip"))) },
                surplus { TIPS => "device.config.tip.only": response(|asked, message| config(asked, message, |config| _ = config.insert("tip".to_owned(), json!({"percentages": [5, 10, 15]})))) };
            "variableSymbol" when "it is set in administration":
                missing { SYMBOLS => "device.config.variableSymbol.only": response(|asked, message| config(asked, message, |config| _ = config.shift_remove("variableSymbol"))) },
                surplus { SYMBOLS => "device.config.variableSymbol.only":
                    response(|asked, message| config(asked, message, |config| _ = config.insert("variableSymbol".to_owned(), json!({"type": "NUMERIC", "mode": "REQUIRED"})))) };
            "variableSymbol/type" when "there are rules":
                missing ("the document says what the two say, not that both must be there"),
                surplus ("it is a part of the rules");
            "variableSymbol/mode" when "there are rules":
                missing ("the document says what the two say, not that both must be there"),
                surplus ("it is a part of the rules");
            "documentDeviceCode" when "one is assigned":
                missing { "each-device-has-a-document-code-of-its-own" => "device.config.documentDeviceCode.constant":
                    response(|asked, message| if asked.is("device.config") { message.set("documentDeviceCode", Value::Null) }) },
                surplus { "no-two-devices-have-the-same-document-code" => "device.config.documentDeviceCode.free":
                    response(|asked, message| config(asked, message, |config| _ = config.insert("documentDeviceCode".to_owned(), json!("07")))) };
            "autoClosing" when "the merchant wants automatic closing":
                missing { "an-automatic-closing-is-told" => "device.config.autoClosing.reported": response(|asked, message| config(asked, message, |config| _ = config.shift_remove("autoClosing"))) },
                surplus ("its fields are not shown: it may say that there is no automatic closing");
            "defaultPin" when "the server has one":
                missing ("the key may be missing"),
                surplus ("whether the server has one is not shown");
            "pinResetAt" when "a PIN reset was requested":
                missing { PIN => "device.config.pinResetAt.value": response(|asked, message| config(asked, message, |config| _ = config.insert("pinResetAt".to_owned(), Value::Null))) },
                surplus { PIN => "device.config.pinResetAt.null":
                    response(|asked, message| config(asked, message, |config| _ = config.insert("pinResetAt".to_owned(), json!(1_700_000_000_000_i64)))) };
            "terminalReportedAt" when "the terminal was reported":
                missing { REPORTED => "device.config.terminalReportedAt.value": response(|asked, message| config(asked, message, |config| _ = config.insert("terminalReportedAt".to_owned(), Value::Null))) },
                surplus { REPORTED => "device.config.terminalReportedAt.null":
                    response(|asked, message| config(asked, message, |config| _ = config.insert("terminalReportedAt".to_owned(), json!(1_700_000_000_000_i64)))) };
            "minAppVersionCode" when "there is a lock":
                missing { APP => "device.config.minAppVersionCode.same": response(|asked, message| if asked.is("device.config") { message.set("minAppVersionCode", Value::Null) }) },
                surplus { APP => "device.config.minAppVersionCode.same":
                    response(|asked, message| config(asked, message, |config| if config["minAppVersionCode"].is_null() { config.insert("minAppVersionCode".to_owned(), json!(7)); })) };
        }
        "device/exchange-response.json" {
            "paymentCodesAt" when "something is matched":
                missing { MATCHED => "device.authenticate.paymentCodesAt.changes": response(|asked, message| if asked.is("device.authenticate") { message.set("paymentCodesAt", Value::Null) }) },
                surplus { MATCHED => "device.authenticate.paymentCodesAt.null":
                    response(|asked, message| if asked.is("device.authenticate") && message.fields["paymentCodesAt"].is_null() { message.set("paymentCodesAt", 1) }) };
            "minAppVersionCode" when "there is a lock":
                missing { APP => "device.authenticate.minAppVersionCode.value": response(|asked, message| if asked.is("device.authenticate") { message.set("minAppVersionCode", Value::Null) }) },
                surplus { APP => "device.authenticate.minAppVersionCode.value":
                    response(|asked, message| if asked.is("device.authenticate") && message.fields["minAppVersionCode"].is_null() { message.set("minAppVersionCode", 7) }) };
            "requestDebugLogs" when "support asked for logs of this device":
                missing { LOGS => "device.authenticate.requestDebugLogs.only": response(|asked, message| if asked.is("device.authenticate") && !asked.first_time("exchanged") { message.remove("requestDebugLogs") }) },
                surplus { LOGS => "device.authenticate.requestDebugLogs.only":
                    response(|asked, message| if asked.is("device.authenticate") { message.set("requestDebugLogs", json!({"requestId": "logs-0001", "days": 1})) }) };
        }
        "device/payment-codes.json" {
            "paymentCodesAt" when "something is matched":
                missing { MATCHED => "device.payment-codes.paymentCodesAt.value":
                    response(|asked, message| if asked.is("payment-codes") && message.fields["transactions"] != json!([]) { message.set("paymentCodesAt", Value::Null) }) },
                surplus ("with an empty list it is the current marker");
        }
        "device/error.json" {
            "errorCode" when "the body is JSON":
                missing { "device / a-request-that-is-not-valid-has-a-code / a version of 65 characters" => "device.errorCode.present": response(|_, message| message.remove("errorCode")) },
                surplus { "device / a-body-that-is-not-json-is-a-bad-request / exchange" => "device.invalid-json.400":
                    response(|_, message| if message.status == 400 { message.set("errorCode", "INVALID_REQUEST") }) };
        }
    }
}
