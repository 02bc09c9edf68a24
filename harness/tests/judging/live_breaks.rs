//! The table of breaks, each in a test shop that has no control API: what can be seen there must be found there.

use std::time::Duration;

use futures::StreamExt as _;
use harness::base::verdict::Verdict;

use crate::breaks::{self, Break};
use crate::live_shop::{everybody, judged};
use crate::support::live::Shop;
use crate::support::{findings, sentence, shipped, story};

/// What became of a break.
enum Judged {
    /// A finding names the clause that was broken.
    Named,
    /// A finding names other clauses only.
    NamedOtherwise(String),
    /// What it breaks is assumed: the documents do not show it, so nothing counts.
    Assumed,
    /// No case of it can be played without a control API.
    NotPlayed,
    /// Its cases passed.
    Missed(String),
}

async fn become_of(row: &Break) -> Judged {
    let shop = Shop::open_broken(row.tamper).await;
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let (finished, run) = judged(&shop, &actions, shipped(&[row.case]), 8, |target| {
        target.notifications.within = Duration::from_secs(2);
        target.poll_within = Duration::from_secs(1);
        target.timeout = row.tamper.timeout.unwrap_or(Duration::from_secs(5));
    })
    .await;
    let found: Vec<_> = finished.iter().flat_map(|case| findings(case)).collect();
    let counted: Vec<_> = found.iter().filter(|finding| finding.assumed.is_none()).collect();
    let message = |what: Vec<String>| format!("{} ({})\n  expected {}\n  {}", row.name, row.case, row.clause, what.join("\n  "));
    if counted.iter().any(|finding| finding.clause() == row.clause) {
        Judged::Named
    } else if !counted.is_empty() {
        Judged::NamedOtherwise(message(counted.iter().map(|finding| sentence(finding)).collect()))
    } else if !found.is_empty() {
        Judged::Assumed
    } else if !run.unexpected.is_empty() {
        Judged::NamedOtherwise(message(vec![format!("{} notifications that belong to no case", run.unexpected.len())]))
    } else if finished.iter().all(|case| matches!(case.verdict, Verdict::Skipped { .. })) {
        Judged::NotPlayed
    } else {
        Judged::Missed(message(finished.iter().map(|case| story(case)).collect()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_shop_without_a_control_api_breaks_is_found() {
    let rows = breaks::all();
    let judged: Vec<Judged> = futures::stream::iter(&rows).map(become_of).buffered(48).collect().await;
    let (mut named, mut assumed, mut not_played, mut otherwise, mut missed) = (0, 0, 0, Vec::new(), Vec::new());
    for one in judged {
        match one {
            Judged::Named => named += 1,
            Judged::Assumed => assumed += 1,
            Judged::NotPlayed => not_played += 1,
            Judged::NamedOtherwise(how) => otherwise.push(how),
            Judged::Missed(how) => missed.push(how),
        }
    }
    let score = format!(
        "{} breaks: {named} named, {} under another clause, {assumed} at what is assumed, {not_played} not played, {} missed",
        rows.len(),
        otherwise.len(),
        missed.len()
    );
    assert!(missed.is_empty(), "{score}\n\nmissed:\n{}\n\notherwise:\n{}", missed.join("\n"), otherwise.join("\n"));
}
