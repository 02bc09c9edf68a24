//! What a shop is set to is stated in its target file, and decides which cases are played.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::binary::{file, run};
use serde_json::Value;
use tempfile::tempdir;

/// A shop of QR payments whose time can be moved.
const SHOP: &str = "title: a shop\nbase: http://127.0.0.1:9\ncredentials:\n  main: { mid: M1, qr-terminal: Q1, qr-user: u, qr-password: some-password-7 }\n\
                    world: { ask: [clock.advances, payer.pays] }\n";

/// The clauses that a target with these settings lets a run judge, and what would open more.
fn coverage(folder: &Path, shop: &str, settings: &str) -> (BTreeSet<String>, String) {
    let target = file(folder, "target.yaml", &format!("{shop}{settings}")).display().to_string();
    let reach: Value = serde_json::from_str(&run(["coverage", "--target", &target, "--json"]).with_code(0).out).unwrap();
    let clauses = reach["clauses"].as_array().unwrap().iter().filter(|clause| clause["reached"] == true);
    (clauses.map(|clause| clause["id"].as_str().unwrap().to_owned()).collect(), reach["openings"].to_string())
}

#[test]
fn a_terminal_in_production_is_judged_as_one() {
    let folder = tempdir().unwrap();
    let (test, opens) = coverage(folder.path(), SHOP, "");
    assert!(test.contains("qr.test.paid") && !test.contains("qr.extend.seven-days"));
    assert!(opens.contains("`merchants.main.qr-test: false` under `settings`, where the shop is set to it"), "{opens}");
    let (production, opens) = coverage(folder.path(), SHOP, "settings: { merchants: { main: { qr-test: false } } }\n");
    assert!(
        !production.contains("qr.test.paid") && production.contains("qr.extend.seven-days") && production.contains("qr.payment.expired")
    );
    assert!(opens.contains("a shop that is set to `merchants.main.qr-test: true`"), "{opens}");
}

#[test]
fn what_only_some_shops_have_is_judged_where_it_is_stated() {
    let folder = tempdir().unwrap();
    let has = "settings: { recurring-cancelled-email: stop@example.com, merchants: { main: { 3ds: true, fee: '250', accounts: [one], \
               expiration: 30m, unregulated-card-fees: true, apple-pay-outcome: PAID, apple-pay-message: paid } } }\n";
    let shop = "title: a shop\nbase: http://127.0.0.1:9\ncredentials:\n  main: { merchant: '1', secret: some-password-7 }\n\
                notifications: { listen: 127.0.0.1:0 }\nworld: { ask: [payer.pays, clock.advances] }\n";
    let (without, _) = coverage(folder.path(), shop, "");
    let (with, _) = coverage(folder.path(), shop, has);
    for clause in [
        "gateway.create.account.default",
        "gateway.create.expirationTime.default",
        "gateway.recurring.test.cancelled",
        "gateway.status.appliedFeeType.enum",
        "gateway.status.fee.set",
        "gateway.v1.create.answer.applepay.enum",
    ] {
        assert!(!without.contains(clause) && with.contains(clause), "{clause}");
    }
}
