//! The table of breaks, each in a test shop that has no control API: what can be seen there must be found there. What can't be is
//! accepted by name, in `snapshots/breaks/`, so that a check that grows blind at such a shop is seen.

use std::io::Write as _;
use std::time::Duration;

use futures::StreamExt as _;
use harness::base::verdict::Verdict;

use crate::breaks::{self, Break};
use crate::live_shop::{everybody, judged};
use crate::support::live::Shop;
use crate::support::{findings, sentence, shipped, story};

/// What became of a break.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A finding names the clause that was broken.
    Named,
    /// A finding names other clauses only.
    NamedOtherwise,
    /// What it breaks is assumed: the documents do not show it, so nothing counts.
    Assumed,
    /// No case of it can be played without a control API.
    NotPlayed,
    /// Its cases passed.
    Missed,
}

/// A break and what became of it.
struct Judged {
    name: String,
    fate: Fate,
    /// What was found, or how its cases ended.
    story: String,
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
    let (fate, what) = if counted.iter().any(|finding| finding.clause() == row.clause) {
        (Fate::Named, Vec::new())
    } else if !counted.is_empty() {
        (Fate::NamedOtherwise, counted.iter().map(|finding| sentence(finding)).collect())
    } else if !found.is_empty() {
        (Fate::Assumed, Vec::new())
    } else if !run.unexpected.is_empty() {
        (Fate::NamedOtherwise, vec![format!("{} notifications that belong to no case", run.unexpected.len())])
    } else if finished.iter().all(|case| matches!(case.verdict, Verdict::Skipped { .. })) {
        (Fate::NotPlayed, Vec::new())
    } else {
        (Fate::Missed, finished.iter().map(|case| story(case)).collect())
    };
    let story = format!("{} ({})\n  expected {}\n  {}", row.name, row.case, row.clause, what.join("\n  "));
    Judged { name: format!("{} ({})", row.name, row.case), fate, story }
}

/// The names of the breaks that can't be found by their clause, each list under its title.
fn unfound(judged: &[Judged]) -> String {
    let lists = [
        (Fate::NamedOtherwise, "under another clause"),
        (Fate::Assumed, "at what is assumed, so that nothing counts"),
        (Fate::NotPlayed, "not played: no case of it can do without a control API"),
    ];
    let list = |(fate, title): (Fate, &str)| {
        let names: Vec<_> = judged.iter().filter(|one| one.fate == fate).map(|one| format!("  {}\n", one.name)).collect();
        format!("{} {title}\n{}", names.len(), names.concat())
    };
    lists.map(list).join("\n")
}

fn stories(judged: &[Judged], fate: Fate) -> String {
    judged.iter().filter(|one| one.fate == fate).map(|one| one.story.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_shop_without_a_control_api_breaks_is_found() {
    let rows = breaks::all();
    let judged: Vec<Judged> = futures::stream::iter(&rows).map(become_of).buffered(48).collect().await;
    let count = |fate: Fate| judged.iter().filter(|one| one.fate == fate).count();
    let score = format!(
        "{} breaks without a control API: {} named, {} under another clause, {} at what is assumed, {} not played, {} missed",
        rows.len(),
        count(Fate::Named),
        count(Fate::NamedOtherwise),
        count(Fate::Assumed),
        count(Fate::NotPlayed),
        count(Fate::Missed)
    );
    let _ = writeln!(std::io::stderr(), "{score}");
    let (missed, otherwise) = (stories(&judged, Fate::Missed), stories(&judged, Fate::NamedOtherwise));
    assert!(missed.is_empty(), "{score}\n\notherwise:\n{otherwise}\n\nmissed:\n{missed}"); // the end of a log is what people are shown
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/breaks");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("without-a-control-api", unfound(&judged)));
}
