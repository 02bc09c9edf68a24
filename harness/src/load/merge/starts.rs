//! When the parts of a load began.

use jiff::Timestamp;

use super::error::MergeError;
use super::part::ResultPart;
use crate::base::figures::span;

/// Parts that began further apart than this, in seconds, were not one load. Each has its own end of the warm-up, and its own clock.
const TOGETHER: f64 = 5.0;

/// The starts of all parts, the earliest first.
pub(super) struct Starts<'p>(Vec<(Timestamp, &'p ResultPart)>);

impl<'p> Starts<'p> {
    pub(super) fn read(parts: &'p [ResultPart]) -> Result<Self, MergeError> {
        let read = |part: &'p ResultPart| -> Result<(Timestamp, &'p ResultPart), MergeError> {
            let text = &part.result.started;
            let time: Timestamp = text.parse().map_err(|_| MergeError::Time { file: part.file.clone(), text: text.clone() })?;
            Ok((time, part))
        };
        let mut starts = parts.iter().map(read).collect::<Result<Vec<_>, MergeError>>()?;
        starts.sort_by_key(|(time, _)| *time);
        Ok(Self(starts))
    }

    /// The earliest start, as its part reports it.
    pub(super) fn earliest(&self) -> Option<String> {
        self.0.first().map(|(_, part)| part.result.started.clone())
    }

    /// Why the parts are no load together, if they began one after another: their rates must not be added.
    pub(super) fn apart(&self) -> Option<String> {
        let ((earliest, _), (latest, last)) = (self.0.first()?, self.0.last()?);
        let seconds = latest.duration_since(*earliest).as_secs_f64();
        (seconds > TOGETHER).then(|| {
            let (parts, later) = (last.result.shards.described(), span(seconds));
            format!("{parts} began {later} after the first part, so the parts did not load together; give all of them one `--start-at`")
        })
    }
}
