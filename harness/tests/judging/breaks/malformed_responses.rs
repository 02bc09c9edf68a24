//! Responses of a wrong form.

use serde_json::json;

use super::{Break, FAILED_V2, PREFERENCE, READ_V1, READ_V2, REFUSED_V1, REFUSED_V2};

/// Responses of a wrong form.
pub fn all() -> Vec<Break> {
    breaks! {
        "a required field is missing in the status" in READ_V2 => "gateway.status.refId.required":
            response(|asked, message| if asked.is("v2.status") { message.remove("refId") });
        "the status lacks its state" in READ_V2 => "gateway.status.status.required":
            response(|asked, message| if asked.is("v2.status") { message.remove("status") });
        "the status lacks the e-mail" in READ_V2 => "gateway.status.email.required":
            response(|asked, message| if asked.is("v2.status") { message.remove("email") });
        "a string is a number" in READ_V2 => "gateway.status.price.type":
            response(|asked, message| if asked.is("v2.status") { message.replace("price", 12300) });
        "a string is a boolean" in READ_V2 => "gateway.status.test.enum":
            response(|asked, message| if asked.is("v2.status") { message.replace("test", true) });
        "a boolean is a string" in PREFERENCE => "gateway.status.threeDSApplied.type":
            response(|asked, message| if asked.is("v2.status") { message.replace("threeDSApplied", "true") });
        "one of two fields that come together" in PREFERENCE => "gateway.status.threeDSApplied.together":
            response(|asked, message| if asked.is("v2.status") { message.remove("threeDSApplied") });
        "an unknown state" in READ_V2 => "gateway.status.status.enum":
            response(|asked, message| if asked.is("v2.status") { message.replace("status", "DONE") });
        "an unknown reason" in FAILED_V2 => "gateway.status.paymentErrorReason.enum":
            response(|asked, message| if asked.is("v2.status") { message.replace("paymentErrorReason", "BAD_LUCK") });
        "a fee with a decimal comma" in "a-fee-that-is-deducted-is-told / v2.0" => "gateway.status.fee.type":
            response(|asked, message| if asked.is("v2.status") { message.replace("fee", "1,50") });
        "a code outside the list of the status" in "an-unknown-payment-has-no-status / v2.0" => "gateway.status.codes":
            response(|asked, message| if asked.is("v2.status") { message.set("code", 1234) });
        "a code outside the list of the creation" in REFUSED_V1 => "gateway.create.codes":
            response(|asked, message| if asked.is("create") { message.set("code", 1401) });
        "a code outside the list of the cancellation" in "a-paid-payment-is-not-cancelled / v2.0" => "gateway.cancel.codes":
            response(|asked, message| if asked.is("cancel") { message.set("code", 1402) });
        "a code outside the list of the refund" in "a-refund-beyond-the-price-is-refused / v1.0" => "gateway.refund.codes":
            response(|asked, message| if asked.is("refund") && !message.succeeds() { message.set("code", 1403) });
        "a code as a text in JSON" in READ_V2 => "gateway.status.code.type":
            response(|asked, message| if asked.is("v2.status") { message.set("code", "0") });
        "a code as a word in a form" in READ_V1 => "gateway.create.answer.code.type":
            response(|asked, message| if asked.is("create") { message.set("code", "OK") });
        "no code" in READ_V1 => "gateway.create.answer.code.required":
            response(|asked, message| if asked.is("create") { message.remove("code") });
        "no message in the status" in READ_V2 => "gateway.status.message.required":
            response(|asked, message| if asked.is("v2.status") { message.remove("message") });
        "no message in the creation" in READ_V1 => "gateway.create.answer.message.required":
            response(|asked, message| if asked.is("create") { message.remove("message") });
        "no message in a refusal" in "a-paid-payment-is-not-cancelled / v1.0" => "gateway.answer.message.required":
            response(|asked, message| if asked.is("cancel") { message.remove("message") });
        "an accepted creation has no transId" in READ_V1 => "gateway.create.answer.transId.present":
            response(|asked, message| if asked.is("create") { message.remove("transId") });
        "an accepted creation has an empty transId" in READ_V2 => "gateway.create.answer.transId.type":
            response(|asked, message| if asked.is("create") { message.set("transId", "") });
        "an accepted creation has no redirect" in READ_V2 => "gateway.create.answer.redirect.present":
            response(|asked, message| if asked.is("create") { message.remove("redirect") });
        "a redirect that is no URL" in READ_V2 => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("create") { message.replace("redirect", "/pay/here") });
        "a refused creation has a redirect" in REFUSED_V2 => "gateway.create.answer.refused":
            response(|asked, message| if asked.is("create") { message.set("redirect", "http://pay.example/x") });
        "a field of v1.0 in v2.0" in READ_V2 => "gateway.v2.create.answer.no-applepay":
            response(|asked, message| if asked.is("create") { message.set("applepay", "PAID") });
        "an unknown outcome of Apple Pay" in READ_V1 => "gateway.v1.create.answer.applepay.enum":
            response(|asked, message| if asked.is("create") { message.set("applepay", "MAYBE") });
        "a code with a blank in a form" in READ_V1 => "gateway.create.answer.code.type":
            response(|asked, message| if asked.is("create") { message.raw(message.body_text().replacen("code=0", "code=+0", 1)) });
        "a code in another case" in READ_V2 => "gateway.status.code.required":
            response(|asked, message| if asked.is("v2.status") {
                message.remove("code");
                message.set("Code", 0);
            });
        "no code at all, but null" in READ_V2 => "gateway.create.answer.code.type":
            response(|asked, message| if asked.is("create") { message.set("code", json!(null)) });
        "a state in small letters" in READ_V2 => "gateway.status.status.enum":
            response(|asked, message| if asked.is("v2.status") { message.replace("status", message.get("status").to_lowercase()) });
        "a price with a decimal point" in READ_V2 => "gateway.status.price.type":
            response(|asked, message| if asked.is("v2.status") { message.replace("price", "123.00") });
        "a redirect that runs a script" in READ_V1 => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("create") { message.replace("redirect", "javascript:alert(1)") });
        "JSON that is no object" in READ_V2 => "gateway.v2.status.call":
            response(|asked, message| if asked.is("v2.status") { message.raw("[0, \"OK\"]") });
    }
}
