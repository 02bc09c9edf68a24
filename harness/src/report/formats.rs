//! The list of report formats. A format is one file here and one line in [`FORMATS`]; its flag follows from it.

use super::{ctrf, har, html, junit, markdown, sarif};

pub use super::format::{Format, FormatOptions};

/// Every format.
pub const FORMATS: &[Format] = &[html::FORMAT, junit::FORMAT, ctrf::FORMAT, sarif::FORMAT, har::FORMAT, markdown::FORMAT];
