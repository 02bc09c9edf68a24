//! An open resource: a notification of it is due, or it was reported recently.

use std::time::Duration;

use super::flags::NotificationFlags;

/// The most states of a resource that are kept; further ones are counted at once.
const STATES: usize = 16;
/// The number of responses of the status call that are kept, the newest.
const RESPONSES: usize = 8;

/// An open resource.
#[derive(Debug, Default)]
pub(super) struct LedgerResource {
    pub(super) states: Vec<NotifiedState>,
    responses: Vec<StatusResponse>,
    /// The time of the last report.
    pub(super) touched: Duration,
}

/// A state that was due or notified.
#[derive(Debug)]
pub(super) struct NotifiedState {
    pub(super) state: Box<str>,
    /// The hash of the resource with this state.
    pub(super) pair: u64,
    pub(super) due: Option<Duration>,
    /// Whether it was due in the warm-up.
    pub(super) warm_up: bool,
    pub(super) first: Option<Duration>,
    pub(super) acknowledged: bool,
    pub(super) repeated: bool,
}

/// A response of the status call.
#[derive(Debug)]
struct StatusResponse {
    state: Box<str>,
    /// When the last call with this response was sent.
    asked: Duration,
}

impl NotifiedState {
    pub(super) fn new(state: &str, pair: u64) -> Self {
        Self { state: state.into(), pair, due: None, warm_up: false, first: None, acknowledged: false, repeated: false }
    }

    /// Whether it is due and not received.
    pub(super) fn waits(&self) -> bool {
        self.due.is_some() && self.first.is_none()
    }

    /// From the change of state to the receipt; zero where the notification was reported first.
    pub(super) fn lag(&self) -> Option<Duration> {
        Some(self.first?.saturating_sub(self.due?))
    }
}

impl LedgerResource {
    /// A known state.
    pub(super) fn state(&mut self, pair: u64) -> Option<&mut NotifiedState> {
        self.states.iter_mut().find(|notified| notified.pair == pair)
    }

    /// Adds a state and returns its index; `None` if there are too many.
    pub(super) fn add(&mut self, notified: NotifiedState) -> Option<usize> {
        if self.states.len() >= STATES {
            return None;
        }
        if self.states.is_empty() {
            // A second state is rare; by default the list would reserve room for four.
            self.states.reserve_exact(1);
        }
        self.states.push(notified);
        Some(self.states.len() - 1)
    }

    /// Whether a notification is due and not received.
    pub(super) fn waits(&self) -> bool {
        self.states.iter().any(NotifiedState::waits)
    }

    /// Notes a response of the status call.
    pub(super) fn responded(&mut self, state: &str, asked: Duration) {
        match self.responses.iter_mut().find(|response| *response.state == *state) {
            Some(response) => response.asked = response.asked.max(asked),
            None => {
                if self.responses.len() >= RESPONSES {
                    self.responses.remove(0);
                }
                if self.responses.is_empty() {
                    self.responses.reserve_exact(1);
                }
                self.responses.push(StatusResponse { state: state.into(), asked });
            }
        }
    }

    /// The final flags of a state; a notification that took longer than `late` is late.
    pub(super) fn flags(&self, notified: &NotifiedState, late: Duration) -> NotificationFlags {
        NotificationFlags::default()
            .with_if(NotificationFlags::DUE, notified.due.is_some())
            .with_if(NotificationFlags::RECEIVED, notified.first.is_some())
            .with_if(NotificationFlags::ACKNOWLEDGED, notified.acknowledged)
            .with_if(NotificationFlags::REPEATED, notified.repeated)
            .with_if(NotificationFlags::LATE, notified.lag().is_some_and(|lag| lag > late))
            .with_if(NotificationFlags::WARM_UP, notified.warm_up)
            .with_if(NotificationFlags::CONTRADICTED, self.contradiction(notified).is_some())
    }

    /// The contradicting state that the status call returned after the notification was received. A later state of the resource is no
    /// contradiction.
    pub(super) fn contradiction(&self, notified: &NotifiedState) -> Option<&str> {
        let first = notified.first?;
        let moved_on = |state: &str| {
            let later = self.states.iter().find(|other| *other.state == *state).and_then(|other| other.due);
            notified.due.zip(later).is_some_and(|(due, later)| later >= due)
        };
        let against =
            |response: &&StatusResponse| response.asked >= first && response.state != notified.state && !moved_on(&response.state);
        self.responses.iter().find(against).map(|response| &*response.state)
    }
}
