//! Fuzzes operations: many at a time, each in a world of its own and one request after the other, so that the
//! same seed sends the same requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;

use super::edit::Edit;
use super::judge::is_own_failure;
use super::menu::{Menu, seed_of};
use super::report::{Cause, Counts, OperationReport};
use super::route::Routes;
use super::saved::{self, Shown};
use super::sender::Sender;
use super::shrink::shrink;
use super::start::{Start, starts};
use super::subject::{Lab, Subject, Trial, Unready};
use crate::contract::Operation;
use crate::exchange::TransportFailureKind;
use crate::runner::{Context, Worlds};
use crate::scenario::Scenario;
use crate::verdict::Finding;

/// What is to be fuzzed, and how much.
#[derive(Clone, Debug)]
pub struct Options {
    /// The operations.
    pub operations: Vec<String>,
    /// Only changes whose description contains one of these; all without any.
    pub changes: Vec<String>,
    /// Made-up requests of each operation.
    pub requests: usize,
    /// Instead of a number of requests: how long, for all operations together.
    pub duration: Option<Duration>,
    /// How many operations are fuzzed at the same time.
    pub jobs: usize,
    /// The seed.
    pub seed: u64,
}

/// So often the valid request is sent in between: what was made up may have ended what it needs.
const VALID_EVERY: usize = 50;
/// After so many requests without an answer an operation is left alone.
const SILENCES: usize = 3;
/// Causes of one operation that are looked into; of a target that breaks everywhere, more would tell no more.
const CAUSES: usize = 20;

/// Fuzzes operations until all is sent or `stop` resolves. The error says what of the target's settings can't be used.
pub async fn run(
    context: Arc<Context>,
    scenarios: &[Arc<Scenario>],
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Vec<OperationReport>, String> {
    let sender = Sender::new(&context.target)?;
    let routes = Routes::of(&context.contracts, &context.target);
    let own_worlds = matches!(context.worlds, Worlds::Emulator(_));
    // Where all share one world, what one operation leaves behind is in the way of another.
    let jobs = if own_worlds { options.jobs.clamp(1, options.operations.len().max(1)) } else { 1 };
    let lab = Arc::new(Lab { context, sender, routes });
    let share = options.duration.map(|whole| {
        let rounds = options.operations.len().div_ceil(jobs).max(1);
        whole / u32::try_from(rounds).unwrap_or(u32::MAX)
    });
    let working = futures::stream::iter(options.operations.clone()).map(|id| {
        let (lab, options) = (Arc::clone(&lab), options.clone());
        let starts = lab.context.contracts.operations.get(&id).map(|operation| starts(operation, scenarios)).unwrap_or_default();
        async move {
            let named = id.clone();
            let task = tokio::spawn(async move { operation(&lab, &id, starts, &options, share).await });
            task.await.unwrap_or_else(|error| OperationReport::skipped(&named, format!("a fault of paycheck itself: {error}")))
        }
    });
    let mut working = std::pin::pin!(working.buffered(jobs).take_until(Box::pin(stop)));
    let mut reports = Vec::new();
    while let Some(report) = working.next().await {
        reports.push(report);
    }
    Ok(reports)
}

async fn operation(lab: &Lab, id: &str, starts: Vec<Start>, options: &Options, share: Option<Duration>) -> OperationReport {
    let Some(operation) = lab.context.contracts.operations.get(id) else {
        return OperationReport::skipped(id, "there is no such operation".to_owned());
    };
    if let Err(refusal) = lab.context.target.may_fuzz(operation) {
        return OperationReport::skipped(id, refusal.to_string());
    }
    let mut work = Work { lab, operation, report: OperationReport::new(id), opened: 0, silences: 0, alone: false };
    let Some((start, subject)) = work.begin(starts).await else { return work.report };
    work.burst(&start, subject, options, share).await;
    work.report
}

/// One operation while it is fuzzed.
struct Work<'w> {
    lab: &'w Lab,
    operation: &'w Operation,
    report: OperationReport,
    /// Worlds so far.
    opened: usize,
    /// Requests without an answer so far.
    silences: usize,
    /// Whether nothing has to happen before the valid request.
    alone: bool,
}

impl<'w> Work<'w> {
    async fn open(&mut self, start: &Start) -> Result<Subject<'w>, Unready> {
        self.opened += 1;
        let name = format!("fuzz-{}-{}", self.operation.id, self.opened);
        Subject::open(self.lab, self.operation, start, &name).await
    }

    /// Finds a valid request that succeeds; where none does, takes the last one.
    async fn begin(&mut self, starts: Vec<Start>) -> Option<(Start, Subject<'w>)> {
        let last = starts.len().saturating_sub(1);
        for (index, start) in starts.into_iter().enumerate() {
            let subject = match self.open(&start).await {
                Ok(subject) => subject,
                Err(Unready::Silent(finding)) => {
                    self.report.add(Cause::new(*finding, Vec::new(), 0));
                    return None;
                }
                Err(Unready::Unplayable(reason)) => {
                    self.report.skipped = Some(reason);
                    continue;
                }
            };
            let trial = subject.attempt(&[]).await;
            let accepted = self.operation.accepted(&trial.exchange);
            if accepted || index == last || trial.exchange.answer().is_none() {
                self.report.skipped = None;
                start.origin().clone_into(&mut self.report.start);
                self.report.accepted = accepted;
                self.alone = start.is_alone();
                return self.judged_at_first(start, subject, trial).await;
            }
            subject.close().await;
        }
        None
    }

    /// The valid request itself must be answered as documented, or there is nothing to change.
    async fn judged_at_first(&mut self, start: Start, subject: Subject<'w>, trial: Trial) -> Option<(Start, Subject<'w>)> {
        if let Some(failure) = trial.exchange.failure() {
            if failure.kind == TransportFailureKind::Connect {
                self.report.unreachable = Some(format!("nobody answers at {}: {}", trial.exchange.request.url, failure.detail));
            } else if trial.findings.is_empty() {
                self.report.skipped = Some(format!("the answer to the valid request was not read whole: {}", failure.detail));
            } else {
                self.found(&subject, Vec::new(), trial.findings, 0).await;
            }
            subject.close().await;
            return None;
        }
        self.found(&subject, Vec::new(), trial.findings, 0).await;
        Some((start, subject))
    }

    async fn burst(&mut self, start: &Start, mut subject: Subject<'w>, options: &Options, share: Option<Duration>) {
        let menu = Menu::of(&subject.draft, seed_of(options.seed, &self.operation.id), &options.changes);
        self.report.menu = menu.len();
        if menu.len() == 0 {
            self.report.skipped = Some("there is no such change to its request".to_owned());
            return subject.close().await;
        }
        let deadline = share.map(|share| Instant::now() + share);
        for number in 0.. {
            let over = deadline.map_or(number >= options.requests, |deadline| Instant::now() >= deadline);
            if over || self.silences >= SILENCES {
                break;
            }
            if number > 0 && number % VALID_EVERY == 0 {
                match self.renewed(start, subject, number).await {
                    Some(renewed) => subject = renewed,
                    None => return,
                }
            }
            let edits = menu.edits(number);
            let trial = subject.attempt(&edits).await;
            self.count(&trial);
            self.found(&subject, edits, trial.findings, number + 1).await;
        }
        if self.silences >= SILENCES {
            self.report.stopped = Some(format!("{} requests had no answer; the rest was not sent", self.silences));
        }
        if let Some(subject) = self.renewed(start, subject, self.report.counts.sent).await {
            subject.close().await;
        }
    }

    /// The target is still well: the valid request is answered as documented, and succeeds in a world that nothing
    /// was made up in, if it did so at first.
    async fn renewed(&mut self, start: &Start, subject: Subject<'w>, number: usize) -> Option<Subject<'w>> {
        let trial = subject.attempt(&[]).await;
        let well = self.operation.accepted(&trial.exchange);
        self.found(&subject, Vec::new(), trial.findings, number).await;
        if well || !self.report.accepted {
            return Some(subject);
        }
        subject.close().await;
        if trial.exchange.answer().is_none() {
            // Another world of a silent target would be waited for just as long.
            self.report.stopped = Some(format!("the valid request had no answer after {number} made-up ones; the rest was not sent"));
            return None;
        }
        let opened = self.open(start).await;
        match opened {
            Ok(subject) => {
                let trial = subject.attempt(&[]).await;
                let well = self.operation.accepted(&trial.exchange);
                self.found(&subject, Vec::new(), trial.findings, number).await;
                if !well {
                    self.unwell(&format!("the valid request succeeded at first and is refused after {number} made-up ones"));
                }
                Some(subject).filter(|_| well)
            }
            Err(Unready::Silent(finding)) => {
                self.report.add(Cause::new(*finding, Vec::new(), number));
                None
            }
            Err(Unready::Unplayable(reason)) => {
                self.unwell(&format!(
                    "what goes before the valid request worked at first and does not after {number} made-up ones: {reason}"
                ));
                None
            }
        }
    }

    /// Where all share one world, a documented refusal (too many calls, say) is the target's right.
    fn unwell(&mut self, message: &str) {
        if matches!(self.lab.context.worlds, Worlds::Emulator(_)) {
            let finding = Finding::new(self.operation.clause.as_str(), self.operation.id.as_str(), message).at("health");
            self.report.add(Cause::new(finding, Vec::new(), self.report.counts.sent));
        } else {
            self.report.stopped = Some(message.to_owned());
        }
    }

    /// Takes in what was found; what is new is shrunk to the fewest changes.
    async fn found(&mut self, subject: &Subject<'_>, edits: Vec<Edit>, findings: Vec<Finding>, number: usize) {
        for finding in findings {
            if self.report.knows(&finding) || self.report.causes.len() >= CAUSES {
                self.report.again(&finding);
                continue;
            }
            let shrunk = shrink(subject, edits.clone(), finding).await;
            let mut cause = Cause::new(shrunk.finding, shrunk.edits.iter().map(Edit::describe).collect(), number);
            cause.again = shrunk.again;
            cause.files = saved::files(&Shown {
                operation: self.operation,
                subject,
                edits: &shrunk.edits,
                finding: &cause.finding,
                request: &subject.request(&shrunk.edits),
                alone: self.alone,
                name: &format!("{}-{}", self.operation.id, self.report.causes.len() + 1),
            });
            self.report.add(cause);
        }
    }

    fn count(&mut self, trial: &Trial) {
        let Counts { sent, accepted, refused, elsewhere, by_http, silent, own } = &mut self.report.counts;
        *sent += 1;
        let Some(answer) = trial.exchange.answer() else {
            *silent += 1;
            self.silences += usize::from(trial.exchange.failure().is_some_and(|f| f.kind != TransportFailureKind::TooLarge));
            return;
        };
        let meant = trial.meant.as_deref() == Some(self.operation.id.as_str());
        let told = self.operation.code(&trial.exchange).is_some_and(|code| self.operation.codes.contains_key(&code));
        *own += usize::from(meant && is_own_failure(self.operation, &trial.exchange));
        let place = match answer.status {
            _ if !meant => elsewhere,
            _ if self.operation.accepted(&trial.exchange) => accepted,
            400.. if !told => by_http,
            _ => refused,
        };
        *place += 1;
    }
}
