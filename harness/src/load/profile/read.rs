//! Reading a profile strictly and whole: every mistake is told, at its place, before the first request.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{
    Accounting, Conservation, Killswitch, Kind, Profile, Threshold, bounds, capacity_search, constant_arrival_rate, constant_users, mix,
    ramping_arrival_rate, ramping_users, soak, threshold,
};
use crate::contract::Contracts;
use crate::scenario::Scenario;
use crate::source::{Diagnostic, Fields, Node, Problems, Source};

type Reader = fn(&mut Fields<'_>, &mut Problems) -> Option<Kind>;

/// Every kind of load and what reads its keys.
const KINDS: [(&str, Reader); 6] = [
    (constant_users::NAME, constant_users::read),
    (ramping_users::NAME, ramping_users::read),
    (constant_arrival_rate::NAME, constant_arrival_rate::read),
    (ramping_arrival_rate::NAME, ramping_arrival_rate::read),
    (capacity_search::NAME, capacity_search::read),
    (soak::NAME, soak::read),
];

/// Reads a profile from disk. `scenarios` are those that its mix may name.
pub fn read(path: &Path, contracts: &Contracts, scenarios: &[Arc<Scenario>]) -> Result<Profile, Problems> {
    let mut problems = Problems::new();
    match Source::read(path, &mut problems) {
        Some(source) => parse(&source, contracts, scenarios),
        None => Err(problems),
    }
}

/// Reads a profile from a source. Mistakes are those of the whole file.
pub fn parse(source: &Arc<Source>, contracts: &Contracts, scenarios: &[Arc<Scenario>]) -> Result<Profile, Problems> {
    let mut problems = Problems::new();
    let read = profile(source, contracts, scenarios, &mut problems);
    // Nothing is read only where something is wrong, and then `or` has answered already.
    problems.or(read)?.ok_or_else(Problems::new)
}

fn profile(source: &Arc<Source>, contracts: &Contracts, scenarios: &[Arc<Scenario>], problems: &mut Problems) -> Option<Profile> {
    let node = source.parse(problems)?;
    let mut fields = Fields::of(&node, "a profile", problems)?;
    let title = fields.require_text("title", problems);
    let found = kind(&mut fields, problems);
    let kind = found.and_then(|(_, read)| read(&mut fields, problems));
    let warm_up = warm_up(&mut fields, kind.as_ref(), problems);
    let mix = mix::read(&mut fields, scenarios, problems);
    let thresholds = thresholds(&mut fields, kind.as_ref(), contracts, problems);
    let killswitch = killswitch(fields.take("killswitch"), problems);
    let notifications = notifications(fields.take("notifications"), problems);
    let conservation = conservation(fields.take("conservation"), problems);
    // Of an unknown kind nobody knows the keys.
    if found.is_some() {
        fields.finish(problems);
    }
    let name = Path::new(&source.path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let path = source.path.clone();
    Some(Profile { name, path, title: title?, kind: kind?, warm_up, mix: mix?, thresholds, killswitch, notifications, conservation })
}

fn kind(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<(&'static str, Reader)> {
    let node = fields.require("kind", problems)?;
    let name = node.text().unwrap_or_default();
    let found = KINDS.into_iter().find(|(known, _)| *known == name);
    if found.is_none() {
        let problem = Diagnostic::at(node, format!("`kind` is a kind of load, but this is {}", node.describe()));
        problems.add(problem.names(name, KINDS.iter().map(|(name, _)| *name)));
    }
    found
}

fn warm_up(fields: &mut Fields<'_>, kind: Option<&Kind>, problems: &mut Problems) -> Duration {
    let Some(node) = fields.take("warm-up") else { return Duration::ZERO };
    let time = bounds::time_or_nothing(node, "warm-up", problems).unwrap_or_default();
    if kind.is_some_and(|kind| kind.duration() <= time) {
        problems.add(Diagnostic::at(node, "the warm-up takes all of the time: nothing would be measured"));
    }
    time
}

fn thresholds(fields: &mut Fields<'_>, kind: Option<&Kind>, contracts: &Contracts, problems: &mut Problems) -> Vec<Threshold> {
    let items = fields.list("thresholds", problems).iter();
    items.filter_map(|item| threshold::read(item, kind, contracts, problems)).collect()
}

fn killswitch(node: Option<&Node>, problems: &mut Problems) -> Killswitch {
    let mut killswitch = Killswitch::default();
    let Some(mut fields) = node.and_then(|node| Fields::of(node, "killswitch", problems)) else { return killswitch };
    if let Some(share) = fields.take("errors").and_then(|node| bounds::share(node, "errors", problems)) {
        killswitch.errors = share;
    }
    if let Some(after) = fields.take("after").and_then(|node| bounds::whole(node, "after", 1..=u64::MAX, problems)) {
        killswitch.after = after;
    }
    fields.finish(problems);
    killswitch
}

fn notifications(node: Option<&Node>, problems: &mut Problems) -> Accounting {
    let mut accounting = Accounting::default();
    let Some(mut fields) = node.and_then(|node| Fields::of(node, "notifications", problems)) else { return accounting };
    if let Some(late) = fields.take("late").and_then(|node| bounds::positive_time(node, "late", problems)) {
        accounting.late = late;
    }
    if let Some(lost) = fields.take("lost").and_then(|node| bounds::positive_time(node, "lost", problems)) {
        accounting.lost = lost;
    }
    fields.finish(problems);
    accounting
}

fn conservation(node: Option<&Node>, problems: &mut Problems) -> Conservation {
    let Some(node) = node else { return Conservation::default() };
    let words: Vec<&str> = node.text().unwrap_or_default().split_whitespace().collect();
    match words.as_slice() {
        ["off"] => return Conservation::Off,
        ["complete"] => return Conservation::Complete,
        ["sampled", number] => {
            if let Some(most) = number.parse().ok().filter(|most| *most > 0) {
                return Conservation::Sampled(most);
            }
        }
        _ => {}
    }
    let problem =
        Diagnostic::at(node, format!("`conservation` is off, complete, or sampled with a number, but this is {}", node.describe()));
    problems.add(problem.help("for example conservation: sampled 200"));
    Conservation::default()
}
