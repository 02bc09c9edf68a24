//! One accepted finding.

use jiff::civil::Date;

use crate::base::source_place::SourcePlace;
use crate::base::verdict::{Accepted, Finding};
use crate::base::wildcard::Wildcard;

/// One accepted finding.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownFinding {
    /// The clause that the finding names first.
    pub clause: String,
    /// The operation or notification at fault; any if absent.
    pub operation: Option<String>,
    /// The place in the exchange; any if absent.
    pub at: Option<Wildcard>,
    /// A part of the names of the cases; all if absent.
    pub case: Option<Wildcard>,
    /// The person or team responsible for it.
    pub owner: String,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it is accepted.
    pub expires: Date,
    /// `known-findings.yaml:3:5`.
    pub place: SourcePlace,
}

impl KnownFinding {
    /// Whether the entry accepts this finding of a case.
    pub fn means(&self, case: &str, finding: &Finding) -> bool {
        let of_operation = self.operation.as_ref().is_none_or(|operation| *operation == finding.operation);
        let there = self.at.as_ref().is_none_or(|at| finding.at.as_ref().is_some_and(|found| at.matches(&found.to_string())));
        self.clause == finding.clause() && of_operation && there && self.is_about(case)
    }

    /// Whether the entry applies to this case.
    pub fn is_about(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|name| name.matches_part(case))
    }

    /// Whether it has expired on this day.
    pub fn has_expired(&self, today: Date) -> bool {
        today > self.expires
    }

    /// Its owner, reason and expiry.
    pub fn accepted(&self) -> Accepted {
        Accepted { owner: self.owner.clone(), reason: self.reason.clone(), expires: self.expires.to_string() }
    }

    /// What it accepts, for messages: `gateway.x, gateway.v2.status, response body /price`.
    pub fn describe(&self) -> String {
        let globs = [&self.at, &self.case].into_iter().flatten().map(Wildcard::as_str);
        let parts = std::iter::once(self.clause.as_str()).chain(self.operation.as_deref()).chain(globs);
        parts.collect::<Vec<_>>().join(", ")
    }
}
