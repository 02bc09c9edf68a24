//! A call that is aimed at the target and not sent: its request, for whoever changes it first.

use std::sync::PoisonError;

use bytes::Bytes;
use http::request::Parts;
use http_body_util::BodyExt;
use serde_json::{Map, Value};
use url::Url;

use super::filled::Addressed;
use super::session::{Session, Stop};
use super::stand::Stand;
use crate::contract::Operation;
use crate::scenario::{Call, Step};
use crate::transport::Wire;

/// A request as it would be sent.
#[derive(Clone, Debug)]
pub(crate) struct Aimed {
    /// Where the calls of its API go.
    pub(crate) base: Url,
    /// Method, target and headers.
    pub(crate) head: Parts,
    /// The body.
    pub(crate) body: Bytes,
    /// The fields of the body, credentials among them.
    pub(crate) fields: Map<String, Value>,
    /// The path parameters.
    pub(crate) parameters: Map<String, Value>,
    /// The documented query parameters.
    pub(crate) asked: Map<String, Value>,
}

impl Stand {
    /// The request of a call after the first steps were played. A token that it needs is asked for. The error
    /// says why there is none.
    pub(crate) async fn aim(&self, operation: &Operation, step: &Step, call: &Call) -> Result<Aimed, String> {
        let mut session = Session::new(self.context(), self.instance(), self.place());
        session.variables.clone_from(&self.first().variables);
        session.vault = std::sync::Arc::clone(&self.first().vault);
        session.tokens = std::mem::take(&mut *self.tokens().lock().unwrap_or_else(PoisonError::into_inner));
        let aimed = session.aimed(operation, step, call).await;
        *self.tokens().lock().unwrap_or_else(PoisonError::into_inner) = std::mem::take(&mut session.tokens);
        aimed.map_err(Stop::reason)
    }
}

impl Session<'_> {
    async fn aimed(&mut self, operation: &Operation, step: &Step, call: &Call) -> Result<Aimed, Stop> {
        let filled = self.scope().fill(operation, call)?;
        self.scope().may_send(operation, &filled)?;
        let token = self.token(operation, &filled, step).await?;
        let Some(base) = self.world.base(&operation.api) else {
            return Err(Stop::Skipped(format!("the target has no base URL for `{}`", operation.api)));
        };
        let addressed = Addressed::of(self.context, operation, &filled);
        let outgoing = addressed.outgoing(operation, &filled, base, token.as_deref(), &self.vault);
        let (parameters, asked) = (outgoing.parameters.clone(), outgoing.asked.clone());
        let (fields, request) = (outgoing.body_fields(), Wire::of(&outgoing).plain());
        let Some(request) = request else {
            return Err(Stop::Broken(format!("{} can't be sent to the target's address", operation.id)));
        };
        let (head, body) = request.into_parts();
        let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_else(|never| match never {});
        Ok(Aimed { base: base.clone(), head, body, fields, parameters, asked })
    }
}
