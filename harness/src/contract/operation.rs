//! One documented call or notification, as the contract describes it.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::expression::Expression;
use super::schema::Schema;
use crate::exchange::Coding;

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
    /// The clause that the call answers in the documented form.
    pub clause: String,
    /// Why its path or shape is assumed, if it is.
    pub assumed: Option<String>,
    /// How credentials are sent.
    pub credentials: Credentials,
    /// The request body, if the call has one.
    pub request: Option<Content>,
    /// The named examples of the request: body fields and path parameters in one mapping.
    pub examples: IndexMap<String, Map<String, Value>>,
    /// The answer of success (`2XX`).
    pub answer: Vec<Content>,
    /// The answer of an error (`default`).
    pub error_answer: Vec<Content>,
    /// When a redirect (`3XX`) is a documented answer, if it ever is.
    pub redirect: Option<When>,
    /// The documented answer codes.
    pub codes: IndexMap<String, Code>,
    /// The clause of a code outside the list.
    pub other_code: Option<String>,
    /// What an accepted call creates.
    pub creates: Option<About>,
    /// What a call acts on.
    pub acts_on: Option<About>,
    /// What an answer (or a notification) tells about a resource.
    pub shows: Option<Shows>,
    /// Field and values of an answer that a poll goes on for.
    pub pending: Map<String, Value>,
    /// Fields that repeat what was sent at the creation.
    pub echoes: Vec<Echo>,
    /// What a refused call must not answer.
    pub refusal: Option<Refusal>,
    /// Body fields that make the call harmless on a live target: `{test: true}` on creations.
    pub safe_when: Map<String, Value>,
    /// What only notifications have.
    pub notification: Option<NotificationRules>,
}

impl Operation {
    /// The first request example.
    pub fn example(&self) -> Map<String, Value> {
        self.examples.values().next().cloned().unwrap_or_default()
    }

    /// Whether the call, sent with these fields, can do no harm on a live target.
    pub fn is_safe(&self, fields: &Map<String, Value>) -> bool {
        self.safe_when.iter().all(|(field, value)| fields.get(field) == Some(value))
    }

    /// The contract of an answer with this HTTP status.
    pub fn answers(&self, status: u16) -> &[Content] {
        if (200..300).contains(&status) { &self.answer } else { &self.error_answer }
    }
}

/// A body: media type and schema.
#[derive(Clone, Debug)]
pub struct Content {
    /// `application/json`.
    pub media_type: String,
    /// How its bytes are written.
    pub coding: Coding,
    /// What it must look like.
    pub schema: Arc<Schema>,
    /// Only answered to requests with these fields.
    pub when: When,
}

/// Request fields under which an answer is documented: field → values, null for "not sent". Empty = always.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When(pub IndexMap<String, Vec<Value>>);

impl When {
    /// Whether a request with this body is meant.
    pub fn holds(&self, sent: Option<&Value>) -> bool {
        self.0.iter().all(|(field, values)| values.contains(sent.and_then(|sent| sent.get(field)).unwrap_or(&Value::Null)))
    }
}

/// One documented answer code.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its meaning, in the document's words.
    pub means: String,
    /// The clause that names it.
    pub clause: String,
}

/// Where credentials go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credentials {
    /// None are sent.
    #[default]
    None,
    /// In body fields: field → part of the credential.
    Fields(IndexMap<String, String>),
    /// In a Basic header: which parts are user name and password.
    Basic {
        /// The part that is the user name.
        username: String,
        /// The part that is the password.
        password: String,
    },
}

/// A resource and where its identifier stands.
#[derive(Clone, Debug)]
pub struct About {
    /// `payment`.
    pub resource: String,
    /// Its identifier.
    pub id: Expression,
    /// Where a creation tells no identifier: fields by which the resource is recognised later.
    pub or_by: IndexMap<String, Expression>,
}

/// A resource, its identifier and its state.
#[derive(Clone, Debug)]
pub struct Shows {
    /// Which resource.
    pub about: About,
    /// Its state.
    pub state: Expression,
}

/// A field that repeats what was sent when the resource was created.
#[derive(Clone, Debug)]
pub struct Echo {
    /// The field of this answer or notification.
    pub field: String,
    /// What it repeats.
    pub from: Source,
    /// The clause.
    pub clause: String,
}

/// What an echo repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A field of the request that created the resource.
    Creation(String),
    /// A place in the request that is being answered.
    Request(Expression),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Creation(field) => f.write_str(field),
            Self::Request(place) => place.fmt(f),
        }
    }
}

/// What a refused creation must not do.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Fields that only an accepted call answers.
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
    /// The clause named when it is about a resource that nobody created.
    pub unknown: String,
    /// The call that must tell the same.
    pub agrees_with: Option<Agreement>,
    /// What the documents ask of the merchant that receives it.
    pub merchant: Option<MerchantRules>,
}

/// What the documents ask of a merchant that receives a notification, with the clause of each demand.
#[derive(Clone, Debug)]
pub struct MerchantRules {
    /// States of which goods are handed over.
    pub due: Vec<String>,
    /// States of which the documents leave that open.
    pub open: Vec<String>,
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

/// A call that must tell the same as a notification.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The call.
    pub operation: String,
    /// Its parameters, taken from the notification.
    pub with: IndexMap<String, Expression>,
    /// Fields of the notification and of the answer that must be equal when both have them.
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
            let value = parameters.get(name).and_then(super::expression::text_of).unwrap_or_default();
            path.push_str(&segment(&value));
            path.push_str(rest);
        }
        path
    }
}

/// Percent-encodes a path segment.
fn segment(text: &str) -> String {
    let mut out = String::new();
    crate::exchange::escape(text, &mut out);
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
}
