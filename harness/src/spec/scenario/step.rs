//! The steps of a scenario.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::Value;

use super::matcher::Matcher;
use super::template::Template;
use crate::base::source_place::SourcePlace;
use crate::spec::target::MAIN;

/// One line of a script.
#[derive(Clone, Debug)]
pub struct Step {
    /// `scenarios/gateway/refund.yaml:12:5`.
    pub place: SourcePlace,
    /// The clauses of a failed expectation; empty = derived from the contract.
    pub clauses: Vec<String>,
    /// Why what it expects is assumed rather than documented, if it is.
    pub assumed: Option<String>,
    /// The layout that the assumption is about: nothing is assumed where the target file states it.
    pub layout: Option<NeededLayout>,
    /// Whether the step is played once by each user under load, at its start, and keeps its values; `verify` plays it like any
    /// other.
    pub once: bool,
    /// Which round of a repetition it belongs to, if a time is set for these.
    pub round: Option<Round>,
    /// What to do.
    pub verb: StepVerb,
}

impl Step {
    /// A step that is about no clause in particular, and takes nothing for granted.
    pub fn new(place: SourcePlace, verb: StepVerb) -> Self {
        Self { place, clauses: Vec::new(), assumed: None, layout: None, once: false, round: None, verb }
    }
}

/// A round of a repetition for which a time is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 0.
    pub number: usize,
    /// No further round begins later than this after the first one began.
    pub within: Duration,
}

/// What a step needs to know of the layout of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NeededLayout {
    /// Its name.
    pub name: String,
    /// The columns that the step expects something of.
    pub columns: Vec<String>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum StepVerb {
    /// Sends a request.
    Call(Box<Call>),
    /// Carries out an action outside the API.
    World(Box<WorldStep>),
    /// Waits for a notification.
    Notification(Box<NotificationStep>),
    /// Expects that no matching notification has arrived or is under way.
    NoNotification(IndexMap<String, Matcher>),
    /// Sets the responses of the merchant's endpoint.
    Inbox(InboxStep),
    /// Becomes one case per generated violation.
    Violations(Box<ViolationsStep>),
}

impl StepVerb {
    /// The values it keeps for later steps.
    pub fn kept(&self) -> impl Iterator<Item = &Keep> {
        let (own, of_twin): (&[Keep], &[Keep]) = match self {
            Self::Call(call) => (&call.keep, call.twin.as_ref().map_or(&[], |twin| &twin.keep)),
            Self::World(world) => (&world.keep, &[]),
            Self::Notification(notification) => (&notification.keep, &[]),
            Self::NoNotification(_) | Self::Inbox(_) | Self::Violations(_) => (&[], &[]),
        };
        own.iter().chain(of_twin)
    }
}

/// A request. What few calls have is boxed, for a set of scripts has thousands of calls.
#[derive(Clone, Debug)]
pub struct Call {
    /// The operation; a template, because a table may hold it.
    pub operation: Template,
    /// The link that is opened instead of the operation's own address: one from a response.
    pub link: Option<Box<Template>>,
    /// The named example it starts from; none = the first one.
    pub example: Option<String>,
    /// Values laid over the example.
    pub with: IndexMap<String, Template>,
    /// Values that the contract does not know, sent anyway.
    pub extra: IndexMap<String, Template>,
    /// Parts of the credentials in the body, where they must not be accepted.
    pub extra_credentials: Vec<String>,
    /// The query string.
    pub query: IndexMap<String, Template>,
    /// Parts of the credentials in the query string, where they must not be accepted. Only for targets on this machine.
    pub query_credentials: Vec<String>,
    /// Fields removed from it.
    pub without: Vec<String>,
    /// The identity whose credentials are sent; a template, because a table may hold it.
    pub identity: Template,
    /// A token to send instead of the one that the engine obtains.
    pub token: Option<Box<Template>>,
    /// The literal `Authorization` header, instead of the identity's.
    pub authorization: Option<Box<Template>>,
    /// The scheme under which the login is sent, instead of `Basic`.
    pub scheme: Option<Box<Template>>,
    /// The login of another operation, sent by HTTP Basic instead of what this operation asks for.
    pub login: Option<Login>,
    /// The HTTP method of the request, instead of the documented one. No document describes the response, so nothing but the step's own
    /// expectation judges it.
    pub method: Option<String>,
    /// The literal body, instead of the fields; empty = none.
    pub body: Option<Box<Template>>,
    /// The media type of that body; none = the documented one.
    pub media_type: Option<String>,
    /// Whether a form spells a space as a plus sign.
    pub plus_for_space: bool,
    /// The expected body of the response.
    pub expect: IndexMap<String, Matcher>,
    /// The expected HTTP response.
    pub http: HttpExpectation,
    /// The values to keep: name → field, JSON Pointer, header or page of the response.
    pub keep: Vec<Keep>,
    /// What to poll for.
    pub until: IndexMap<String, Matcher>,
    /// How long to poll.
    pub within: Option<Duration>,
    /// Whether what it expects is documented although the layout around it, or its request, is assumed: a mismatch counts.
    pub documented: bool,
    /// What it prepares, if that is its only purpose. In a shared world another case may have left what prevents it; a refusal
    /// then skips the case.
    pub prepares: Option<String>,
    /// Why a merchant's settings may refuse it: a refusal by a target that others have set up skips the case.
    pub may_be_refused: Option<String>,
    /// The setting that ends this excuse, where the target file states it.
    pub unless_stated: Option<String>,
    /// What is expected of a second, equal request that is sent at the same moment; none is sent without it.
    pub twin: Option<Box<Twin>>,
}

/// What is expected of the response to a second, equal request. Which of the two a target takes first is its own affair: one of the
/// responses has to be as the step expects, the other one as this.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The expected body of the response.
    pub expect: IndexMap<String, Matcher>,
    /// The expected HTTP response.
    pub http: HttpExpectation,
    /// The values to keep.
    pub keep: Vec<Keep>,
}

impl Call {
    /// A call of an operation with its first example and the main credentials.
    pub fn new(operation: &str) -> Self {
        Self {
            operation: Template::text(operation),
            example: None,
            with: IndexMap::new(),
            extra: IndexMap::new(),
            extra_credentials: Vec::new(),
            query: IndexMap::new(),
            query_credentials: Vec::new(),
            without: Vec::new(),
            identity: Template::text(MAIN),
            link: None,
            authorization: None,
            scheme: None,
            login: None,
            method: None,
            media_type: None,
            plus_for_space: false,
            token: None,
            body: None,
            expect: IndexMap::new(),
            http: HttpExpectation::default(),
            keep: Vec::new(),
            until: IndexMap::new(),
            within: None,
            documented: false,
            prepares: None,
            may_be_refused: None,
            unless_stated: None,
            twin: None,
        }
    }
}

/// The parts of a credential that HTTP Basic sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The part that is the user name.
    pub username: String,
    /// The part that is the password.
    pub password: String,
}

/// A value to remember.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The name in templates.
    pub name: String,
    /// Its source.
    pub from: Kept,
    /// What is kept where the source has none; without it, a missing value is a finding.
    pub otherwise: Option<Value>,
}

/// The source of a kept value.
#[derive(Clone, Debug)]
pub enum Kept {
    /// In the body, at a JSON Pointer.
    Body(String),
    /// The first item of a list in the body that matches: which place it has is often not shown.
    Item {
        /// The list, as a JSON Pointer.
        list: String,
        /// What the item has.
        wanted: Matcher,
    },
    /// In a header of the response, by its lower-case name.
    Header(String),
    /// The page: HTTP status and text.
    Page,
}

impl Keep {
    /// Its JSON Pointer, if it is in a body.
    pub fn pointer(&self) -> Option<&str> {
        match &self.from {
            Kept::Body(pointer) => Some(pointer),
            Kept::Item { .. } | Kept::Header(_) | Kept::Page => None,
        }
    }
}

/// The expected HTTP response.
#[derive(Clone, Debug, Default)]
pub struct HttpExpectation {
    /// The status.
    pub status: Option<Matcher>,
    /// Headers by lower-case name.
    pub headers: IndexMap<String, Matcher>,
    /// The text of the body, for pages.
    pub body: Option<Box<Matcher>>,
    /// The page: HTTP status and text, for pages that must differ.
    pub page: Option<Box<Matcher>>,
}

/// An action outside the API.
#[derive(Clone, Debug)]
pub struct WorldStep {
    /// The action.
    pub action: Template,
    /// Its parameters.
    pub with: IndexMap<String, Template>,
    /// Whether the time that passes is a limit: where the clock can't be moved, the next step's notification is waited for instead.
    pub until_next: bool,
    /// The expected response.
    pub expect: IndexMap<String, Matcher>,
    /// The values to keep of its response.
    pub keep: Vec<Keep>,
    /// What it prepares, if that is its only purpose: a live target may have something else, and a result that differs skips the case.
    pub prepares: Option<String>,
    /// Whether it takes back what an earlier action changed for all: on a shared target it is carried out even if a step before it failed.
    pub restores: bool,
}

/// Waiting for a notification.
#[derive(Clone, Debug)]
pub struct NotificationStep {
    /// Its fields.
    pub fields: IndexMap<String, Matcher>,
    /// The condition under which the step is left out: none is due then.
    pub unless: Option<Template>,
    /// The expected number of the attempt: how many notifications with these fields have arrived, this one included.
    pub attempt: Option<Template>,
    /// How long to wait.
    pub within: Option<Duration>,
    /// The values to keep.
    pub keep: Vec<Keep>,
}

/// The responses of the merchant's endpoint from now on.
#[derive(Clone, Debug)]
pub struct InboxStep {
    /// In turn; the last one repeats.
    pub responses: Vec<EndpointResponse>,
}

/// One response of the merchant's endpoint.
#[derive(Clone, Debug)]
pub struct EndpointResponse {
    /// The HTTP status, or `reset`.
    pub status: Template,
    /// Its delay.
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
