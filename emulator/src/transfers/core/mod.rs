//! The rules of transfers, without any input or output: what moves money, when it is paid out, and what is kept of it.

pub mod account;
pub mod book;
pub mod calendar;
pub mod call;
pub mod fees;
pub mod movement;
pub mod row;
pub mod sample;
pub mod transfer;

#[cfg(test)]
mod book_tests;
#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod row_tests;

pub use account::AccountNumber;
pub use book::Book;
pub use call::Call;
pub use fees::{CardType, Fees};
pub use movement::{Movement, Source};
pub use row::{Kind, Row};
pub use transfer::{Payee, Statement, Sums, Transfer};
