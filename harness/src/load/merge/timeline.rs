//! Merges timelines by the time since measuring began.
//!
//! Ticks of several processes are never at the same instant, and intervals may differ in length. The coarsest timeline sets the
//! intervals; each moment of another timeline is added to the interval that contains its middle. So every call is counted exactly once,
//! at most half an interval from its time.

use super::error::MergeError;
use super::part::ResultPart;
use crate::load::encoded_times::add_encoded;
use crate::load::latency::histogram;
use crate::load::partial::marked;
use crate::load::result::{Moment, OperationMoment};

/// The most intervals. A timeline of ours never has that number, but a file may.
const CELLS: usize = 2000;

/// Timelines are precise to the millisecond.
const INSTANT: f64 = 0.001;

/// The moments of all parts that are in one interval.
struct Cell<'p> {
    at: f64,
    seconds: f64,
    /// The moments part by part, in the order of time.
    moments: Vec<(&'p PartTimeline<'p>, &'p Moment)>,
}

/// The timeline of a part.
pub(super) struct PartTimeline<'p> {
    /// Where it was read.
    file: &'p str,
    moments: Vec<Moment>,
}

/// The timeline of all calls.
pub(super) fn of_all(parts: &[ResultPart]) -> Result<Vec<Moment>, MergeError> {
    let timelines: Vec<_> = parts.iter().map(|part| PartTimeline { file: &part.file, moments: part.result.timeline.clone() }).collect();
    overlaid(&timelines)
}

/// The timeline of one operation of a load that was measured for so many seconds.
pub(super) fn of_operation(parts: &[ResultPart], name: &str, measured: f64) -> Result<Vec<OperationMoment>, MergeError> {
    let found = |part: &ResultPart| part.result.operations.iter().find(|operation| operation.operation == name).cloned();
    let timeline = |part| found(part).map(|operation| operation.timeline.iter().map(OperationMoment::as_moment).collect::<Vec<_>>());
    let known = parts.iter().filter_map(|part| Some(PartTimeline { file: &part.file, moments: timeline(part)? }));
    let timeline = marked(overlaid(&known.collect::<Vec<_>>())?, measured);
    Ok(timeline.into_iter().map(OperationMoment::from_moment).collect())
}

fn overlaid(parts: &[PartTimeline<'_>]) -> Result<Vec<Moment>, MergeError> {
    let mut cells = grid(parts);
    for part in parts {
        for moment in &part.moments {
            let middle = moment.at + moment.seconds / 2.0;
            let after = cells.partition_point(|cell| cell.at <= middle);
            if let Some(cell) = cells.get_mut(after.saturating_sub(1)) {
                cell.moments.push((part, moment));
            }
        }
    }
    cells.iter().filter(|cell| !cell.moments.is_empty()).map(Cell::moment).collect()
}

/// The intervals of the coarsest timeline, and as many more as the longest timeline needs.
fn grid<'p>(parts: &'p [PartTimeline<'p>]) -> Vec<Cell<'p>> {
    let timelines = || parts.iter().map(|part| part.moments.as_slice());
    let coarsest = timelines().max_by(|one, other| interval(one).total_cmp(&interval(other)).then(one.len().cmp(&other.len())));
    let Some(moments) = coarsest else { return Vec::new() };
    let mut cells: Vec<Cell<'p>> =
        moments.iter().map(|moment| Cell { at: moment.at, seconds: moment.seconds, moments: Vec::new() }).collect();
    let end = timelines().filter_map(<[_]>::last).map(|last| last.at + last.seconds).fold(0.0, f64::max);
    let step = interval(moments);
    while let Some(last) = cells.last().filter(|_| cells.len() < CELLS) {
        let next = last.at + last.seconds;
        if end - next < INSTANT {
            break;
        }
        cells.push(Cell { at: next, seconds: step.min(end - next), moments: Vec::new() });
    }
    cells
}

/// How long the intervals of a timeline are; the last one may be shorter.
fn interval(timeline: &[Moment]) -> f64 {
    timeline.iter().map(|moment| moment.seconds).fold(0.0, f64::max)
}

impl Cell<'_> {
    fn moment(&self) -> Result<Moment, MergeError> {
        let mut sum = Moment { at: self.at, seconds: self.seconds, ..Moment::default() };
        let (mut response, mut lag) = (histogram(), histogram());
        let mut moments = self.moments.iter().peekable();
        while let Some((part, moment)) = moments.next() {
            let unreadable =
                |error| MergeError::Unreadable { file: part.file.to_owned(), what: format!("the timeline at {} s", moment.at), error };
            add_encoded(&mut response, &moment.histogram).map_err(unreadable)?;
            add_encoded(&mut lag, moment.lag.as_deref().unwrap_or_default()).map_err(unreadable)?;
            sum.requests = sum.requests.saturating_add(moment.requests);
            sum.errors = sum.errors.saturating_add(moment.errors);
            sum.started = sum.started.saturating_add(moment.started);
            if let Some(intended) = moment.intended {
                sum.intended = Some(sum.intended.unwrap_or(0).saturating_add(intended));
            }
            // Only the users at the end of the interval count.
            if moments.peek().is_none_or(|(next, _)| !std::ptr::eq(*next, *part)) {
                sum.users = sum.users.saturating_add(moment.users);
            }
        }
        Ok(sum.with_times(&response, &lag))
    }
}
