//! Plays the gateway towards a merchant's notification endpoint: creates payments, writes notifications about them and
//! sends these. `notify` sends them case by case; a load on the endpoint sends many at a time. The gateway that a merchant asks for
//! the status is an emulator; only [`gateway`] knows that crate.

pub(crate) mod acknowledgement;
mod error;
pub(crate) mod gateway;
pub(crate) mod gateway_calls;
pub(crate) mod log;
pub(crate) mod message;
pub(crate) mod message_pool;
pub(crate) mod route;
pub(crate) mod rules;
pub(crate) mod sender;

pub use error::PushError;
pub use gateway::Gateway;
