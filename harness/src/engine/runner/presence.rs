//! Decides which operations a target has, where the documents do not show their paths.
//!
//! An operation with an assumed path that has responded in the whole run with nothing but 404, 405 or 501, or as an unknown path does,
//! is not there, and its cases are not judged. A case that depends on it is held back until another response shows that it is there, or
//! until the run ends.

use std::collections::BTreeSet;

use crate::engine::event::CaseFinished;
use crate::judge::check;
use crate::wire::exchange::Direction;

/// The operations that are there, and the cases that are held back.
#[derive(Debug, Default)]
pub(super) struct Presence {
    there: BTreeSet<String>,
    held_back: Vec<CaseFinished>,
}

impl Presence {
    /// Adds a case and returns the cases whose result is known now.
    pub(super) fn add(&mut self, case: CaseFinished) -> Vec<CaseFinished> {
        let calls =
            case.record.iter().filter(|exchange| exchange.direction == Direction::Call && !case.as_unknown_path.contains(&exchange.number));
        self.there.extend(calls.filter(|exchange| check::is_shown_there(exchange)).map(|exchange| exchange.operation.clone()));
        self.held_back.push(case);
        let is_known = |case: &CaseFinished| case.unless_there.iter().all(|unless| self.there.contains(&unless.operation));
        let (known, open) = std::mem::take(&mut self.held_back).into_iter().partition(is_known);
        self.held_back = open;
        known
    }

    /// The cases that are still held back: an operation that each of them needs is not there.
    pub(super) fn finish(self) -> impl Iterator<Item = CaseFinished> {
        let Self { there, held_back } = self;
        held_back.into_iter().map(move |case| settled(case, &there))
    }
}

/// The case as the first missing operation ends it.
fn settled(mut case: CaseFinished, there: &BTreeSet<String>) -> CaseFinished {
    let missing = std::mem::take(&mut case.unless_there).into_iter().find(|unless| !there.contains(&unless.operation));
    if let Some(unless) = missing {
        (case.verdict, case.held, case.about, case.rows) = (unless.verdict, unless.held, unless.about, unless.rows);
    }
    case
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::base::verdict::Verdict;
    use crate::engine::event::{CaseName, UnlessThere};
    use crate::wire::exchange::{Body, Exchange, ExchangeOutcome, Request, Response};

    /// A case that calls an operation once; it passes, unless the operation is not there.
    fn case(name: &str, operation: &str, status: u16) -> CaseFinished {
        let exchange = Exchange {
            number: 0,
            direction: Direction::Call,
            operation: operation.to_owned(),
            identity: "main".to_owned(),
            request: Request::default(),
            outcome: ExchangeOutcome::Response(Response { status, headers: Vec::new(), body: Body::default() }),
            elapsed: Duration::ZERO,
            arrived: 0,
        };
        let broken = Verdict::NotJudged { reason: format!("{operation} is not there").into() };
        let unless = UnlessThere { operation: operation.into(), verdict: broken, held: Vec::new(), about: Vec::new(), rows: Vec::new() };
        let name = CaseName { case: name.to_owned(), ..CaseName::default() };
        CaseFinished {
            held: vec!["a clause".to_owned()],
            record: vec![Arc::new(exchange)],
            unless_there: if matches!(status, 404 | 405 | 501) { vec![unless] } else { Vec::new() },
            ..CaseFinished::begun(name, String::new())
        }
    }

    fn names(cases: impl IntoIterator<Item = CaseFinished>) -> Vec<(String, bool)> {
        cases.into_iter().map(|case| (case.name.case, case.verdict == Verdict::Passed && !case.held.is_empty())).collect()
    }

    #[test]
    fn an_operation_that_never_responds_otherwise_is_not_there() {
        let mut presence = Presence::default();
        for (name, status) in [("a", 404), ("b", 405), ("c", 501)] {
            assert!(presence.add(case(name, "shop.back", status)).is_empty(), "{name} is held back");
        }
        for silent in [400, 401, 429, 500, 503] {
            assert_eq!(presence.add(case("d", "shop.back", silent)).len(), 1, "{silent} shows nothing, and is judged at once");
        }
        assert_eq!(names(presence.finish()), [("a".to_owned(), false), ("b".to_owned(), false), ("c".to_owned(), false)]);
    }

    #[test]
    fn one_other_response_shows_that_an_operation_is_there() {
        for status in [200, 302, 403, 409, 422] {
            let mut presence = Presence::default();
            assert!(presence.add(case("a", "shop.back", 404)).is_empty());
            assert!(presence.add(case("b", "shop.gone", 404)).is_empty());
            let known = presence.add(case("c", "shop.back", status));
            assert_eq!(names(known), [("a".to_owned(), true), ("c".to_owned(), true)], "in their order, after {status}");
            assert_eq!(names(presence.add(case("d", "shop.back", 404))), [("d".to_owned(), true)]);
            assert_eq!(names(presence.finish()), [("b".to_owned(), false)]);
        }
    }
}
