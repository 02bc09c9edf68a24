//! Why a sequence could not run to its end. None of these is a finding about the target.

use thiserror::Error;

/// A mistake in a model that shows only while a sequence runs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// No guard holds.
    #[error("contracts/models: no transition of `{action}` covers {operation} here: {variables}")]
    NoTransition {
        /// The action of the model.
        action: String,
        /// The operation, or the action of the world.
        operation: String,
        /// The variables that the guards saw.
        variables: String,
    },
    /// A guard that can't be evaluated.
    #[error("{place}: {reason}")]
    Guard {
        /// `contracts/models/gateway.yaml:40:7`.
        place: String,
        /// Why not.
        reason: String,
    },
    /// A field whose value can't be evaluated.
    #[error("`{action}`: `{field}`: {reason}")]
    Field {
        /// The action of the model.
        action: String,
        /// The field.
        field: String,
        /// Why not.
        reason: String,
    },
    /// A template or a matcher that can't be evaluated.
    #[error("{0}")]
    Expression(String),
    /// No order of a batch is possible, although each of its commands is.
    #[error("contracts/models: no state explains a batch, although each of its responses is explained")]
    Inconsistent,
}

impl ModelError {
    /// A template or a matcher that can't be evaluated, for this reason.
    pub(super) fn expression(reason: impl ToString) -> Self {
        Self::Expression(reason.to_string())
    }
}

/// Why a sequence, or the exploration as a whole, ended early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExploreError {
    /// The target file does not open this action, or an assumption of ours about it does not hold.
    #[error("{reason}")]
    Unavailable {
        /// The action's index in the model.
        action: usize,
        /// What is missing.
        reason: String,
    },
    /// The target can't be reached, or its world can't be moved.
    #[error("{0}")]
    Target(String),
    /// A fault of Paycheck.
    #[error("a fault of paycheck itself: {0}")]
    Internal(String),
    /// The model is wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
}
