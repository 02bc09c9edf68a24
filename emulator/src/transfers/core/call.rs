//! The calls about transfers.

use crate::common::Code;

/// One documented call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// The transfers of a day.
    List,
    /// The payments of a transfer.
    Detail,
    /// The statement of a transfer as CSV.
    Csv,
    /// The statement of a transfer as ABO.
    Abo,
    /// All CSV statements of a day.
    CsvDay,
    /// All ABO statements of a day.
    AboDay,
}

impl Call {
    /// Every call, under its name in `gateway.fails`.
    pub(crate) const NAMED: [(&'static str, Self); 6] = [
        ("transfers.list", Self::List),
        ("transfers.detail", Self::Detail),
        ("transfers.csv", Self::Csv),
        ("transfers.abo", Self::Abo),
        ("transfers.csvDay", Self::CsvDay),
        ("transfers.aboDay", Self::AboDay),
    ];

    /// The name of the operation.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, call)| *call == self).map_or("transfers", |(name, _)| name)
    }

    /// "Error bodies of the transfer and statement endpoints: not shown." They read, so they share those of the other
    /// queries of the document.
    pub(crate) const fn errors(self) -> &'static [(Code, &'static str)] {
        &[
            (Code::UNKNOWN_ERROR, "unknown error"),
            (Code::DATABASE, "database error"),
            (Code::BAD_REQUEST, "wrong query"),
            (Code::UNEXPECTED, "unexpected error"),
        ]
    }
}
