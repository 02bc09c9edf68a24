//! Allowances: what documents 2 and 3 leave to the target. A proxy makes a conforming target use each of them, and no check
//! may object.

mod device;
mod media_types;
mod qr;
mod statements;
mod terminal;
mod transfers;

use std::sync::{Arc, LazyLock};

use harness::engine::event::CaseFinished;
use harness::engine::runner::Case;
use regex::{Captures, Regex};

use crate::support::proxy::{Message, ObservedRequest, Proxy, Tamper, Translation};
use crate::support::{emulator, judge, shipped, target, thinned, troubles};

/// Identifiers of another shape: `AB12-CD34-EF56` ↔ `pay_ab12cd34ef56`.
pub const OTHER_IDENTIFIERS: Translation = Translation {
    inward: |text| {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new("pay_([a-z0-9]{4})([a-z0-9]{4})([a-z0-9]{4})").unwrap());
        let back = |found: &Captures<'_>| format!("{}-{}-{}", &found[1], &found[2], &found[3]).to_ascii_uppercase();
        PATTERN.replace_all(text, back).into_owned()
    },
    outward: |text| {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new("([A-Z0-9]{4})-([A-Z0-9]{4})-([A-Z0-9]{4})").unwrap());
        let there = |found: &Captures<'_>| format!("pay_{}{}{}", &found[1], &found[2], &found[3]).to_ascii_lowercase();
        PATTERN.replace_all(text, there).into_owned()
    },
};

/// Some cases of each scenario of these APIs that demands only what the documents promise. Scenarios that `tolerant` restricts to an emulator
/// demand more: what is optional, or assumed.
fn promised(apis: &[&str]) -> Vec<Case> {
    let mut plan = shipped(apis);
    let is_assumed = |case: &Case| case.steps.iter().any(|step| step.assumed.is_some());
    plan.retain(|case| !case.scenario.setting.contains_key("tolerant") && !is_assumed(case));
    thinned(plan, 0)
}

/// The cases of these APIs that a live target can run.
fn live(apis: &[&str]) -> Vec<Case> {
    let mut plan = shipped(apis);
    plan.retain(|case| case.scenario.setting.is_empty());
    plan
}

/// An allowance that shows in responses.
fn in_responses(response: fn(&ObservedRequest<'_>, &mut Message)) -> Tamper {
    Tamper { response: Some(response), ..Tamper::default() }
}

/// Judges cases through a proxy; there must be no finding.
async fn not_flagged(tamper: Tamper, plan: Vec<Case>) {
    passes(&judged(tamper, plan, true).await);
}

/// The same where assumptions are not asserted, as on a live target.
async fn not_flagged_but_as_assumed(tamper: Tamper, plan: Vec<Case>) {
    passes(&judged(tamper, plan, false).await);
}

async fn judged(tamper: Tamper, plan: Vec<Case>, assert_assumed: bool) -> Vec<Arc<CaseFinished>> {
    let emulator = emulator().await;
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.notifications.public = Some(proxy.inbox_url());
    target.assert_assumed = assert_assumed;
    let count = plan.len();
    let finished = judge(target, plan, 1, Some(&proxy)).await;
    assert_eq!(finished.len(), count);
    assert!(proxy.changed() > 0, "the proxy changed nothing");
    finished
}

/// Asserts that there are no findings, except about assumptions.
fn passes(finished: &[Arc<CaseFinished>]) {
    let all_assumed = |i: &&Arc<CaseFinished>| {
        let found = crate::support::findings(i);
        !found.is_empty() && found.iter().all(|finding| finding.assumed.is_some())
    };
    let flagged: Vec<_> = finished.iter().filter(|i| !all_assumed(i)).cloned().collect();
    let troubles = troubles(&flagged);
    assert!(troubles.is_empty(), "{} of {} are flagged:\n{}", troubles.len(), finished.len(), troubles.join("\n"));
}
