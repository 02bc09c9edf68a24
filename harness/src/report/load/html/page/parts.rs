//! What the page is made of: texts with their tone, tables, verdicts.

use serde::Serialize;

use crate::load::result::LoadVerdict;

/// A text with its tone and what it is about.
#[derive(Serialize)]
pub(super) struct ToneText {
    pub(super) label: String,
    pub(super) tone: &'static str,
    pub(super) text: String,
}

/// Headings and rows; without rows it is not shown.
#[derive(Default, Serialize)]
pub(super) struct Table {
    pub(super) headings: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A verdict as the page says it.
pub(super) fn word(verdict: LoadVerdict) -> &'static str {
    match verdict {
        LoadVerdict::Passed => "passed",
        LoadVerdict::Failed => "failed",
        LoadVerdict::Inconclusive => "inconclusive",
    }
}

/// The tone in which it says so.
pub(super) fn tone(verdict: LoadVerdict) -> &'static str {
    match verdict {
        LoadVerdict::Passed => "good",
        LoadVerdict::Failed => "bad",
        LoadVerdict::Inconclusive => "doubtful",
    }
}
