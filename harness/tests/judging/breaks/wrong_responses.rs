//! Well-formed responses with wrong content.

use super::{Break, READ_V1, READ_V2, TEXTS_V1, TEXTS_V2, mangled};

/// Well-formed responses with wrong content.
pub fn all() -> Vec<Break> {
    breaks! {
        "another price in the status of v1.0" in READ_V1 => "gateway.status.price.value":
            response(|asked, message| if asked.is("v1.status") { message.replace("price", "12301") });
        "another price in the status of v2.0" in READ_V2 => "gateway.status.price.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("price", "12301") });
        "the price in major units" in READ_V2 => "gateway.status.price.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("price", "123") });
        "another currency" in READ_V2 => "gateway.status.curr.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("curr", "EUR") });
        "a test payment reads as production" in READ_V2 => "gateway.status.test.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("test", "false") });
        "a label in the wrong encoding, v2.0" in TEXTS_V2 => "gateway.status.label.value":
            response(|asked, message| if asked.is("status") { message.replace("label", mangled(&message.get("label"))) });
        "a label in the wrong encoding, v1.0" in TEXTS_V1 => "gateway.status.label.value":
            response(|asked, message| if asked.is("status") { message.replace("label", mangled(&message.get("label"))) });
        "a label cut in the middle" in TEXTS_V2 => "gateway.status.label.value":
            response(|asked, message| if asked.is("status") { message.replace("label", "Žluť") });
        "the status of another payment" in READ_V2 => "gateway.status.transId.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("transId", "ZZZZ-0000-0001") });
        "the e-mail of another payer" in "what-a-payer-has-not-given-is-not-another-payers / v1.0" => "gateway.status.email.value":
            response(|asked, message| if asked.is("status") { message.set("email", "another.payer@example.com") });
        "the product of another payment" in "what-a-payer-has-not-given-is-not-another-payers / v2.0" => "gateway.status.name.value":
            response(|asked, message| if asked.is("status") { message.set("name", "another-product") });
        "an e-mail that was cut" in "values-that-look-like-others-come-back / long texts by v2.0" => "gateway.status.email.value":
            response(|asked, message| if asked.is("status") { message.replace("email", "Jan.Payer+Shop-2026@orders.cus") });
        "two payments with one identifier" in "every-payment-has-an-identifier-of-its-own / v2.0"
            => "gateway.create.answer.transId.unique":
            response(|asked, message| if asked.is("create") {
                let first = asked.memory.lock().unwrap().entry("first".to_owned()).or_insert(message.get("transId")).clone();
                message.replace("transId", first);
            });
        "a production payment reads as a test" in "a-payment-without-test-is-a-production-payment / v2.0"
            => "gateway.create.test.default":
            response(|asked, message| if asked.is("status") { message.replace("test", "true") });
        "another reason than the merchant's own" in "a-merchant-who-cancels-is-the-reason / v2.0"
            => "gateway.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("status") { message.replace("paymentErrorReason", "CUSTOMER_CLICK") });
        "a fee where none is deducted" in "a-fee-that-is-not-deducted-is-unknown / paid in v2.0" => "gateway.status.fee.unknown":
            response(|asked, message| if asked.is("status") { message.replace("fee", "0") });
        "the payer under another name, everywhere" in "a-paid-payment-tells-how-and-by-whom / v1.0" => "gateway.status.payerName.value":
            everywhere(|message| ["payerName", "payer_name"].iter().for_each(|field| message.replace(field, "Jan Novák")));
        "the payer's account without its prefix, everywhere" in "a-paid-payment-tells-how-and-by-whom / v2.0"
            => "gateway.status.payerAcc.value":
            everywhere(|message| ["payerAcc", "payer_acc"].iter().for_each(|field| message.replace(field, "2000145399/0800")));
    }
}
