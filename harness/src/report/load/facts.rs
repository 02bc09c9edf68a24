//! The figures of a result, for the terminal and the page.

use crate::base::figures::{bytes, count, count_of, percent, rate, span, time};
use crate::base::text::counted;
use crate::engine::outcome::{Figure, Heading, Tone, Verb};
use crate::load::result::{
    Arrivals, ConnectionResult, ConservationResult, Early, ErrorKind, Generator, IterationTotals, JudgedIterations, LoadResult,
    NotificationResult,
};

/// Every figure that the result has numbers for.
pub(super) fn facts(result: &LoadResult) -> Vec<Figure> {
    let mut facts = vec![measured(result)];
    facts.extend(warm_up(result));
    facts.push(errors(result));
    facts.extend(result.arrivals.as_ref().map(arrivals));
    facts.extend(iterations(result));
    if let Some(received) = &result.notifications {
        facts.extend([notifications(received), lag(received)]);
    }
    facts.extend(result.judged.as_ref().and_then(judged));
    facts.extend(result.conservation.as_ref().map(|rechecked| conservation(rechecked, result.judged)));
    facts.extend(connections(&result.connections));
    facts.push(generator(&result.generator, result.seconds));
    facts.extend(capacity(result));
    facts
}

/// Calls of all operations.
pub(super) fn requests(result: &LoadResult) -> u64 {
    result.operations.iter().map(|o| o.requests).sum()
}

/// `load  emulator (embedded)  journey, constant-arrival-rate, seed 7, part 2 of 9`
pub(super) fn heading(verb: Verb, result: &LoadResult) -> Heading {
    let heading = Heading::new(verb, result.target.as_str()).and(result.profile.as_str()).and(result.kind.as_str()).seeded(result.seed);
    match parts(result) {
        Some(parts) => heading.and(parts),
        None => heading,
    }
}

/// The same on a page: `journey on emulator, constant-arrival-rate, seed 7, part 2 of 9`.
pub(super) fn identity(result: &LoadResult) -> String {
    let parts = parts(result).map(|parts| format!(", {parts}")).unwrap_or_default();
    format!("{} on {}, {}, seed {}{parts}", result.profile, result.target, result.kind, result.seed)
}

/// Which parts of a split load are in the result.
fn parts(result: &LoadResult) -> Option<String> {
    let shards = &result.shards;
    let parts: Vec<_> = shards.parts.iter().map(u32::to_string).collect();
    match parts.len() {
        _ if shards.of <= 1 => None,
        n if n == shards.of as usize => Some(format!("all {n} parts")),
        _ => Some(format!("part {} of {}", parts.join(", "), shards.of)),
    }
}

/// A part as a share; 0 if the whole is 0.
fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn measured(result: &LoadResult) -> Figure {
    let requests = requests(result);
    let rate = if result.seconds > 0.0 { rate(requests as f64 / result.seconds) } else { "–".into() };
    let (ended, tone) = match result.ended_early {
        None => ("", Tone::Plain),
        Some(Early::Interrupted) => (", ended by the user", Tone::Warn),
        Some(Early::Unfinished) => (" so far", Tone::Warn),
        Some(Early::Unreachable) => (", ended because the target did not respond", Tone::Bad),
        Some(Early::Killswitch) => (", ended because too many calls failed", Tone::Bad),
    };
    let text = format!("{} from {}, {}, {rate}{ended}", span(result.seconds), result.started_second(), count_of(requests, "request"));
    Figure::new("measured", tone, text)
}

/// `5.0 s before that: played and judged, but not measured`
fn warm_up(result: &LoadResult) -> Option<Figure> {
    let text = format!("{} before that: played and judged, but not measured", span(result.warm_up));
    (result.warm_up > 0.0).then(|| Figure::new("warm-up", Tone::Plain, text))
}

fn errors(result: &LoadResult) -> Figure {
    let of = |kind| result.operations.iter().filter_map(|o| o.errors.get(&kind)).sum::<u64>();
    let kinds = [(ErrorKind::Transport, "transport"), (ErrorKind::Contract, "contract"), (ErrorKind::Business, "business")];
    let kinds: Vec<_> = kinds.into_iter().map(|(kind, name)| (of(kind), name)).filter(|(errors, _)| *errors > 0).collect();
    let all: u64 = kinds.iter().map(|(errors, _)| errors).sum();
    if all == 0 {
        return Figure::new("errors", Tone::Plain, "none");
    }
    let kinds: Vec<_> = kinds.iter().map(|(errors, name)| format!("{} {name}", count(*errors))).collect();
    let text = format!("{} ({}): {}", count(all), percent(share(all, requests(result))), kinds.join(", "));
    Figure::new("errors", Tone::Bad, text)
}

fn arrivals(arrivals: &Arrivals) -> Figure {
    let late = arrivals.delayed + arrivals.dropped;
    let text = match late {
        0 => format!("{} due, all started in time", count_of(arrivals.intended, "iteration")),
        _ => format!(
            "{} due, {} started, {} of these more than 10 ms late, {} dropped; {} late or dropped",
            count_of(arrivals.intended, "iteration"),
            count(arrivals.started),
            count(arrivals.delayed),
            count(arrivals.dropped),
            percent(share(late, arrivals.intended))
        ),
    };
    // A busy machine alone can delay one iteration in a hundred.
    let tone = if share(late, arrivals.intended) > 0.01 { Tone::Warn } else { Tone::Plain };
    Figure::new("arrivals", tone, text)
}

/// `6,000 finished, 18 of these with a finding, 2 cut off`
fn iterations(result: &LoadResult) -> Option<Figure> {
    let IterationTotals { carried, cut_off, .. } = result.iterations;
    let passed: u64 = result.scenarios.iter().map(|s| s.passed).sum();
    let failed: u64 = result.scenarios.iter().map(|s| s.failed).sum();
    let tone = if failed > 0 { Tone::Bad } else { Tone::Plain };
    let mut text =
        format!("{} finished, {} with a finding", count(passed + failed), if failed == 0 { "none".into() } else { count(failed) });
    let others = [(carried, "of these started in the warm-up"), (cut_off, "cut off by the end")];
    for (times, what) in others.into_iter().filter(|(times, _)| *times > 0) {
        text.push_str(&format!(", {} {what}", count(times)));
    }
    (!result.scenarios.is_empty()).then_some(Figure::new("iterations", tone, text))
}

fn notifications(n: &NotificationResult) -> Figure {
    let classes = [
        (n.late, "late"),
        (n.duplicated, "more than once"),
        (n.lost, "lost"),
        (n.contradicting, "against the status call"),
        (n.unexpected, "unexpected"),
    ];
    let mut text = format!("{} due: {} received once and in time", count(n.expected), count(n.once));
    for (times, class) in classes.into_iter().filter(|(times, _)| *times > 0) {
        text.push_str(&format!(", {} {class}", count(times)));
    }
    let tone = match (n.lost + n.contradicting, n.late + n.duplicated) {
        (0, 0) => Tone::Good,
        (0, _) => Tone::Warn,
        _ => Tone::Bad,
    };
    Figure::new("notifications", tone, text)
}

fn lag(n: &NotificationResult) -> Figure {
    let at = |value: Option<u64>| value.map_or_else(|| "–".into(), |value| time(value as f64));
    let text = match n.lag.count {
        0 => "no notification was received".into(),
        _ => format!("p50 {}, p99 {}, max {} from the change of state", at(n.lag.p50), at(n.lag.p99), at(Some(n.lag.max))),
    };
    Figure::new("lag", Tone::Plain, text)
}

/// `82 of 6,000 iterations as a whole, of the others each response`
fn judged(judged: &JudgedIterations) -> Option<Figure> {
    let JudgedIterations { iterations, whole } = *judged;
    let text = match iterations.saturating_sub(whole) {
        0 => format!("{}, each as a whole", count_of(iterations, "iteration")),
        _ => format!("{} of {} as a whole, of the others each response", count(whole), count_of(iterations, "iteration")),
    };
    (iterations > 0).then(|| Figure::new("judged", Tone::Plain, text))
}

/// `400 of 6,000 iterations (a sample), all passed`
fn conservation(c: &ConservationResult, judged: Option<JudgedIterations>) -> Figure {
    let scope = if c.complete { "all" } else { "a sample" };
    // Results of earlier versions don't say how many iterations there were.
    let of = judged.map(|judged| count_of(judged.iterations, "iteration"));
    let chosen = of.map_or_else(|| count_of(c.examined, "iteration"), |of| format!("{} of {of}", count(c.examined)));
    let (tone, text) = match (c.examined, c.examined.saturating_sub(c.held)) {
        (0, _) => (Tone::Plain, "there was nothing to re-check".to_owned()),
        (_, 0) => (Tone::Good, format!("{chosen} ({scope}), all passed")),
        (_, broken) => (Tone::Bad, format!("{chosen} ({scope}), {} failed", count(broken))),
    };
    Figure::new("re-checked", tone, text)
}

/// `4 of HTTP/2, at most 25 requests at once on one`
fn connections(connections: &[ConnectionResult]) -> Option<Figure> {
    let spoken = connections.iter().map(|spoken| {
        let at_once = format!(", at most {} at once on one", counted(usize::try_from(spoken.streams).unwrap_or(usize::MAX), "request"));
        format!("{} of {}{}", count(spoken.opened), spoken.protocol, if spoken.streams > 1 { at_once } else { String::new() })
    });
    let text = spoken.collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(Figure::new("connections", Tone::Plain, text))
}

fn generator(generator: &Generator, seconds: f64) -> Figure {
    let available = seconds * f64::from(generator.cores);
    let cpu =
        if available > 0.0 { format!("{} of {} cores", percent(generator.cpu_seconds / available), generator.cores) } else { "–".into() };
    let scheduling = match (generator.scheduling.count, generator.scheduling.p99) {
        (0, _) => String::new(),
        (_, Some(p99)) => format!("starts {} late at p99, ", time(p99 as f64)),
        (_, None) => format!("starts at most {} late, ", time(generator.scheduling.max as f64)),
    };
    let limit = if generator.limit.is_some() { ": generator-limited" } else { "" };
    let tone = if generator.limit.is_some() { Tone::Warn } else { Tone::Plain };
    Figure::new("generator", tone, format!("{scheduling}CPU {cpu}, memory at most {}{limit}", bytes(generator.peak_memory)))
}

/// What a capacity search found.
fn capacity(result: &LoadResult) -> Option<Figure> {
    let trials = &result.trials;
    let highest = trials.iter().filter(|t| t.held).max_by(|a, b| a.rate.total_cmp(&b.rate));
    let lowest = trials.iter().filter(|t| !t.held).min_by(|a, b| a.rate.total_cmp(&b.rate));
    let of = counted(trials.len(), "trial");
    let text = match (highest, lowest) {
        (None, None) => return None,
        (Some(high), None) => format!("{} held, the highest rate that was tried ({of})", rate(high.rate)),
        (None, Some(low)) => format!("{} did not hold, the lowest rate that was tried: {}", rate(low.rate), low.note),
        (Some(high), Some(low)) => format!("{} held, {} did not ({of}): {}", rate(high.rate), rate(low.rate), low.note),
    };
    Some(Figure::new("capacity", if highest.is_some() { Tone::Good } else { Tone::Bad }, text))
}
