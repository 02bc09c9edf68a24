//! Prepares the requests of steps: fills in templates and names the step.

use serde_json::{Map, Value};
use url::Url;

use super::context::Context;
use super::session::{Session, Stop};
use crate::base::skip::SkipReason;
use crate::engine::request::{Preparation, PrepareError, PreparedRequest, RequestContent};
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Template, Variables};
use crate::spec::target::{Offer, impersonated};
use crate::wire::expression::RuntimeExpression;

/// The values for templates and requests.
#[derive(Clone, Copy)]
pub(super) struct TemplateScope<'s> {
    pub(super) context: &'s Context,
    pub(super) variables: &'s Variables,
    /// The reference by which a creation is recognised in a shared world.
    pub(super) reference: Option<&'s str>,
    /// The setting that the scenario asks for.
    pub(super) setting: &'s Map<String, Value>,
}

impl Context {
    /// Returns the values with which requests to the target are prepared.
    pub(crate) fn preparation(&self) -> Preparation<'_> {
        Preparation { contracts: &self.contracts, target: &self.target, guard: &self.guard }
    }
}

impl From<PrepareError> for Stop {
    fn from(error: PrepareError) -> Self {
        // A near miss is built from the right credentials: those are what the target file lacks.
        let whose = |identity: String| impersonated(&identity).map(str::to_owned).unwrap_or(identity);
        match error {
            PrepareError::Refused(refused) => Self::Skipped(SkipReason::Other(refused.to_string())),
            PrepareError::NoCredentials(identity) => Self::Skipped(SkipReason::NoCredentials(whose(identity))),
            PrepareError::MissingParts { identity, parts } => {
                Self::Skipped(SkipReason::MissingParts { identity: whose(identity), parts: parts.into_iter().collect() })
            }
            PrepareError::NoBase(api) => Self::Skipped(SkipReason::NoBase(api)),
            PrepareError::Unwritable { .. } => Self::NotJudged(error.to_string()),
        }
    }
}

impl Session<'_> {
    pub(super) fn scope(&self) -> TemplateScope<'_> {
        TemplateScope {
            context: self.context,
            variables: &self.variables,
            reference: self.environment.shared_reference(),
            setting: &self.case.scenario.setting,
        }
    }

    /// Prepares the request of a call. `place` is the step's.
    pub(super) fn prepare(&self, operation: &Operation, call: &Call, place: &str) -> Result<PreparedRequest, Stop> {
        let link = self.link(operation, call)?;
        self.scope().prepare(operation, call, self.world.base(&operation.api), link, place)
    }

    /// Prepares a request that belongs to no step.
    pub(super) fn prepare_content(&self, operation: &Operation, content: RequestContent, place: &str) -> Result<PreparedRequest, Stop> {
        Ok(self.context.preparation().prepare(operation, content, self.world.base(&operation.api), place)?)
    }
}

impl TemplateScope<'_> {
    /// Prepares the request of a call below a base URL.
    pub(super) fn prepare(
        self,
        operation: &Operation,
        call: &Call,
        base: Option<&Url>,
        link: Option<Url>,
        place: &str,
    ) -> Result<PreparedRequest, Stop> {
        let content = RequestContent { link, ..self.content(operation, call)? };
        Ok(self.context.preparation().prepare(operation, content, base, place)?)
    }

    /// Lays the step's values over the operation's example.
    fn content(self, operation: &Operation, call: &Call) -> Result<RequestContent, Stop> {
        let example = call.example.as_ref().and_then(|name| operation.examples.get(name)).cloned();
        let identity = text(&call.identity, self.variables)?;
        let mut values = example.unwrap_or_else(|| self.context.target.example(&self.context.contracts, operation, &identity));
        self.refer(operation, &mut values);
        for (name, value) in call.with.iter().chain(&call.extra) {
            values.insert(name.clone(), value.render(self.variables).map_err(|error| unfilled(name, &error.to_string()))?);
        }
        let credential = self.parts_of_credentials(&call.extra_credentials, &identity);
        values.extend(credential.into_iter().map(|(name, value)| (name, Value::String(value))));
        values.retain(|name, _| !call.without.contains(name));
        let offer = Offer::new(&self.context.target.settings, &self.context.contracts, &identity).of_scenario(self.setting);
        if let Some(reason) = offer.lacks(&operation.id, &values) {
            return Err(Stop::Skipped(reason));
        }
        let further_query = self.further_query(call, &identity)?;
        let token = call.token.as_ref().map(|token| text(token, self.variables)).transpose()?;
        let body = call.body.as_ref().map(|body| text(body, self.variables)).transpose()?;
        let authorization = call.authorization.as_ref().map(|header| text(header, self.variables)).transpose()?;
        let scheme = call.scheme.as_ref().map(|scheme| text(scheme, self.variables)).transpose()?;
        Ok(RequestContent {
            without: call.without.clone(),
            further_query,
            token,
            authorization,
            scheme,
            login: call.login.clone(),
            method: call.method.clone(),
            body,
            media_type: call.media_type.clone(),
            plus_for_space: call.plus_for_space,
            ..RequestContent::new(operation, values, identity)
        })
    }

    /// Gives a creation a unique reference instead of the example's.
    fn refer(self, operation: &Operation, values: &mut Map<String, Value>) {
        let (Some(reference), Some(created)) = (self.reference, &operation.creates) else { return };
        for field in created.or_by.values().filter_map(RuntimeExpression::request_field) {
            if let Some(value) = values.get_mut(field) {
                *value = Value::String(reference.to_owned());
            }
        }
    }

    /// Returns the additions of the step to the query string. A secret is sent there only to show that it is not accepted there,
    /// and only to this machine.
    fn further_query(self, call: &Call, identity: &str) -> Result<Vec<(String, String)>, Stop> {
        let mut query = Vec::new();
        for (name, value) in &call.query {
            query.push((name.clone(), text(value, self.variables)?));
        }
        if call.query_credentials.is_empty() {
            return Ok(query);
        }
        if !self.context.target.is_local() {
            return Err(Stop::Skipped(SkipReason::Other("a secret is sent in a query string only to this machine".to_owned())));
        }
        query.extend(self.parts_of_credentials(&call.query_credentials, identity));
        Ok(query)
    }

    /// Parts of an identity's credentials, where a step sends them in a place of its own.
    fn parts_of_credentials(self, parts: &[String], identity: &str) -> Vec<(String, String)> {
        if parts.is_empty() {
            return Vec::new();
        }
        let credential = self.context.target.credential(&self.context.contracts, identity).unwrap_or_default();
        parts.iter().filter_map(|part| Some((part.clone(), credential.get(part)?.clone()))).collect()
    }
}

/// Fills in a template whose value is a text.
pub(super) fn text(template: &Template, variables: &Variables) -> Result<String, Stop> {
    let value: Value = template.render(variables).map_err(|error| Stop::NotJudged(error.to_string()))?;
    crate::wire::expression::text_of(&value).ok_or_else(|| Stop::NotJudged(format!("a name is expected, not {value}")))
}

fn unfilled(name: &str, error: &str) -> Stop {
    Stop::NotJudged(format!("`{name}` can't be filled in: {error}"))
}
