//! The judgement of what was recorded, as values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::not_judged::NotJudgedReason;
use super::place::{self, Place};
use super::skip::SkipReason;
use super::source_place::SourcePlace;

/// One rule of the documents that a recording breaks, with everything a reader needs to act on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The clauses broken; the first one is the most specific.
    pub clauses: Vec<String>,
    /// The operation or notification at fault.
    pub operation: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What kind of finding it is, for sums of a run; nothing is read back from it.
    #[serde(skip)]
    pub kind: FindingKind,
    /// Where in the exchange: `response body /price`, `request header authorization`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "place::as_text")]
    #[schemars(with = "Option<String>")]
    pub at: Option<Place>,
    /// Where in the contract: `schemas/gateway/status-record.json#/properties/price/type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// What the documents (or the scenario) ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<Value>,
    /// The scenario step, `scenarios/gateway/refund.yaml:12:5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub step: Option<SourcePlace>,
    /// A command line that repeats the request, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// The number of the exchange in the record of its case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<usize>,
    /// Why the rule is assumed rather than documented; such a finding does not count against a live target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// Who has accepted it and until when; such a finding is reported and does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Accepted>,
}

/// What kind of finding it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FindingKind {
    /// Something that was recorded differs from a rule of a contract.
    #[default]
    Differs,
    /// A response is not what a step of a scenario expects.
    Unexpected,
    /// What should have succeeded was refused, with this code.
    Refused(String),
    /// What should have been refused with one code was refused with another.
    OtherCode {
        /// The documented code.
        expected: String,
        /// The code of the response.
        got: String,
        /// The clause of the documented code, where it has one.
        clause: Option<String>,
    },
    /// No notification arrived.
    NothingArrived,
}

/// Who has accepted a finding, why and until when: an entry of the known findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Accepted {
    /// The person or team that has accepted it.
    pub owner: String,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it is: `2026-12-31`.
    pub expires: String,
}

impl Finding {
    /// A finding about an operation; builder methods add the rest.
    pub fn new(clause: impl Into<String>, operation: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            clauses: vec![clause.into()],
            operation: operation.into(),
            message: message.into(),
            kind: FindingKind::default(),
            at: None,
            contract: None,
            expected: None,
            got: None,
            step: None,
            curl: None,
            exchange: None,
            assumed: None,
            known: None,
        }
    }

    /// Whether it counts against the target: neither is its rule assumed, nor is it accepted.
    pub fn counts(&self) -> bool {
        self.assumed.is_none() && self.known.is_none()
    }

    /// The most specific clause broken.
    pub fn clause(&self) -> &str {
        self.clauses.first().map_or("", String::as_str)
    }

    /// What groups findings of one cause: the clause, the operation and the place, not the values. The index of an item or the
    /// line of a file does not count.
    pub fn cause(&self) -> (&str, &str, Option<Place>) {
        (self.clause(), &self.operation, self.at.as_ref().map(Place::cause))
    }

    /// Adds the place in the exchange.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.at = Some(place);
        self
    }

    /// Adds the expected and the actual value.
    #[must_use]
    pub fn compare(mut self, expected: impl Into<Value>, got: impl Into<Value>) -> Self {
        self.expected = Some(expected.into());
        self.got = Some(got.into());
        self
    }
}

/// How one case of a scenario ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// Everything was judged and nothing was found.
    Passed,
    /// Something was found.
    Failed {
        /// What.
        findings: Vec<Finding>,
    },
    /// It did not run, and the reason.
    Skipped {
        /// What it needs.
        #[schemars(with = "String")]
        reason: SkipReason,
    },
    /// It could not be judged (the target could not be reached, a world action failed).
    #[serde(rename = "broken")]
    NotJudged {
        /// Why.
        #[schemars(with = "String")]
        reason: NotJudgedReason,
    },
}

impl Verdict {
    /// Its name in words for users.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed { .. } => "failed",
            Self::Skipped { .. } => "skipped",
            Self::NotJudged { .. } => "not judged",
        }
    }
}
