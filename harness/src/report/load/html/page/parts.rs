//! Parts of the page: texts with their tone, tables, verdicts.

use serde::Serialize;

use crate::load::result::LoadVerdict;

/// A text with its label and its tone.
#[derive(Serialize)]
pub(super) struct ToneText {
    pub(super) label: String,
    pub(super) tone: &'static str,
    pub(super) text: String,
}

/// Headings and rows. A table without rows is not shown.
#[derive(Default, Serialize)]
pub(super) struct Table {
    pub(super) headings: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

/// The word for a verdict.
pub(super) fn word(verdict: LoadVerdict) -> &'static str {
    match verdict {
        LoadVerdict::Passed => "passed",
        LoadVerdict::Failed => "failed",
        LoadVerdict::Inconclusive => "inconclusive",
    }
}

/// The tone of a verdict.
pub(super) fn tone(verdict: LoadVerdict) -> &'static str {
    match verdict {
        LoadVerdict::Passed => "good",
        LoadVerdict::Failed => "bad",
        LoadVerdict::Inconclusive => "doubtful",
    }
}
