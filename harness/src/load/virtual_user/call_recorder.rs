//! Reports the calls of a user to the meter, the killswitch and goose.

use std::time::Duration;

use crate::engine::runner::Played;
use crate::load::known_codes::KnownCodes;
use crate::load::meter::{MeasuredCall, ResultCode};
use crate::load::result::ErrorKind;
use crate::load::run_state::{RunState, error_of};
use crate::wire::exchange::Direction;

/// A call that was made.
pub(crate) struct MadeCall {
    pub(crate) operation: usize,
    pub(crate) service: Duration,
    pub(crate) error: Option<ErrorKind>,
}

/// The outcome of a call.
pub(super) struct CallOutcome {
    pub(super) status: Option<u16>,
    pub(super) code: ResultCode,
    pub(super) error: Option<ErrorKind>,
}

/// Reports calls to the meter and the killswitch.
pub(super) struct CallRecorder<'t> {
    pub(super) run: &'t RunState,
    /// How late the iteration started.
    pub(super) late: Duration,
    pub(super) calls: &'t mut Vec<MadeCall>,
}

impl<'t> CallRecorder<'t> {
    pub(super) fn call(&mut self, operation: usize, service: Duration, outcome: CallOutcome) {
        let CallOutcome { status, code, error } = outcome;
        self.run.meter.call(operation, MeasuredCall { service, late: self.late, error, status, code });
        self.run.count_call(error);
        if self.run.reports_to_goose {
            self.calls.push(MadeCall { operation, service, error });
        }
    }

    pub(super) fn codes(&self, operation: usize) -> Option<&'t KnownCodes> {
        self.run.operations.codes(operation)
    }

    /// Reports every recorded call of an iteration.
    pub(super) fn recorded(&mut self, played: &Played) {
        self.recorded_after(played, 0);
    }

    /// Reports every recorded call of an iteration but the first ones, which were reported.
    pub(super) fn recorded_after(&mut self, played: &Played, reported: usize) {
        let calls = played.record.exchanges().filter(|exchange| exchange.direction == Direction::Call);
        for exchange in calls.skip(reported) {
            self.run.responsiveness.note_kind(exchange.failure().map(|failure| failure.kind));
            if let Some(operation) = self.run.operations.number(&exchange.operation) {
                let status = exchange.response().map(|response| response.status);
                let code = self.codes(operation).map_or(ResultCode::None, |codes| codes.code(exchange));
                self.call(operation, exchange.elapsed, CallOutcome { status, code, error: error_of(exchange, played) });
            }
        }
    }
}
