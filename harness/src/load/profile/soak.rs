//! `soak`: a constant rate over a long time; the end is held against the beginning.

use super::constant_arrival_rate::constant_rate;
use super::{Kind, bounds};
use crate::source::{Fields, Problems};

/// As in the file.
pub(super) const NAME: &str = "soak";

/// How many times slower the end may be without being told.
const DRIFT: f64 = 1.5;

/// Reads its keys.
pub(super) fn read(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    let rate = constant_rate(fields, problems);
    let drift = fields.take("drift").map_or(Some(DRIFT), |node| bounds::within(node, "drift", 1.0..=100.0, problems));
    Some(Kind::Soak { rate: rate?, drift: drift? })
}
