//! A resource that is open: something is awaited of it, or it was told of a moment ago.

use std::time::Duration;

use super::pair::Known;

/// States of one resource that are kept apart; what comes beyond is counted at once.
const STATES: usize = 16;
/// Answers of the status call that are remembered, the newest.
const ANSWERS: usize = 8;

/// An open resource.
#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) told: Vec<Told>,
    answers: Vec<Answer>,
    /// When it was last told of.
    pub(super) touched: Duration,
}

/// A state that was due or notified.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) state: Box<str>,
    /// Which one it is among all of all resources.
    pub(super) pair: u64,
    pub(super) due: Option<Duration>,
    pub(super) first: Option<Duration>,
    pub(super) acknowledged: bool,
    pub(super) repeated: bool,
}

/// What the status call said.
#[derive(Debug)]
struct Answer {
    state: Box<str>,
    /// When it was last asked with this answer.
    asked: Duration,
}

impl Told {
    pub(super) fn new(state: &str, pair: u64) -> Self {
        Self { state: state.into(), pair, due: None, first: None, acknowledged: false, repeated: false }
    }

    /// Whether it is due and has not come.
    pub(super) fn waits(&self) -> bool {
        self.due.is_some() && self.first.is_none()
    }

    /// From the change of state to the receipt; none of what overtook the word of the change.
    pub(super) fn lag(&self) -> Option<Duration> {
        Some(self.first?.saturating_sub(self.due?))
    }
}

impl Resource {
    /// A state of it, if it is known.
    pub(super) fn told(&mut self, pair: u64) -> Option<&mut Told> {
        self.told.iter_mut().find(|told| told.pair == pair)
    }

    /// One more state; its place, or none if there are too many.
    pub(super) fn add(&mut self, told: Told) -> Option<usize> {
        if self.told.len() >= STATES {
            return None;
        }
        if self.told.is_empty() {
            // There is seldom a second one, and room for four is what a list takes by itself.
            self.told.reserve_exact(1);
        }
        self.told.push(told);
        Some(self.told.len() - 1)
    }

    /// Whether any notification is awaited.
    pub(super) fn waits(&self) -> bool {
        self.told.iter().any(Told::waits)
    }

    /// The status call says so.
    pub(super) fn answered(&mut self, state: &str, asked: Duration) {
        match self.answers.iter_mut().find(|answer| *answer.state == *state) {
            Some(answer) => answer.asked = answer.asked.max(asked),
            None => {
                if self.answers.len() >= ANSWERS {
                    self.answers.remove(0);
                }
                if self.answers.is_empty() {
                    self.answers.reserve_exact(1);
                }
                self.answers.push(Answer { state: state.into(), asked });
            }
        }
    }

    /// What is known of a state in the end; what takes longer than `late` is late.
    pub(super) fn known(&self, told: &Told, late: Duration) -> Known {
        Known::default()
            .with(Known::DUE, told.due.is_some())
            .with(Known::RECEIVED, told.first.is_some())
            .with(Known::ACKNOWLEDGED, told.acknowledged)
            .with(Known::REPEATED, told.repeated)
            .with(Known::LATE, told.lag().is_some_and(|lag| lag > late))
            .with(Known::CONTRADICTED, self.contradiction(told).is_some())
    }

    /// What the status call said instead, after the notification had come: another state, unless the resource had
    /// moved on to that one.
    pub(super) fn contradiction(&self, told: &Told) -> Option<&str> {
        let first = told.first?;
        let moved_on = |state: &str| {
            let later = self.told.iter().find(|other| *other.state == *state).and_then(|other| other.due);
            told.due.zip(later).is_some_and(|(due, later)| later >= due)
        };
        let against = |answer: &&Answer| answer.asked >= first && answer.state != told.state && !moved_on(&answer.state);
        self.answers.iter().find(against).map(|answer| &*answer.state)
    }
}
