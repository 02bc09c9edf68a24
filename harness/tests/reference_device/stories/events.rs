//! Events in the configuration: "remember the handled value and react only on a different one".

use serde_json::json;

use crate::app::App;
use crate::stage::{Stage, altered};

/// The configuration is downloaded again, for a reason of its own.
async fn downloads_again(stage: &Stage, app: &mut App) {
    stage.configures(json!({ "qrMoreOptions": true })).await;
    app.check_in(stage.now()).await.unwrap();
}

async fn device_with_a_pin(stage: &Stage) -> App {
    stage.configures(json!({ "defaultPin": "0000" })).await;
    let mut app = stage.device().await;
    app.change_pin("7391", stage.now());
    app
}

fn pins(app: &App) -> (bool, bool) {
    (app.opens("7391"), app.opens("0000"))
}

const OWN_APPLIES: (bool, bool) = (true, false);
const DEFAULT_APPLIES: (bool, bool) = (false, true);

pub async fn a_pin_reset_is_handled_once(stage: Stage) {
    let mut app = device_with_a_pin(&stage).await;
    downloads_again(&stage, &mut app).await;
    assert_eq!(pins(&app), OWN_APPLIES, "null: never");
    stage.operator("resets-pin").await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(pins(&app), DEFAULT_APPLIES);
    app.change_pin("7391", stage.now());
    downloads_again(&stage, &mut app).await;
    assert_eq!(pins(&app), OWN_APPLIES, "the same event again");
    app.restart();
    downloads_again(&stage, &mut app).await;
    assert_eq!(pins(&app), OWN_APPLIES, "the same event after a restart");
    stage.passes(3600).await;
    stage.operator("resets-pin").await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(pins(&app), DEFAULT_APPLIES, "another event");
}

pub async fn null_resets_no_pin(stage: Stage) {
    let mut app = device_with_a_pin(&stage).await;
    stage.operator("resets-pin").await;
    app.check_in(stage.now()).await.unwrap();
    app.change_pin("7391", stage.now());
    stage.next("device.config", altered(|config| config["pinResetAt"] = json!(null)));
    downloads_again(&stage, &mut app).await;
    assert_eq!(pins(&app), OWN_APPLIES);
    downloads_again(&stage, &mut app).await;
    assert_eq!(pins(&app), OWN_APPLIES, "the handled value came back");
}

pub async fn a_reported_terminal_configures_its_payment_application_once(stage: Stage) {
    let mut app = stage.device().await;
    downloads_again(&stage, &mut app).await;
    assert_eq!(app.terminal.configurations, 0, "null: not reported");
    stage.operator("reports-terminal").await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(app.terminal.configurations, 1);
    downloads_again(&stage, &mut app).await;
    app.restart();
    downloads_again(&stage, &mut app).await;
    assert_eq!(app.terminal.configurations, 1, "the same report");
    stage.passes(3600).await;
    stage.operator("reports-terminal").await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(app.terminal.configurations, 2, "another report");
}

pub async fn a_report_that_waits_in_a_queue_is_none(stage: Stage) {
    let mut app = stage.device().await;
    stage.operator("reports-terminal").await;
    app.check_in(stage.now()).await.unwrap();
    stage.next("device.config", altered(|config| config["terminalReportedAt"] = json!(null)));
    downloads_again(&stage, &mut app).await;
    downloads_again(&stage, &mut app).await;
    assert_eq!(app.terminal.configurations, 1);
}
