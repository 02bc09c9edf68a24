//! Activation, and the connection a device belongs to.

use serde_json::{Value, json};

use crate::app::{Installation, Life, POS, SOFTPOS, Stop};
use crate::stage::{Fault, NOTHING, Stage};

pub async fn a_device_is_activated_once(stage: Stage) {
    let mut app = stage.app();
    assert_eq!(app.start(POS, stage.now()).await, Ok(()));
    assert_eq!(stage.calls(), ["device.activate"]);
    app.restart();
    assert_eq!(app.start(POS, stage.now()).await, Ok(()));
    assert_eq!(app.activate(POS, stage.now()).await, Err(Stop::AlreadyActivated));
    assert_eq!(stage.calls(), NOTHING, "an activated device is not activated again");
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
}

pub async fn a_pos_has_a_serial_number_and_a_softpos_an_activation_code(stage: Stage) {
    for (installation, sent) in [
        (POS, json!({ "platform": "POS", "serialNumber": "SN100001" })),
        (SOFTPOS, json!({ "platform": "SOFTPOS", "activationCode": "AC100001" })),
    ] {
        let mut app = stage.app();
        assert_eq!(app.start(installation, stage.now()).await, Ok(()));
        let bodies: Vec<Value> = stage.asked().into_iter().map(|call| call.body).collect();
        assert_eq!(bodies, [sent]);
        assert_eq!(app.check_in(stage.now()).await, Ok(()));
        assert_eq!(stage.calls(), ["device.authenticate", "device.catalog"], "the configuration came with the activation");
    }
}

pub async fn an_activation_whose_answer_was_lost_is_repeated(stage: Stage) {
    let mut app = stage.app();
    stage.next("device.activate", Fault::LosesTheAnswer);
    assert_eq!(app.start(SOFTPOS, stage.now()).await, Err(Stop::BacksOff));
    assert_eq!(app.start(SOFTPOS, stage.now()).await, Err(Stop::Rests));
    assert_eq!(app.memory.life, Life::New);
    stage.passes(30).await;
    assert_eq!(app.start(SOFTPOS, stage.now()).await, Ok(()));
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
}

pub async fn what_the_service_does_not_activate_stays_new_and_the_operator_is_told(stage: Stage) {
    let unknown = Installation::Softpos { code: "nobody-has-this" };
    let mut app = stage.app();
    assert_eq!(app.start(unknown, stage.now()).await, Err(Stop::Refused("ACTIVATION_CODE_UNKNOWN".to_owned())));
    stage.operator("blocks").await;
    assert_eq!(app.start(POS, stage.now()).await, Err(Stop::Refused("ACTIVATION_BLOCKED".to_owned())));
    stage.operator("deactivates").await;
    assert_eq!(app.start(POS, stage.now()).await, Err(Stop::Refused("CONNECTION_DEACTIVATED".to_owned())));
    stage.operator("unregisters").await;
    assert_eq!(app.start(POS, stage.now()).await, Err(Stop::Refused("DEVICE_NOT_REGISTERED".to_owned())));
    assert_eq!(app.memory.life, Life::New);
}

/// The operator gives the terminal to another connection, and the device is revoked.
async fn moves_the_terminal(stage: &Stage, device: Option<i64>) {
    stage.world("operator.revokes", json!({ "deviceId": device })).await;
    stage.operator("unregisters").await;
    let terms = json!({ "merchant": "100001", "platform": "POS", "serialNumber": "SN100001" });
    stage.world("operator.registers", terms).await;
}

pub async fn another_connection_is_refused_until_the_data_are_wiped(stage: Stage) {
    let mut app = stage.device().await;
    let kept = app.memory.connection_id;
    app.sell(10_000, None, stage.now()).unwrap();
    moves_the_terminal(&stage, app.memory.device_id).await;
    assert_eq!(app.upload(stage.now()).await, Err(Stop::Deactivated));
    app.restart();
    assert_eq!(app.memory.connection_id, kept, "connectionId is kept");
    assert_eq!(app.activate(POS, stage.now()).await, Err(Stop::NeedsWiping));
    assert_eq!((app.memory.life, app.memory.connection_id, app.memory.records.len()), (Life::Deactivated, kept, 1));
    assert_eq!(app.check_in(stage.now()).await, Err(Stop::Deactivated), "the token of the other connection is not used");
    app.wipe();
    assert_eq!(app.activate(POS, stage.now()).await, Ok(()));
    assert_ne!(app.memory.connection_id, kept);
    assert!(app.memory.records.is_empty());
}

pub async fn the_same_connection_goes_on_with_its_data(stage: Stage) {
    let mut app = stage.device().await;
    let kept = app.memory.connection_id;
    let id = app.sell(10_000, None, stage.now()).unwrap();
    stage.world("operator.revokes", json!({ "deviceId": app.memory.device_id })).await;
    assert_eq!(app.upload(stage.now()).await, Err(Stop::Deactivated));
    assert_eq!(app.activate(POS, stage.now()).await, Ok(()));
    assert_eq!(app.memory.connection_id, kept);
    assert_eq!(app.upload(stage.now()).await, Ok(()));
    assert_eq!(stage.uploaded(&app, "transactions").await[0]["id"], id);
}

pub async fn another_installation_takes_over(stage: Stage) {
    let (mut first, mut second) = (stage.device().await, stage.app());
    assert_eq!(second.start(POS, stage.now()).await, Ok(()));
    assert_eq!(second.memory.connection_id, first.memory.connection_id);
    assert_eq!(first.check_in(stage.now()).await, Err(Stop::Deactivated), "its token is superseded");
    assert_eq!(second.check_in(stage.now()).await, Ok(()));
}

pub async fn a_device_token_of_any_form_is_passed_on_as_it_came(stage: Stage) {
    stage.disguises_device_tokens("~it has/no form:that=anybody knows~");
    let mut app = stage.app();
    assert_eq!(app.start(POS, stage.now()).await, Ok(()));
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
    app.restart();
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
}

pub async fn the_terminal_prints_nothing_from_the_activation_on(stage: Stage) {
    let mut app = stage.app();
    assert!(app.terminal.prints);
    app.start(POS, stage.now()).await.unwrap();
    assert!(!app.terminal.prints);
}
