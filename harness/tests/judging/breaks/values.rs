//! Prices, countries, methods, accounts and references that are not taken as they are documented.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, remember};

const BY_ADDRESS: &str = "parameters-on-the-payer-page-change-nothing / v2.0";
const BY_ADDRESS_V1: &str = "parameters-on-the-payer-page-change-nothing / v1.0";
const CSV: &str = "the-daily-csv-tells-reference-and-product / v2.0";
const ATTEMPTED: &str = "a-notification-is-attempted-1000-times / v2.0";

/// Prices, countries, methods, accounts and references that are not taken as they are documented.
pub fn all() -> Vec<Break> {
    breaks! {
        "the phone of another payer" in "what-a-payer-has-not-given-is-not-another-payers / v2.0" => "gateway.status.phone.value":
            response(|asked, message| if asked.is("v2.status") { message.set("phone", "+421900123456") });
        "a plus sign that stays one" in "a-space-in-a-form-may-be-a-plus-sign" => "gateway.utf8":
            response(|asked, message| if asked.is("v2.status") { message.replace("label", "Ball+++a+net") });
        "a reference without the spaces around it" in "values-that-look-like-others-come-back / spaces around by v1.0"
            => "gateway.status.refId.value":
            response(|asked, message| if asked.is("status") { message.replace("refId", "127") });
        "a recurring payment without an e-mail" in "a-recurring-payment-is-paid-without-the-payer / v1.0" => "gateway.status.email.value":
            response(|asked, message| if asked.is("v2.status") && message.get("refId") == "order-2" { message.replace("email", "") });
        "forints that end with 10" in "a-price-in-forints-ends-with-00 / v1.0" => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.is("create") && asked.text("price") == "250010" { message.accept_creation() });
        "forints that end with 50" in "a-price-in-forints-ends-with-00 / v2.0" => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.is("create") && asked.text("price") == "250050" { message.accept_creation() });
        "a recurring price beyond int32 is cut" in "a-recurring-price-fits-its-type / v2.0" => "gateway.recurring.price.type":
            response(|asked, message| if asked.is("recurring") && !message.succeeds() { message.accept_creation() });
        "any text is true" in "flags-that-are-false-change-nothing / v1.0" => "gateway.create.preauth.type":
            onward(|asked, sent| if asked.is("create") && sent.has("preauth") { sent.set("preauth", "true") });
        "every payment may be repeated" in "flags-that-are-false-change-nothing / v2.0" => "gateway.create.initRecurring.type":
            onward(|asked, sent| if asked.is("create") { sent.set("initRecurring", true) });
        "the payer is said to have given up what expired" in "an-unpaid-payment-expires-by-its-own-time / 30m in v2.0"
            => "gateway.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("paymentErrorReason", "CUSTOMER_CLICK") });
        "e-mails in lower case" in "values-that-look-like-others-come-back / digits by v2.0" => "gateway.status.email.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("email", "jan.payer+shop@example.com") });
        "leading zeros are lost" in "values-that-look-like-others-come-back / digits by v2.0" => "gateway.status.refId.value":
            response(|asked, message| if asked.is("v2.status") { message.set("refId", message.get("refId").trim_start_matches('0').to_owned()) });
        "a plus is a space" in "values-that-look-like-others-come-back / words by v1.0" => "gateway.notification.email.value":
            push(|_, push| push.message.replace("email", "payer shop@example.com"));
        "a recurring payment by the label of the first" in "a-recurring-payment-is-paid-without-the-payer / v2.0"
            => "gateway.notification.label.value":
            push(|_, push| push.message.replace("label", "Beach ball"));
        "Greece by the code of ISO" in "a-country-that-is-not-listed-is-refused / GR" => "gateway.create.country.enum":
            response(|asked, message| if asked.is("v2.create") { message.accept_creation() });
        "euros without a country" in "without-country-other-currencies-do-not-go / EUR in v2.0" => "gateway.create.country.default":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "ALL is no country" in "country-all-goes-with-other-currencies / USD in v1.0" => "gateway.create.country.others":
            instead(|asked| (asked.is("create") && asked.text("country") == "ALL").then(|| Message::refusal(asked, 1400)));
        "every merchant may use every method" in "a-method-that-is-not-allowed-has-its-code" => "gateway.create.code.1308":
            response(|asked, message| if asked.is("v2.create") && asked.text("method") == "BANK_CZ_RB" { message.accept_creation() });
        "a payer pays what the address says" in BY_ADDRESS => "gateway.create.background.invisible":
            response(|asked, message| if asked.is("page") {
                asked.note("price", asked.query_parameter("price"));
            } else if asked.is("status") && !asked.recall("price").is_empty() {
                message.set("price", asked.recall("price"));
            });
        "an address that says that it was paid" in BY_ADDRESS_V1 => "gateway.create.background.invisible":
            response(|asked, message| if asked.is("page") {
                asked.note("status", asked.query_parameter("status"));
            } else if asked.is("status") && !asked.recall("status").is_empty() {
                message.set("status", asked.recall("status"));
            });
        "a daily CSV without references" in CSV => "gateway.create.refId.portal":
            onward(|asked, sent| if asked.is("create") { sent.replace("refId", "another") });
        "a daily CSV without products" in CSV => "gateway.create.name.csv":
            onward(|asked, sent| if asked.is("create") { sent.remove("name") });
        "refunds without references of their own" in "a-refund-is-shown-by-its-reference / v2.0" => "gateway.refund.refId.shown":
            onward(|asked, sent| if asked.is("refund") { sent.remove("refId") });
        "refunds that no payment is named by" in "a-refund-is-shown-by-its-reference / v1.0" => "gateway.refund.refId.shown":
            onward(|asked, sent| if asked.is("refund") && !asked.has("refId") { sent.set("refId", "refund") });
        "the account of the initiation payment is kept" in "a-recurring-payment-without-an-account-goes-to-the-default / v1.0"
            => "gateway.recurring.account.default":
            onward(|asked, sent| if asked.is("recurring") { sent.set("account", "cz-second") });
        "a rejection of what was paid, in the status" in "a-paid-payment-tells-no-rejection / v2.0"
            => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("status") { message.set("paymentErrorReason", "NO_FUNDS") });
        "a rejection of what was paid, in the notification" in "a-paid-payment-tells-no-rejection / v1.0"
            => "gateway.notification.paymentErrorReason.only":
            push(|_, push| push.message.set("paymentErrorReason", "NO_FUNDS"));
        "a surcharge for a card that was not used, in the status" in "a-bank-payment-tells-no-surcharge / v1.0"
            => "gateway.status.appliedFee.only":
            response(|asked, message| if asked.is("status") {
                message.set("appliedFee", 150);
                message.set("appliedFeeType", "NON_EU_CONSUMER");
            });
        "a surcharge for a card that bears none" in "a-card-of-a-consumer-in-the-union-bears-no-surcharge / v2.0"
            => "gateway.status.appliedFeeType.consumer":
            response(|asked, message| if asked.is("status") { message.set("appliedFee", 150) });
        "a surcharge for a card that was not used, in the notification" in "a-bank-payment-tells-no-surcharge / v2.0"
            => "gateway.notification.appliedFee.only":
            push(|_, push| {
                push.message.set("appliedFee", 150);
                push.message.set("appliedFeeType", "NON_EU_CONSUMER");
            });
        "one of two addresses gets the report" in ATTEMPTED => "gateway.notification.retry.addresses":
            world(|deed| if deed.action == "merchant.reads-mail" && !remember(deed.memory, "read before") {
                deed.response = Some(json!({ "count": 0, "mail": [] }));
            });
    }
}
