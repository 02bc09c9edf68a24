//! The content of a request before it is encoded.

use serde_json::{Map, Value};
use url::Url;

use crate::spec::contract::{Authorization, Operation};
use crate::spec::scenario::Login;
use crate::spec::target::Credential;

/// The content of a request: the values of a step, by the place where the operation sends them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestContent {
    /// Path parameters.
    pub(crate) path: Map<String, Value>,
    /// Documented query parameters.
    pub(crate) query: Map<String, Value>,
    /// Further parameters of the query string.
    pub(crate) further_query: Vec<(String, String)>,
    /// Fields of the body.
    pub(crate) fields: Map<String, Value>,
    /// The body as a text, in place of the fields.
    pub(crate) body: Option<String>,
    /// Fields that are removed after the credentials were added: a violation may take them away.
    pub(crate) without: Vec<String>,
    /// The media type of that text, in place of the documented one.
    pub(crate) media_type: Option<String>,
    /// Whether a form spells a space as a plus sign.
    pub(crate) plus_for_space: bool,
    /// Whose credentials are sent.
    pub(crate) identity: String,
    /// The token of a step's own, in place of the identity's.
    pub(crate) token: Option<String>,
    /// The `Authorization` header of a step's own, in place of the identity's.
    pub(crate) authorization: Option<String>,
    /// The scheme of a step's own, in place of `Basic`.
    pub(crate) scheme: Option<String>,
    /// The login that a step sends in place of what the operation asks for.
    pub(crate) login: Option<Login>,
    /// The HTTP method of a step's own, in place of the documented one.
    pub(crate) method: Option<String>,
    /// An address on the target that is opened in place of the operation's own.
    pub(crate) link: Option<Url>,
}

impl RequestContent {
    /// Assigns values to the places where the operation sends them.
    pub(crate) fn new(operation: &Operation, values: Map<String, Value>, identity: impl Into<String>) -> Self {
        let in_path = |name: &str| operation.path.parameters().any(|parameter| parameter == name);
        let (path, rest): (Map<_, _>, Map<_, _>) = values.into_iter().partition(|(name, _)| in_path(name));
        let (query, fields) = rest.into_iter().partition(|(name, _)| operation.query.contains(name));
        Self { path, query, fields, identity: identity.into(), ..Self::default() }
    }

    /// The parts that the call needs and the credential does not have.
    pub(super) fn missing_parts(&self, operation: &Operation, credential: &Credential) -> Vec<String> {
        let given = |field: &String| [&self.fields, &self.path, &self.query].iter().any(|values| values.contains_key(field));
        let left_out = |field: &String| given(field) || self.without.contains(field);
        let in_fields = operation.credentials.fields.iter().filter(|(field, _)| !left_out(field)).map(|(_, part)| part.as_str());
        let in_header = self.login(operation).into_iter().flat_map(|(username, password)| [username, password]);
        in_fields.chain(in_header).filter(|part| !credential.contains_key(*part)).map(str::to_owned).collect()
    }

    /// The parts of the credential that are user name and password of the header: the step's own choice, or what the operation asks for.
    pub(super) fn login<'o>(&'o self, operation: &'o Operation) -> Option<(&'o str, &'o str)> {
        if let Some(Login { username, password }) = &self.login {
            return Some((username, password));
        }
        match &operation.credentials.header {
            Authorization::Basic { username, password } => Some((username, password)),
            Authorization::None | Authorization::Bearer(_) => None,
        }
    }

    /// Adds the parts of a credential in path, query and body. Values of the step take precedence: a violation may need a
    /// credential field of its own.
    pub(super) fn add_credential(&mut self, operation: &Operation, credential: &Credential) {
        let part = |field: &str| operation.credentials.fields.get(field).and_then(|part| credential.get(part));
        let add = |to: &mut Map<String, Value>, field: &str| {
            if let Some(value) = part(field) {
                to.entry(field.to_owned()).or_insert_with(|| value.clone().into());
            }
        };
        operation.path.parameters().for_each(|field| add(&mut self.path, field));
        operation.query.iter().for_each(|field| add(&mut self.query, field));
        operation.credentials.in_body(operation).for_each(|(field, _)| add(&mut self.fields, field));
    }
}
