//! Wrong responses to creations, wrong redirects and pages.

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::Message;

/// An address to which a gateway can redirect a payer.
const ELSEWHERE: &str = "https://pay1.example.com/ZZZZ-0000-0001";

/// Makes a request one for a creation in the background.
fn in_the_background(sent: &mut Message) {
    sent.set("prepareOnly", "true");
    sent.set("secret", MAIN.1);
}

/// Wrong responses to creations, wrong redirects and pages.
pub fn all() -> Vec<Break> {
    breaks! {
        "a second payment for one order is refused" in "every-payment-has-an-identifier-of-its-own / v2.0"
            => "gateway.create.refId.repeated":
            instead(|asked| (asked.is("create") && !asked.first_time(&asked.text("refId"))).then(|| Message::refusal(asked, 1400)));
        "Apple Pay and Google Pay can't be switched off" in "flags-of-a-payment-may-be-set-either-way / false in v2.0"
            => "gateway.create.enableApplePayGooglePay.accepted":
            instead(|asked| asked.has("enableApplePayGooglePay").then(|| Message::refusal(asked, 1400)));
        "placeholders are no URL for a cancelled payment" in "result-urls-may-have-placeholders / v1.0"
            => "gateway.create.url_cancelled.placeholders":
            instead(|asked| asked.text("url_cancelled").contains("${").then(|| Message::refusal(asked, 1400)));
        "placeholders are no URL for a pending payment" in "result-urls-may-have-placeholders / v2.0"
            => "gateway.create.url_pending.placeholders":
            instead(|asked| asked.text("url_pending").contains("${").then(|| Message::refusal(asked, 1400)));
        "deliveries to the neighbours only" in "optional-fields-come-back-in-the-notification / v2.0"
            => "gateway.create.homeDeliveryCountry.format":
            instead(|asked| {
                let neighbours = ["", "AT", "CZ", "DE", "PL", "SK"];
                (!neighbours.contains(&asked.text("homeDeliveryCountry").as_str())).then(|| Message::refusal(asked, 1400))
            });
        "a creation in the background sends the payer on" in "a-background-creation-is-answered"
            => "gateway.v1.create.prepareOnly.background":
            response(|asked, message| if asked.is("create") { message.becomes_a_redirect(ELSEWHERE) });
        "without prepareOnly it is created in the background" in "a-redirect-creation-sends-the-payer-to-the-gateway"
            => "gateway.v1.create.prepareOnly.default":
            onward(|asked, sent| if asked.is("v1.create") && !asked.has("prepareOnly") { in_the_background(sent) });
        "always created in the background" in "a-redirect-creation-sends-the-payer-to-the-gateway"
            => "gateway.v1.create.prepareOnly.redirect":
            onward(|asked, sent| if asked.is("v1.create") { in_the_background(sent) });
        "an hour and a half is an hour" in "an-unpaid-payment-expires-by-its-own-time / 90m in v1.0"
            => "gateway.create.expirationTime.effect":
            onward(|asked, sent| if asked.text("expirationTime") == "90m" { sent.set("expirationTime", "60m") });
        "two days of hours are one" in "an-unpaid-payment-expires-by-its-own-time / 48h in v2.0"
            => "gateway.create.expirationTime.effect":
            onward(|asked, sent| if asked.text("expirationTime") == "48h" { sent.set("expirationTime", "24h") });
        "two days are one" in "an-unpaid-payment-expires-by-its-own-time / 2d in v1.0" => "gateway.create.expirationTime.effect":
            onward(|asked, sent| if asked.text("expirationTime") == "2d" { sent.set("expirationTime", "1d") });
        "of three digits of hours two count" in "an-unpaid-payment-expires-by-its-own-time / 168h in v2.0"
            => "gateway.create.expirationTime.effect":
            onward(|asked, sent| if asked.text("expirationTime") == "168h" { sent.set("expirationTime", "16h") });
        "of five digits of minutes four count" in "an-unpaid-payment-expires-by-its-own-time / 10080m in v1.0"
            => "gateway.create.expirationTime.effect":
            onward(|asked, sent| if asked.text("expirationTime") == "10080m" { sent.set("expirationTime", "1008m") });
        "a redirect in v1.0 loses the product" in "the-daily-csv-tells-the-product-of-a-redirect-creation / v1.0"
            => "gateway.create.name.csv":
            onward(|asked, sent| if asked.is("v1.create") && !asked.has("prepareOnly") { sent.remove("name") });
        "a redirect in v2.0 loses the product" in "the-daily-csv-tells-the-product-of-a-redirect-creation / v2.0"
            => "gateway.create.name.csv":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.remove("name") });
        "an initiation payment that nobody can pay" in "an-initiation-payment-is-an-ordinary-payment / v2.0"
            => "gateway.create.initRecurring.redirect":
            response(|asked, message| if asked.text("initRecurring") == "true" { message.remove("redirect") });
        "dollars from America only" in "every-other-country-is-accepted / FR" => "gateway.create.country.others":
            instead(|asked| {
                let from_elsewhere = asked.is("v2.create") && asked.text("curr") == "USD" && asked.text("country") != "US";
                from_elsewhere.then(|| Message::refusal(asked, 1310))
            });
        "a payer without a name is sent on to be paid" in "a-redirect-creation-without-a-required-field-shows-an-error-page / v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.is("paymentRedirect") { message.becomes_a_redirect(ELSEWHERE) });
        "a price below the least for a pre-authorization" in "a-price-out-of-bounds-is-refused-for-any-payment / pre-authorization in v1.0"
            => "gateway.create.price.min.CZK":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a price above the most for an initiation" in "a-price-out-of-bounds-is-refused-for-any-payment / initiation in v2.0"
            => "gateway.create.price.max.CZK":
            response(|asked, message| if asked.text("price") == "100000001" { message.accept_creation() });
        "a pre-authorization that nothing ends" in "an-unpaid-pre-authorization-expires / v2.0" => "gateway.create.expirationTime.effect":
            response(|asked, message| if asked.is("v2.status") { message.replace("status", "AUTHORIZED") });
        "a language that begins like another" in "a-language-that-is-not-supported-has-its-code / a longer code in v1.0"
            => "gateway.create.lang.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an unknown currency is sent on to be paid" in "a-refused-redirect-creation-shows-an-error-page / unknown currency in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.is("paymentRedirect") { message.becomes_a_redirect(ELSEWHERE) });
        "an empty secret is taken for a wrong one" in "a-redirect-creation-sends-the-payer-to-the-gateway"
            => "gateway.v1.create.secret.redirect":
            response(|asked, message| if asked.is("v1.create") && asked.has("secret") && asked.text("secret").is_empty() {
                message.becomes_a_page(200, "<h1>Unauthorized access</h1>");
            });
        "JSON for a browser" in "a-refused-redirect-creation-shows-an-error-page / price too low in v2.0"
            => "gateway.v2.paymentRedirect.call":
            response(|asked, message| if asked.is("paymentRedirect") {
                message.header("content-type", "application/json");
                message.raw("{\"code\": 1107, \"message\": \"payment price not supported\"}");
            });
        "a redirect creation without the further parameters" in "a-redirect-creation-sends-the-payer-to-the-gateway"
            => "gateway.v2.paymentRedirect.parameters":
            response(|asked, message| if asked.is("paymentRedirect") && asked.has("threeDSPreference") {
                message.becomes_a_page(400, "<h1>Unknown parameter</h1>");
            });
        "the page of a payment is not there" in "the-payer-page-of-a-payment-is-a-page / v2.0" => "gateway.page.call":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "an unknown payment has JSON instead of an error page" in "an-unknown-payment-has-an-error-page" => "gateway.page.unknown":
            response(|asked, message| if asked.is("page") {
                message.header("content-type", "application/json");
                message.raw("{\"code\": 1400, \"message\": \"no such payment\"}");
            });
    }
}
