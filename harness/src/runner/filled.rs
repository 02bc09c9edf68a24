//! Requests before they are sent: templates filled in, credentials looked up, places found.

use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use super::context::Context;
use super::session::{Session, Stop};
use crate::contract::{Authorization, Operation, PathTemplate};
use crate::exchange::Vault;
use crate::scenario::{Call, Template, Variables};
use crate::target::{Credential, NOBODY};
use crate::transport::Outgoing;

/// A request with its templates filled in.
pub(super) struct Filled {
    pub(super) parameters: Map<String, Value>,
    pub(super) asked: Map<String, Value>,
    pub(super) fields: Map<String, Value>,
    pub(super) identity: String,
    pub(super) without: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) token: Option<String>,
    /// The body as it is, instead of the fields.
    pub(super) body: Option<String>,
}

impl Filled {
    /// Values by the place where the operation wants them.
    pub(super) fn of(operation: &Operation, values: Map<String, Value>, identity: String) -> Self {
        let in_path = |name: &str| operation.path.parameters().any(|parameter| parameter == name);
        let (parameters, rest): (Map<_, _>, Map<_, _>) = values.into_iter().partition(|(name, _)| in_path(name));
        let (asked, fields) = rest.into_iter().partition(|(name, _)| operation.query.contains(name));
        Self { parameters, asked, fields, identity, without: Vec::new(), query: Vec::new(), token: None, body: None }
    }
}

/// What a request may be made of.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) context: &'s Context,
    pub(super) variables: &'s Variables,
}

impl Session<'_> {
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { context: self.context, variables: &self.variables }
    }
}

impl Scope<'_> {
    /// The request: the example, with what the step says laid over it.
    pub(super) fn fill(&self, operation: &Operation, call: &Call) -> Result<Filled, Stop> {
        let example = call.example.as_ref().and_then(|name| operation.examples.get(name)).cloned();
        let mut fields = example.unwrap_or_else(|| operation.example());
        for (name, value) in call.with.iter().chain(&call.extra) {
            fields.insert(name.clone(), value.render(self.variables).map_err(|e| unfilled(name, &e))?);
        }
        fields.retain(|name, _| !call.without.contains(name));
        let identity = text(&call.identity, self.variables)?;
        let query = self.query(call, &identity)?;
        let token = call.token.as_ref().map(|token| text(token, self.variables)).transpose()?;
        let body = call.body.as_ref().map(|body| text(body, self.variables)).transpose()?;
        Ok(Filled { without: call.without.clone(), query, token, body, ..Filled::of(operation, fields, identity) })
    }

    /// The query string. A secret goes there only to show that it is not accepted there, and only to
    /// this machine.
    fn query(&self, call: &Call, identity: &str) -> Result<Vec<(String, String)>, Stop> {
        let mut query = Vec::new();
        for (name, value) in &call.query {
            query.push((name.clone(), text(value, self.variables)?));
        }
        if !call.query_credentials.is_empty() && !self.context.target.is_local() {
            return Err(Stop::Skipped("a secret is sent in a query string only to this machine".to_owned()));
        }
        let credential = self.context.target.credential(&self.context.contracts, identity).unwrap_or_default();
        let parts = call.query_credentials.iter().filter_map(|part| Some((part.clone(), credential.get(part)?.clone())));
        query.extend(parts);
        Ok(query)
    }

    /// Whether the target may be asked this.
    pub(super) fn may_send(&self, operation: &Operation, filled: &Filled) -> Result<(), Stop> {
        let target = &self.context.target;
        if !operation.is_safe(&filled.fields) {
            target.may_create_production().map_err(|refusal| Stop::Skipped(refusal.to_string()))?;
        }
        if filled.identity == NOBODY {
            return Ok(());
        }
        let Some(credential) = target.credential(&self.context.contracts, &filled.identity) else {
            return Err(Stop::Skipped(format!("the target has no credentials for `{}`", filled.identity)));
        };
        match missing_part(operation, filled, &credential) {
            Some(part) => Err(Stop::Skipped(format!("the target's credentials of `{}` have no `{part}`", filled.identity))),
            None => Ok(()),
        }
    }
}

/// Where a request goes, and with whose credentials.
pub(super) struct Addressed {
    credential: Option<Credential>,
    parameters: Map<String, Value>,
    asked: Map<String, Value>,
    path: String,
}

impl Addressed {
    pub(super) fn of(context: &Context, operation: &Operation, filled: &Filled) -> Self {
        let target = &context.target;
        let own = target.paths.get(&operation.id).map(|path| PathTemplate::new(path.as_str()));
        let credential = target.credential(&context.contracts, &filled.identity);
        let parameters = with_credentials(operation.path.parameters(), operation, credential.as_ref(), &filled.parameters);
        let asked = with_credentials(operation.query.iter().map(String::as_str), operation, credential.as_ref(), &filled.asked);
        let path = own.as_ref().unwrap_or(&operation.path).fill(&parameters);
        Self { credential, parameters, asked, path }
    }

    pub(super) fn outgoing<'o>(
        &'o self,
        operation: &'o Operation,
        filled: &'o Filled,
        base: &'o Url,
        token: Option<&'o str>,
        vault: &'o Arc<Vault>,
    ) -> Outgoing<'o> {
        Outgoing {
            operation,
            base,
            path: &self.path,
            parameters: self.parameters.clone(),
            asked: self.asked.clone(),
            fields: filled.fields.clone(),
            identity: &filled.identity,
            credential: self.credential.as_ref(),
            without: &filled.without,
            query: &filled.query,
            token,
            body: filled.body.as_deref(),
            vault,
        }
    }
}

/// A part of the credential that the call needs and the target does not have.
fn missing_part<'o>(operation: &'o Operation, filled: &Filled, credential: &Credential) -> Option<&'o str> {
    let given = |field: &String| [&filled.fields, &filled.parameters, &filled.asked].iter().any(|values| values.contains_key(field));
    let left_out = |field: &String| given(field) || filled.without.contains(field);
    let in_fields = operation.credentials.fields.iter().filter(|(field, _)| !left_out(field)).map(|(_, part)| part.as_str());
    let in_header = match &operation.credentials.header {
        Authorization::Basic { username, password } => vec![username.as_str(), password.as_str()],
        Authorization::None | Authorization::Bearer(_) => Vec::new(),
    };
    in_fields.chain(in_header).find(|part| !credential.contains_key(*part))
}

/// Path or query parameters, with the parts of the credential that stand there.
fn with_credentials<'n>(
    names: impl Iterator<Item = &'n str>,
    operation: &Operation,
    credential: Option<&Credential>,
    parameters: &Map<String, Value>,
) -> Map<String, Value> {
    let mut parameters = parameters.clone();
    for name in names {
        if let Some(value) = operation.credentials.fields.get(name).and_then(|part| credential?.get(part)) {
            parameters.entry(name.to_owned()).or_insert_with(|| value.clone().into());
        }
    }
    parameters
}

pub(super) fn text(template: &Template, variables: &Variables) -> Result<String, Stop> {
    let value = template.render(variables).map_err(|e| Stop::Broken(e.clone()))?;
    crate::contract::text_of(&value).ok_or_else(|| Stop::Broken(format!("a name is expected, not {value}")))
}

fn unfilled(name: &str, error: &str) -> Stop {
    Stop::Broken(format!("`{name}` can't be filled in: {error}"))
}
