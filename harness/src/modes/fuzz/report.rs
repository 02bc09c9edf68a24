//! The results of fuzzing, as values.

use std::sync::Arc;

use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::engine::outcome::WireMessage;

/// The result of one operation.
#[derive(Clone, Debug, Default)]
pub struct OperationReport {
    /// The operation.
    pub operation: String,
    /// Where the valid request comes from: a line of a scenario, or the contract's example.
    pub start: String,
    /// Whether the valid request succeeded.
    pub accepted: bool,
    /// How many single changes there are to it.
    pub mutations: usize,
    /// How many requests were sent, by the kind of response.
    pub counts: FuzzCounts,
    /// What is wrong.
    pub causes: Vec<FuzzCause>,
    /// Why it was not fuzzed, if it was not.
    pub skipped: Option<String>,
    /// Why not everything was sent, if it was not.
    pub stopped: Option<String>,
    /// Why the target can't be reached, if it can't.
    pub unreachable: Option<String>,
}

/// How mutated requests were received, by the kind of response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FuzzCounts {
    /// All of them.
    pub sent: usize,
    /// By the operation, with success.
    pub accepted: usize,
    /// By the operation, with a documented code or another documented response.
    pub refused: usize,
    /// By HTTP, before any operation.
    pub by_http: usize,
    /// At another address or by another method.
    pub elsewhere: usize,
    /// Without a response, or with an incomplete one.
    pub silent: usize,
    /// With a documented code and HTTP 5xx: the target reports a failure of its own.
    pub own: usize,
}

/// One cause, with the request that shows it with the fewest changes.
#[derive(Clone, Debug)]
pub struct FuzzCause {
    /// The finding.
    pub finding: Finding,
    /// The request that shows it, and the response; empty if none was sent.
    pub messages: Vec<Arc<WireMessage>>,
    /// The changes, in words.
    pub edits: Vec<String>,
    /// How many requests showed it.
    pub times: usize,
    /// The number of the first of them; 0 is the valid request before all others.
    pub request: usize,
    /// Whether it was seen again when it was sent again.
    pub again: bool,
    /// Files that send it again: name and content.
    pub files: Vec<(String, Vec<u8>)>,
}

impl FuzzCause {
    pub(super) fn new(finding: Finding, edits: Vec<String>, request: usize) -> Self {
        Self { finding, messages: Vec::new(), edits, times: 1, request, again: false, files: Vec::new() }
    }
}

impl OperationReport {
    pub(super) fn new(operation: &str) -> Self {
        Self { operation: operation.to_owned(), ..Self::default() }
    }

    pub(super) fn skipped(operation: &str, reason: String) -> Self {
        Self { skipped: Some(reason), ..Self::new(operation) }
    }

    pub(super) fn knows(&self, finding: &Finding) -> bool {
        self.causes.iter().any(|cause| same(&cause.finding, finding))
    }

    pub(super) fn again(&mut self, finding: &Finding) {
        if let Some(cause) = self.causes.iter_mut().find(|cause| same(&cause.finding, finding)) {
            cause.times += 1;
        }
    }

    pub(super) fn add(&mut self, cause: FuzzCause) {
        if self.knows(&cause.finding) { self.again(&cause.finding) } else { self.causes.push(cause) }
    }
}

/// Whether two findings of an operation have one cause. If no place in a body distinguishes them, their messages do: a time limit
/// is not a cut connection, and 500 is not 503.
pub(super) fn same(one: &Finding, other: &Finding) -> bool {
    one.cause() == other.cause()
        && match &one.at {
            Some(Place::Whole(_)) => head(&one.message) == head(&other.message),
            Some(Place::Status) => one.message == other.message,
            Some(_) | None => true,
        }
}

/// The beginning of a message before the details.
fn head(message: &str) -> &str {
    message.split(':').next().unwrap_or_default()
}

impl FuzzCounts {
    /// Adds those of another operation.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.by_http += other.by_http;
        self.elsewhere += other.elsewhere;
        self.silent += other.silent;
        self.own += other.own;
    }
}
