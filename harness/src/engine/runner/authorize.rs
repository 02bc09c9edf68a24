//! A call that needs a token gets it from the call that the contract names.

use std::time::Instant;

use futures::future::{BoxFuture, FutureExt};
use http::HeaderValue;
use http::header::InvalidHeaderValue;
use jiff::Timestamp;
use serde_json::Value;

use super::session::{Session, Stop};
use super::tokens::usable;
use crate::engine::request::{PreparedRequest, RequestContent};
use crate::spec::contract::{Authorization, Operation, Token};
use crate::spec::scenario::{Step, forged};
use crate::spec::target::NOBODY;
use crate::wire::exchange::Vault;

/// Which token a request is sent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bearer {
    /// None.
    None,
    /// The step's own: a mark, a mark with more behind it or with what is to be made of its token, or a text that was never a token.
    Own(String),
    /// That of an identity.
    Identity(String),
}

impl Bearer {
    /// The token that a request to an operation needs: the step's own, whatever its contract asks for; none if that asks for none, or if
    /// the step has a header of its own.
    pub(super) fn required_by(operation: &Operation, content: &RequestContent) -> Option<Self> {
        if content.authorization.is_some() || content.login.is_some() {
            return None;
        }
        match (&content.token, &operation.credentials.header) {
            (Some(own), _) => Some(Self::Own(own.clone())),
            (None, Authorization::Bearer(_)) if content.identity == NOBODY => Some(Self::None),
            (None, Authorization::Bearer(_)) => Some(Self::Identity(content.identity.clone())),
            (None, Authorization::None | Authorization::Basic { .. }) => None,
        }
    }

    /// The secret behind a step's own token, and what the step appends to its mark. A forged token is as secret as the issued one: a
    /// careless target takes it.
    pub(super) fn own(text: &str, vault: &Vault) -> String {
        let end = text.strip_prefix("***").and_then(|rest| rest.find("***")).map_or(text.len(), |at| at + 6);
        let (mark, appended) = text.split_at(end);
        let Some(secret) = vault.secret(mark) else { return text.to_owned() };
        let Some(forged) = forged(&secret, appended) else { return secret + appended };
        vault.keep("forged-token", &forged);
        forged
    }
}

/// Why a token makes no header.
pub(super) fn unsendable(operation: &Operation, error: &InvalidHeaderValue) -> Stop {
    Stop::NotJudged(format!("{}: the token can't be sent: {error}", operation.id))
}

impl Session<'_> {
    /// Gives a request the token that its operation needs: the step's own, or the identity's, which is requested if it is not
    /// known yet. A header of the step's own stays unchanged.
    pub(super) async fn authorize(&mut self, operation: &Operation, request: &mut PreparedRequest, step: &Step) -> Result<(), Stop> {
        let Some(bearer) = Bearer::required_by(operation, request.content()) else { return Ok(()) };
        let secret = match &bearer {
            Bearer::None => None,
            Bearer::Own(own) => Some(Bearer::own(own, &self.vault)),
            Bearer::Identity(identity) => self.token_of(operation, identity, step).await?,
        };
        request.set_token(secret.as_deref()).map_err(|error| unsendable(operation, &error))
    }

    /// The token that calls of an operation are sent with for an identity.
    pub(super) async fn token_of(&mut self, operation: &Operation, identity: &str, step: &Step) -> Result<Option<String>, Stop> {
        let Authorization::Bearer(token) = &operation.credentials.header else { return Ok(None) };
        self.token(token, identity, step).await
    }

    /// The token of an identity.
    fn token<'a>(&'a mut self, token: &'a Token, identity: &'a str, step: &'a Step) -> BoxFuture<'a, Result<Option<String>, Stop>> {
        async move {
            let held = self.tokens.get(token, identity, Instant::now());
            let mark = match held.filter(|mark| !self.vault.has_forgotten(mark)) {
                Some(mark) => Some(mark),
                None => self.obtain(token, identity, step).await?,
            };
            Ok(mark.and_then(|mark| self.vault.secret(&mark)))
        }
        .boxed()
    }

    /// Requests a token. A target that returns none is judged for it; the call is sent without.
    async fn obtain(&mut self, token: &Token, identity: &str, step: &Step) -> Result<Option<String>, Stop> {
        let contracts = std::sync::Arc::clone(&self.context.contracts);
        let Some(asked) = contracts.operations.get(&token.operation) else {
            return Err(Stop::NotJudged(format!("no call `{}` that returns tokens is known", token.operation)));
        };
        let content = RequestContent::new(asked, asked.example(), identity);
        let mut request = self.prepare_content(asked, content, step.place.as_str())?;
        let exchange = self.send(asked, &mut request, step).await?;
        let mark = exchange.response_value().and_then(|body| body.get(&token.field)).and_then(Value::as_str).map(str::to_owned);
        if let Some(mark) = &mark {
            if let Some(Err(error)) = self.vault.secret(mark).map(HeaderValue::try_from) {
                return Err(unsendable(asked, &error));
            }
            let usable = usable(token, exchange.response_value(), Timestamp::now());
            self.tokens.keep(token, identity, mark.clone(), Instant::now(), usable);
        }
        Ok(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_mark_is_appended_to_its_secret() {
        let vault = Vault::default();
        let mark = vault.keep("token", "abc.def");
        assert_eq!(Bearer::own(&mark, &vault), "abc.def");
        assert_eq!(Bearer::own(&format!("{mark}AAAA"), &vault), "abc.defAAAA");
        let mark = vault.keep("token", "uvw.xyz.ghi");
        assert_eq!(Bearer::own(&format!("{mark}:unsigned"), &vault), "uvw.xyz.");
        assert_eq!(vault.masked("Bearer uvw.xyz.".into()), "Bearer ***forged-token-1***");
        for unknown in ["garbage", "***", "******", "***token-9***AAAA", ""] {
            assert_eq!(Bearer::own(unknown, &vault), unknown);
        }
    }
}
