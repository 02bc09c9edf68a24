//! The books of a world's merchants.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::settings::WorldSettings;
use crate::transfers::core::AccountBook;

/// A book for each merchant. A book is locked before payments and terminals, never after them.
pub(super) struct Payouts {
    pub(super) books: BTreeMap<String, Mutex<AccountBook>>,
    numbered: AtomicU64,
}

/// Numbers of transfers begin after this one, far from that of the sample.
const NUMBERS_AFTER: u64 = 100_000;

impl Payouts {
    /// Empty books.
    pub(super) fn new(settings: &WorldSettings) -> Self {
        let book = || Mutex::new(AccountBook::new(settings.keep_finished));
        let books = settings.merchants.iter().map(|merchant| (merchant.merchant.clone(), book())).collect();
        Self { books, numbered: AtomicU64::new(NUMBERS_AFTER) }
    }

    /// The number of the next transfer.
    pub(super) fn next_number(&self) -> u64 {
        self.numbered.fetch_add(1, Ordering::Relaxed) + 1
    }
}
