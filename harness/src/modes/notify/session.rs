//! Runs the cases one after the other, and notices an endpoint that does not respond.

use std::time::Instant;

use super::case_run::{CaseRun, NotJudged};
use super::delivery_oracle::DeliveryOracle;
use super::options::NotifyOptions;
use super::plan::{CaseKind, PushCase};
use crate::base::skip::SkipReason;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::CaseFinished;
use crate::engine::push::gateway::Gateway;
use crate::engine::push::log::ExchangeLog;
use crate::engine::push::rules::rules;
use crate::engine::push::sender::Sender;
use crate::engine::responsiveness::Responsiveness;
use crate::spec::contract::Contracts;
use crate::spec::target::GiveUp;

/// The run of all cases.
pub(super) struct NotifySession<'s> {
    contracts: &'s Contracts,
    gateway: &'s Gateway,
    sender: Sender,
    options: &'s NotifyOptions,
    oracle: DeliveryOracle,
    /// Whether the endpoint responds at all.
    responsiveness: Responsiveness,
}

impl<'s> NotifySession<'s> {
    pub(super) fn new(contracts: &'s Contracts, gateway: &'s Gateway, sender: Sender, options: &'s NotifyOptions) -> Self {
        let responsiveness = Responsiveness::of_one(GiveUp { all: GiveUp::default().operation, ..GiveUp::default() });
        Self { contracts, gateway, sender, options, oracle: DeliveryOracle::default(), responsiveness }
    }

    /// Why the endpoint has never responded.
    pub(super) fn never_responded(&self) -> Option<String> {
        self.responsiveness.never_responded()
    }

    /// Why the endpoint never responded, or no longer.
    pub(super) fn unreachable(&self) -> Option<String> {
        self.responsiveness.unreachable()
    }

    /// Runs one case.
    pub(super) async fn run(&mut self, case: &PushCase) -> CaseFinished {
        let started = Instant::now();
        let notification = self.contracts.notifications.get(&case.notification);
        let Some((notification, rules)) = notification.and_then(|notification| Some((notification, rules(notification)?))) else {
            let verdict = Verdict::NotJudged { reason: format!("there is no notification `{}`", case.notification).into() };
            return CaseFinished { verdict, elapsed: started.elapsed(), ..CaseFinished::begun(case.name.clone(), String::new()) };
        };
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
        let is_given_up = self.responsiveness.is_given_up() && !matches!(case.kind, CaseKind::Deliveries(_));
        let result = if is_given_up { Err(given_up()) } else { run.run(&case.kind).await };
        let CaseRun { findings, log, .. } = run;
        log.notifications().for_each(|exchange| self.responsiveness.note(exchange));
        let verdict = verdict(result, findings);
        let held = if matches!(verdict, Verdict::Passed) { case.clauses(rules) } else { Vec::new() };
        let begun = CaseFinished::begun(case.name.clone(), notification.summary.clone());
        CaseFinished { verdict, about: held.clone(), held, record: log.exchanges, elapsed: started.elapsed(), ..begun }
    }
}

fn given_up() -> NotJudged {
    NotJudged::Skipped(format!("the endpoint gave no response {} times in a row", GiveUp::default().operation))
}

fn verdict(result: Result<(), NotJudged>, findings: Vec<Finding>) -> Verdict {
    match result {
        // Findings count, even if the rest of the case could not be judged.
        _ if !findings.is_empty() => Verdict::Failed { findings },
        Err(NotJudged::Skipped(reason)) => Verdict::Skipped { reason: SkipReason::Other(reason) },
        Err(NotJudged::Broken(reason)) => Verdict::NotJudged { reason: reason.into() },
        Ok(()) => Verdict::Passed,
    }
}
