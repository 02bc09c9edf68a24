//! What the settings of a live shop forbid is skipped, and says so; it is no rule broken.

use std::collections::BTreeSet;

use harness::base::verdict::Verdict;
use serde_json::{Value, json};

use crate::live_shop::{PAYER, everybody, judged};
use crate::support::live::Shop;
use crate::support::proxy::{Message, Tamper};
use crate::support::{contracts, findings, shipped, story};

/// What the emulator calls what a scenario may set, without what the harness itself decides: names and passwords.
#[test]
fn the_contracts_know_every_setting_of_the_emulator_and_no_other() {
    let contracts = contracts();
    let own = [
        "name",
        "seed",
        "merchants",
        "merchant",
        "secret",
        "terminal",
        "terminal-secret",
        "mid",
        "qr-terminal",
        "qr-user",
        "qr-password",
        "device-user",
        "device-password",
        "serial",
        "activation-code",
    ];
    let known = |of_merchant: bool, of_emulators: &[String]| -> BTreeSet<String> {
        let stated = contracts.settings.iter().filter(|known| known.of_merchant == of_merchant).map(|known| known.name.clone());
        stated.chain(of_emulators.iter().cloned()).collect()
    };
    let names = |settings: Value| -> BTreeSet<String> {
        settings.as_object().unwrap().keys().filter(|name| !own.contains(&name.as_str())).cloned().collect()
    };
    let world = serde_json::to_value(emulator::WorldSettings::default()).unwrap();
    assert_eq!(known(false, &contracts.emulator_settings.world), names(world));
    let merchant = serde_json::to_value(emulator::MerchantSettings::named("1")).unwrap();
    assert_eq!(known(true, &contracts.emulator_settings.merchants), names(merchant));
}

#[tokio::test]
async fn a_shop_without_redirect_creation_is_not_flagged() {
    let shop = Shop::open_broken(Tamper {
        setting: Some(|settings| settings["merchants"][0]["redirect-creation"] = json!(false)),
        ..Tamper::default()
    })
    .await;
    let cases = ["a-redirect-creation-sends-the-payer", "a-redirect-creation-leads-to-a-page"];
    let (finished, _) = judged(&shop, PAYER, shipped(&cases), 8, |_| ()).await;
    assert_eq!(finished.len(), 3);
    for case in finished {
        let Verdict::Skipped { reason } = &case.verdict else { panic!("{}", story(&case)) };
        assert!(reason.to_string().ends_with("is refused. The allowed creation mode is a merchant setting"), "{reason}");
    }
}

/// What a shop accepts once is no matter of its settings, so it may not refuse the like of it.
#[tokio::test]
async fn a_refusal_that_no_setting_explains_is_found() {
    let refuses_the_default = Tamper {
        instead: Some(|asked| (asked.is("v1.create") && !asked.has("prepareOnly")).then(|| Message::refusal(asked, 1400))),
        ..Tamper::default()
    };
    let checks_limits_again = Tamper {
        instead: Some(|asked| (asked.is("change-method") && !asked.first_time("changed")).then(|| Message::objection(asked, 400, ""))),
        ..Tamper::default()
    };
    for (tamper, case, clause) in [
        (refuses_the_default, "a-redirect-creation-sends-the-payer", "gateway.v1.create.prepareOnly.default"),
        (checks_limits_again, "a-change-of-method-checks-no-limits / 500 000 CZK", "qr.change-method.limits"),
    ] {
        let shop = Shop::open_broken(tamper).await;
        let (finished, _) = judged(&shop, PAYER, shipped(&[case]), 8, |_| ()).await;
        let found: Vec<_> = finished.iter().flat_map(|case| findings(case)).collect();
        let stories: Vec<_> = finished.iter().map(|case| story(case)).collect();
        assert!(found.iter().any(|finding| finding.clause() == clause && finding.assumed.is_none()), "{stories:?}");
    }
}

/// A case that changes what all see takes that back although it fails, so that the next one, and the next run, meet the shop as it was.
#[tokio::test]
async fn what_a_failed_case_changed_is_taken_back() {
    let shop = Shop::open_broken(Tamper {
        response: Some(|asked, message| {
            if asked.is("qr.create") && message.get("status") == "CANCELLED" {
                message.replace("status", "PENDING");
            }
        }),
        ..Tamper::default()
    })
    .await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let plan = ["a-payment-that-is-rejected-at-once-has-no-code", "a-refund-of-another-merchant-is-not-read-under-an-own-payment"];
    let plan = plan.map(|case| shipped(&[case])).concat();
    let (finished, _) = judged(&shop, &actions, plan, 1, |_| ()).await;
    let verdicts: Vec<_> = finished.iter().map(|case| case.verdict.name()).collect();
    assert_eq!(verdicts, ["failed", "passed"], "{:#?}", finished.iter().map(|case| story(case)).collect::<Vec<_>>());
}
