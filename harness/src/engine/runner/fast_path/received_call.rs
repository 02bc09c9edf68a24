//! A call of a journey that was made, with everything that a record of it needs.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::{FastRequest, SentToken};
use crate::engine::request::PreparedRequest;
use crate::engine::runner::authorize::unsendable;
use crate::engine::runner::context::Context;
use crate::engine::runner::session::Stop;
use crate::engine::runner::user_session::UserSession;
use crate::engine::transport::reply::{Failure, Reply};
use crate::engine::transport::{Records, exchange_of};
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::{Exchange, Vault};

/// A call that was made. Its exchange is built only if something needs a record.
pub(crate) struct ReceivedCall<'j> {
    /// The index of its operation.
    operation: usize,
    request: Cow<'j, FastRequest>,
    token: SentToken,
    response: Result<Reply, Failure>,
    elapsed: Duration,
    /// Its place in time.
    arrived: u64,
}

impl<'j> ReceivedCall<'j> {
    /// A call whose response was received just now.
    pub(super) fn now(
        user: &UserSession,
        operation: usize,
        (request, token): (Cow<'j, FastRequest>, SentToken),
        (elapsed, response): (Duration, Result<Reply, Failure>),
    ) -> Box<Self> {
        Box::new(Self { operation, request, token, response, elapsed, arrived: user.context().recorder.arrival() })
    }

    /// Its request.
    pub(crate) fn request(&self) -> &FastRequest {
        &self.request
    }

    /// Its response.
    pub(crate) fn response(&self) -> Result<&Reply, &Failure> {
        self.response.as_ref()
    }

    /// Its operation.
    pub(super) fn operation<'c>(&self, contracts: &'c Contracts) -> Result<&'c Operation, Stop> {
        let found = contracts.operations.get_index(self.operation);
        found.map(|(_, operation)| operation).ok_or_else(|| Stop::NotJudged("the operation is gone".to_owned()))
    }

    /// The exchange as `verify` would have recorded it.
    pub(super) fn exchange(&self, context: &Context, vault: &Arc<Vault>) -> Result<Exchange, Stop> {
        let operation = self.operation(&context.contracts)?;
        let records = Records { recorder: &context.recorder, vault };
        let sent = match &self.token.0 {
            Some(secret) => Cow::Owned(self.request.connection.with_token(secret).map_err(|error| unsendable(operation, &error))?),
            None => Cow::Borrowed(&self.request.connection),
        };
        let response = (self.response.as_ref(), self.elapsed);
        let exchange = exchange_of(operation, &self.request.prepared, sent.headers(), response, records);
        Ok(Exchange { arrived: self.arrived, ..exchange })
    }

    /// The request, to repeat it.
    pub(super) fn prepared(&self) -> PreparedRequest {
        (*self.request.prepared).clone()
    }
}
