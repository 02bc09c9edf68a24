//! The runner: runs the plan against the target and emits events. It knows no output format.

mod call;
mod context;
mod instance;
mod notice;
mod place;
mod plan;
mod run;
mod session;
mod summary;
mod token;

pub use context::{Context, StartError, Worlds};
pub use plan::{Instance, Selection, plan};
pub use run::{Limits, run};
pub(crate) use summary::Summary;
