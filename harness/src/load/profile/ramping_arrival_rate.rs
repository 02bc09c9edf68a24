//! `ramping-arrival-rate`: the rate at which iterations are begun moves, linearly within each stage.

use super::{Kind, RateStage, bounds, stages};
use crate::source::{Fields, Problems};

/// As in the file.
pub(super) const NAME: &str = "ramping-arrival-rate";

/// Reads its keys.
pub(super) fn read(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    let start = fields.take("start").map_or(Some(0.0), |node| bounds::rate_of_ramp(node, "start", problems));
    let users = bounds::users(fields, problems);
    let stages = stages::read(fields, problems, |fields, problems| {
        let rate = fields.require("rate", problems).and_then(|node| bounds::rate_of_ramp(node, "rate", problems));
        let duration = bounds::time(fields, "for", problems);
        Some(RateStage { rate: rate?, duration: duration? })
    })?;
    let start = start?;
    if start <= 0.0 && stages.list.iter().all(|stage| stage.rate <= 0.0) {
        stages.refuse("the rate is 0 all the time", problems);
        return None;
    }
    Some(Kind::RampingArrivalRate { start, stages: stages.list, users: users? })
}
