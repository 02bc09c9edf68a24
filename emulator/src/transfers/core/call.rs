//! The calls about transfers.

use crate::base::wire_enum::wire_enum;
use crate::common::Code;

wire_enum! {
    /// A call, by the name of its operation.
    pub(crate) enum Call {
        /// The transfers of a day:
        List = "transfers.list",
        /// The payments of a transfer:
        Detail = "transfers.detail",
        /// The statement of a transfer as CSV:
        Csv = "transfers.csv",
        /// The statement of a transfer as ABO:
        Abo = "transfers.abo",
        /// All CSV statements of a day:
        CsvDay = "transfers.csvDay",
        /// All ABO statements of a day:
        AboDay = "transfers.aboDay",
    }
}

impl Call {
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
