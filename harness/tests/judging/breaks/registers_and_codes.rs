//! Registers and QR payments that are right for the calls, methods, tokens and codes that one thinks of first, and not for the next ones.

use serde_json::{Value, json};

use super::{Break, time_passes};
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const EXTENDED: &str = "a-refused-change-of-method-leaves-an-extension / crowns";
const KEPT: &str = "a-refused-change-of-method-writes-nothing / an unknown method";
const DOZEN: &str = "a-dozen-codes-are-returned-up-to-the-marker";
const WEEK: &str = "codes-are-of-seven-days-or-since-the-marker";
const FOREIGN: &str = "a-token-of-another-api-opens-nothing";
const LOGIN: &str = "the-login-of-another-api-opens-nothing";

pub fn all() -> Vec<Break> {
    [methods(), tokens(), codes(), catalogs()].into_iter().flatten().collect()
}

fn passes_days(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" && deed.with["seconds"] == json!(432_000) {
        remember(deed.memory, "later");
    }
}

fn methods() -> Vec<Break> {
    breaks! {
        "a code in crowns by a method for euros" in "a-method-for-euros-asks-for-no-crowns" => "qr.create.method.known":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "no sum of refunds of the first method" in "the-sum-of-refunds-is-checked-for-any-method / the first one" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") && asked.text("amount") == "1001" { message.grant(asked) });
        "a refused change ends a payment that was changed before" in EXTENDED => "qr.change-method.refused":
            response(|asked, message| if asked.is("qr.status") { message.replace("status", "CANCELLED") });
        "a refused change takes an extension back" in EXTENDED => "qr.change-method.refused":
            world(passes_days),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { message.replace("status", "CANCELLED") });
        "a refused change shortens what was extended" in KEPT => "qr.change-method.refused":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("extended") {
                message.replace("expiration", "2026-01-15T12:15:00Z");
            });
        "a refund of two months ago is unknown" in "a-payment-of-months-ago-is-refunded / crowns" => "qr.refund.status.call":
            instead(|asked| asked.is("refund.status").then(|| Message::objection(asked, 404, "")));
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "a new token revives the expired one" in "an-expired-token-opens-nothing" => "qr.token.expired":
            response(|asked, message| if asked.is("qr.authenticate") {
                if !asked.first_time("once") { asked.first_time("renewed"); }
            } else if message.status == 401 && asked.knows("renewed") {
                message.grant(asked);
            });
        "the token of a device reads refunds" in "a-token-of-a-device-opens-no-call-at-all / the short-lived one" => "qr.token.carried":
            response(|asked, message| if asked.is("refund.status") { message.grant(asked) });
        "a device token lists the methods" in "a-token-of-a-device-opens-no-call-at-all / the device token" => "qr.token.carried":
            response(|asked, message| if asked.is("qr.methods") { message.grant(asked) });
        "a token of QR payments opens the catalog" in FOREIGN => "device.token.kinds":
            response(|asked, message| if asked.is("device.catalog") { message.grant(asked) });
        "a token of QR payments opens the logs" in FOREIGN => "device.token.kinds":
            response(|asked, message| if asked.is("device.logs") { message.grant(asked) });
        "the bootstrap credentials open the closings" in "bootstrap-credentials-open-no-call-but-the-activation / closings"
            => "device.token.bearer":
            response(|asked, message| if asked.is("device.closings") { message.grant(asked) });
        "the bootstrap credentials open the catalog" in "bootstrap-credentials-open-no-call-but-the-activation / catalog"
            => "device.token.bearer":
            response(|asked, message| if asked.is("device.catalog") { message.grant(asked) });
        "the login of QR payments activates" in LOGIN => "device.activate.basic":
            response(|asked, message| if asked.is("device.activate") { message.grant(asked) });
        "the login of an activation gets a token for payments" in LOGIN => "qr.authenticate.basic":
            response(|asked, message| if asked.is("qr.authenticate") { message.grant(asked) });
    }
}

/// Changes the pairs of a payment codes response.
fn pairs(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(pairs)) = message.fields.get_mut("transactions").filter(|_| asked.is("payment-codes")) {
        change(pairs);
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "ten codes are returned at most, with the marker of all" in DOZEN => "device.payment-codes.since.effect":
            response(|asked, message| pairs(asked, message, |pairs| pairs.truncate(10)));
        "the last code alone is returned" in DOZEN => "device.payment-codes.since.effect":
            response(|asked, message| pairs(asked, message, |pairs| _ = pairs.drain(..pairs.len().saturating_sub(1))));
        "the marker is earlier than that of the exchange" in DOZEN => "device.payment-codes.empty":
            response(|asked, message| if asked.is("payment-codes") && message.fields["transactions"] == json!([]) {
                message.set("paymentCodesAt", 1);
            });
        "a code is lost when its payment is uploaded again" in "a-code-stays-with-its-payment / from a terminal"
            => "device.payment-codes.matched":
            response(|asked, message| if asked.is("device.transactions") {
                if !asked.first_time("once") { asked.first_time("again"); }
            } else if asked.knows("again") {
                pairs(asked, message, Vec::clear);
            });
        "payments of an app have no codes" in "a-code-stays-with-its-payment / from an app" => "device.payment-codes.matched":
            response(|asked, message| pairs(asked, message, Vec::clear));
        "codes of six days" in WEEK => "device.payment-codes.since.default":
            response(|asked, message| if asked.query.is_empty() { pairs(asked, message, Vec::clear) });
        "without since the codes of a month" in WEEK => "device.payment-codes.since.default":
            way(|asked, path| if asked.is("payment-codes") && asked.query.is_empty() { format!("{path}?since=0") } else { path.to_owned() });
        "of the codes since a marker those of a week" in WEEK => "device.payment-codes.since.effect":
            world(time_passes),
            response(|asked, message| if asked.knows("later") && !asked.query.is_empty() { pairs(asked, message, Vec::clear) });
    }
}

/// Whether an item was stocked last.
fn is_new(item: &Value) -> bool {
    item["id"].as_str().is_some_and(|id| id.starts_with("next-"))
}

fn stocks_main(deed: &mut WorldAction<'_>) {
    if deed.action == "operator.stocks" && deed.with["merchant"] == json!("100001") {
        remember(deed.memory, "stocked");
    }
}

fn catalogs() -> Vec<Break> {
    breaks! {
        "the catalog has what is new in it alone" in "the-catalog-of-another-merchant-has-its-own-version" => "device.catalog.call":
            response(|asked, message| if let Some(Value::Array(items)) = message.fields.get_mut("items").filter(|_| asked.is("device.catalog"))
                && items.iter().any(is_new) {
                items.retain(is_new);
            });
        "the version of the catalog is that of all merchants" in "the-catalog-of-another-merchant-has-its-own-version"
            => "device.authenticate.catalogVersion.highest":
            world(stocks_main),
            response(|asked, message| if asked.is("device.authenticate") && asked.knows("stocked") { message.replace("catalogVersion", 4711) });
        "the catalog has items of other merchants" in "the-catalog-of-another-merchant-has-its-own-version" => "device.catalog.call":
            world(stocks_main),
            response(|asked, message| if let Some(Value::Array(items)) = message.fields.get_mut("items").filter(|_| asked.is("device.catalog"))
                && asked.knows("stocked") {
                let mut more = items.clone();
                more.iter_mut().for_each(|item| item["id"] = json!(item["id"].as_str().unwrap_or_default().replace("next-", "main-")));
                items.extend(more);
            });
    }
}
