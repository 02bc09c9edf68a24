//! How often calls got which HTTP status and which result code.

use std::cmp::Ordering;

use crate::load::result::ResponseCount;

/// The result code in the body of a response, where the API has such codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultCode {
    /// The HTTP status says it all, or no code was found.
    #[default]
    None,
    /// The documented code with this number among those that the meter knows of the operation.
    Documented(u16),
    /// Any other one. It is not named: who knows what a target writes there.
    Undocumented,
}

/// Counts by status, none for no response, and code. A call has few different ones, the first of which is nearly always the one that is
/// looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseCounts(Vec<((Option<u16>, ResultCode), u64)>);

impl ResponseCounts {
    /// Counts a call.
    pub fn count(&mut self, status: Option<u16>, code: ResultCode) {
        self.add_times((status, code), 1);
    }

    /// All of them by status and code; `codes` are the documented ones in their order.
    pub fn named(&self, codes: &[String]) -> Vec<ResponseCount> {
        let name = |code| match code {
            ResultCode::None => None,
            ResultCode::Documented(number) => codes.get(usize::from(number)).cloned(),
            ResultCode::Undocumented => Some("undocumented".to_owned()),
        };
        let mut counts: Vec<_> = self.0.iter().map(|&((status, code), calls)| ResponseCount { status, code: name(code), calls }).collect();
        counts.sort_by(by_status_and_code);
        counts
    }

    pub(super) fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|&(kind, times)| self.add_times(kind, times));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn add_times(&mut self, kind: (Option<u16>, ResultCode), times: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += times,
            None => self.0.push((kind, times)),
        }
    }
}

/// The order in which results list them: numbers by their value, calls without a response first.
pub(in crate::load) fn by_status_and_code(one: &ResponseCount, other: &ResponseCount) -> Ordering {
    let code = |count: &ResponseCount| count.code.as_ref().map(|code| (code.parse::<i64>().unwrap_or(i64::MAX), code.clone()));
    (one.status, code(one)).cmp(&(other.status, code(other)))
}
