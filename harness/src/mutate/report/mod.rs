//! What is told of a mutation run.

mod junit;
mod terminal;

pub(crate) use junit::junit;
pub(crate) use terminal::{Told, terminal};
