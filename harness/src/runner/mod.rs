//! The runner: runs the plan against the target and emits events. It knows no output format.

mod aim;
mod call;
mod context;
mod deck;
mod examine;
mod filled;
mod instance;
mod live;
mod notice;
mod place;
mod plain;
mod plan;
mod replay;
mod run;
mod session;
mod stand;
mod summary;
mod token;

pub(crate) use aim::Aimed;
pub use context::{Context, StartError, Worlds};
pub(crate) use live::{Deed, Ground, Halt, Live, Told};
pub(crate) use plain::{PlainCall, PlainScript, largest, record_of};
pub use plan::{Instance, Selection, plan};
pub(crate) use replay::{Reel, replay, still};
pub use run::{Limits, run};
pub(crate) use stand::{Played, Stand, unplayable};
pub(crate) use summary::Summary;
