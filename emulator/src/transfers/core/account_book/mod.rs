//! The book of a merchant: what waits to be paid out, and what was.
//!
//! "Information on a bank transfer sent on the previous business day is available in the morning of the following day."
//! Read as: what was paid on a day is transferred on the next business day, and that transfer is listed from the morning
//! after it. All days are those of Prague.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::calendar::{listed_from, next_business_day};
use super::{AccountNumber, Payee, Row, Statement, Sums, Transfer};
use crate::base::prague;
use crate::common::Movement;

/// Movements that are transferred together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Payday {
    /// The day of the transfer.
    pub(crate) date: Date,
    /// The movements that it pays out.
    pub(crate) movements: Vec<Movement>,
}

/// The book of one merchant: movements that wait, and transfers.
#[derive(Debug)]
pub(crate) struct AccountBook {
    /// By the day the money moved.
    waiting: BTreeMap<Date, VecDeque<Movement>>,
    /// The number of movements that wait.
    count: usize,
    /// In the order they were made.
    transfers: Vec<Arc<Transfer>>,
    /// The last transfer to each payee.
    statements: Vec<(Payee, Statement)>,
    /// The number of movements kept, waiting or paid out.
    keep: usize,
}

impl AccountBook {
    /// An empty book, which keeps everything, or only the last `keep` movements.
    pub(crate) fn new(keep: Option<usize>) -> Self {
        Self { waiting: BTreeMap::new(), count: 0, transfers: Vec::new(), statements: Vec::new(), keep: keep.unwrap_or(usize::MAX) }
    }

    /// Notes that money moved.
    pub(crate) fn enter(&mut self, movement: Movement) {
        self.waiting.entry(prague::date(movement.at)).or_default().push_back(movement);
        self.count += 1;
        if self.count > self.keep {
            self.forget_oldest();
        }
    }

    /// Removes the transfers that are listed by now.
    pub(crate) fn pop_due(&mut self, now: Timestamp) -> Vec<Payday> {
        let mut paydays: Vec<Payday> = Vec::new();
        while let Some(entry) = self.waiting.first_entry() {
            let date = next_business_day(*entry.key());
            if now < listed_from(date) {
                break;
            }
            let movements = entry.remove();
            self.count -= movements.len();
            match paydays.last_mut().filter(|payday| payday.date == date) {
                Some(payday) => payday.movements.extend(movements),
                None => paydays.push(Payday { date, movements: movements.into() }),
            }
        }
        paydays
    }

    /// Takes out everything that waits, to be transferred today.
    pub(crate) fn pop_all(&mut self, now: Timestamp) -> Payday {
        self.count = 0;
        let movements = std::mem::take(&mut self.waiting).into_values().flatten().collect();
        Payday { date: prague::date(now), movements }
    }

    /// Transfers rows of one payee. `id` numbers the transfer.
    pub(crate) fn transfer(&mut self, merchant: &str, date: Date, payee: Payee, mut rows: Vec<Row>, id: u64) -> Arc<Transfer> {
        rows.sort_by_key(|row| row.paid);
        let sums = Sums::add_up(&rows);
        let account = payee.account.as_deref().map_or_else(|| made_up_identifier(merchant, &payee), str::to_owned);
        let currency = payee.currency;
        let transfer = Arc::new(Transfer {
            id,
            date,
            merchant: merchant.into(),
            counterparty: AccountNumber::of_identifier(&account),
            outgoing: AccountNumber::of_identifier(&format!("service {}", currency.as_str())),
            variable_symbol: 4_000_000_000 + id,
            currency,
            rows,
            sums,
            statement: self.next_statement(payee, date, sums.transferred),
        });
        self.transfers.push(Arc::clone(&transfer));
        self.forget_transfers();
        transfer
    }

    /// The transfers of a day.
    pub(crate) fn on(&self, date: Date) -> Vec<Arc<Transfer>> {
        self.transfers.iter().filter(|transfer| transfer.date == date).cloned().collect()
    }

    /// A transfer by its number.
    pub(crate) fn find(&self, id: u64) -> Option<Arc<Transfer>> {
        self.transfers.iter().find(|transfer| transfer.id == id).cloned()
    }

    /// Each statement starts with the balance of the one before.
    fn next_statement(&mut self, payee: Payee, date: Date, transferred: i64) -> Statement {
        let opened = |statement: Statement| Statement {
            number: statement.number + 1,
            old_date: date,
            old_balance: statement.old_balance + transferred,
        };
        let first = Statement { number: 1, old_date: date, old_balance: 0 };
        match self.statements.iter_mut().find(|(known, _)| *known == payee) {
            Some((_, next)) => std::mem::replace(next, opened(*next)),
            None => {
                self.statements.push((payee, opened(first)));
                first
            }
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(mut entry) = self.waiting.first_entry() {
            entry.get_mut().pop_front();
            self.count -= 1;
            if entry.get().is_empty() {
                entry.remove();
            }
        }
    }

    fn forget_transfers(&mut self) {
        let mut rows: usize = self.transfers.iter().map(|transfer| transfer.rows.len()).sum();
        while rows > self.keep && self.transfers.len() > 1 {
            rows -= self.transfers.remove(0).rows.len();
        }
    }
}

fn made_up_identifier(merchant: &str, payee: &Payee) -> String {
    format!("{merchant} {}", payee.currency.as_str())
}

/// Sorts rows by whom they pay, in the order of the first row of each.
pub(crate) fn by_payee(rows: impl Iterator<Item = (Payee, Row)>) -> Vec<(Payee, Vec<Row>)> {
    let mut groups: Vec<(Payee, Vec<Row>)> = Vec::new();
    for (payee, row) in rows {
        match groups.iter_mut().find(|(known, _)| *known == payee) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((payee, vec![row])),
        }
    }
    groups
}

#[cfg(test)]
mod tests;
