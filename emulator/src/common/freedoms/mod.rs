//! Freedoms: places where the documents leave a choice. The file `freedoms.yaml` lists them with the alternatives; a world
//! takes the default of each, unless its settings choose another one. Most alternatives change finished responses
//! (`wire/shape`), a few are [`Behaviour`]s of the code.

mod behaviour;
mod catalogue;
mod change;
mod chosen;

pub(crate) use behaviour::Behaviour;
pub use catalogue::{Alternative, Freedom, freedoms};
pub(crate) use change::{CallResult, Change, FieldOrder, Moment, Spelling};
pub(crate) use chosen::Freedoms;
pub use chosen::{FreedomError, FreedomSettings};
