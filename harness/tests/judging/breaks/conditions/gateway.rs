//! Fields of document 1 that are there only under a condition: of payments, their notifications, and outages.

use super::{Conditional, Direction, on_success};
use crate::breaks::{Break, READ_V1, READ_V2, REFUSED_V2};
use crate::support::proxy::{Message, ObservedRequest};

const UNKNOWN: &str = "an-unknown-payment-has-no-status / v2.0";
const RECURRING: &str = "a-recurring-payment-is-paid-without-the-payer / v1.0";
const BANK: &str = "a-bank-payment-tells-no-card / v2.0";
const CARD: &str = "a-card-payment-tells-no-card / v1.0";
const WALLET: &str = "an-initiation-payment-by-a-wallet-tells-no-card-expiry / Apple Pay in v2.0";
const NO_SURCHARGE: &str = "a-bank-payment-tells-no-surcharge / v2.0";
const NO_REJECTION: &str = "a-paid-payment-tells-no-rejection / v2.0";
const OUTAGE: &str = "an-outage-record-has-every-field";

/// The tables of both APIs.
pub(super) fn table() -> Vec<Conditional> {
    [creations(), statuses(), notifications(), outages()].into_iter().flatten().collect()
}

/// Removes a field of each outage.
fn unlisted(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if asked.is("outages") {
        message.records(|records| records.iter_mut().for_each(|record| _ = record.as_object_mut().unwrap().shift_remove(field)));
    }
}

fn creations() -> Vec<Conditional> {
    conditions! {
        "gateway/creation-response.json" {
            "transId" when "it is accepted":
                missing { READ_V1 => "gateway.create.answer.transId.present": response(|asked, message| on_success(asked, message, "create", |message| message.remove("transId"))) },
                surplus ("a refused creation may name a payment; that it makes none is gateway.create.answer.refused");
            "redirect" when "it is accepted":
                missing { READ_V2 => "gateway.create.answer.redirect.present": response(|asked, message| on_success(asked, message, "create", |message| message.remove("redirect"))) },
                surplus { REFUSED_V2 => "gateway.create.answer.refused": response(|asked, message| if asked.is("create") { message.set("redirect", "http://pay.example/x") }) };
        }
        "gateway/creation-response-v1.json" {
            "applepay" when "the payment is made by Apple Pay":
                missing ("the document says what it holds, not when it is there"),
                surplus ("the document says what it holds, not when it is there");
            "applepayMessage" when "the payment is made by Apple Pay":
                missing ("the document says what it holds, not when it is there"),
                surplus ("the document says what it holds, not when it is there");
        }
        "gateway/recurring-response.json" {
            "transId" when "it is accepted":
                missing { RECURRING => "gateway.recurring.answer.transId.present": response(|asked, message| on_success(asked, message, "recurring", |message| message.remove("transId"))) },
                surplus { "a-recurring-payment-with-a-wrong-field-has-its-code / empty label in v1.0" => "gateway.recurring.code.1305": response(|asked, message| if asked.is("recurring") && !message.succeeds() { message.set("transId", "ZZZZ-0000-0001") }) };
            "redirect" when "never: it runs in the background":
                missing ("there is none"),
                surplus { RECURRING => "gateway.recurring.background": response(|asked, message| on_success(asked, message, "recurring", |message| message.set("redirect", "https://pay1.example.com/ZZZZ-0000-0001"))) };
        }
    }
}

fn statuses() -> Vec<Conditional> {
    conditions! {
        "gateway/status-record.json" {
            "test" when "the code is 0":
                missing { READ_V2 => "gateway.status.test.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("test"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, status shows");
            "price" when "the code is 0":
                missing { READ_V2 => "gateway.status.price.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("price"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, status shows");
            "curr" when "the code is 0":
                missing { READ_V2 => "gateway.status.curr.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("curr"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, status shows");
            "label" when "the code is 0":
                missing { READ_V2 => "gateway.status.label.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("label"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, status shows");
            "refId" when "the code is 0":
                missing { READ_V2 => "gateway.status.refId.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("refId"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, status shows");
            "email" when "the code is 0":
                missing { READ_V2 => "gateway.status.email.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("email"))) },
                surplus ("beside an error the document forbids nothing; that nothing of a payment is told there, status shows");
            "transId" when "the code is 0":
                missing { READ_V2 => "gateway.status.transId.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("transId"))) },
                surplus ("an error may repeat what was asked for");
            "status" when "the code is 0":
                missing { READ_V2 => "gateway.status.status.required": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("status"))) },
                surplus { UNKNOWN => "gateway.status.unknown": response(|asked, message| if asked.is("v2.status") { message.set("status", "PENDING") }) };
            "payerId" when "the e-shop knows its payers":
                missing ("required: no"),
                surplus ("the creation has no such field, and the document does not say where it comes from");
            "method" when "a method was used":
                missing ("required: no"),
                surplus ("the payer has always used one");
            "account" when "the merchant has one":
                missing ("required: no"),
                surplus ("the merchant always has one, at least its default");
            "name" when "the creation has one":
                missing ("required: no"),
                surplus { READ_V2 => "gateway.status.name.value": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("name", "ball-42"))) };
            "phone" when "it is known":
                missing ("required: no"),
                surplus ("the payer may give it on the page of the gateway");
            "payerName" when "the payment came from an account":
                missing ("required: no"),
                surplus ("what the bank or the wallet tells is not shown");
            "payerAcc" when "the payment came from an account":
                missing ("required: no"),
                surplus ("what the bank or the wallet tells is not shown");
            "fee" when "always: the fee, or unknown":
                missing ("required: no"),
                surplus ("it is 'unknown' where none is known");
            "vs" when "it is available":
                missing ("required: no"),
                surplus ("whether it is available is not said");
            "cardValid" when "an initiation payment was paid by card, not by a wallet":
                missing ("required: no"),
                surplus { WALLET => "gateway.status.card": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("cardValid", "12/29"))) };
            "cardNumber" when "an initiation payment was paid":
                missing ("required: no"),
                surplus { BANK => "gateway.status.card": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("cardNumber", "516844******1234"))) };
            "appliedFee" when "the card is not regulated":
                missing ("required: no"),
                surplus { NO_SURCHARGE => "gateway.status.appliedFee.only": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("appliedFee", 150))) };
            "appliedFeeType" when "the card is not regulated":
                missing ("required: no"),
                surplus { NO_SURCHARGE => "gateway.status.appliedFee.only": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("appliedFeeType", "NON_EU_CONSUMER"))) };
            "paymentErrorReason" when "the payment was rejected":
                missing ("required: no"),
                surplus { NO_REJECTION => "gateway.status.paymentErrorReason.only": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("paymentErrorReason", "NO_FUNDS"))) };
            "threeDSPreference" when "it is a card payment of a shop with the setting on":
                missing ("required: no"),
                surplus { BANK => "gateway.status.threeDSPreference.setting": response(|asked, message| if asked.is("v2.status") && message.succeeds() { message.set("threeDSPreference", "STANDARD"); message.set("threeDSApplied", false); }) };
            "threeDSApplied" when "threeDSPreference is there":
                missing { crate::breaks::PREFERENCE => "gateway.status.threeDSApplied.together": response(|asked, message| on_success(asked, message, "v2.status", |message| message.remove("threeDSApplied"))) },
                surplus { BANK => "gateway.status.threeDSApplied.together": response(|asked, message| on_success(asked, message, "v2.status", |message| message.set("threeDSApplied", false))) };
        }
    }
}

fn notifications() -> Vec<Conditional> {
    conditions! {
        "gateway/notification.json" {
            "payerId" when "the e-shop knows its payers":
                missing ("required: no"),
                surplus ("the creation has no such field, and the document does not say where it comes from");
            "payer_name" when "the payment came from an account":
                missing ("required: no"),
                surplus ("what the bank or the wallet tells is not shown");
            "payer_acc" when "the payment came from an account":
                missing ("required: no"),
                surplus ("what the bank or the wallet tells is not shown");
            "method" when "a method was used":
                missing ("required: no"),
                surplus ("the payer has always used one");
            "account" when "the merchant has one":
                missing ("required: no"),
                surplus ("the merchant always has one, at least its default");
            "phone" when "it is known":
                missing ("required: no"),
                surplus ("the payer may give it on the page of the gateway");
            "name" when "the creation has one":
                missing ("required: no"),
                surplus { READ_V2 => "gateway.notification.name.value": push(|_, push| push.message.set("name", "ball-42")) };
            "fee" when "it is set":
                missing ("required: no"),
                surplus ("whether it is set is not said");
            "billing_addr_city" when "it is known":
                missing ("required: no"),
                surplus ("the payer may give it on the page of the gateway");
            "billing_addr_street" when "it is known":
                missing ("required: no"),
                surplus ("the payer may give it on the page of the gateway");
            "billing_addr_postal_code" when "it is known":
                missing ("required: no"),
                surplus ("the payer may give it on the page of the gateway");
            "billing_addr_country" when "it is known":
                missing ("required: no"),
                surplus ("the payer may give it on the page of the gateway");
            "delivery" when "the creation has one":
                missing ("required: no"),
                surplus ("a shop may have a default; no sentence says that there is none");
            "home_delivery_city" when "the creation has one":
                missing ("required: no"),
                surplus { READ_V1 => "gateway.notification.home_delivery_city.value": push(|_, push| push.message.set("home_delivery_city", "Brno")) };
            "home_delivery_street" when "the creation has one":
                missing ("required: no"),
                surplus { READ_V2 => "gateway.notification.home_delivery_street.value": push(|_, push| push.message.set("home_delivery_street", "Jarní 3")) };
            "home_delivery_postal_code" when "the creation has one":
                missing ("required: no"),
                surplus { READ_V2 => "gateway.notification.home_delivery_postal_code.value": push(|_, push| push.message.set("home_delivery_postal_code", "602 00")) };
            "home_delivery_country" when "the creation has one":
                missing ("required: no"),
                surplus { READ_V1 => "gateway.notification.home_delivery_country.value": push(|_, push| push.message.set("home_delivery_country", "CZ")) };
            "category" when "the creation has one":
                missing ("required: no"),
                surplus ("a shop may have a default; no sentence says that there is none");
            "appliedFee" when "the card is not regulated":
                missing ("required: no"),
                surplus { NO_SURCHARGE => "gateway.notification.appliedFee.only": push(|_, push| push.message.set("appliedFee", 150)) };
            "appliedFeeType" when "the card is not regulated":
                missing ("required: no"),
                surplus { NO_SURCHARGE => "gateway.notification.appliedFee.only": push(|_, push| push.message.set("appliedFeeType", "NON_EU_CONSUMER")) };
            "vs" when "it is available":
                missing ("required: no"),
                surplus ("whether it is available is not said");
            "cardValid" when "an initiation payment was paid by card, not by a wallet":
                missing ("required: no"),
                surplus { CARD => "gateway.notification.card": push(|_, push| push.message.set("cardValid", "12/29")) };
            "cardNumber" when "an initiation payment was paid":
                missing ("required: no"),
                surplus { CARD => "gateway.notification.card": push(|_, push| push.message.set("cardNumber", "516844******1234")) };
            "paymentErrorReason" when "the payment was rejected":
                missing ("required: no"),
                surplus { NO_REJECTION => "gateway.notification.paymentErrorReason.only": push(|_, push| push.message.set("paymentErrorReason", "NO_FUNDS")) };
            "threeDSPreference" when "it is a card payment of a shop with the setting on":
                missing ("required: no"),
                surplus { BANK => "gateway.notification.threeDSPreference.setting": push(|_, push| {
                    push.message.set("threeDSPreference", "AUTO");
                    push.message.set("threeDSApplied", true);
                }) };
            "threeDSApplied" when "threeDSPreference is there":
                missing { crate::breaks::PREFERENCE => "gateway.notification.threeDSApplied.together": push(|_, push| push.message.remove("threeDSApplied")) },
                surplus { BANK => "gateway.notification.threeDSApplied.together": push(|_, push| push.message.set("threeDSApplied", true)) };
        }
    }
}

fn outages() -> Vec<Conditional> {
    conditions! {
        "status/outage-record.json" {
            "id" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "id")) },
                surplus ("every outage has it");
            "name_cs" when "always":
                missing { OUTAGE => "status.outages.languages": response(|asked, message| unlisted(asked, message, "name_cs")) },
                surplus ("every outage has it");
            "name_sk" when "always":
                missing { OUTAGE => "status.outages.languages": response(|asked, message| unlisted(asked, message, "name_sk")) },
                surplus ("every outage has it");
            "name_en" when "always":
                missing { OUTAGE => "status.outages.languages": response(|asked, message| unlisted(asked, message, "name_en")) },
                surplus ("every outage has it");
            "date_from" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "date_from")) },
                surplus ("every outage has it");
            "date_to" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "date_to")) },
                surplus ("every outage has it");
            "date_published" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "date_published")) },
                surplus ("every outage has it");
            "detail_cs" when "always":
                missing { OUTAGE => "status.outages.languages": response(|asked, message| unlisted(asked, message, "detail_cs")) },
                surplus ("every outage has it");
            "detail_sk" when "always":
                missing { OUTAGE => "status.outages.languages": response(|asked, message| unlisted(asked, message, "detail_sk")) },
                surplus ("every outage has it");
            "detail_en" when "always":
                missing { OUTAGE => "status.outages.languages": response(|asked, message| unlisted(asked, message, "detail_en")) },
                surplus ("every outage has it");
            "methods" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "methods")) },
                surplus ("every outage has it");
            "type" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "type")) },
                surplus ("every outage has it");
            "scheduled" when "always":
                missing { OUTAGE => "status.outages.record": response(|asked, message| unlisted(asked, message, "scheduled")) },
                surplus ("every outage has it");
        }
    }
}
