//! QR payments at the register.

use serde_json::json;

use crate::app::{MoreOptions, NotAllowed, Reason, State};
use crate::stage::{Fault, NOTHING, Stage, altered};

pub async fn trans_id_is_stored_and_asked_for_until_the_payment_is_final(stage: Stage) {
    let mut app = stage.device().await;
    let id = app.sell_by_qr(10_000, stage.now()).await.unwrap();
    app.restart();
    app.poll(stage.now()).await.unwrap();
    assert_eq!(app.memory.till.payments.get(&id).map(|payment| payment.state), Some(State::Pending));
    stage.passes(11).await;
    app.poll(stage.now()).await.unwrap();
    assert_eq!(app.memory.till.payments[&id].state, State::Paid);
    stage.calls();
    app.poll(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), NOTHING, "a final state is not asked for again");
}

pub async fn a_reason_that_nobody_knows_is_unspecified(stage: Stage) {
    let mut app = stage.device().await;
    for (documented, read) in [
        ("Fraud suspected", Reason::FraudSuspected),
        ("Canceled by provider", Reason::ByProvider),
        ("Provider timeout", Reason::ProviderTimeout),
        ("Canceled by payer", Reason::ByPayer),
        ("Canceled by merchant", Reason::ByMerchant),
        ("Customer timeout", Reason::CustomerTimeout),
        ("Not specified", Reason::NotSpecified),
        ("Struck by lightning", Reason::NotSpecified),
        ("", Reason::NotSpecified),
    ] {
        let id = app.sell_by_qr(10_000, stage.now()).await.unwrap();
        stage.next(
            "qr.status",
            altered(move |status| {
                status["status"] = json!("CANCELLED");
                status["paymentRejectedReason"] = json!(documented);
            }),
        );
        app.poll(stage.now()).await.unwrap();
        let payment = &app.memory.till.payments[&id];
        assert_eq!((payment.state, payment.reason), (State::Cancelled, Some(read)), "{documented}");
    }
    let id = app.sell_by_qr(10_000, stage.now()).await.unwrap();
    stage.world("payer.fails", json!({ "transId": id, "reason": "the bank is closed" })).await;
    app.poll(stage.now()).await.unwrap();
    assert_eq!(app.memory.till.payments[&id].reason, Some(Reason::NotSpecified), "as the emulator tells it");
}

pub async fn logos_are_fetched_where_the_answer_says(stage: Stage) {
    let mut app = stage.device().await;
    let images = app.logos(10_000, stage.now()).await;
    assert!(images.is_ok());
    let images = images.unwrap();
    assert!(!images.is_empty());
    for image in images {
        assert_eq!(image.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]), "a raster image");
    }
}

pub async fn a_lost_trans_refund_id_is_recovered_from_the_status(stage: Stage) {
    let mut app = stage.device().await;
    let id = app.sell_by_qr(10_000, stage.now()).await.unwrap();
    stage.passes(11).await;
    app.poll(stage.now()).await.unwrap();
    let first = app.refund_by_qr(&id, 2_500, stage.now()).await.unwrap();
    stage.next("qr.refund.create", Fault::LosesTheAnswer);
    stage.calls();
    let second = app.refund_by_qr(&id, 2_500, stage.now()).await.unwrap();
    assert_eq!(stage.calls(), ["qr.refund.create", "qr.status"], "money is not given back twice");
    assert_ne!(first, second);
    assert_eq!(app.memory.till.payments[&id].refunds, [first, second]);
}

pub async fn an_expired_qr_token_is_obtained_again(stage: Stage) {
    let mut app = stage.device().await;
    app.sell_by_qr(10_000, stage.now()).await.unwrap();
    app.poll(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), ["qr.authenticate", "qr.create", "qr.status"], "one token for all calls");
    stage.passes(60 * 60).await;
    assert_eq!(app.poll(stage.now()).await, Ok(()));
    assert_eq!(stage.calls(), ["qr.authenticate", "qr.status"]);
}

pub async fn further_options_are_offered_only_if_the_configuration_says_so(stage: Stage) {
    let mut app = stage.device().await;
    let id = app.sell_by_qr(10_000, stage.now()).await.unwrap();
    assert_eq!(app.more_options(), MoreOptions::None, "the operator only waits for expiry");
    stage.calls();
    assert_eq!(app.release_goods(&id, stage.now()).await, Err(NotAllowed::NoPermission));
    assert_eq!(stage.calls(), NOTHING);
    stage.configures(json!({ "qrMoreOptions": true })).await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(app.more_options(), MoreOptions::ReleaseGoodsOrChangeMethod);
    stage.calls();
    assert_eq!(app.release_goods(&id, stage.now()).await, Ok(()));
    assert_eq!(stage.calls(), ["qr.extend"]);
}
