//! Links that lead elsewhere, and pages that are not what they should be.

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::Message;

/// An address of nobody.
const ELSEWHERE: &str = "https://pay1.example.com/ZZZZ-0000-0001";

/// The same address of a payment that does not exist.
fn of_no_payment(link: &str) -> String {
    format!("{}/ZZZZ-0000-0001", link.rsplit_once('/').unwrap().0)
}

fn location(message: &Message) -> String {
    message.headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Links that lead elsewhere, and pages that are not what they should be.
pub fn all() -> Vec<Break> {
    breaks! {
        "the redirect leads to another host" in "the-redirect-of-a-payment-opens-its-page / v1.0"
            => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("create") { message.replace("redirect", ELSEWHERE) });
        "the redirect leads to no payment" in "the-redirect-of-a-payment-opens-its-page / v2.0"
            => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("create") { message.replace("redirect", of_no_payment(&message.get("redirect"))) });
        "the payer is sent with the secret of the merchant" in "the-payer-is-never-shown-the-secret / v1.0" => "gateway.access.no-query":
            response(|asked, message| if asked.is("create") {
                let told = format!("{}?secret={}", message.get("redirect"), MAIN.1);
                message.replace("redirect", told);
            });
        "a page that knows the secret of the merchant" in "the-payer-is-never-shown-the-secret / v2.0"
            => "gateway.create.background.invisible":
            response(|asked, message| if asked.is("page") { message.raw(format!("{}<!-- {} -->", message.body_text(), MAIN.1)) });
        "a link that opens once" in "the-redirect-of-a-payment-opens-its-page / v2.0" => "gateway.redirect.lasting":
            response(|asked, message| if asked.is("page") && !asked.first_time(&asked.text("transId")) {
                message.becomes_a_page(410, "<h1>This link was used</h1>");
            });
        "a page that does not show its payment" in "the-redirect-of-a-payment-opens-its-page / v1.0"
            => "gateway.create.answer.transId.shown":
            response(|asked, message| if asked.is("page") { message.raw(message.body_text().replace(&asked.text("transId"), "")) });
        "a link that is gone when the payment is paid" in "the-redirect-of-a-paid-payment-still-opens / v1.0"
            => "gateway.redirect.lasting":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "the payer is sent to another host" in "a-redirect-creation-leads-to-a-page / v2.0" => "gateway.create.redirect":
            response(|asked, message| if asked.is("paymentRedirect") { message.header("location", ELSEWHERE) });
        "the payer is sent to no payment" in "a-redirect-creation-leads-to-a-page / v1.0" => "gateway.create.redirect":
            response(|asked, message| if asked.is("create") {
                let link = of_no_payment(&location(message));
                message.header("location", &link);
            });
        "anything can be paid" in "an-unknown-payment-has-an-error-page / v1.0" => "gateway.page.unknown":
            response(|asked, message| if asked.is("page") {
                message.becomes_a_page(200, "<h1>Pay</h1><form method=\"post\"><button>Pay</button></form>");
            });
        "every identifier has the same page to pay on" in "an-unknown-payment-has-an-error-page / v2.0" => "gateway.page.unknown":
            response(|asked, message| if asked.is("page") {
                message.becomes_a_page(200, &format!("<h1>Payment {}</h1>", asked.text("transId")));
            });
        "the redirect leads to the error page" in "the-redirect-of-a-payment-opens-its-page / v1.0" => "gateway.create.answer.redirect.url":
            response(|asked, message| {
                if asked.is("create") {
                    message.replace("redirect", of_no_payment(&message.get("redirect")));
                }
                if asked.is("page") && ["XXXX-XXXX-XXXX", "ZZZZ-0000-0001"].contains(&asked.text("transId").as_str()) {
                    message.becomes_a_page(200, "<h1>No such payment</h1>");
                }
            });
        "the payer is sent to the error page" in "a-redirect-creation-leads-to-a-page / v2.0" => "gateway.create.redirect":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(200, "<h1>No such payment</h1>") });
        "a redirect creation with an expiry of its own" in "a-redirect-creation-keeps-its-parameters / v2.0"
            => "gateway.v2.paymentRedirect.parameters":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.remove("expirationTime") });
        "a redirect creation forgets the category" in "a-redirect-creation-keeps-its-parameters / v1.0"
            => "gateway.v2.paymentRedirect.parameters":
            push(|_, push| push.message.replace("category", "OTHER"));
        "a label of 17 characters is sent on to be paid" in "a-refused-redirect-creation-shows-an-error-page / label too long in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.is("paymentRedirect") { message.becomes_a_redirect(ELSEWHERE) });
        "an unknown account is sent on to be paid" in "a-redirect-creation-with-a-wrong-optional-field-shows-an-error-page / v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.has("account") { message.becomes_a_redirect(ELSEWHERE) });
        "an unknown method is sent on to be paid" in "a-refused-redirect-creation-shows-an-error-page / unknown method in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.is("paymentRedirect") { message.becomes_a_redirect(ELSEWHERE) });
        "any e-shop sends its payers" in "a-redirect-creation-for-an-unknown-shop-shows-an-error-page"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.is("paymentRedirect") { message.becomes_a_redirect(ELSEWHERE) });
    }
}
