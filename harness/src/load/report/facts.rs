//! What a result says in one line each, for the terminal and the page alike.

use super::format::{bytes, count, percent, rate, span, time};
use crate::load::result::{Arrivals, ConservationResult, Early, ErrorKind, Generator, LoadResult, NotificationResult};

/// A line: what it is about, whether all is well with it, and what there is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) standing: Standing,
    pub(super) text: String,
}

/// Whether all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing to judge.
    Plain,
    /// It holds.
    Good,
    /// It does not.
    Bad,
    /// It casts doubt on the numbers.
    Doubtful,
}

/// All lines that the result has something to say for.
pub(super) fn facts(result: &LoadResult) -> Vec<Fact> {
    let mut facts = vec![measured(result), errors(result)];
    facts.extend(result.arrivals.as_ref().map(arrivals));
    facts.extend(iterations(result));
    if let Some(told) = &result.notifications {
        facts.extend([notifications(told), lag(told)]);
    }
    facts.extend(result.conservation.as_ref().map(conservation));
    facts.push(generator(&result.generator, result.seconds));
    facts.extend(capacity(result));
    facts
}

/// Calls of all operations.
pub(super) fn requests(result: &LoadResult) -> u64 {
    result.operations.iter().map(|o| o.requests).sum()
}

/// `journey on emulator, constant-arrival-rate, seed 7, part 2 of 9`
pub(super) fn identity(result: &LoadResult) -> String {
    let shards = &result.shards;
    let parts: Vec<_> = shards.parts.iter().map(u32::to_string).collect();
    let parts = match parts.len() {
        _ if shards.of <= 1 => String::new(),
        n if n == shards.of as usize => format!(", all {n} parts"),
        _ => format!(", part {} of {}", parts.join(", "), shards.of),
    };
    format!("{} on {}, {}, seed {}{parts}", result.profile, result.target, result.kind, result.seed)
}

/// A share of nothing is nothing.
fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn measured(result: &LoadResult) -> Fact {
    let requests = requests(result);
    let rate = if result.seconds > 0.0 { rate(requests as f64 / result.seconds) } else { "–".into() };
    let (ended, standing) = match result.ended_early {
        None => ("", Standing::Plain),
        Some(Early::Interrupted) => (", ended by the user", Standing::Doubtful),
        Some(Early::Killswitch) => (", ended because too many calls failed", Standing::Bad),
    };
    let text = format!("{} from {}, {} requests, {rate}{ended}", span(result.seconds), result.started, count(requests));
    Fact { label: "measured", standing, text }
}

fn errors(result: &LoadResult) -> Fact {
    let of = |kind| result.operations.iter().filter_map(|o| o.errors.get(&kind)).sum::<u64>();
    let kinds = [(ErrorKind::Transport, "transport"), (ErrorKind::Contract, "contract"), (ErrorKind::Business, "business")];
    let told: Vec<_> = kinds.into_iter().map(|(kind, name)| (of(kind), name)).filter(|(errors, _)| *errors > 0).collect();
    let all: u64 = told.iter().map(|(errors, _)| errors).sum();
    if all == 0 {
        return Fact { label: "errors", standing: Standing::Plain, text: "none".into() };
    }
    let kinds: Vec<_> = told.iter().map(|(errors, name)| format!("{} {name}", count(*errors))).collect();
    let text = format!("{} ({}): {}", count(all), percent(share(all, requests(result))), kinds.join(", "));
    Fact { label: "errors", standing: Standing::Bad, text }
}

fn arrivals(arrivals: &Arrivals) -> Fact {
    let late = arrivals.delayed + arrivals.missed;
    let text = match late {
        0 => format!("{} iterations due, all begun in time", count(arrivals.intended)),
        _ => format!(
            "{} iterations due, {} begun, {} of these more than 10 ms late, {} never begun",
            count(arrivals.intended),
            count(arrivals.begun),
            count(arrivals.delayed),
            count(arrivals.missed)
        ),
    };
    // One in a hundred is what a busy machine does.
    let standing = if share(late, arrivals.intended) > 0.01 { Standing::Doubtful } else { Standing::Plain };
    Fact { label: "arrivals", standing, text }
}

fn iterations(result: &LoadResult) -> Option<Fact> {
    let passed: u64 = result.scenarios.iter().map(|s| s.passed).sum();
    let failed: u64 = result.scenarios.iter().map(|s| s.failed).sum();
    let standing = if failed > 0 { Standing::Bad } else { Standing::Plain };
    let text = format!("{} played to the end, {} with something found", count(passed), count(failed));
    (!result.scenarios.is_empty()).then_some(Fact { label: "iterations", standing, text })
}

fn notifications(n: &NotificationResult) -> Fact {
    let classes = [
        (n.late, "late"),
        (n.duplicated, "more than once"),
        (n.lost, "never"),
        (n.contradicting, "against the status call"),
        (n.unexpected, "that nobody waited for"),
    ];
    let mut text = format!("{} due: {} came once and in time", count(n.expected), count(n.once));
    for (times, class) in classes.into_iter().filter(|(times, _)| *times > 0) {
        text.push_str(&format!(", {} {class}", count(times)));
    }
    let standing = match (n.lost + n.contradicting, n.late + n.duplicated) {
        (0, 0) => Standing::Good,
        (0, _) => Standing::Doubtful,
        _ => Standing::Bad,
    };
    Fact { label: "notified", standing, text }
}

fn lag(n: &NotificationResult) -> Fact {
    let at = |value: u64| time(value as f64);
    let text = match n.lag.count {
        0 => "no notification came".into(),
        _ => format!("p50 {}, p99 {}, max {} from the change of state", at(n.lag.p50), at(n.lag.p99), at(n.lag.max)),
    };
    Fact { label: "lag", standing: Standing::Plain, text }
}

fn conservation(c: &ConservationResult) -> Fact {
    let scope = if c.complete { "all" } else { "a sample" };
    let (standing, text) = match (c.examined, c.examined.saturating_sub(c.held)) {
        (0, _) => (Standing::Plain, "there was nothing to look at again".into()),
        (examined, 0) => (Standing::Good, format!("{} iterations looked at again ({scope}), all hold", count(examined))),
        (examined, broken) => {
            (Standing::Bad, format!("{} of {} iterations looked at again ({scope}) do not hold", count(broken), count(examined)))
        }
    };
    Fact { label: "afterwards", standing, text }
}

fn generator(generator: &Generator, seconds: f64) -> Fact {
    let available = seconds * f64::from(generator.cores);
    let cpu =
        if available > 0.0 { format!("{} of {} cores", percent(generator.cpu_seconds / available), generator.cores) } else { "–".into() };
    let scheduling = match generator.scheduling.count {
        0 => String::new(),
        _ => format!("begins {} late at p99, ", time(generator.scheduling.p99 as f64)),
    };
    let limit = if generator.limit.is_some() { ": it was the limit" } else { "" };
    let standing = if generator.limit.is_some() { Standing::Doubtful } else { Standing::Plain };
    Fact { label: "generator", standing, text: format!("{scheduling}CPU {cpu}, memory at most {}{limit}", bytes(generator.peak_memory)) }
}

/// What a capacity search found.
fn capacity(result: &LoadResult) -> Option<Fact> {
    let trials = &result.trials;
    let highest = trials.iter().filter(|t| t.held).max_by(|a, b| a.rate.total_cmp(&b.rate));
    let lowest = trials.iter().filter(|t| !t.held).min_by(|a, b| a.rate.total_cmp(&b.rate));
    let of = trials.len();
    let text = match (highest, lowest) {
        (None, None) => return None,
        (Some(high), None) => format!("{} held, the highest rate that was tried ({of} trials)", rate(high.rate)),
        (None, Some(low)) => format!("{} did not hold, the lowest rate that was tried: {}", rate(low.rate), low.note),
        (Some(high), Some(low)) => format!("{} held, {} did not ({of} trials): {}", rate(high.rate), rate(low.rate), low.note),
    };
    Some(Fact { label: "capacity", standing: if highest.is_some() { Standing::Good } else { Standing::Bad }, text })
}
