//! Secrets that are nearly right, and open something: one with a blank behind it, and that of another API.

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::{Message, ObservedRequest};

pub fn all() -> Vec<Break> {
    [trimmed(), of_any_api()].into_iter().flatten().collect()
}

/// Sends the right secret in place of the one that was sent.
fn with_the_right_secret(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if sent.has("secret") {
        sent.set("secret", asked.credentials_of_main().1);
    } else {
        sent.in_the_name_of_main(asked);
    }
}

/// Takes the blanks off a secret.
fn with_the_secret_trimmed(asked: &ObservedRequest<'_>, sent: &mut Message) {
    let (user, right) = asked.credentials_of_main();
    if asked.credentials.0 == user && asked.credentials.1.trim() == right {
        with_the_right_secret(asked, sent);
    }
}

/// Takes any secret of the merchant for that of the API.
fn with_the_secret_of_any_api(asked: &ObservedRequest<'_>, sent: &mut Message) {
    let (merchant, secret) = MAIN;
    let is_of_main = asked.credentials.0.ends_with(merchant);
    let known = ["", "-of-the-terminal", "-of-qr", "-of-devices"].map(|end| format!("{secret}{end}"));
    if is_of_main && known.contains(&asked.credentials.1) {
        with_the_right_secret(asked, sent);
    }
}

fn trimmed() -> Vec<Break> {
    breaks! {
        "a secret is trimmed, v1.0" in "v1-calls-with-a-wrong-secret-are-refused / a blank behind it" => "gateway.v1.credentials":
            onward(with_the_secret_trimmed);
        "a secret is trimmed, v2.0" in "v2-calls-with-a-wrong-secret-are-refused / a blank behind it" => "gateway.v2.credentials":
            onward(with_the_secret_trimmed);
        "a refund trims its secret" in "a-refund-in-v1-with-a-wrong-secret-is-refused / a blank behind it" => "gateway.v1.credentials":
            onward(with_the_secret_trimmed);
        "a capture trims its secret" in "capture-and-release-in-v2-need-credentials / with a blank behind the secret"
            => "gateway.v2.credentials":
            onward(with_the_secret_trimmed);
        "a recurring payment trims its secret" in "a-recurring-payment-in-v1-needs-credentials / with a blank behind the secret"
            => "gateway.v1.credentials":
            onward(with_the_secret_trimmed);
        "a password of the terminal is trimmed" in "an-almost-right-password-opens-nothing / a blank behind it" => "terminal.credentials":
            onward(with_the_secret_trimmed);
        "a password for transfers is trimmed"
            in "calls-without-the-right-credentials-tell-nothing / with a blank behind the secret" => "transfers.credentials":
            onward(with_the_secret_trimmed);
        "a password of the register is trimmed" in "an-almost-right-password-gets-no-token / a blank behind it" => "qr.authenticate.basic":
            onward(with_the_secret_trimmed);
        "a password of the bootstrap is trimmed" in "an-almost-right-password-activates-nothing / a blank behind it"
            => "device.activate.basic":
            onward(with_the_secret_trimmed);
    }
}

fn of_any_api() -> Vec<Break> {
    breaks! {
        "the secret of any API opens v1.0" in "v1-calls-with-a-wrong-secret-are-refused / of another API" => "gateway.v1.credentials":
            onward(with_the_secret_of_any_api);
        "the secret of any API opens v2.0" in "v2-calls-with-a-wrong-secret-are-refused / of another API" => "gateway.v2.credentials":
            onward(with_the_secret_of_any_api);
        "the secret of any API refunds" in "a-refund-in-v2-with-a-wrong-secret-is-refused / of another API" => "gateway.v2.credentials":
            onward(with_the_secret_of_any_api);
        "the secret of any API refunds on the terminal"
            in "a-refund-of-a-terminal-payment-in-v1-needs-credentials / with the secret of another API" => "gateway.v1.credentials":
            onward(with_the_secret_of_any_api);
        "the secret of any API opens the terminal"
            in "terminal / calls-without-the-right-credentials-are-refused / with the secret of another API" => "terminal.credentials":
            onward(with_the_secret_of_any_api);
        "the secret of any API shows transfers"
            in "calls-without-the-right-credentials-tell-nothing / with the secret of another API" => "transfers.credentials":
            onward(with_the_secret_of_any_api);
        "the secret of any API gets a token" in "an-almost-right-password-gets-no-token / of another API" => "qr.authenticate.basic":
            onward(with_the_secret_of_any_api);
        "the secret of any API activates an app" in "an-activation-of-an-app-needs-bootstrap-credentials / of another API"
            => "device.activate.basic":
            onward(with_the_secret_of_any_api);
    }
}
