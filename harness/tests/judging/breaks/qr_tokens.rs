//! Tokens of the QR API that permit too much or too little, or are valid for too long.

use super::Break;
use crate::support::proxy::Message;

const MERCHANT: &str = "a-token-is-for-one-merchant";
const EXPIRED: &str = "an-expired-token-opens-nothing";

/// Tokens that break a rule.
pub fn all() -> Vec<Break> {
    breaks! {
        "another merchant's payment is readable" in "a-foreign-payment-is-answered-403" => "qr.token.other-payment":
            response(|asked, message| if message.status == 403 { message.grant(asked) });
        "a foreign payment is answered 404" in "a-foreign-payment-is-answered-403" => "qr.errors.403":
            response(|_, message| if message.status == 403 { message.status = 404 });
        "a token that is no JWT" in "qr / a-token-may-be-obtained-again" => "qr.authenticate.token.jwt":
            response(|asked, message| if asked.is("qr.authenticate") { message.replace("token", "0a1b2c3d4e5f") });
        "Basic credentials open QR calls" in "qr / basic-credentials-open-no-call-but-one" => "qr.authenticate.first":
            response(|asked, message| if asked.is("qr.create") && !asked.credentials.0.is_empty() { message.grant(asked) });
        "a token is not bound to its mid" in MERCHANT => "qr.token.other-merchant":
            response(|asked, message| if message.status == 403 { message.grant(asked) });
        "a token opens another merchant at a terminal of its own" in MERCHANT => "qr.token.other-merchant":
            onward(|asked, sent| if asked.is("qr.create") && asked.text("terminalId") == "Q100001" { sent.set("merchantId", "M100001") });
        "a token does not open its own merchant" in MERCHANT => "qr.authenticate.mid.merchant":
            instead(|asked| (asked.is("qr.create") && !asked.first_time("once")).then(|| Message::objection(asked, 403, "")));
        "an expired token is accepted" in EXPIRED => "qr.token.expired":
            response(|asked, message| if message.status == 401 { message.grant(asked) });
        "a new token opens nothing" in EXPIRED => "qr.token.again":
            instead(|asked| (asked.is("qr.authenticate") && !asked.first_time("once")).then(|| Message::objection(asked, 401, "")));
        "a token lasts longer than told" in "a-token-says-when-it-expires" => "qr.authenticate.expiry.value":
            response(|asked, message| if message.status == 401 { message.grant(asked) });
        "a token is given to anybody" in "qr / authenticate-needs-credentials" => "qr.authenticate.basic":
            response(|asked, message| if asked.is("qr.authenticate") { message.grant(asked) });
        "no token is needed" in "no-call-is-answered-without-a-token" => "qr.authenticate.first":
            response(|asked, message| if message.status == 401 { message.grant(asked) });
        "a token opens all calls but one" in "qr / one-token-opens-all-calls" => "qr.token.bearer":
            instead(|asked| asked.is("qr.methods").then(|| Message::objection(asked, 401, "")));
        "a liveness check fails" in "qr / the-pings-answer-200" => "qr.auth-ping.status":
            instead(|asked| asked.is("qr.auth-ping").then(|| Message::objection(asked, 500, "")));
        "a cancellation needs input" in "a-cancellation-has-no-input" => "qr.cancel.no-input":
            instead(|asked| asked.is("qr.cancel").then(|| Message::objection(asked, 400, "")));
        "a refund needs a reference" in "a-refund-needs-no-reference" => "qr.refund.refId.optional":
            instead(|asked| (asked.is("qr.refund.create") && !asked.has("refId")).then(|| Message::objection(asked, 400, "")));
        "an authentication without mid" in "an-authentication-without-mid-is-a-bad-request" => "qr.authenticate.mid.required":
            response(|asked, message| message.grant(asked));
    }
}
