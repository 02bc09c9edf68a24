//! "The app moves to the deactivated state only when errorCode equals DEVICE_REVOKED. TOKEN_EXPIRED means one token
//! refresh. RATE_LIMITED, 5xx and timeouts mean back off and nothing more."

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{App, FIRST_PAUSE, Life, Stop};
use crate::stage::{Fault, NOTHING, Stage, altered};

/// A device whose configuration has changed, so that its next check-in downloads it.
async fn about_to_download(stage: &Stage) -> App {
    let app = stage.device().await;
    stage.configures(json!({ "qrMoreOptions": true })).await;
    app
}

/// How a verb ended.
type Outcome = Result<(), Stop>;

fn refused(code: &str) -> Outcome {
    Err(Stop::Refused(code.to_owned()))
}

pub async fn of_all_error_codes_only_device_revoked_deactivates(stage: Stage) {
    let mut app = about_to_download(&stage).await;
    for (code, outcome) in [
        ("INVALID_REQUEST", refused("INVALID_REQUEST")),
        ("UNAUTHORIZED", refused("UNAUTHORIZED")),
        ("TOKEN_EXPIRED", Err(Stop::BacksOff)),
        ("ACTIVATION_BLOCKED", refused("ACTIVATION_BLOCKED")),
        ("CONNECTION_DEACTIVATED", refused("CONNECTION_DEACTIVATED")),
        ("CONNECTION_NOT_READY", refused("CONNECTION_NOT_READY")),
        ("DEVICE_NOT_REGISTERED", refused("DEVICE_NOT_REGISTERED")),
        ("ACTIVATION_CODE_UNKNOWN", refused("ACTIVATION_CODE_UNKNOWN")),
        ("ACTIVATION_CODE_USED", refused("ACTIVATION_CODE_USED")),
        ("AMBIGUOUS_INPUT", refused("AMBIGUOUS_INPUT")),
        ("RATE_LIMITED", Err(Stop::BacksOff)),
        ("INTERNAL_ERROR", Err(Stop::BacksOff)),
        ("DEVICE_REVOKED", Err(Stop::Deactivated)),
    ] {
        // A refresh does not help against a token that is expired again.
        let times = if code == "TOKEN_EXPIRED" { 2 } else { 1 };
        stage.world("gateway.fails", json!({ "operation": "device.config", "code": code, "times": times })).await;
        assert_eq!(app.check_in(stage.now()).await, outcome, "{code}");
        let life = if code == "DEVICE_REVOKED" { Life::Deactivated } else { Life::Working };
        assert_eq!(app.memory.life, life, "{code}");
        if outcome == Err(Stop::BacksOff) {
            assert_eq!(app.check_in(stage.now()).await, Err(Stop::Rests), "{code}");
        }
        stage.passes(15 * 60).await;
    }
}

pub async fn no_other_401_deactivates(stage: Stage) {
    let mut app = about_to_download(&stage).await;
    for response in [
        json!({}),
        json!({ "errorMessage": "DEVICE_REVOKED" }),
        json!({ "errorCode": null, "errorMessage": "revoked" }),
        json!({ "errorCode": "device_revoked", "errorMessage": "revoked" }),
        json!({ "errorCode": "DEVICE_REVOKED_SOON", "errorMessage": "revoked" }),
        json!({ "errorCode": "UNAUTHORIZED", "errorMessage": "revoked" }),
        json!({ "error": { "errorCode": "DEVICE_REVOKED" } }),
        json!("DEVICE_REVOKED"),
        json!(null),
    ] {
        stage.next("device.config", Fault::Answers(401, response.clone()));
        let _ = app.check_in(stage.now()).await;
        assert_eq!(app.memory.life, Life::Working, "{response}");
        stage.passes(15 * 60).await;
    }
    stage.next("device.config", Fault::Says(401, "<html>401 DEVICE_REVOKED</html>"));
    assert_eq!(app.check_in(stage.now()).await, Err(Stop::BacksOff));
    stage.passes(15 * 60).await;
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
}

pub async fn a_deactivated_device_is_silent_and_keeps_its_data(stage: Stage) {
    let mut app = stage.device().await;
    app.sell(10_000, None, stage.now()).unwrap();
    stage.world("operator.revokes", json!({ "deviceId": app.memory.device_id })).await;
    assert_eq!(app.upload(stage.now()).await, Err(Stop::Deactivated));
    assert_eq!(stage.calls(), ["device.transactions"]);
    app.restart();
    stage.passes(24 * 60 * 60).await;
    for outcome in [app.check_in(stage.now()).await, app.upload(stage.now()).await] {
        assert_eq!(outcome, Err(Stop::Deactivated));
    }
    assert_eq!(stage.calls(), NOTHING);
    assert_eq!(app.memory.records.len(), 1);
}

pub async fn an_announced_deactivation_is_none(stage: Stage) {
    let mut app = stage.device().await;
    stage.operator("announces-deactivation").await;
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
    assert_eq!(app.memory.life, Life::Working);
    app.sell(10_000, None, stage.now()).unwrap();
    assert_eq!(app.upload(stage.now()).await, Ok(()));
}

pub async fn an_expired_token_is_refreshed_once(stage: Stage) {
    let mut app = stage.device().await;
    let id = app.sell(10_000, None, stage.now()).unwrap();
    stage.passes(15 * 60).await;
    assert_eq!(app.upload(stage.now()).await, Ok(()));
    assert_eq!(stage.calls(), ["device.transactions", "device.authenticate", "device.transactions"]);
    assert_eq!(stage.uploaded(&app, "transactions").await[0]["id"], id);
}

pub async fn a_token_that_stays_expired_is_not_refreshed_again(stage: Stage) {
    let mut app = stage.device().await;
    app.sell(10_000, None, stage.now()).unwrap();
    stage.world("gateway.fails", json!({ "operation": "device.transactions", "code": "TOKEN_EXPIRED", "times": 3 })).await;
    let outcome = app.upload(stage.now()).await;
    assert_eq!(stage.calls(), ["device.transactions", "device.authenticate", "device.transactions"]);
    assert_eq!((outcome, app.memory.life), (Err(Stop::BacksOff), Life::Working));
}

pub async fn a_refresh_that_fails_is_trouble_like_any_other(stage: Stage) {
    let mut app = stage.device().await;
    app.sell(10_000, None, stage.now()).unwrap();
    for code in ["TOKEN_EXPIRED", "RATE_LIMITED"] {
        stage.passes(15 * 60).await;
        stage.world("gateway.fails", json!({ "operation": "device.authenticate", "code": code })).await;
        assert_eq!(app.upload(stage.now()).await, Err(Stop::BacksOff));
        assert_eq!(stage.calls(), ["device.transactions", "device.authenticate"], "{code}");
    }
}

/// Every way to say no that means to back off.
fn troubles() -> Vec<(&'static str, Fault)> {
    let error = |status, code: Value| Fault::Answers(status, json!({ "errorCode": code, "errorMessage": "told" }));
    vec![
        ("429 with RATE_LIMITED", error(429, json!("RATE_LIMITED"))),
        ("RATE_LIMITED alone", error(400, json!("RATE_LIMITED"))),
        ("500 with INTERNAL_ERROR", error(500, json!("INTERNAL_ERROR"))),
        ("500 with nothing", Fault::Says(500, "")),
        ("502 of a proxy", Fault::Says(502, "<html>Bad Gateway</html>")),
        ("503 with a code", error(503, json!("TOKEN_EXPIRED"))),
        ("504", Fault::Says(504, "upstream timed out")),
        ("a connection that ends", Fault::HangsUp),
        ("200 that can't be read", Fault::Says(200, "<html>Maintenance</html>")),
        ("200 without what it should tell", altered(|response| *response = json!({}))),
    ]
}

/// The check-in came to nothing: it was one call, all is as it was, and nothing more is said until a pause has passed.
async fn backs_off_and_nothing_more(stage: &Stage, app: &mut App, what: &str) {
    let before = app.memory.clone();
    let outcome = app.check_in(stage.now()).await;
    assert_eq!(stage.calls(), ["device.authenticate"], "{what}: one call, not repeated");
    assert_eq!(outcome, Err(Stop::BacksOff), "{what}");
    assert_eq!(app.memory, before, "{what}: nothing more");
    let outcomes = [app.check_in(stage.now()).await, app.upload(stage.now()).await];
    assert_eq!(outcomes, [Err(Stop::Rests), Err(Stop::Rests)], "{what}");
    assert_eq!(stage.calls(), NOTHING, "{what}: not a word");
    stage.passes(FIRST_PAUSE.as_secs()).await;
    assert_eq!(app.check_in(stage.now()).await, Ok(()), "{what}: it goes on after the pause");
    stage.calls();
}

pub async fn trouble_means_to_back_off_and_nothing_more(stage: Stage) {
    let mut app = stage.device().await;
    app.sell(10_000, None, stage.now()).unwrap();
    for (what, trouble) in troubles() {
        stage.next("device.authenticate", trouble);
        backs_off_and_nothing_more(&stage, &mut app, what).await;
    }
    assert_eq!(app.upload(stage.now()).await, Ok(()), "nothing is lost");
}

pub async fn a_rate_limit_of_the_service_means_to_back_off(stage: Stage) {
    let mut app = stage.device().await;
    stage.world("operator.limits-rate", json!({ "deviceId": app.memory.device_id })).await;
    backs_off_and_nothing_more(&stage, &mut app, "RATE_LIMITED").await;
}

pub async fn a_timeout_means_to_back_off(stage: Stage) {
    let mut app = stage.device().await;
    let before = app.memory.clone();
    let patience = std::mem::replace(&mut app.wire.patience, Duration::from_millis(50));
    stage.next("device.authenticate", Fault::Silence);
    assert_eq!(app.check_in(stage.now()).await, Err(Stop::BacksOff));
    app.wire.patience = patience;
    assert_eq!((stage.calls(), &app.memory), (vec!["device.authenticate"], &before));
    assert_eq!(app.check_in(stage.now()).await, Err(Stop::Rests));
    stage.passes(FIRST_PAUSE.as_secs()).await;
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
}

pub async fn trouble_in_the_middle_is_not_repeated_at_once_either(stage: Stage) {
    let mut app = about_to_download(&stage).await;
    stage.world("gateway.fails", json!({ "operation": "device.config", "code": "INTERNAL_ERROR" })).await;
    let outcome = app.check_in(stage.now()).await;
    assert_eq!(stage.calls(), ["device.authenticate", "device.config"]);
    assert_eq!(outcome, Err(Stop::BacksOff));
}

pub async fn the_pause_grows_while_there_is_trouble(stage: Stage) {
    let mut app = stage.device().await;
    for seconds in [30, 60, 120, 240, 480, 900, 900] {
        stage.next("device.authenticate", Fault::HangsUp);
        assert_eq!(app.check_in(stage.now()).await, Err(Stop::BacksOff));
        stage.passes(seconds - 1).await;
        assert_eq!(app.check_in(stage.now()).await, Err(Stop::Rests));
        stage.passes(1).await;
    }
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
}

pub async fn a_400_without_error_code_is_an_invalid_request(stage: Stage) {
    let mut app = stage.device().await;
    app.sell(10_000, None, stage.now()).unwrap();
    stage.next("device.transactions", Fault::Garbles("{broken"));
    assert_eq!(app.upload(stage.now()).await, refused("INVALID_REQUEST"), "as the emulator refuses it");
    stage.next("device.transactions", Fault::Says(400, "Bad Request"));
    assert_eq!(app.upload(stage.now()).await, refused("INVALID_REQUEST"), "without any JSON");
    assert_eq!(app.memory.life, Life::Working);
    assert_eq!(app.upload(stage.now()).await, Ok(()));
}

pub async fn an_error_code_of_tomorrow_means_to_back_off(stage: Stage) {
    let mut app = stage.device().await;
    for status in [400, 401, 403, 409, 418] {
        let response = json!({ "errorCode": "MOON_IN_THE_WRONG_PHASE", "errorMessage": "wait" });
        stage.next("device.authenticate", Fault::Answers(status, response));
        backs_off_and_nothing_more(&stage, &mut app, "an unknown code").await;
    }
}
