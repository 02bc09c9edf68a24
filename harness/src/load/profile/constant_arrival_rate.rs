//! `constant-arrival-rate`: so many iterations begun a second, whether answers come or not.

use super::{ConstantRate, Kind, bounds};
use crate::source::{Fields, Problems};

/// As in the file.
pub(super) const NAME: &str = "constant-arrival-rate";

/// Reads its keys.
pub(super) fn read(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    constant_rate(fields, problems).map(Kind::ConstantArrivalRate)
}

/// Reads the keys of a rate that does not change.
pub(super) fn constant_rate(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<ConstantRate> {
    let rate = bounds::rate(fields, "rate", problems);
    let users = bounds::users(fields, problems);
    let duration = bounds::time(fields, "for", problems);
    Some(ConstantRate { rate: rate?, duration: duration?, users: users? })
}
