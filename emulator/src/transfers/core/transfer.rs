//! A bank transfer: the money paid out to a merchant on a day, in one currency, to one account.

use jiff::civil::Date;

use super::{AccountNumber, Row};
use crate::common::Currency;

/// The recipient: each currency and account has transfers and statements of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Payee {
    /// The currency.
    pub(crate) currency: Currency,
    /// Identifier of the merchant's account; `None`: the merchant named none.
    pub(crate) account: Option<Box<str>>,
}

/// Sums over the rows of a transfer, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sums {
    /// Confirmed amounts.
    pub(crate) confirmed: i64,
    /// The amount sent to the account.
    pub(crate) transferred: i64,
    /// Fees to issuers.
    pub(crate) interbank: i64,
    /// Fees to associations.
    pub(crate) association: i64,
    /// Fees to the processor.
    pub(crate) processor: i64,
    /// Of the confirmed amounts, those that came.
    pub(crate) came: i64,
    /// Of the confirmed amounts, those that went back, as a positive number.
    pub(crate) went_back: i64,
}

impl Sums {
    /// Adds up rows.
    pub(crate) fn add_up(rows: &[Row]) -> Self {
        rows.iter().fold(Self::default(), |sums, row| Self {
            confirmed: sums.confirmed + row.confirmed,
            transferred: sums.transferred + row.transferred(),
            interbank: sums.interbank + row.fees.interbank,
            association: sums.association + row.fees.association,
            processor: sums.processor + row.fees.processor,
            came: sums.came + row.confirmed.max(0),
            went_back: sums.went_back - row.confirmed.min(0),
        })
    }

    /// All fees.
    pub(crate) const fn fees(&self) -> i64 {
        self.interbank + self.association + self.processor
    }
}

/// The position of a transfer among those to the same recipient: the opening balance of its ABO statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Counts from 1.
    pub(crate) number: u32,
    /// The day of the statement before; of the first one, its own.
    pub(crate) old_date: Date,
    /// The sum of earlier transfers, in minor units.
    pub(crate) old_balance: i64,
}

/// A transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Its number, unique in its world.
    pub(crate) id: u64,
    /// The day it was sent, in Prague.
    pub(crate) date: Date,
    /// The merchant.
    pub(crate) merchant: Box<str>,
    /// The merchant's account.
    pub(crate) counterparty: AccountNumber,
    /// The account it is sent from.
    pub(crate) outgoing: AccountNumber,
    /// Payment identifier, ten digits.
    pub(crate) variable_symbol: u64,
    /// Its currency.
    pub(crate) currency: Currency,
    /// The payments in it, by the time of payment.
    pub(crate) rows: Vec<Row>,
    /// Summed up.
    pub(crate) sums: Sums,
    /// Its place in the sequence of statements.
    pub(crate) statement: Statement,
}

impl Transfer {
    /// The closing balance of the ABO statement.
    pub(crate) const fn new_balance(&self) -> i64 {
        self.statement.old_balance + self.sums.transferred
    }
}
