//! The routes of transfers and statements.

use http::Method;

use crate::transfers::core::Call;
use crate::wire::{Endpoint, Route};

impl Endpoint for Call {
    const API: &'static str = "transfers";

    fn operation_name(self) -> &'static str {
        self.as_str()
    }
}

/// Every path about transfers.
pub(crate) static ROUTES: &[Route<Call>] = &[
    Route { path: "/v2.0/transferList/date/{date}.json", methods: &[(Method::GET, Call::List)] },
    Route { path: "/v2.0/singleTransfer/transferId/{transferId}.json", methods: &[(Method::GET, Call::Detail)] },
    Route { path: "/v2.0/csvSingleTransfer/transferId/{transferId}.json", methods: &[(Method::GET, Call::Csv)] },
    Route { path: "/v2.0/aboSingleTransfer/transferId/{transferId}.json", methods: &[(Method::GET, Call::Abo)] },
    Route { path: "/v2.0/csvDownload/date/{date}", methods: &[(Method::GET, Call::CsvDay)] },
    Route { path: "/v2.0/aboDownload/date/{date}", methods: &[(Method::GET, Call::AboDay)] },
];
