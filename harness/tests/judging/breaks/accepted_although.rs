//! Requests that must be refused and are accepted.

use super::{Break, REFUSED_V2};
use crate::support::proxy::{Message, ObservedRequest};

/// Requests that must be refused and are accepted.
pub fn all() -> Vec<Break> {
    breaks! {
        "a refund beyond the price, v1.0" in "a-refund-beyond-the-price-is-refused / v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "a refund beyond the price, v2.0" in "a-refund-beyond-the-price-is-refused / v2.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "refunds that sum up beyond the price" in "a-paid-payment-is-refunded-in-parts / v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a refund of a cancelled payment" in "a-cancelled-payment-is-not-refunded / v2.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a refund of a pending payment" in "a-pending-payment-is-not-refunded / v1.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a refund in forints that does not end with 00" in "a-refund-in-forints-ends-with-00 / v2.0"
            => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a refund of nobody knows what" in "an-unknown-payment-is-not-refunded / v2.0" => "gateway.refund.unknown":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a cancellation of a paid payment, v1.0" in "a-paid-payment-is-not-cancelled / v1.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a cancellation of a paid payment, v2.0" in "a-paid-payment-is-not-cancelled / v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a second cancellation" in "a-payment-is-cancelled-once / v2.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a cancellation of nobody knows what" in "an-unknown-payment-is-not-cancelled / v1.0" => "gateway.cancel.unknown":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "the status of nobody knows what" in "an-unknown-payment-has-no-status / v2.0" => "gateway.status.unknown":
            response(|asked, message| if asked.is("status") { message.accept_status(&asked.text("transId")) });
        "a price just above the maximum, v1.0" in "create-in-v1-holds-its-limits / price: above its maximum 100000000"
            => "gateway.create.price.max.CZK":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a price just above the maximum, v2.0" in "create-in-v2-holds-its-limits / price: above its maximum 4000000 (EUR)"
            => "gateway.create.price.max.EUR":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a price just below the minimum" in "create-in-v2-holds-its-limits / price: below its minimum 500 (RON)"
            => "gateway.create.price.min.RON":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a price in forints that does not end with 00" in "create-in-v1-holds-its-limits / price: not a multiple of 100 (HUF)"
            => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a price at the maximum is refused" in "create-in-v2-holds-its-limits / price: at its maximum 100000000"
            => "gateway.create.price.max.CZK":
            response(|asked, message| if asked.is("create") { message.refuse(1107) });
        "a label of 17 characters" in "create-in-v2-holds-its-limits / label: longer than 16 characters"
            => "gateway.create.label.max":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a label of 17 characters of three bytes" in "a-label-is-counted-in-characters / Chinese"
            => "gateway.create.label.characters":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "neither e-mail nor phone, v1.0" in "an-email-or-a-phone-is-enough / v1.0" => "gateway.create.contact.required":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "neither e-mail nor phone, v2.0" in "create-in-v2-holds-its-limits / email, phone: none of them"
            => "gateway.create.contact.required":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an unknown currency in any country" in "an-unknown-currency-has-its-code / another country in v1.0"
            => "gateway.create.curr.enum":
            response(|asked, message| if asked.is("create") && asked.text("country") == "ALL" { message.accept_creation() });
        "a country in small letters" in "a-country-that-is-not-listed-is-refused / small letters" => "gateway.create.country.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "another code of Britain" in "a-country-that-is-not-listed-is-refused / UK" => "gateway.create.country.enum":
            response(|asked, message| if asked.is("v2.create") { message.accept_creation() });
        "ALL is no country" in "country-all-goes-with-other-currencies / USD in v2.0" => "gateway.create.country.others":
            response(|asked, message| if asked.is("create") { message.refuse(1400) });
        "the payment of the merchant in the body" in "a-merchant-in-the-body-of-v2-names-no-shop" => "gateway.access.foreign":
            response(|asked, message| if asked.is("v2.status") && asked.is_by_another_merchant() {
                message.accept_status(&asked.text("transId"));
            });
        "no name" in "create-in-v1-holds-its-limits / fullName: absent" => "gateway.create.fullName.required":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an unknown currency" in "an-unknown-currency-has-its-code / v2.0" => "gateway.create.curr.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a creation with a wrong secret, v1.0" in "v1-calls-with-a-wrong-secret-are-refused" => "gateway.v1.credentials":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "a secret that is cut is accepted, v1.0" in "v1-calls-with-a-wrong-secret-are-refused / the last character missing"
            => "gateway.v1.credentials":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "a secret that goes on is accepted, v2.0" in "v2-calls-with-a-wrong-secret-are-refused / one character more"
            => "gateway.v2.credentials":
            onward(|asked, sent| if asked.credentials.1.starts_with(&asked.credentials_of_main().1) { sent.in_the_name_of_main(asked) });
        "a payment bound to a recurring one" in "a-recurring-payment-starts-no-series / v2.0" => "gateway.recurring.bound":
            response(|asked, message| if asked.is("recurring") && !message.succeeds() { message.accept_creation() });
        "a price that is cut to 32 bits" in "create-in-v2-holds-its-limits / price: a valid price beyond 32 bits"
            => "gateway.create.price.type":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "no secret is a secret, v1.0" in "v1-calls-with-a-wrong-secret-are-refused / empty" => "gateway.cancel.unauthorized":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "any merchant's secret is accepted, v2.0" in "v2-calls-with-a-wrong-secret-are-refused / of another merchant"
            => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is_of_api("gateway") { sent.in_the_name_of_main(asked) });
        "a secret in other case is accepted, v2.0" in "v2-calls-with-a-wrong-secret-are-refused / in other case"
            => "gateway.v2.credentials":
            onward(with_the_secret_in_any_case);
        "a refund takes a secret in other case, v1.0" in "a-refund-in-v1-with-a-wrong-secret-is-refused / in other case"
            => "gateway.v1.credentials":
            onward(with_the_secret_in_any_case);
        "a refund takes a secret in other case, v2.0" in "a-refund-in-v2-with-a-wrong-secret-is-refused / in other case"
            => "gateway.v2.credentials":
            onward(with_the_secret_in_any_case);
        "a capture takes a secret in other case, v1.0" in "capture-and-release-in-v1-need-credentials / with the secret in other case"
            => "gateway.v1.credentials":
            onward(with_the_secret_in_any_case);
        "a capture takes a secret in other case, v2.0" in "capture-and-release-in-v2-need-credentials / with the secret in other case"
            => "gateway.v2.credentials":
            onward(with_the_secret_in_any_case);
        "a recurring payment takes a secret in other case, v1.0" in "a-recurring-payment-in-v1-needs-credentials / with the secret in other case"
            => "gateway.v1.credentials":
            onward(with_the_secret_in_any_case);
        "a recurring payment takes a secret in other case, v2.0" in "a-recurring-payment-in-v2-needs-credentials / with the secret in other case"
            => "gateway.v2.credentials":
            onward(with_the_secret_in_any_case);
        "a refund of a terminal payment takes a secret in other case" in "a-refund-of-a-terminal-payment-in-v1-needs-credentials / with the secret in other case"
            => "gateway.v1.credentials":
            onward(with_the_secret_in_any_case);
        "a terminal takes a secret in other case" in "terminal / calls-without-the-right-credentials-are-refused / with the secret in other case"
            => "terminal.credentials":
            onward(with_the_secret_in_any_case);
        "a pending payment is refused as a cancelled one" in "only-a-cancelled-payment-is-refused-as-cancelled / pending"
            => "gateway.refund.code.1401":
            response(|asked, message| if asked.is("refund") { message.set("code", 1401) });
        "a currency in lower case" in "create-in-v2-holds-its-limits / curr: a currency in lower case" => "gateway.create.curr.enum":
            onward(|asked, sent| if asked.is("create") && sent.has("curr") {
                let capital = asked.text("curr").to_ascii_uppercase();
                sent.set("curr", capital);
            });
        "a status with a wrong secret, v2.0" in "v2-calls-with-a-wrong-secret-are-refused" => "gateway.v2.credentials":
            response(|asked, message| if asked.is("status") && !message.succeeds() { message.accept_status(&asked.text("transId")) });
        "a creation without credentials" in "v2-calls-without-credentials-are-refused" => "gateway.v2.credentials":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "credentials in the body of v2.0" in "v2-calls-without-credentials-are-refused" => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is("v2.create") && asked.has("secret") { sent.in_the_name_of_main(asked) });
        "a cancellation with a wrong secret" in "v2-calls-with-a-wrong-secret-are-refused" => "gateway.cancel.unauthorized":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a header that can't be read is taken for the main merchant's" in "a-malformed-header-opens-nothing / no Base64"
            => "gateway.v2.credentials":
            onward(|asked, sent| if asked.credentials.0.is_empty() { sent.in_the_name_of_main(asked) });
        "another code for an e-shop that is not known" in "gateway / an-unknown-shop-has-its-code" => "gateway.create.code.1301":
            response(|asked, message| if asked.is("v1.create") { message.set("code", 1400) });
        "a code of its own for an e-shop that is not known in v2.0" in "gateway / an-unknown-shop-has-its-code" => "gateway.create.code.1301":
            response(|asked, message| if asked.is("v2.create") { message.set("code", 1303) });
        "a creation as multipart" in "a-multipart-body-creates-nothing" => "gateway.multipart":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a refund from another address" in "another-address-moves-no-money" => "gateway.access.address":
            response(|asked, message| if asked.is("v2.refund") { message.accept() });
        "a capture from another address" in "another-address-moves-no-money" => "gateway.access.address":
            response(|asked, message| if asked.is("v1.capturePreauth") { message.accept() });
        "another merchant reads a payment, v1.0" in "a-foreign-payment-is-not-read / v1.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("status") && asked.is_by_another_merchant() { message.accept_status(&asked.text("transId")) });
        "another merchant reads a payment, v2.0" in "a-foreign-payment-is-not-read / v2.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("status") && asked.is_by_another_merchant() { message.accept_status(&asked.text("transId")) });
        "another merchant refunds a payment" in "a-foreign-payment-is-not-refunded / v1.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("refund") && asked.is_by_another_merchant() { message.accept() });
        "a real refund of a test payment" in "a-test-payment-is-refunded-by-test-refunds-only / v1.0" => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a test refund is not checked" in "a-test-refund-leaves-the-payment / v2.0" => "gateway.refund.test.checks":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a country that does not go with the currency" in "country-cz-goes-with-czk-only / EUR in v2.0"
            => "gateway.create.country.CZ":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an initiation payment without the service" in "an-initiation-payment-needs-the-service / v1.0"
            => "gateway.create.initRecurring.service":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an unknown method" in "an-unknown-method-has-its-code / v2.0" => "gateway.create.method.known":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an expiry of 29 minutes" in "create-in-v2-holds-its-limits / expirationTime: a minute below 30 minutes"
            => "gateway.create.expirationTime.min":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a verification payment of nothing"
            in "a-price-out-of-bounds-is-refused-for-any-payment / verification in v2.0" => "gateway.create.price.min.CZK":
            response(|asked, message| if asked.text("price") == "0" { message.accept_creation() });
        "a pre-authorization in forints that does not end with 00" in "a-price-in-forints-ends-with-00 / pre-authorization in v1.0"
            => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "a pre-authorization without a label" in "an-empty-label-has-its-code / pre-authorization in v2.0" => "gateway.create.label.min":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "any button of a bank" in "an-unknown-method-has-its-code / like the button of a bank in v1.0" => "gateway.create.method.known":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a currency that the gateway lacks" in "an-unknown-currency-has-its-code / ISK in v2.0" => "gateway.create.curr.enum":
            response(|asked, message| if asked.text("curr") == "ISK" { message.accept_creation() });
        "a category in small letters" in "create-in-v1-holds-its-limits / category: in small letters" => "gateway.create.category.enum":
            response(|asked, message| if asked.text("category") == "other" { message.accept_creation() });
        "a delivery in small letters" in "create-in-v2-holds-its-limits / delivery: in small letters" => "gateway.create.delivery.enum":
            response(|asked, message| if asked.text("delivery") == "pickup" { message.accept_creation() });
        "a price too high is refused with another code" in REFUSED_V2 => "gateway.create.price.max.CZK":
            response(|asked, message| if asked.is("create") { message.set("code", 1500) });
    }
}

/// A call whose secret differs from that of the main merchant in case alone becomes one with the right secret.
fn with_the_secret_in_any_case(asked: &ObservedRequest<'_>, sent: &mut Message) {
    let right = asked.credentials_of_main().1;
    if !asked.credentials.1.eq_ignore_ascii_case(&right) {
        return;
    }
    if sent.has("secret") {
        sent.set("secret", right);
    } else {
        sent.in_the_name_of_main(asked);
    }
}
