//! Runs the cases one after the other, and gives up an endpoint that does not respond.

use std::time::Instant;

use super::case_run::{CaseRun, NotJudged};
use super::delivery_oracle::DeliveryOracle;
use super::options::NotifyOptions;
use super::plan::{CaseKind, PushCase};
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::CaseFinished;
use crate::engine::push::gateway::Gateway;
use crate::engine::push::log::ExchangeLog;
use crate::engine::push::rules::rules;
use crate::engine::push::sender::Sender;
use crate::spec::contract::Contracts;

/// After this many cases in a row without a response, the rest is skipped.
const MAX_SILENT_CASES: usize = 3;

/// The run of all cases.
pub(super) struct NotifySession<'s> {
    contracts: &'s Contracts,
    gateway: &'s Gateway,
    sender: Sender,
    options: &'s NotifyOptions,
    oracle: DeliveryOracle,
    /// The cases in a row that got no response.
    silent_cases: usize,
    /// How many notifications were sent.
    sent: usize,
    /// How many of them found no connection.
    refused: usize,
}

impl<'s> NotifySession<'s> {
    pub(super) fn new(contracts: &'s Contracts, gateway: &'s Gateway, sender: Sender, options: &'s NotifyOptions) -> Self {
        Self { contracts, gateway, sender, options, oracle: DeliveryOracle::default(), silent_cases: 0, sent: 0, refused: 0 }
    }

    /// Whether the endpoint refused every connection so far.
    pub(super) fn is_unreachable(&self) -> bool {
        self.sent > 0 && self.refused == self.sent
    }

    /// Runs one case.
    pub(super) async fn run(&mut self, case: &PushCase) -> CaseFinished {
        let started = Instant::now();
        let notification = self.contracts.notifications.get(&case.notification);
        let Some((notification, rules)) = notification.and_then(|notification| Some((notification, rules(notification)?))) else {
            let verdict = Verdict::Broken { reason: format!("there is no notification `{}`", case.notification).into() };
            return CaseFinished { verdict, elapsed: started.elapsed(), ..CaseFinished::begun(case.name.clone(), String::new()) };
        };
        let is_given_up = self.silent_cases >= MAX_SILENT_CASES && !matches!(case.kind, CaseKind::Deliveries(_));
        let mut run = CaseRun {
            contracts: self.contracts,
            gateway: self.gateway,
            sender: &self.sender,
            options: self.options,
            notification,
            rules,
            name: &case.name.case,
            oracle: &mut self.oracle,
            findings: Vec::new(),
            log: ExchangeLog::default(),
        };
        let result = if is_given_up { Err(given_up()) } else { run.run(&case.kind).await };
        let CaseRun { findings, log, .. } = run;
        self.count(&log);
        let verdict = verdict(result, findings);
        let held = if matches!(verdict, Verdict::Passed) { case.clauses(rules) } else { Vec::new() };
        let begun = CaseFinished::begun(case.name.clone(), notification.summary.clone());
        CaseFinished { verdict, about: held.clone(), held, record: log.exchanges, elapsed: started.elapsed(), ..begun }
    }

    fn count(&mut self, log: &ExchangeLog) {
        self.sent += log.sent();
        self.refused += log.refused();
        if log.got_no_response() {
            self.silent_cases += 1;
        } else if log.sent() > 0 {
            self.silent_cases = 0;
        }
    }
}

fn given_up() -> NotJudged {
    NotJudged::Skipped(format!("the endpoint gave no response in {MAX_SILENT_CASES} cases one after the other"))
}

fn verdict(result: Result<(), NotJudged>, findings: Vec<Finding>) -> Verdict {
    match result {
        // Findings count, even if the rest of the case could not be judged.
        _ if !findings.is_empty() => Verdict::Failed { findings },
        Err(NotJudged::Skipped(reason)) => Verdict::Skipped { reason: reason.into() },
        Err(NotJudged::Broken(reason)) => Verdict::Broken { reason: reason.into() },
        Ok(()) => Verdict::Passed,
    }
}
