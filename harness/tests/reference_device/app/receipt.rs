//! The head of a receipt. The fields of `merchant` are not shown; their names here are assumed.

use super::config::ReceiptHeader;
use super::{App, Flaw};

impl App {
    /// The lines of the head.
    pub fn receipt_header(&self) -> Vec<&str> {
        let fields: &[&str] = match self.config().receipt_header {
            _ if self.has(Flaw::PrintsOneHeader) => &["name", "seatStreet", "seatPostalCode", "seatCity", "companyId", "taxId"],
            ReceiptHeader::Basic => &["premisesName", "premisesStreet", "premisesPostalCode", "premisesCity"],
            ReceiptHeader::Premises => &["name", "premisesStreet", "premisesPostalCode", "premisesCity", "companyId", "taxId"],
            ReceiptHeader::Billing => &["name", "premisesName", "seatStreet", "seatPostalCode", "seatCity", "companyId", "taxId"],
        };
        fields.iter().filter_map(|field| self.config().merchant.get(*field)?.as_str()).collect()
    }
}
