//! The rules of transfers, without any input or output: what moves money, when it is paid out, and what is kept of it.

pub(crate) mod account;
pub(crate) mod account_book;
mod calendar;
pub(crate) mod call;
pub(crate) mod row;
pub(crate) mod sample;
pub(crate) mod transfer;

#[cfg(test)]
pub(crate) mod examples;

pub(crate) use account::AccountNumber;
pub(crate) use account_book::AccountBook;
pub(crate) use call::Call;
pub(crate) use row::{Kind, Row};
pub(crate) use transfer::{Payee, Statement, Sums, Transfer};
