//! The bank's payouts to merchants: by the clock, or by a world action.

use std::sync::{Arc, MutexGuard};

use jiff::civil::Date;

use super::World;
use crate::base::sync::lock;
use crate::common::freedoms::Behaviour;
use crate::common::{Currency, Merchant, Movement, Source};
use crate::transfers::core::account_book::{Payday, by_payee};
use crate::transfers::core::{AccountBook, Payee, Row, Transfer};

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
    pub(crate) fn transfer_now(&self, merchant: &Arc<Merchant>) -> Vec<Arc<Transfer>> {
        let Some(mut book) = self.settled(merchant) else { return Vec::new() };
        let mut payday = book.pop_all(self.now());
        if self.behaves(Behaviour::TransfersOfOthers) {
            payday.movements.extend(self.paid_by_others(merchant, &payday));
        }
        self.pay_out(&mut book, merchant, payday)
    }

    /// What another customer has paid in each currency that is paid out; in crowns, if nothing else is.
    fn paid_by_others(&self, merchant: &Arc<Merchant>, payday: &Payday) -> Vec<Movement> {
        let mut currencies = Vec::new();
        for (payee, _) in payday.movements.iter().filter_map(|movement| self.row_of(merchant, *movement)) {
            if !currencies.contains(&payee.currency) {
                currencies.push(payee.currency);
            }
        }
        if currencies.is_empty() {
            currencies.push(Currency::Czk);
        }
        // The settings of the shop may allow no such payment.
        currencies.into_iter().filter_map(|currency| self.add_paid(merchant, currency).ok()).collect()
    }

    /// A merchant's book, once it is up to date with the clock.
    fn settled(&self, merchant: &Merchant) -> Option<MutexGuard<'_, AccountBook>> {
        let mut book = lock(self.payouts.books.get(merchant.id())?);
        for payday in book.pop_due(self.now()) {
            self.pay_out(&mut book, merchant, payday);
        }
        Some(book)
    }

    fn pay_out(&self, book: &mut AccountBook, merchant: &Merchant, payday: Payday) -> Vec<Arc<Transfer>> {
        let rows = payday.movements.into_iter().filter_map(|movement| self.row_of(merchant, movement));
        let transfer = |(payee, rows)| {
            let id = self.payouts.next_number();
            book.transfer(merchant.id(), payday.date, payee, rows, id)
        };
        by_payee(rows).into_iter().map(transfer).collect()
    }

    /// The row of a movement, and its payee; `None` if the payment is no longer kept.
    fn row_of(&self, merchant: &Merchant, movement: Movement) -> Option<(Payee, Row)> {
        let payee = |row: Row, account: Option<&str>| (Payee { currency: row.currency, account: account.map(Box::from) }, row);
        match movement.source {
            Source::Gateway(id) => self.payments.with(id, |payment| {
                let row = Row::from_gateway(payment, movement)?;
                Some(payee(row, payment.account()))
            })?,
            Source::TerminalPayment(id) => {
                let fee = merchant.settings.fee.as_deref();
                let row =
                    self.look_at_terminal(merchant.id(), |terminal| Row::from_terminal_payment(terminal.payment_mut(id)?, movement, fee))?;
                Some(payee(row, merchant.default_account()))
            }
            Source::TerminalRefund(id) => {
                let row = self.look_at_terminal(merchant.id(), |terminal| Row::from_terminal_refund(terminal.refund_mut(id)?, movement))?;
                Some(payee(row, merchant.default_account()))
            }
            Source::Qr(id) => {
                let fee = merchant.settings.fee.as_deref();
                let row = self.with_qr_payment(id, |payment, _| Row::from_qr(payment, movement, fee))??;
                Some(payee(row, merchant.default_account()))
            }
        }
    }
}
