//! A run against the target of the arguments: connects, plays, and finds out how it ended.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use tokio::sync::Notify;

use super::arguments::Source;
use super::embedded;
use super::failure::Failure;
use super::interrupt::Interrupt;
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::Ended;
use crate::engine::runner::{self, Case, Limits};
use crate::spec::contract::Contracts;
use crate::wire::exchange::{Direction, Outcome, TransportFailureKind};

/// A run at its end.
pub(super) struct Ran {
    /// What it proves.
    pub(super) run: RunFinished,
    /// How it came to its end.
    pub(super) ended: Ended,
}

impl Ran {
    /// For a command that only uses what was recorded: whether there is anything to use. Nothing if the user ended the run.
    pub(super) fn recorded(self) -> Result<Option<RunFinished>, Failure> {
        match self.ended {
            Ended::Completed => Ok(Some(self.run)),
            Ended::Interrupted => Ok(None),
            Ended::Unreachable(why) => Err(Failure::unreachable(why.unwrap_or_default())),
        }
    }
}

/// Plays a plan against the target of the arguments.
pub(super) async fn play(
    source: &Source,
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
    asked: BTreeSet<String>,
    mut report: impl FnMut(&Event) -> io::Result<()>,
) -> Result<Ran, Failure> {
    let (context, emulator) = embedded::connect(source, contracts).await?;
    let interrupt = Interrupt::default();
    let hopeless = Notify::new();
    let mut reach = Reach::default();
    let stop = async {
        tokio::select! {
            () = interrupt.wait() => {}
            () = hopeless.notified() => {}
        }
    };
    let run = runner::run(context, plan, asked, Limits { jobs: source.jobs }, stop, |event| {
        reach.take(event);
        if reach.is_hopeless() {
            hopeless.notify_one();
        }
        report(event)
    })
    .await?;
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    let ended = match (interrupt.has_come(), reach.unreachable()) {
        (true, _) => Ended::Interrupted,
        (false, Some(why)) => Ended::Unreachable(Some(why)),
        (false, None) => Ended::Completed,
    };
    Ok(Ran { run, ended })
}

/// Whether the target's address gives responses.
#[derive(Default)]
struct Reach {
    responded: bool,
    refused: usize,
    /// Why the first attempt failed.
    first: Option<String>,
}

impl Reach {
    fn take(&mut self, event: &Event) {
        let Event::CaseFinished(case) = event else { return };
        for exchange in case.record.iter().filter(|e| e.direction == Direction::Call) {
            match &exchange.outcome {
                Outcome::Failed(failure) if failure.kind == TransportFailureKind::Connect => {
                    self.refused += 1;
                    self.first.get_or_insert_with(|| format!("nobody answers at {}: {}", exchange.request.url, failure.detail));
                }
                Outcome::Failed(_) | Outcome::Response(_) => self.responded = true,
            }
        }
    }

    fn is_silent(&self) -> bool {
        self.refused > 0 && !self.responded
    }

    /// Why the target can't be reached, if no attempt got a response.
    fn unreachable(self) -> Option<String> {
        let silent = self.is_silent();
        self.first.filter(|_| silent)
    }

    /// Hundreds of further attempts would only cost time.
    fn is_hopeless(&self) -> bool {
        self.is_silent() && self.refused >= 3
    }
}
