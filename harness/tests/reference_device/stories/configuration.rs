//! What the configuration makes the register do.

use serde_json::json;

use crate::app::{App, BUILT_IN_PIN, CHOSEN_CODE, DEVICE_TIPS, Entry, NotAllowed};
use crate::stage::{NOTHING, Stage, altered};

/// The operator changes the configuration, and the device takes it.
async fn takes(stage: &Stage, app: &mut App, config: serde_json::Value) {
    stage.configures(config).await;
    app.check_in(stage.now()).await.unwrap();
}

pub async fn env_decides_which_payment_application_is_addressed(stage: Stage) {
    let mut app = stage.device().await;
    for (env, terminal, application) in [
        ("PROD", "ACC00001", "payments"),
        ("ACC", "PROD0001", "payments-acc"),
        ("INT", "ACC00001", "payments-int"),
        ("PROD", "INT00001", "payments"),
    ] {
        takes(&stage, &mut app, json!({ "env": env, "terminalId": terminal })).await;
        assert_eq!(app.payment_application(), application, "{env}, whatever {terminal} looks like");
    }
}

pub async fn tips_are_the_servers_if_it_sets_them_else_the_devices(stage: Stage) {
    let mut app = stage.device().await;
    assert_eq!(app.tips(), DEVICE_TIPS, "the key is missing");
    takes(&stage, &mut app, json!({ "tip": { "percentages": [8, 12, 15] } })).await;
    assert_eq!(app.tips(), [8, 12, 15]);
    takes(&stage, &mut app, json!({ "tip": { "percentages": [] } })).await;
    assert_eq!(app.tips(), [0; 0], "the server decides that there are none");
    takes(&stage, &mut app, json!({ "tip": null })).await;
    assert_eq!(app.tips(), DEVICE_TIPS);
}

pub async fn a_receipt_has_the_head_of_the_configuration(stage: Stage) {
    let mut app = stage.device().await;
    let premises = ["Nová 1", "110 00", "Praha"];
    let seat = ["Stará 2", "120 00", "Praha"];
    let ids = ["12345678", "CZ12345678"];
    for (header, lines) in [
        ("BASIC", [&["Obchod"][..], &premises].concat()),
        ("PREMISES", [&["Obchod s.r.o."][..], &premises, &ids].concat()),
        ("BILLING", [&["Obchod s.r.o.", "Obchod"][..], &seat, &ids].concat()),
    ] {
        takes(&stage, &mut app, json!({ "receiptHeader": header })).await;
        assert_eq!(app.receipt_header(), lines, "{header}");
    }
}

pub async fn documents_are_counted_per_code_and_a_missing_code_is_chosen(stage: Stage) {
    stage.configures(json!({ "documentDeviceCode": null })).await;
    let mut app = stage.device().await;
    let id = app.sell(10_000, None, stage.now()).unwrap();
    assert_eq!(app.issue_document(&id), Some(format!("{CHOSEN_CODE}000001")));
    assert_eq!(app.issue_document(&id), Some(format!("{CHOSEN_CODE}000002")));
    takes(&stage, &mut app, json!({ "documentDeviceCode": "07" })).await;
    assert_eq!(app.issue_document(&id).as_deref(), Some("07000001"));
    app.restart();
    assert_eq!(app.issue_document(&id).as_deref(), Some("07000002"));
}

pub async fn permissions_are_about_cards_only(stage: Stage) {
    let mut app = stage.device().await;
    let card = app.sell(10_000, None, stage.now()).unwrap();
    let qr = app.sell_by_qr(10_000, stage.now()).await.unwrap();
    stage.passes(11).await;
    app.poll(stage.now()).await.unwrap();
    for (reversal, refund) in [(true, false), (false, true), (false, false)] {
        takes(&stage, &mut app, json!({ "reversalEnabled": reversal, "refundEnabled": refund })).await;
        let allowed = |allowed: bool| if allowed { Ok(()) } else { Err(NotAllowed::NoPermission) };
        assert_eq!(app.reverse(&card), allowed(reversal));
        assert_eq!(app.refund(&card, 100), allowed(refund), "a different permission");
        assert_eq!(app.refund_by_qr(&qr, 100, stage.now()).await.map(|_| ()), Ok(()));
    }
}

pub async fn the_register_closes_by_itself(stage: Stage) {
    let mut app = stage.device().await;
    app.sell(10_000, None, stage.now()).unwrap();
    takes(&stage, &mut app, json!({ "autoClosing": { "enabled": true, "at": "22:00" } })).await;
    // The world begins at noon UTC, which is 13:00 in Prague.
    stage.passes(9 * 60 * 60 - 1).await;
    app.tick(stage.now()).await.unwrap();
    assert_eq!(stage.uploaded(&app, "closings").await.len(), 0, "a second before");
    for minutes in [0, 1, 60] {
        stage.passes(minutes * 60 + 1).await;
        app.tick(stage.now()).await.unwrap();
        let closings = stage.uploaded(&app, "closings").await;
        assert_eq!(closings.len(), 1, "once a day");
        assert_eq!(closings[0]["count"], 1);
    }
    assert_eq!(stage.uploaded(&app, "transactions").await[0]["closingId"], "closing-0001");
    stage.passes(24 * 60 * 60).await;
    app.tick(stage.now()).await.unwrap();
    assert_eq!(stage.uploaded(&app, "closings").await.len(), 2, "the next day again");
}

pub async fn symbols_are_asked_for_as_the_rules_say(stage: Stage) {
    let mut app = stage.device().await;
    assert_eq!(app.symbol_entry(), Entry::Hidden, "no rules, no entry");
    for (mode, entry, without, with) in [
        ("OFF", Entry::Hidden, None, Some(NotAllowed::SymbolNotAsked)),
        ("OPTIONAL", Entry::Offered, None, None),
        ("REQUIRED", Entry::Demanded, Some(NotAllowed::SymbolMissing), None),
    ] {
        takes(&stage, &mut app, json!({ "variableSymbol": { "type": "NUMERIC", "mode": mode } })).await;
        assert_eq!(app.symbol_entry(), entry, "{mode}");
        assert_eq!(app.sell(10_000, None, stage.now()).err(), without, "{mode}");
        assert_eq!(app.sell(10_000, Some("2026001"), stage.now()).err(), with, "{mode}");
    }
}

pub async fn a_numeric_symbol_has_at_most_ten_digits(stage: Stage) {
    let mut app = stage.device().await;
    let symbols = ["1234567890", "12345678901", "2026-001", "stůl 4", "１２", ""];
    for (kind, wrong) in [("NUMERIC", &symbols[1..]), ("ALPHANUMERIC", &[][..])] {
        takes(&stage, &mut app, json!({ "variableSymbol": { "type": kind, "mode": "OPTIONAL" } })).await;
        for symbol in symbols {
            let refused = wrong.contains(&symbol).then_some(NotAllowed::SymbolWrong);
            assert_eq!(app.sell(10_000, Some(symbol), stage.now()).err(), refused, "{kind} {symbol:?}");
        }
    }
}

pub async fn a_symbol_is_uploaded_as_it_was_entered(stage: Stage) {
    let mut app = stage.device().await;
    takes(&stage, &mut app, json!({ "variableSymbol": { "type": "ALPHANUMERIC", "mode": "REQUIRED" } })).await;
    app.sell(10_000, Some("stůl 4"), stage.now()).unwrap();
    takes(&stage, &mut app, json!({ "variableSymbol": { "type": "NUMERIC", "mode": "REQUIRED" } })).await;
    app.upload(stage.now()).await.unwrap();
    assert_eq!(stage.uploaded(&app, "transactions").await[0]["variableSymbol"], "stůl 4");
}

pub async fn the_default_pin_applies_until_the_operator_changes_it(stage: Stage) {
    stage.configures(json!({ "defaultPin": "0042" })).await;
    let mut app = stage.device().await;
    assert_eq!((app.opens("0042"), app.opens("42"), app.opens(BUILT_IN_PIN)), (true, false, false));
    app.change_pin("7391", stage.now());
    assert_eq!((app.opens("7391"), app.opens("0042")), (true, false));
    app.restart();
    takes(&stage, &mut app, json!({ "defaultPin": "1111" })).await;
    assert_eq!((app.opens("7391"), app.opens("0042"), app.opens("1111")), (true, false, false));
}

pub async fn the_server_never_learns_the_pin_of_the_operator(stage: Stage) {
    let mut app = stage.device().await;
    app.change_pin("739146", stage.now());
    app.sell(10_000, None, stage.now()).unwrap();
    app.close(stage.now());
    app.upload(stage.now()).await.unwrap();
    stage.world("operator.requests-logs", json!({ "deviceId": app.memory.device_id, "days": 30 })).await;
    app.check_in(stage.now()).await.unwrap();
    let requests: Vec<_> = stage.asked().into_iter().map(|call| (call.name, call.body.to_string())).collect();
    assert_eq!(requests.iter().filter(|(name, _)| *name == "device.logs").count(), 1);
    let calls: Vec<_> = requests.iter().filter(|(_, body)| body.contains("739146")).map(|(name, _)| *name).collect();
    assert_eq!(calls, NOTHING);
}

pub async fn without_a_default_pin_the_app_has_its_own(stage: Stage) {
    let mut app = stage.device().await;
    takes(&stage, &mut app, json!({ "defaultPin": null })).await;
    assert_eq!((app.opens(BUILT_IN_PIN), app.opens("0000"), app.opens("")), (true, false, false));
    stage.next("device.config", altered(|config| config["defaultPin"] = json!("0000")));
    takes(&stage, &mut app, json!({ "qrMoreOptions": true })).await;
    assert_eq!((app.opens(BUILT_IN_PIN), app.opens("0000")), (false, true), "there is one now");
}
