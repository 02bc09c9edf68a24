//! Codes of the service for card transactions, found by its matching job.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;

/// "Without it the last seven days are returned."
const WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);

/// In milliseconds.
const HOUR: i64 = 60 * 60 * 1000;

/// The transaction of another device.
const OTHERS: &str = "sale-of-another";

/// A transaction and its code. The field names of a pair are not shown in the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pair {
    /// The client's identity of the transaction.
    pub(crate) id: Value,
    /// The code of the service.
    pub(crate) payment_code: String,
    /// When it was matched, in epoch milliseconds.
    #[serde(skip)]
    at: i64,
}

/// "Array of pairs, not the transactions themselves", and the marker.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchedCodes<P = Pair> {
    transactions: Vec<P>,
    payment_codes_at: Option<i64>,
}

/// The codes of one device, in the order of matching.
#[derive(Debug, Default)]
pub(crate) struct PaymentCodes(Vec<Pair>);

impl MatchedCodes {
    /// The first of them, with its own marker, so that the device goes on asking: "with an empty list it is the current marker, so stop
    /// asking".
    pub(crate) fn first_page(mut self) -> Self {
        self.transactions.truncate(1);
        self.payment_codes_at = self.transactions.first().map_or(self.payment_codes_at, |pair| Some(pair.at));
        self
    }

    /// The same, each pair as an array: "fields of a pair: not shown", nor whether they have names.
    pub(crate) fn in_arrays(self) -> MatchedCodes<(Value, String)> {
        let transactions = self.transactions.into_iter().map(|pair| (pair.id, pair.payment_code)).collect();
        MatchedCodes { transactions, payment_codes_at: self.payment_codes_at }
    }
}

impl PaymentCodes {
    /// Adds a code; the marker changes with each, even within a millisecond. A transaction is matched once.
    pub(crate) fn add(&mut self, id: Value, payment_code: String, now: Timestamp) -> bool {
        if self.0.iter().any(|pair| pair.id == id) {
            return false;
        }
        let at = now.as_millisecond().max(self.marker().map_or(i64::MIN, |marker| marker.saturating_add(1)));
        self.0.push(Pair { id, payment_code, at });
        true
    }

    /// "Null means nothing is matched yet."
    pub(crate) fn marker(&self) -> Option<i64> {
        self.0.last().map(|pair| pair.at)
    }

    /// The codes matched after `since`.
    pub(crate) fn since(&self, since: Option<i64>, now: Timestamp) -> MatchedCodes {
        let window = now.saturating_sub(WINDOW).unwrap_or(Timestamp::MIN).as_millisecond();
        let wanted = |pair: &&Pair| since.map_or(pair.at >= window, |since| pair.at > since);
        MatchedCodes { transactions: self.0.iter().filter(wanted).cloned().collect(), payment_codes_at: self.marker() }
    }

    /// Has a code of another device of the merchant among them, matched an hour before they were first asked for: that the codes are those
    /// of the device alone is not shown.
    pub(crate) fn include_others(&mut self, now: Timestamp) {
        if self.0.iter().all(|pair| pair.id != OTHERS) {
            let at = now.as_millisecond() - HOUR;
            self.0.push(Pair { id: OTHERS.into(), payment_code: "OTHER-1".to_owned(), at });
            self.0.sort_by_key(|pair| pair.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::common::examples::noon;

    fn ids(codes: &MatchedCodes) -> Vec<&Value> {
        codes.transactions.iter().map(|pair| &pair.id).collect()
    }

    fn two() -> PaymentCodes {
        let mut codes = PaymentCodes::default();
        assert!(codes.add(json!("a"), "CODE-1".into(), noon()));
        assert!(codes.add(json!("b"), "CODE-2".into(), noon()));
        codes
    }

    #[test]
    fn nothing_matched_is_null() {
        assert_eq!(PaymentCodes::default().since(None, noon()), MatchedCodes { transactions: vec![], payment_codes_at: None });
    }

    #[test]
    fn the_marker_changes_with_every_match() {
        let noon_ms = noon().as_millisecond();
        assert_eq!(two().marker(), Some(noon_ms + 1));
        assert!(!two().add(json!("a"), "again".into(), noon()), "a transaction is matched once");
    }

    #[test]
    fn since_a_marker_only_later_matches_are_returned() {
        let codes = two();
        let first = noon().as_millisecond();
        assert_eq!(ids(&codes.since(Some(first), noon())), [&json!("b")]);
        let nothing = codes.since(codes.marker(), noon());
        assert!(nothing.transactions.is_empty());
        assert_eq!(nothing.payment_codes_at, codes.marker(), "the current marker: stop asking");
    }

    #[test]
    fn a_pair_may_be_an_array() {
        let codes = serde_json::to_value(two().since(None, noon()).in_arrays()).unwrap();
        assert_eq!(codes["transactions"], json!([["a", "CODE-1"], ["b", "CODE-2"]]));
        assert_eq!(codes["paymentCodesAt"], noon().as_millisecond() + 1);
    }

    #[test]
    fn pages_lead_from_one_to_the_next() {
        let codes = two();
        let (mut since, mut read) = (Some(0), Vec::new());
        loop {
            let page = codes.since(since, noon()).first_page();
            read.extend(ids(&page).into_iter().cloned());
            since = page.payment_codes_at;
            if page.transactions.is_empty() {
                break;
            }
        }
        assert_eq!((read, since), (vec![json!("a"), json!("b")], codes.marker()));
    }

    #[test]
    fn a_code_of_another_device_is_there_once_and_before_later_ones() {
        let mut others = PaymentCodes::default();
        others.include_others(noon());
        assert_eq!(ids(&others.since(None, noon())), [&json!(OTHERS)]);
        let marker = others.marker();
        others.include_others(noon() + SignedDuration::from_hours(48));
        assert_eq!(others.marker(), marker);
        assert!(others.add(json!("a"), "CODE-1".into(), noon()));
        assert_eq!(ids(&others.since(marker, noon())), [&json!("a")]);
    }

    #[test]
    fn without_since_the_last_seven_days_are_returned() {
        let codes = two();
        let week = SignedDuration::from_hours(7 * 24);
        assert_eq!(ids(&codes.since(None, noon() + week)).len(), 2);
        assert_eq!(ids(&codes.since(None, noon() + week + SignedDuration::from_millis(1))), [&json!("b")]);
        assert!(codes.since(None, noon() + week + SignedDuration::from_millis(2)).transactions.is_empty());
        assert_eq!(ids(&codes.since(Some(0), noon() + week + week)).len(), 2, "older ones are returned on request");
    }
}
