//! What documents 2 and 3 leave to the target, told by the same proxy.

mod device;
mod qr;
mod statements;
mod terminal;
mod transfers;

use std::sync::Arc;

use harness::event::InstanceFinished;
use harness::runner::Instance;

use crate::support::proxy::{Asked, Message, Proxy, Tamper, Words};
use crate::support::{emulator, judge, shipped, target, troubles};

/// Identifiers of another shape: `AB12-CD34-EF56` ↔ `pay_ab12cd34ef56`.
pub const OTHER_IDENTIFIERS: Words = Words {
    inward: |text| {
        let regex = regex::Regex::new("pay_([a-z0-9]{4})([a-z0-9]{4})([a-z0-9]{4})").unwrap();
        let back = |found: &regex::Captures<'_>| format!("{}-{}-{}", &found[1], &found[2], &found[3]).to_ascii_uppercase();
        regex.replace_all(text, back).into_owned()
    },
    outward: |text| {
        let regex = regex::Regex::new("([A-Z0-9]{4})-([A-Z0-9]{4})-([A-Z0-9]{4})").unwrap();
        let there = |found: &regex::Captures<'_>| format!("pay_{}{}{}", &found[1], &found[2], &found[3]).to_ascii_lowercase();
        regex.replace_all(text, there).into_owned()
    },
};

/// Every story of these APIs that asks for nothing but what the documents promise. Those that are kept to an
/// emulator by `tolerant` ask for more: for what is optional, or assumed.
fn promised(apis: &[&str]) -> Vec<Instance> {
    let mut plan = shipped(apis);
    plan.retain(|instance| !instance.scenario.setting.contains_key("tolerant"));
    plan
}

/// Those of them that can be told on a live target.
fn live(apis: &[&str]) -> Vec<Instance> {
    let mut plan = shipped(apis);
    plan.retain(|instance| instance.scenario.setting.is_empty());
    plan
}

/// A freedom in the answers.
fn answering(answer: fn(&Asked<'_>, &mut Message)) -> Tamper {
    Tamper { answer: Some(answer), ..Tamper::default() }
}

/// Judges stories through a proxy; nothing may be found.
async fn not_flagged(tamper: Tamper, plan: Vec<Instance>) {
    passes(&judged(tamper, plan, true).await);
}

/// The same where assumptions don't count, as on a live target.
async fn not_flagged_but_as_assumed(tamper: Tamper, plan: Vec<Instance>) {
    passes(&judged(tamper, plan, false).await);
}

async fn judged(tamper: Tamper, plan: Vec<Instance>, assert_assumed: bool) -> Vec<Arc<InstanceFinished>> {
    let emulator = emulator().await;
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.notifications.public = Some(proxy.inbox_url());
    target.assert_assumed = assert_assumed;
    let count = plan.len();
    let finished = judge(target, plan, 1, Some(&proxy)).await;
    assert_eq!(finished.len(), count);
    assert!(proxy.changed() > 0, "nothing was told otherwise");
    finished
}

/// Findings about assumptions don't count, where they are told apart.
fn passes(finished: &[Arc<InstanceFinished>]) {
    let all_assumed = |i: &&Arc<InstanceFinished>| {
        let found = crate::support::findings(i);
        !found.is_empty() && found.iter().all(|finding| finding.assumed.is_some())
    };
    let flagged: Vec<_> = finished.iter().filter(|i| !all_assumed(i)).cloned().collect();
    let troubles = troubles(&flagged);
    assert!(troubles.is_empty(), "{} of {} are flagged:\n{}", troubles.len(), finished.len(), troubles.join("\n"));
}
