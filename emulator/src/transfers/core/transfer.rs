//! A bank transfer: what a merchant is paid out on a day, in one currency, to one account.

use jiff::civil::Date;

use super::{AccountNumber, Row};
use crate::gateway::core::Currency;

/// Who is paid: each currency and account has transfers and statements of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payee {
    /// The currency.
    pub currency: Currency,
    /// Identifier of the merchant's account; `None`: the merchant named none.
    pub account: Option<Box<str>>,
}

/// Sums over the rows of a transfer, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Confirmed amounts.
    pub confirmed: i64,
    /// What is sent to the account.
    pub transferred: i64,
    /// Fees to issuers.
    pub interbank: i64,
    /// Fees to associations.
    pub association: i64,
    /// Fees to the processor.
    pub processor: i64,
    /// Of the confirmed amounts, those that came.
    pub came: i64,
    /// Of the confirmed amounts, those that went back, as a positive number.
    pub went_back: i64,
}

impl Sums {
    /// Sums up.
    pub fn of(rows: &[Row]) -> Self {
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
    pub const fn fees(&self) -> i64 {
        self.interbank + self.association + self.processor
    }
}

/// Where a transfer stands among those to the same payee: what its ABO statement opens with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Counts from 1.
    pub number: u32,
    /// The day of the statement before; of the first one, its own.
    pub old_date: Date,
    /// What was transferred before, in minor units.
    pub old_balance: i64,
}

/// A transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Its number, unique in its world.
    pub id: u64,
    /// The day it was sent, in Prague.
    pub date: Date,
    /// The merchant.
    pub merchant: Box<str>,
    /// The merchant's account.
    pub counterparty: AccountNumber,
    /// The account it is sent from.
    pub outgoing: AccountNumber,
    /// Payment identifier, ten digits.
    pub variable_symbol: u64,
    /// Its currency.
    pub currency: Currency,
    /// What it pays out, by the time of payment.
    pub rows: Vec<Row>,
    /// Summed up.
    pub sums: Sums,
    /// Its place in the sequence of statements.
    pub statement: Statement,
}

impl Transfer {
    /// What is left on the account of the ABO statement afterwards.
    pub const fn new_balance(&self) -> i64 {
        self.statement.old_balance + self.sums.transferred
    }
}
