//! The bank pays merchants out: by the clock, or when a world action says so.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::civil::Date;

use super::{World, WorldSettings};
use crate::gateway::core::Merchant;
use crate::sync::lock;
use crate::transfers::core::book::{Payday, by_payee};
use crate::transfers::core::{Book, Movement, Payee, Row, Source, Transfer};

/// The books of a world's merchants. A book is locked before payments and terminals, never after them.
pub(super) struct Payouts {
    books: BTreeMap<String, Mutex<Book>>,
    numbered: AtomicU64,
}

/// Numbers of transfers begin after this one, far from that of the sample.
const NUMBERS_AFTER: u64 = 100_000;

impl Payouts {
    /// Empty books.
    pub(super) fn of(settings: &WorldSettings) -> Self {
        let book = || Mutex::new(Book::new(settings.keep_finished));
        let books = settings.merchants.iter().map(|merchant| (merchant.merchant.clone(), book())).collect();
        Self { books, numbered: AtomicU64::new(NUMBERS_AFTER) }
    }
}

impl World {
    /// Notes that money of a merchant moved.
    pub(crate) fn note_movement(&self, merchant: &str, movement: Movement) {
        if let Some(book) = self.payouts.books.get(merchant) {
            lock(book).enter(movement);
        }
    }

    /// The transfers of a day.
    pub(crate) fn transfers_on(&self, merchant: &Merchant, date: Date) -> Vec<Arc<Transfer>> {
        self.settled(merchant).map(|book| book.on(date)).unwrap_or_default()
    }

    /// A transfer by its number.
    pub(crate) fn transfer(&self, merchant: &Merchant, id: u64) -> Option<Arc<Transfer>> {
        self.settled(merchant)?.find(id)
    }

    /// The bank pays out everything that waits, now.
    pub(crate) fn transfer_now(&self, merchant: &Merchant) -> Vec<Arc<Transfer>> {
        let Some(mut book) = self.settled(merchant) else { return Vec::new() };
        let payday = book.all(self.now());
        self.pay_out(&mut book, merchant, payday)
    }

    /// A merchant's book, once everything is in it that the clock says.
    fn settled(&self, merchant: &Merchant) -> Option<MutexGuard<'_, Book>> {
        let mut book = lock(self.payouts.books.get(merchant.id())?);
        for payday in book.due(self.now()) {
            self.pay_out(&mut book, merchant, payday);
        }
        Some(book)
    }

    fn pay_out(&self, book: &mut Book, merchant: &Merchant, payday: Payday) -> Vec<Arc<Transfer>> {
        let rows = payday.movements.into_iter().filter_map(|movement| self.row_of(merchant, movement));
        let transfer = |(payee, rows)| {
            let id = self.payouts.numbered.fetch_add(1, Ordering::Relaxed) + 1;
            book.transfer(merchant.id(), payday.date, payee, rows, id)
        };
        by_payee(rows).into_iter().map(transfer).collect()
    }

    /// What a movement is worth, and who is paid. Payments that were forgotten since are worth nothing.
    fn row_of(&self, merchant: &Merchant, movement: Movement) -> Option<(Payee, Row)> {
        let payee = |row: Row, account: Option<&str>| (Payee { currency: row.currency, account: account.map(Box::from) }, row);
        match movement.source {
            Source::Gateway(id) => self.ledger.with(id, |payment| {
                let row = Row::of_gateway(payment, movement)?;
                Some(payee(row, payment.account()))
            })?,
            Source::TerminalPayment(id) => {
                let fee = merchant.settings.fee.as_deref();
                let row =
                    self.look_at_terminal(merchant.id(), |terminal| Row::of_terminal_payment(terminal.payment_mut(id)?, movement, fee))?;
                Some(payee(row, merchant.default_account()))
            }
            Source::TerminalRefund(id) => {
                let row = self.look_at_terminal(merchant.id(), |terminal| Row::of_terminal_refund(terminal.refund_mut(id)?, movement))?;
                Some(payee(row, merchant.default_account()))
            }
        }
    }
}
