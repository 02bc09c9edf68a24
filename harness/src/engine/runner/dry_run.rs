//! A dry run: the request of a call is prepared and not sent, for a caller that changes it first.

use std::sync::Arc;

use super::interactive_session::Halt;
use super::session::{Session, Stop};
use super::user_session::UserSession;
use crate::engine::request::PreparedRequest;
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Step};

impl UserSession {
    /// Prepares the request of a call as it would be sent after the first steps. A required token is requested. The error is the
    /// reason why there is no request.
    pub(crate) async fn dry_run(&self, operation: &Operation, step: &Step, call: &Call) -> Result<PreparedRequest, Halt> {
        let mut session = Session::new(self.context(), self.case(), self.environment());
        session.variables.clone_from(&self.first().variables);
        session.vault = Arc::clone(&self.first().vault);
        session.tokens = self.take_tokens();
        let prepared = session.dry_run(operation, step, call).await;
        self.put_tokens(&mut session);
        prepared.map_err(Halt::from)
    }
}

impl Session<'_> {
    async fn dry_run(&mut self, operation: &Operation, step: &Step, call: &Call) -> Result<PreparedRequest, Stop> {
        let mut request = self.prepare(operation, call, step.place.as_str())?;
        self.authorize(operation, &mut request, step).await?;
        Ok(request)
    }
}
