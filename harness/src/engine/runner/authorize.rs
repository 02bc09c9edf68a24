//! A call that needs a token gets it from the call that the contract names.

use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;

use super::session::{Session, Stop};
use crate::engine::request::{PreparedRequest, RequestContent};
use crate::spec::contract::{Authorization, Operation, Token};
use crate::spec::scenario::Step;
use crate::spec::target::NOBODY;

impl Session<'_> {
    /// Gives a request the token that its operation needs: the step's own, or the identity's, which is asked for where
    /// it is not known yet. A header of the step's own stays as it is.
    pub(super) async fn authorize(&mut self, operation: &Operation, request: &mut PreparedRequest, step: &Step) -> Result<(), Stop> {
        let Authorization::Bearer(token) = &operation.credentials.header else { return Ok(()) };
        if request.content().authorization.is_some() {
            return Ok(());
        }
        let secret = match &request.content().token {
            Some(own) => Some(self.vault.secret(own).unwrap_or_else(|| own.clone())),
            None if request.identity() == NOBODY => None,
            None => self.token(token, request.identity(), step).await?,
        };
        let unsendable = |error| Stop::Broken(format!("{}: the token can't be sent: {error}", operation.id));
        request.set_token(secret.as_deref()).map_err(unsendable)
    }

    /// The token of an identity.
    fn token<'a>(&'a mut self, token: &'a Token, identity: &'a str, step: &'a Step) -> BoxFuture<'a, Result<Option<String>, Stop>> {
        async move {
            let mark = match self.tokens.get(token, identity) {
                Some(mark) => Some(mark),
                None => self.obtain(token, identity, step).await?,
            };
            Ok(mark.and_then(|mark| self.vault.secret(&mark)))
        }
        .boxed()
    }

    /// Asks for a token. A target that gives none is judged for it; the call goes without.
    async fn obtain(&mut self, token: &Token, identity: &str, step: &Step) -> Result<Option<String>, Stop> {
        let contracts = std::sync::Arc::clone(&self.context.contracts);
        let Some(asked) = contracts.operations.get(&token.operation) else {
            return Err(Stop::Broken(format!("no call `{}` is known that answers tokens", token.operation)));
        };
        let content = RequestContent::new(asked, asked.example(), identity);
        let mut request = self.prepare_content(asked, content, &step.place)?;
        let exchange = self.send(asked, &mut request, step).await?;
        let mark = exchange.answered().and_then(|body| body.get(&token.field)).and_then(Value::as_str).map(str::to_owned);
        if let Some(mark) = &mark {
            self.tokens.keep(token, identity, mark.clone());
        }
        Ok(mark)
    }
}
