//! Counts of calls by HTTP status and result code.

use std::cmp::Ordering;

use crate::load::result::ResponseCount;

/// The result code in the body of a response, where the API has such codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultCode {
    /// The API has no codes, or the response has none.
    #[default]
    None,
    /// The documented code with this index in the meter's list of codes of the operation.
    Documented(u16),
    /// An undocumented code. It is not kept, because the target may send any text.
    Undocumented,
}

/// Counts by status (`None` without a response) and code. The list is searched linearly: an operation has few combinations, and nearly
/// all of its calls have the first one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseCounts(Vec<((Option<u16>, ResultCode), u64)>);

impl ResponseCounts {
    /// Counts a call.
    pub fn count(&mut self, status: Option<u16>, code: ResultCode) {
        self.add_times((status, code), 1);
    }

    /// The counts with the names of the codes, sorted by status and code; `codes` are the documented codes in their order.
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

/// The order in results: codes by their numeric value, calls without a response first.
pub(in crate::load) fn by_status_and_code(one: &ResponseCount, other: &ResponseCount) -> Ordering {
    let code = |count: &ResponseCount| count.code.as_ref().map(|code| (code.parse::<i64>().unwrap_or(i64::MAX), code.clone()));
    (one.status, code(one)).cmp(&(other.status, code(other)))
}
