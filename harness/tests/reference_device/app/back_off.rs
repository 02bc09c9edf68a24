//! "RATE_LIMITED, 5xx and timeouts mean back off and nothing more."

use jiff::{SignedDuration, Timestamp};

/// The first pause; it doubles as long as there is trouble. How long is not documented, only that there is a pause.
pub const FIRST: SignedDuration = SignedDuration::from_secs(30);
const LONGEST: SignedDuration = SignedDuration::from_mins(15);

/// When the app speaks again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackOff {
    pause: Option<SignedDuration>,
    until: Option<Timestamp>,
}

impl BackOff {
    pub fn rests(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// There was trouble.
    pub fn begin(&mut self, now: Timestamp) {
        let pause = self.pause.map_or(FIRST, |pause| (pause * 2).min(LONGEST));
        *self = Self { pause: Some(pause), until: Some(now + pause) };
    }

    /// There is none any more.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}
