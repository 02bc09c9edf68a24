//! The steps of a scenario.

use std::time::Duration;

use indexmap::IndexMap;

use super::matcher::Matcher;
use super::template::Template;

/// One line of a script.
#[derive(Clone, Debug)]
pub struct Step {
    /// `scenarios/gateway/refund.yaml:12:5`.
    pub place: String,
    /// What a failed expectation is named after; empty = derived from the contract.
    pub clauses: Vec<String>,
    /// Why what it expects is assumed rather than documented, if it is.
    pub assumed: Option<String>,
    /// Under load it is played once by each user, when the user starts, and what it keeps stays; `verify` plays
    /// it like any other.
    pub once: bool,
    /// What to do.
    pub verb: Verb,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Verb {
    /// Sends a request.
    Call(Box<Call>),
    /// Something outside the API happens.
    World(WorldStep),
    /// Waits for a notification.
    Notification(NotificationStep),
    /// Nothing matching has arrived and nothing is under way.
    NoNotification(IndexMap<String, Matcher>),
    /// Sets what the merchant's endpoint answers.
    Inbox(InboxStep),
    /// Becomes one case per generated violation.
    Violations(ViolationsStep),
}

impl Verb {
    /// What it keeps for later steps.
    pub fn kept(&self) -> &[Keep] {
        match self {
            Self::Call(call) => &call.keep,
            Self::World(world) => &world.keep,
            Self::Notification(notification) => &notification.keep,
            Self::NoNotification(_) | Self::Inbox(_) | Self::Violations(_) => &[],
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    /// The operation; a template, because a table may hold it.
    pub operation: Template,
    /// The link that is opened in place of the operation's own address: one that the target gave.
    pub link: Option<Template>,
    /// The named example it starts from; none = the first one.
    pub example: Option<String>,
    /// Values laid over the example.
    pub with: IndexMap<String, Template>,
    /// Values that the contract does not know, sent all the same.
    pub extra: IndexMap<String, Template>,
    /// What is sent in the query string.
    pub query: IndexMap<String, Template>,
    /// Parts of the credentials that are sent in the query string, where they must not be accepted.
    /// Only to targets on this machine.
    pub query_credentials: Vec<String>,
    /// Fields removed from it.
    pub without: Vec<String>,
    /// Whose credentials; a template, because a table may hold it.
    pub identity: Template,
    /// The token to send instead of the one that the engine gets itself.
    pub token: Option<Template>,
    /// The `Authorization` header as it is, in place of the identity's.
    pub authorization: Option<Template>,
    /// The body as it is, instead of the fields; empty = none.
    pub body: Option<Template>,
    /// The media type of that body; none = the documented one.
    pub media_type: Option<String>,
    /// What the response's body must be.
    pub expect: IndexMap<String, Matcher>,
    /// What the HTTP response itself must be.
    pub http: HttpExpectation,
    /// What is remembered: name → field, JSON Pointer or header of the response.
    pub keep: Vec<Keep>,
    /// What to poll for.
    pub until: IndexMap<String, Matcher>,
    /// How long to poll.
    pub within: Option<Duration>,
    /// Whether what it expects is documented although the layout around it, or its request, is assumed: a mismatch counts.
    pub documented: bool,
    /// What it prepares, if that is all it is for. Where cases share one world, another may have left what prevents it: a refusal
    /// then skips the case.
    pub prepares: Option<String>,
}

/// A value to remember.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The name in templates.
    pub name: String,
    /// Where it stands.
    pub from: Kept,
}

/// Where a value to remember stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In the body, at a JSON Pointer.
    Body(String),
    /// In a header of the response, by its lower-case name.
    Header(String),
}

impl Keep {
    /// Its JSON Pointer, if it stands in a body.
    pub fn pointer(&self) -> Option<&str> {
        match &self.from {
            Kept::Body(pointer) => Some(pointer),
            Kept::Header(_) => None,
        }
    }
}

/// What the HTTP response itself must be.
#[derive(Clone, Debug, Default)]
pub struct HttpExpectation {
    /// The status.
    pub status: Option<Matcher>,
    /// Headers by lower-case name.
    pub headers: IndexMap<String, Matcher>,
    /// The text of the body, for pages.
    pub body: Option<Matcher>,
}

/// Something outside the API.
#[derive(Clone, Debug)]
pub struct WorldStep {
    /// The action.
    pub action: Template,
    /// Its parameters.
    pub with: IndexMap<String, Template>,
    /// What it answers.
    pub expect: IndexMap<String, Matcher>,
    /// What is remembered of its response.
    pub keep: Vec<Keep>,
}

/// Waiting for a notification.
#[derive(Clone, Debug)]
pub struct NotificationStep {
    /// Its fields.
    pub fields: IndexMap<String, Matcher>,
    /// Which attempt it is: how many with these fields have arrived, this one included.
    pub attempt: Option<Template>,
    /// How long to wait.
    pub within: Option<Duration>,
    /// What is remembered.
    pub keep: Vec<Keep>,
}

/// What the merchant's endpoint answers from now on.
#[derive(Clone, Debug)]
pub struct InboxStep {
    /// In turn; the last one stays.
    pub responses: Vec<Answering>,
}

/// One answer of the merchant's endpoint.
#[derive(Clone, Debug)]
pub struct Answering {
    /// The HTTP status, or `reset`.
    pub status: Template,
    /// How long it takes.
    pub delay: Duration,
}

/// Every generated violation of an operation's request.
#[derive(Clone, Debug)]
pub struct ViolationsStep {
    /// The operation.
    pub operation: String,
    /// The named example violations start from, unless they need another.
    pub example: Option<String>,
    /// Values laid over every request.
    pub with: IndexMap<String, Template>,
    /// Fields removed from every request.
    pub without: Vec<String>,
    /// Only violations of these fields.
    pub only: Vec<String>,
    /// No violations of these fields.
    pub except: Vec<String>,
}
