//! Fuzzes many operations at a time, each in a world of its own and one request after the other, so that the same seed
//! sends the same requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;

use super::edit::Edit;
use super::fuzz_case::{FuzzCase, FuzzContext, FuzzTrial, Unready};
use super::judge::is_own_failure;
use super::mutations::{Mutations, seed_of};
use super::report::{FuzzCause, FuzzCounts, OperationReport};
use super::saved::{self, Shown};
use super::sender::RawSender;
use super::shrink::shrink;
use super::start::{Start, starts};
use super::tally::Tally;
use crate::base::interrupt::Interrupt;
use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::engine::client::ClientError;
use crate::engine::outcome::WireMessage;
use crate::engine::runner::{Context, Worlds};
use crate::spec::contract::Operation;
use crate::spec::scenario::Scenario;
use crate::wire::exchange::{TransportFailureKind, curl_with};

/// Which operations are fuzzed, and how much.
#[derive(Clone, Debug)]
pub struct Options {
    /// The operations.
    pub operations: Vec<String>,
    /// Only changes whose description contains one of these; all without any.
    pub changes: Vec<String>,
    /// How many mutated requests each operation is sent.
    pub requests: usize,
    /// In place of a number of requests: how long, for all operations together.
    pub duration: Option<Duration>,
    /// How many operations are fuzzed at the same time.
    pub jobs: usize,
    /// The seed.
    pub seed: u64,
    /// Where progress is counted.
    pub tally: Arc<Tally>,
}

/// How many mutated requests are sent between two valid ones: a mutated request may have ended what the valid one needs.
const VALID_EVERY: usize = 50;
/// Why nothing more is sent to a target that does not respond.
const GIVEN_UP: &str = "the target no longer responds; the rest was not sent";
/// The most causes of one operation that are analysed; more would show nothing new.
const CAUSES: usize = 20;

/// What fuzzing found.
pub struct Fuzzed {
    /// The operations that were fuzzed.
    pub reports: Vec<OperationReport>,
    /// Whether any call got a response.
    pub responded: bool,
    /// Why the target could not be reached, or was given up.
    pub unreachable: Option<String>,
}

/// Fuzzes operations until all is sent, the user interrupts, or the target is given up because it does not respond. What was found until
/// then is reported.
pub async fn run(
    context: Arc<Context>,
    scenarios: &[Arc<Scenario>],
    options: &Options,
    interrupt: &Interrupt,
) -> Result<Fuzzed, ClientError> {
    let sender = RawSender::new(&context.target)?;
    let own_worlds = matches!(context.worlds, Worlds::Emulator(_));
    // In a shared world, what one operation leaves behind affects the others.
    let jobs = if own_worlds { options.jobs.clamp(1, options.operations.len().max(1)) } else { 1 };
    let shared = Arc::new(FuzzContext { context, sender });
    let share = options.duration.map(|whole| {
        let rounds = options.operations.len().div_ceil(jobs).max(1);
        whole / u32::try_from(rounds).unwrap_or(u32::MAX)
    });
    let operations = options.operations.iter().take_while(|_| !interrupt.is_raised()).cloned();
    let working = futures::stream::iter(operations).map(|id| {
        let (shared, options, interrupt) = (Arc::clone(&shared), options.clone(), interrupt.clone());
        let starts = shared.context.contracts.operations.get(&id).map(|operation| starts(operation, scenarios)).unwrap_or_default();
        async move {
            let named = id.clone();
            let tally = Arc::clone(&options.tally);
            let task = tokio::spawn(async move { operation(&shared, &id, starts, &options, share, interrupt.wait()).await });
            let report = task.await;
            tally.ended();
            report.unwrap_or_else(|error| OperationReport::skipped(&named, format!("a fault of paycheck itself: {error}")))
        }
    });
    let mut working = std::pin::pin!(working.buffered(jobs));
    let mut reports = Vec::new();
    while let Some(report) = working.next().await {
        reports.push(report);
    }
    let responsiveness = &shared.context.responsiveness;
    Ok(Fuzzed { reports, responded: responsiveness.has_responded(), unreachable: responsiveness.unreachable() })
}

async fn operation(
    shared: &FuzzContext,
    id: &str,
    starts: Vec<Start>,
    options: &Options,
    share: Option<Duration>,
    interrupted: impl Future<Output = ()>,
) -> OperationReport {
    let Some(operation) = shared.context.contracts.operations.get(id) else {
        return OperationReport::skipped(id, "there is no such operation".to_owned());
    };
    if let Err(refusal) = shared.context.target.may_fuzz(operation) {
        return OperationReport::skipped(id, refusal.to_string());
    }
    if shared.context.responsiveness.is_given_up() {
        return OperationReport::skipped(id, GIVEN_UP.to_owned());
    }
    let (report, tally) = (OperationReport::new(id), Arc::clone(&options.tally));
    let mut run = OperationRun { shared, operation, report, tally, opened: 0, silences: 0, withheld: 0, alone: false };
    tokio::select! {
        () = run.send(starts, options, share) => {}
        () = interrupted => {}
    }
    run.report
}

/// One operation while it is fuzzed.
struct OperationRun<'w> {
    shared: &'w FuzzContext,
    operation: &'w Operation,
    report: OperationReport,
    tally: Arc<Tally>,
    /// Worlds so far.
    opened: usize,
    /// Requests without a response so far.
    silences: usize,
    /// Requests that the guard withheld.
    withheld: usize,
    /// Whether the valid request needs no steps before it.
    alone: bool,
}

impl<'w> OperationRun<'w> {
    async fn open(&mut self, start: &Start) -> Result<FuzzCase<'w>, Unready> {
        self.opened += 1;
        let name = format!("fuzz-{}-{}", self.operation.id, self.opened);
        FuzzCase::open(self.shared, self.operation, start, &name).await
    }

    async fn send(&mut self, starts: Vec<Start>, options: &Options, share: Option<Duration>) {
        if let Some((start, fuzz_case)) = self.begin(starts).await {
            self.send_mutations(&start, fuzz_case, options, share).await;
        }
    }

    /// Sends a request and judges its response; none if the guard withholds it.
    async fn attempt(&mut self, fuzz_case: &FuzzCase<'_>, edits: &[Edit]) -> Option<FuzzTrial> {
        match fuzz_case.attempt(edits).await {
            Ok(trial) => Some(trial),
            Err(refusal) => {
                self.withheld += 1;
                let (count, noun) = (self.withheld, if self.withheld == 1 { "request was" } else { "requests were" });
                self.report.stopped = Some(format!("{count} {noun} not sent, the last for this reason: {refusal}"));
                // If every request is withheld, other tasks must still run.
                tokio::task::yield_now().await;
                None
            }
        }
    }

    /// Finds a valid request that succeeds; if none does, takes the last one.
    async fn begin(&mut self, starts: Vec<Start>) -> Option<(Start, FuzzCase<'w>)> {
        let last = starts.len().saturating_sub(1);
        for (index, start) in starts.into_iter().enumerate() {
            let fuzz_case = match self.open(&start).await {
                Ok(fuzz_case) => fuzz_case,
                Err(Unready::Silent(finding)) => {
                    self.report.add(FuzzCause::new(*finding, Vec::new(), 0));
                    return None;
                }
                Err(Unready::Unplayable(reason)) => {
                    self.report.skipped = Some(reason);
                    continue;
                }
            };
            let trial = self.attempt(&fuzz_case, &[]).await?;
            let accepted = self.operation.accepted(&trial.exchange);
            if accepted || index == last || trial.exchange.response().is_none() {
                self.report.skipped = None;
                start.origin().clone_into(&mut self.report.start);
                self.report.accepted = accepted;
                self.alone = start.is_alone();
                return self.judged_at_first(start, fuzz_case, trial).await;
            }
            fuzz_case.close().await;
        }
        None
    }

    /// Judges the first valid request: without a documented response there is nothing to mutate.
    async fn judged_at_first(&mut self, start: Start, fuzz_case: FuzzCase<'w>, trial: FuzzTrial) -> Option<(Start, FuzzCase<'w>)> {
        if let Some(failure) = trial.exchange.failure() {
            if failure.kind == TransportFailureKind::Connect {
                self.report.unreachable = Some(format!("no server responds at {}: {}", trial.exchange.request.url, failure.detail));
            } else if trial.findings.is_empty() {
                self.report.skipped = Some(format!("the response to the valid request was not read whole: {}", failure.detail));
            } else {
                self.found(&fuzz_case, Vec::new(), &trial, 0).await;
            }
            fuzz_case.close().await;
            return None;
        }
        if let Some(reason) = &trial.not_there {
            self.report.skipped = Some(reason.to_string());
            fuzz_case.close().await;
            return None;
        }
        self.found(&fuzz_case, Vec::new(), &trial, 0).await;
        Some((start, fuzz_case))
    }

    async fn send_mutations(&mut self, start: &Start, mut fuzz_case: FuzzCase<'w>, options: &Options, share: Option<Duration>) {
        let mutations = Mutations::new(&fuzz_case.raw, seed_of(options.seed, &self.operation.id), &options.changes);
        self.report.mutations = mutations.len();
        if mutations.len() == 0 {
            self.report.skipped = Some("there is no such change to its request".to_owned());
            return fuzz_case.close().await;
        }
        let deadline = share.map(|share| Instant::now() + share);
        for number in 0.. {
            let over = deadline.map_or(number >= options.requests, |deadline| Instant::now() >= deadline);
            if over || self.is_silent() {
                break;
            }
            if number > 0 && number % VALID_EVERY == 0 {
                match self.restarted(start, fuzz_case, number).await {
                    Some(restarted) => fuzz_case = restarted,
                    None => return,
                }
            }
            let edits = mutations.edits(number);
            if let Some(trial) = self.attempt(&fuzz_case, &edits).await {
                self.count(&trial);
                self.found(&fuzz_case, edits, &trial, number + 1).await;
            }
        }
        if self.is_given_up() {
            self.report.stopped = Some(GIVEN_UP.to_owned());
            return fuzz_case.close().await;
        }
        if self.is_silent() {
            self.report.stopped = Some(format!("{} requests had no response; the rest was not sent", self.silences));
        }
        if let Some(fuzz_case) = self.restarted(start, fuzz_case, self.report.counts.sent).await {
            fuzz_case.close().await;
        }
    }

    /// Checks that the target still works: the valid request has a documented response, and succeeds in a fresh world if it did
    /// so at first.
    async fn restarted(&mut self, start: &Start, fuzz_case: FuzzCase<'w>, number: usize) -> Option<FuzzCase<'w>> {
        let trial = self.attempt(&fuzz_case, &[]).await?;
        let well = self.operation.accepted(&trial.exchange);
        self.found(&fuzz_case, Vec::new(), &trial, number).await;
        if well || !self.report.accepted {
            return Some(fuzz_case);
        }
        fuzz_case.close().await;
        if trial.exchange.response().is_none() {
            // Another world of a silent target would take just as long.
            self.report.stopped = Some(format!("the valid request had no response after {number} mutated ones; the rest was not sent"));
            return None;
        }
        let opened = self.open(start).await;
        match opened {
            Ok(fuzz_case) => {
                let trial = self.attempt(&fuzz_case, &[]).await?;
                let well = self.operation.accepted(&trial.exchange);
                self.found(&fuzz_case, Vec::new(), &trial, number).await;
                if !well {
                    self.unhealthy(&format!("the valid request succeeded at first and is refused after {number} mutated ones"));
                }
                Some(fuzz_case).filter(|_| well)
            }
            Err(Unready::Silent(finding)) => {
                self.report.add(FuzzCause::new(*finding, Vec::new(), number));
                None
            }
            Err(Unready::Unplayable(reason)) => {
                self.unhealthy(&format!(
                    "what goes before the valid request worked at first and does not after {number} mutated ones: {reason}"
                ));
                None
            }
        }
    }

    /// In a shared world, a documented refusal (too many calls, for example) is the target's right.
    fn unhealthy(&mut self, message: &str) {
        if matches!(self.shared.context.worlds, Worlds::Emulator(_)) {
            let finding = Finding::new(self.operation.clause.as_str(), self.operation.id.as_str(), message).at(Place::Health);
            self.report.add(FuzzCause::new(finding, Vec::new(), self.report.counts.sent));
        } else {
            self.report.stopped = Some(message.to_owned());
        }
    }

    /// Adds findings to the report; those of a new cause are shrunk to the fewest changes.
    async fn found(&mut self, fuzz_case: &FuzzCase<'_>, edits: Vec<Edit>, trial: &FuzzTrial, number: usize) {
        for finding in &trial.findings {
            if self.report.knows(finding) || self.report.causes.len() >= CAUSES {
                self.report.again(finding);
                continue;
            }
            if self.is_given_up() {
                // Shrinking would wait for responses that do not come.
                self.report.add(FuzzCause::new(finding.clone(), edits.iter().map(Edit::describe).collect(), number));
                continue;
            }
            let shrunk = shrink(fuzz_case, edits.clone(), trial.exchange.clone(), finding.clone()).await;
            let mut cause = FuzzCause::new(shrunk.finding, shrunk.edits.iter().map(Edit::describe).collect(), number);
            cause.again = shrunk.again;
            cause.messages = WireMessage::request_and_response(&shrunk.exchange).map(Arc::new).into();
            let context = &self.shared.context;
            let variables = |owner: &str| context.shell_variable(&shrunk.exchange.operation, owner);
            cause.finding.curl = cause.finding.curl.map(|_| curl_with(&shrunk.exchange, &variables));
            cause.files = saved::files(&Shown {
                operation: self.operation,
                fuzz_case,
                edits: &shrunk.edits,
                finding: &cause.finding,
                request: &fuzz_case.request(&shrunk.edits),
                alone: self.alone,
                name: &format!("{}-{}", self.operation.id, self.report.causes.len() + 1),
                variables: &variables,
            });
            self.report.add(cause);
            self.tally.found();
        }
    }

    /// Whether too many of its requests had no response, and the rest is not sent.
    fn is_silent(&self) -> bool {
        self.silences >= self.shared.context.target.give_up.operation || self.is_given_up()
    }

    /// Whether the target is given up.
    fn is_given_up(&self) -> bool {
        self.shared.context.responsiveness.is_given_up()
    }

    fn count(&mut self, trial: &FuzzTrial) {
        let FuzzCounts { sent, accepted, refused, elsewhere, by_http, silent, own } = &mut self.report.counts;
        *sent += 1;
        self.tally.sent();
        let Some(response) = trial.exchange.response() else {
            *silent += 1;
            self.silences += usize::from(trial.exchange.failure().is_some_and(|f| f.kind != TransportFailureKind::TooLarge));
            return;
        };
        let meant = trial.meant.as_deref() == Some(self.operation.id.as_str());
        let has_known_code = self.operation.code(&trial.exchange).is_some_and(|code| self.operation.codes.contains_key(&code));
        *own += usize::from(meant && is_own_failure(self.operation, &trial.exchange));
        let place = match response.status {
            _ if !meant => elsewhere,
            _ if self.operation.accepted(&trial.exchange) => accepted,
            400.. if !has_known_code => by_http,
            _ => refused,
        };
        *place += 1;
    }
}
