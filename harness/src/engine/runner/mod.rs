//! The runner: runs the plan against the target and emits events. It knows no output format.

mod authorize;
mod blockers;
mod call;
mod case;
mod context;
mod created;
mod dry_run;
mod ended;
mod environment;
mod excuses;
mod fast_path;
mod final_audit;
mod interactive_session;
mod link;
mod may_select;
mod notification_steps;
mod path_comparison;
mod patience;
mod pending;
mod pending_leftovers;
mod plan;
mod prepare;
mod presence;
mod preview;
mod rate_limit;
mod replay;
mod replay_player;
mod rounds;
mod run;
mod seen_resources;
mod session;
mod shell;
mod shown_operations;
mod summary;
#[cfg(test)]
mod testing;
mod tokens;
mod turns;
mod twin;
mod unknown_paths;
mod user_session;
mod visibility;

pub use blockers::blockers;
pub use context::{Carriers, Context, LeftOpen, StartError, Worlds};
pub(crate) use fast_path::{
    ConfirmingCall, ExplainedStep, FastCall, FastJourney, FastRequest, FastScript, Glance, Handover, Journey, JourneyStep, JudgedBy,
    JudgedCall, SentToken, Then, explain, is_whole, largest, record_of,
};
pub(crate) use interactive_session::{ActionResult, Halt, InteractiveSession, OpenWorld, SessionAction};
pub use plan::{Case, Selection, plan};
pub use preview::{Preview, PreviewStep, preview};
pub use rate_limit::says_limited;
pub(crate) use replay::{replay, still};
pub(crate) use replay_player::Recording;
pub use run::{Limits, run};
pub(crate) use summary::Summary;
pub(crate) use user_session::{Played, UserClient, UserSession, unplayable};
