//! One documented call or notification, as the contract describes it.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::allowance::Allowance;
use super::amount_format::AmountFormat;
use super::fact_rule::FactRule;
use super::list_rules::ListsByItem;
use super::open_value::OpenValue;
use super::schema::Schema;
use super::success::Success;
use super::when::When;
use crate::base::place::{Message, Place};
use crate::wire::exchange::{Coding, Exchange, Request};
use crate::wire::expression::RuntimeExpression;
use crate::wire::format::FileFormat;

/// The HTTP methods that a file may name for a call.
pub(crate) const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The HTTP status of what is unavailable for a while.
const UNAVAILABLE: u16 = 503;

/// One documented call, or one notification (a call in the other direction).
#[derive(Debug)]
pub struct Operation {
    /// `gateway.v2.status`.
    pub id: String,
    /// The first word of the id.
    pub api: String,
    /// `POST`.
    pub method: String,
    /// The path below the target's base URL; empty for a notification.
    pub path: PathTemplate,
    /// One line about it.
    pub summary: String,
    /// The clause that the call has a response of the documented form.
    pub clause: String,
    /// Why its path or verb is assumed, if it is.
    pub assumed: Option<String>,
    /// Whether its example is harmless, so that it is called once before the first scenario.
    pub preflight: bool,
    /// How credentials are sent.
    pub credentials: Credentials,
    /// The documented query parameters.
    pub query: Vec<String>,
    /// The request body, if the call has one.
    pub request: Option<Content>,
    /// The named examples of the request: body fields and path parameters in one mapping.
    pub examples: IndexMap<String, Map<String, Value>>,
    /// The response of success (`2XX`).
    pub response: Vec<Content>,
    /// The response of an error (`default`).
    pub error_response: Vec<Content>,
    /// The response of success that says that something is unavailable, and may say so by its HTTP status as well (`503`).
    pub unavailable: Vec<Content>,
    /// Whether the response of success is documented to have no body.
    pub empty_response: bool,
    /// Whether a success may be a `204` instead of a documented body.
    pub no_content: bool,
    /// When a redirect (`3XX`) is a documented response, if it ever is.
    pub redirect: Option<When>,
    /// How its responses show success.
    pub success: Success,
    /// The documented response codes.
    pub codes: IndexMap<String, Code>,
    /// Why the list of codes is assumed, if it is.
    pub codes_assumed: Option<String>,
    /// The clause of a code outside the list.
    pub other_code: Option<String>,
    /// What an accepted call creates.
    pub creates: Option<About>,
    /// What a call acts on.
    pub acts_on: Option<About>,
    /// The resource that a response (or a notification) shows.
    pub shows: Option<Shows>,
    /// Field and values of a response during which a poll continues.
    pub pending: Map<String, Value>,
    /// The code of a refusal because something else is pending.
    pub busy: Option<String>,
    /// The code of a refusal because of too many requests.
    pub limited: Option<String>,
    /// Fields that repeat what was sent at the creation.
    pub echoes: Vec<Echo>,
    /// The facts that a response states and that must agree with those of other responses.
    pub fact_rules: Vec<FactRule>,
    /// What a refused call must not return.
    pub refusal: Option<RefusedCreation>,
    /// Body fields that make the call harmless on a live target: `{test: true}` on creations.
    pub safe_when: Map<String, Value>,
    /// Fields of the request whose values the documents do not list.
    pub open_values: Vec<OpenValue>,
    /// Where an accepted call lists what it rejected of the request, as a JSON Pointer.
    pub rejected: Option<String>,
    /// The most bytes read of a response.
    pub largest: usize,
    /// What the documents leave open to the target.
    pub allowances: Vec<Allowance>,
    /// The rules of a notification.
    pub notification: Option<NotificationRules>,
}

impl Operation {
    /// The first request example.
    pub fn example(&self) -> Map<String, Value> {
        self.examples.values().next().cloned().unwrap_or_default()
    }

    /// Whether the call, sent with these fields, is harmless on a live target.
    pub fn is_safe(&self, fields: &Map<String, Value>) -> bool {
        self.safe_when.iter().all(|(field, value)| fields.get(field) == Some(value))
    }

    /// What the contract documents for a response with this HTTP status to this request.
    pub fn documented(&self, request: &Request, status: u16) -> Vec<&Content> {
        let contents = match status {
            200..300 => &self.response,
            UNAVAILABLE if self.may_be_unavailable() => &self.unavailable,
            _ => &self.error_response,
        };
        contents.iter().filter(|content| content.when.holds(request)).collect()
    }

    /// The content documented for a response with this HTTP status, media type and body. A response without a media type counts as
    /// the documented one: the documents do not require the header. Where a file may have any media type, what is said in place of
    /// it may have that type too: none of the formats of files begins as a JSON object does.
    pub fn content(&self, request: &Request, status: u16, media_type: Option<&str>, body: &[u8]) -> Option<&Content> {
        let documented = self.documented(request, status);
        let Some(media_type) = media_type else { return documented.first().copied() };
        let first = |is_fit: &dyn Fn(&Content) -> bool| documented.iter().copied().find(|content| is_fit(content));
        let of_any_type = || {
            let any = first(&Content::is_any)?;
            let is_no_file = any.format.is_some() && body.trim_ascii_start().starts_with(b"{");
            first(&|content| is_no_file && content.coding == Coding::Json).or(Some(any))
        };
        first(&|content| content.is(media_type)).or_else(of_any_type)
    }

    /// The content documented for the response of an exchange.
    pub fn content_of(&self, exchange: &Exchange) -> Option<&Content> {
        let response = exchange.response()?;
        self.content(&exchange.request, response.status, response.header("content-type"), response.body.text.as_bytes())
    }

    /// The content by which a body is read: the one documented for its media type or, if the header is wrong, a documented one that the
    /// body looks like. Later calls need what it holds, and a secret in it must be masked.
    pub fn content_to_read(&self, request: &Request, status: u16, media_type: Option<&str>, body: &[u8]) -> Option<&Content> {
        let looks_like_it = |content: &&Content| content.format.is_none() && content.coding.may_be_that_of(body);
        self.content(request, status, media_type, body).or_else(|| self.documented(request, status).into_iter().find(looks_like_it))
    }

    /// The content by which the response of an exchange is read.
    pub fn content_to_read_of(&self, exchange: &Exchange) -> Option<&Content> {
        let response = exchange.response()?;
        let body = response.body.text.as_bytes();
        self.content_to_read(&exchange.request, response.status, response.header("content-type"), body)
    }

    /// The content by which the response of an exchange is judged: where the documents leave open which media type it states, one that its
    /// body looks like.
    pub fn judged_content(&self, exchange: &Exchange) -> Option<&Content> {
        let by_its_body = || self.content_to_read_of(exchange).filter(|_| self.unstated_media_type().is_some());
        self.content_of(exchange).or_else(by_its_body)
    }

    /// Why the documents leave open which media type a response states, if they do: a contract that allows none at all says so.
    pub fn unstated_media_type(&self) -> Option<&str> {
        let header = Place::header(Message::Response, "content-type");
        let allowance = self.allowances.iter().find(|allowance| allowance.covers(&header, "dropped"))?;
        Some(allowance.reason.as_str())
    }

    /// The documented code that a response carries, as text.
    pub fn code(&self, exchange: &Exchange) -> Option<String> {
        self.success.code(exchange)
    }

    /// Whether the response to a call shows success.
    pub fn accepted(&self, exchange: &Exchange) -> bool {
        let is_unavailable = || exchange.response().is_some_and(|response| response.status == UNAVAILABLE);
        self.success.is_reported_by(exchange) || self.may_be_unavailable() && is_unavailable()
    }

    /// Whether a response of success may have the HTTP status of what is unavailable.
    pub fn may_be_unavailable(&self) -> bool {
        !self.unavailable.is_empty()
    }

    /// The names of all its inputs besides the body.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.path.parameters().chain(self.query.iter().map(String::as_str))
    }
}

/// A body: media type and schema.
#[derive(Clone, Debug)]
pub struct Content {
    /// `application/json`.
    pub media_type: String,
    /// How its bytes are written.
    pub coding: Coding,
    /// The format of its bytes, if the media type does not determine it.
    pub format: Option<FileFormat>,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// Its lists whose items can be judged one by one.
    pub lists: Arc<ListsByItem>,
    /// Only returned to requests with these fields.
    pub when: When,
    /// Why it is assumed, if it is.
    pub assumed: Option<String>,
}

impl Content {
    /// Whether any media type is accepted.
    pub fn is_any(&self) -> bool {
        self.media_type == "*/*"
    }

    /// Whether a `Content-Type` names this media type.
    pub fn is(&self, header: &str) -> bool {
        let essence = header.split(';').next().unwrap_or_default().trim();
        match self.coding {
            Coding::Other => essence.eq_ignore_ascii_case(&self.media_type),
            coding @ (Coding::Form | Coding::Json) => Coding::from_media_type(header) == coding,
        }
    }
}

/// One documented response code.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its meaning, in the document's words.
    pub means: String,
    /// The clause that names it.
    pub clause: String,
}

/// How credentials are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials {
    /// In fields of the body, the path or the query: field → part of the credential.
    pub fields: IndexMap<String, String>,
    /// In the `Authorization` header.
    pub header: Authorization,
}

/// What the `Authorization` header carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Authorization {
    /// Nothing.
    #[default]
    None,
    /// User name and password.
    Basic {
        /// The part of the credential that is the user name.
        username: String,
        /// The part that is the password.
        password: String,
    },
    /// A token that another call returns.
    Bearer(Token),
}

/// The source of a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// The call that returns it.
    pub operation: String,
    /// The field of its response.
    pub field: String,
    /// The field of its response that holds the expiry of the token, if any.
    pub expiry: Option<String>,
    /// Whether it outlives every action of the world; otherwise time may have passed.
    pub lasting: bool,
}

impl Credentials {
    /// The parts of a credential in the body, by field.
    pub fn in_body<'c>(&'c self, operation: &'c Operation) -> impl Iterator<Item = (&'c String, &'c String)> {
        self.fields.iter().filter(|(field, _)| !operation.parameters().any(|name| name == field.as_str()))
    }
}

/// A resource and the place of its identifier.
#[derive(Clone, Debug)]
pub struct About {
    /// `payment`.
    pub resource: String,
    /// Its identifier.
    pub id: RuntimeExpression,
    /// Fields by which the resource is recognised later, if the response to a creation has no identifier.
    pub or_by: IndexMap<String, RuntimeExpression>,
}

impl About {
    /// The parameter or top field of the request that holds the identifier; `None` if the response holds it.
    pub fn parameter(&self) -> Option<&str> {
        match &self.id {
            RuntimeExpression::RequestPath(name) | RuntimeExpression::RequestQuery(name) => Some(name),
            RuntimeExpression::RequestBody(pointer) => pointer.strip_prefix('/').filter(|name| !name.contains('/')),
            RuntimeExpression::ResponseBody(_) => None,
        }
    }
}

/// A resource, its identifier and its state.
#[derive(Clone, Debug)]
pub struct Shows {
    /// Which resource.
    pub about: About,
    /// Its state.
    pub state: RuntimeExpression,
}

/// A field that repeats what was sent when the resource was created.
#[derive(Clone, Debug)]
pub struct Echo {
    /// The place in this response or notification, as a JSON Pointer.
    pub pointer: String,
    /// What it repeats.
    pub from: EchoSource,
    /// Calls about the resource that may change the value, each with the field of its request that holds the new one.
    pub amended_by: Vec<(String, String)>,
    /// Creations that are the only source of the value: where one of them has not sent it, it must not be shown.
    pub only_from: Vec<String>,
    /// How both are read before they are compared.
    pub reading: AmountFormat,
    /// The clause.
    pub clause: String,
}

/// What an echo repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EchoSource {
    /// A field of the request that created the resource.
    Creation(String),
    /// A place in the request that belongs to the response.
    Request(RuntimeExpression),
}

impl std::fmt::Display for EchoSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Creation(field) => f.write_str(field),
            Self::Request(place) => place.fmt(f),
        }
    }
}

/// What a refused creation must not do.
#[derive(Clone, Debug)]
pub struct RefusedCreation {
    /// Fields that only an accepted call returns.
    pub absent: Vec<String>,
    /// The clause.
    pub clause: String,
}

/// Rules of a notification.
#[derive(Clone, Debug)]
pub struct NotificationRules {
    /// Operations whose resources are notified in this format.
    pub created_by: Vec<String>,
    /// HTTP statuses that acknowledge it.
    pub acknowledged_by: Vec<u16>,
    /// The clause named when a resource is notified in another version's format.
    pub format_clause: String,
    /// The clause named when it is about a resource that was not created.
    pub unknown: String,
    /// The clause named when a notification that is due does not arrive.
    pub missing: Option<String>,
    /// The clause named when a secret is in the query of the address that the notification is sent to.
    pub not_in_query: Option<String>,
    /// The call whose response must agree with it.
    pub agrees_with: Option<Agreement>,
    /// What the documents ask of the merchant that receives it.
    pub merchant: Option<MerchantRules>,
}

/// What the documents ask of a merchant that receives a notification, with the clause of each demand.
#[derive(Clone, Debug)]
pub struct MerchantRules {
    /// States in which goods are handed over.
    pub due: Vec<String>,
    /// States for which the documents leave that open.
    pub open: Vec<String>,
    /// What makes the next calls fail by which a merchant reads the state.
    pub failing: Vec<PlacedFault>,
    /// Clause: it is acknowledged.
    pub acknowledged: String,
    /// Clause: the merchant takes notifications at all.
    pub implemented: String,
    /// Clause: goods are handed over once.
    pub once: String,
    /// Clause: goods are handed over for what is paid.
    pub paid_only: String,
    /// Clause: a notification alone is not trusted.
    pub not_trusted: String,
}

/// An action of the world that places a fault, and its parameters.
#[derive(Clone, Debug)]
pub struct PlacedFault {
    /// The action.
    pub action: String,
    /// Its parameters.
    pub with: Map<String, Value>,
}

/// A call whose response must agree with a notification.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The call.
    pub operation: String,
    /// Its parameters, taken from the notification.
    pub with: IndexMap<String, RuntimeExpression>,
    /// Fields of the notification and of the response that must be equal when both have them.
    pub fields: IndexMap<String, String>,
    /// The clause.
    pub clause: String,
}

/// A path with parameters: `/v2.0/payment/transId/{transId}.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathTemplate {
    text: String,
}

impl PathTemplate {
    /// A template from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The template itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of its parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name))
    }

    /// The path with its parameters filled in, percent-encoded. A parameter without a value is empty.
    pub fn fill(&self, parameters: &Map<String, Value>) -> String {
        let mut parts = self.text.split('{');
        let mut path = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            let value = parameters.get(name).and_then(crate::wire::expression::text_of).unwrap_or_default();
            path.push_str(&segment(&value));
            path.push_str(rest);
        }
        path
    }
}

/// Percent-encodes a path segment.
fn segment(text: &str) -> String {
    let mut out = String::new();
    crate::wire::exchange::escape(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_parameter_cannot_leave_its_segment() {
        let path = PathTemplate::new("/v2.0/payment/transId/{transId}.json");
        assert_eq!(path.parameters().collect::<Vec<_>>(), ["transId"]);
        let fill = |value: Value| path.fill(&Map::from_iter([("transId".to_owned(), value)]));
        assert_eq!(fill(json!("AB12-CD34")), "/v2.0/payment/transId/AB12-CD34.json");
        assert_eq!(fill(json!("../a?b#ř")), "/v2.0/payment/transId/..%2Fa%3Fb%23%C5%99.json");
    }

    #[test]
    fn an_identifier_is_a_parameter_or_a_field_of_the_request() {
        let parameter = |id: &str| {
            let about = About { resource: "x".to_owned(), id: RuntimeExpression::parse(id).unwrap(), or_by: IndexMap::new() };
            about.parameter().map(str::to_owned)
        };
        assert_eq!(parameter("$request.path.id").as_deref(), Some("id"));
        assert_eq!(parameter("$request.query.id").as_deref(), Some("id"));
        assert_eq!(parameter("$request.body#/transId").as_deref(), Some("transId"));
        assert_eq!(parameter("$request.body#/payment/id"), None);
        assert_eq!(parameter("$response.body#/id"), None);
    }
}
