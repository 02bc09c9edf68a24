//! A statement as a file about one transfer.

use std::sync::Arc;

use super::csv::Layout;
use super::options::Options;
use super::pages::Pages;
use super::{abo, csv};
use crate::transfers::core::Transfer;

/// A file, not yet written.
pub(super) struct StatementFile {
    /// Its name, unique for each transfer.
    pub(super) name: String,
    /// Its media type.
    pub(super) media_type: &'static str,
    /// Its contents.
    pub(super) pages: Pages,
}

impl StatementFile {
    /// As CSV.
    pub(super) fn csv(transfer: &Arc<Transfer>, layout: Layout) -> Self {
        Self { name: name(transfer, "csv"), media_type: csv::MEDIA_TYPE, pages: csv::write(Arc::clone(transfer), layout) }
    }

    /// As ABO.
    pub(super) fn abo(transfer: &Arc<Transfer>, options: Options) -> Self {
        let pages = abo::write(Arc::clone(transfer), options.fee_rows, options.encoding);
        Self { name: name(transfer, "gpc"), media_type: options.encoding.media_type(), pages }
    }
}

fn name(transfer: &Transfer, extension: &str) -> String {
    format!("prevod-{}-{}-{}.{extension}", transfer.date, transfer.id, transfer.currency.as_str())
}

#[cfg(test)]
mod tests;
