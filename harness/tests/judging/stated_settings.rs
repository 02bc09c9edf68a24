//! What a shop is set to is stated in its target file, and decides which cases are played.

use std::collections::BTreeSet;
use std::path::Path;

use harness::base::source::Source;
use harness::base::verdict::Verdict;
use harness::spec::target;
use serde_json::{Map, Value, json};
use tempfile::tempdir;

use crate::live_shop::{PAYER, judged};
use crate::support::binary::{file, run};
use crate::support::live::Shop;
use crate::support::proxy::Tamper;
use crate::support::{contracts, findings, shipped, story};

/// A shop of QR payments whose time can be moved.
const SHOP: &str = "title: a shop\nbase: http://127.0.0.1:9\ncredentials:\n  main: { mid: M1, qr-terminal: Q1, qr-user: u, qr-password: some-password-7 }\n\
                    world: { ask: [clock.advances, payer.pays] }\n";

/// The clauses that a target with these settings lets a run judge, and what would open more.
fn coverage(folder: &Path, settings: &str) -> (BTreeSet<String>, String) {
    let target = file(folder, "target.yaml", &format!("{SHOP}{settings}")).display().to_string();
    let reach: Value = serde_json::from_str(&run(["coverage", "--target", &target, "--json", "--api", "qr"]).with_code(0).out).unwrap();
    let clauses = reach["clauses"].as_array().unwrap().iter().filter(|clause| clause["reached"] == true);
    (clauses.map(|clause| clause["id"].as_str().unwrap().to_owned()).collect(), reach["openings"].to_string())
}

#[test]
fn a_terminal_in_production_is_judged_as_one() {
    let folder = tempdir().unwrap();
    let (test, opens) = coverage(folder.path(), "");
    assert!(test.contains("qr.test.paid") && !test.contains("qr.extend.seven-days"));
    assert!(opens.contains("`merchants.main.qr-test: false` under `settings`, where the shop is set to it"), "{opens}");
    let (production, opens) = coverage(folder.path(), "settings: { merchants: { main: { qr-test: false } } }\n");
    assert!(
        !production.contains("qr.test.paid") && production.contains("qr.extend.seven-days") && production.contains("qr.payment.expired")
    );
    assert!(opens.contains("a shop that is set to `merchants.main.qr-test: true`"), "{opens}");
}

/// What only some shops have.
fn extras(settings: &mut Map<String, Value>) {
    settings.insert("recurring-cancelled-email".to_owned(), json!("stop@example.com"));
    let own = json!({
        "3ds": true, "fee": "250", "unregulated-card-fees": true, "accounts": ["one", "two"],
        "apple-pay-outcome": "FAILED", "apple-pay-message": "no money",
    });
    settings["merchants"][0].as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
}

const EXTRA: &[&str] = &[
    "a-3d-secure-preference-is-told-with-its-effect / FORCE",
    "a-fee-that-is-deducted-is-told / v2.0",
    "a-surcharge-for-an-unregulated-card-is-told / NON_EU_BUSINESS in v2.0",
    "without-an-account-the-default-is-told / v1.0",
    "a-recurring-payment-without-an-account-goes-to-the-default / v2.0",
    "test-recurring-payments-of-the-test-address-are-cancelled / v1.0",
    "an-apple-pay-outcome-is-told-in-v1",
];

#[tokio::test]
async fn what_only_some_shops_have_is_judged_where_it_is_stated() {
    let having = || Shop::open_broken(Tamper { setting: Some(extras), ..Tamper::default() });
    let shop = having().await;
    let text = "title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { recurring-cancelled-email: stop@example.com, merchants: \
                { main: { 3ds: true, fee: '250', unregulated-card-fees: true, accounts: [one, two], apple-pay-outcome: FAILED, \
                apple-pay-message: no money } } }\n";
    let stated = target::parse(&Source::new("target.yaml", text), &contracts(), &|_| None);
    let stated = stated.unwrap_or_else(|problems| panic!("{}", problems.render(false))).settings;
    let (finished, _) = judged(&shop, PAYER, shipped(EXTRA), 8, |target| target.settings = stated).await;
    let stories: Vec<_> = finished.iter().filter(|case| case.verdict != Verdict::Passed).map(|case| story(case)).collect();
    assert_eq!((finished.len(), stories), (EXTRA.len(), Vec::new()));
    let (finished, _) = judged(&having().await, PAYER, shipped(EXTRA), 8, |_| ()).await;
    assert!(finished.iter().all(|case| matches!(case.verdict, Verdict::Skipped { .. })));
}

/// How a shop conforms to what is stated of it, and how it breaks it.
struct Stated {
    settings: &'static str,
    actions: &'static [&'static str],
    shop: fn(&mut Map<String, Value>),
    breaks: fn(&mut Map<String, Value>),
    cases: &'static [&'static str],
    clause: &'static str,
}

const STATED: &[Stated] = &[
    Stated {
        settings: "{ allowed-addresses: [192.0.2.7] }",
        actions: &["payer.pays", "terminal.charges"],
        shop: |settings| settings.extend([("allowed-addresses".to_owned(), json!(["192.0.2.7"]))]),
        breaks: |_| (),
        cases: &[
            "a-caller-from-another-address-is-refused / v1.0",
            "another-address-moves-no-money",
            "terminal / a-caller-from-another-address-is-refused",
            "a-caller-from-another-address-is-told-nothing",
        ],
        clause: "access.address",
    },
    Stated {
        settings: "{ retry: { first-seconds: 2, max-seconds: 3 }, merchants: { main: { contact-emails: [a@example.com, b@example.com] } } }",
        actions: &["payer.pays", "clock.advances", "merchant.reads-mail"],
        shop: |settings| notifies(settings, 1000),
        breaks: |settings| notifies(settings, 999),
        cases: &["a-notification-is-attempted-1000-times / v2.0"],
        clause: "gateway.notification.retry.attempts",
    },
];

fn notifies(settings: &mut Map<String, Value>, attempts: u32) {
    let retry = json!({ "first-seconds": 2, "max-seconds": 3, "attempts": attempts, "timeout-seconds": 10 });
    settings.extend([("clock".to_owned(), json!("virtual")), ("retry".to_owned(), retry)]);
    settings["merchants"][0]["contact-emails"] = json!(["a@example.com", "b@example.com"]);
}

#[tokio::test]
async fn a_rule_that_needs_a_setting_is_judged_where_the_setting_is_stated() {
    for row in STATED {
        let text = format!("title: t\nbase: http://x.invalid\ncredentials: {{ main: {{}} }}\nsettings: {}\n", row.settings);
        let stated = target::parse(&Source::new("target.yaml", text), &contracts(), &|_| None);
        let stated = stated.unwrap_or_else(|problems| panic!("{}", problems.render(false))).settings;
        for (setting, is_broken) in [(row.shop, false), (row.breaks, true)] {
            let shop = Shop::open_broken(Tamper { setting: Some(setting), ..Tamper::default() }).await;
            let (finished, _) = judged(&shop, row.actions, shipped(row.cases), 8, |target| target.settings = stated.clone()).await;
            let stories: Vec<_> = finished.iter().map(|case| story(case)).collect();
            assert_eq!(finished.len(), row.cases.len(), "{stories:?}");
            for case in &finished {
                let found = findings(case).iter().any(|finding| finding.clause().ends_with(row.clause) && finding.assumed.is_none());
                assert!(found == is_broken && (is_broken || case.verdict == Verdict::Passed), "{is_broken}: {}", story(case));
            }
        }
        let shop = Shop::open_broken(Tamper { setting: Some(row.shop), ..Tamper::default() }).await;
        let (finished, _) = judged(&shop, row.actions, shipped(row.cases), 8, |_| ()).await;
        assert!(finished.iter().all(|case| matches!(case.verdict, Verdict::Skipped { .. })));
    }
}
