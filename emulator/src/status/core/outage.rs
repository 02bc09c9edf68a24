//! An outage, current, planned or past.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::base::wire_enum::wire_enum;
use crate::common::Selection;

wire_enum! {
    /// What an outage affects.
    pub(crate) enum OutageKind {
        /// The whole gateway.
        Complete = "COMPLETE",
        PaymentButton = "PAYMENT_BUTTON",
        QrCode = "QR_CODE",
    }
}

/// "Recently resolved": how long a past outage is still shown.
const RECENTLY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// An outage record, as the status API shows it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outage {
    pub(crate) id: u32,
    pub(crate) name_cs: String,
    pub(crate) name_sk: String,
    pub(crate) name_en: String,
    pub(crate) date_from: Timestamp,
    pub(crate) date_to: Timestamp,
    pub(crate) date_published: Timestamp,
    pub(crate) detail_cs: String,
    pub(crate) detail_sk: String,
    pub(crate) detail_en: String,
    pub(crate) methods: Vec<String>,
    #[serde(rename = "type", serialize_with = "kind_word")]
    pub(crate) kind: OutageKind,
    pub(crate) scheduled: bool,
}

fn kind_word<S: serde::Serializer>(kind: &OutageKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

impl Outage {
    /// Outages that stand in the list of any busy gateway: one that is planned, and one that is over.
    pub(crate) fn of_others(now: Timestamp) -> [Self; 2] {
        let at = |hours| now.saturating_add(SignedDuration::from_hours(hours)).unwrap_or(now);
        let outage = |id, kind, from, to, scheduled| Self {
            id,
            name_cs: "Odstávka".to_owned(),
            name_sk: "Odstávka".to_owned(),
            name_en: "Maintenance".to_owned(),
            date_from: at(from),
            date_to: at(to),
            date_published: at(-30),
            detail_cs: String::new(),
            detail_sk: String::new(),
            detail_en: String::new(),
            methods: vec!["BANK_CZ_KB".to_owned()],
            kind,
            scheduled,
        };
        [outage(9_000_001, OutageKind::PaymentButton, 24, 26, true), outage(9_000_002, OutageKind::QrCode, -26, -24, false)]
    }

    /// Whether it is current, planned or recently resolved.
    pub(crate) fn is_shown(&self, now: Timestamp) -> bool {
        self.date_to.saturating_add(RECENTLY).unwrap_or(Timestamp::MAX) >= now
    }

    /// Whether it takes the whole gateway down at this time.
    pub(crate) fn is_complete(&self, now: Timestamp) -> bool {
        self.kind == OutageKind::Complete && self.is_on(now)
    }

    /// Whether it lasts at this time.
    pub(crate) fn is_on(&self, now: Timestamp) -> bool {
        (self.date_from..self.date_to).contains(&now)
    }

    /// The methods that payers can't use while it lasts.
    pub(crate) fn closed_methods(&self) -> Selection {
        match self.kind {
            OutageKind::Complete => Selection::ALL,
            OutageKind::PaymentButton | OutageKind::QrCode => {
                Selection::such_that(|method| self.methods.iter().any(|affected| affected == method.id))
            }
        }
    }
}
