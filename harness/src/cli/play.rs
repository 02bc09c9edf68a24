//! A run against the target of the arguments: connects, plays until the end or Ctrl-C, and stops the emulator.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use futures::FutureExt as _;
use tokio::sync::Notify;

use super::arguments::Source;
use super::embedded;
use super::failure::Failure;
use super::interrupt;
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::Ended;
use crate::engine::runner::{Case, Context, Limits};
use crate::modes::preflight::{Calls, called, preflight};
use crate::modes::reach::is_limited;
use crate::modes::verify::{self, RunResult};
use crate::spec::contract::Contracts;
use crate::spec::scenario::StepVerb;

/// For a command that only uses recordings: the run, if there is anything to use. None if the user ended it.
pub(super) fn completed(ran: RunResult) -> Result<Option<RunFinished>, Failure> {
    match ran.ended {
        Ended::Completed => Ok(Some(ran.run)),
        Ended::Interrupted => Ok(None),
        Ended::Unreachable(why) => Err(Failure::unreachable(why.unwrap_or_default())),
    }
}

/// Plays a plan against the target of the arguments.
pub(super) async fn play(
    source: &Source,
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
    asked: BTreeSet<String>,
    report: impl FnMut(&Event) -> io::Result<()>,
) -> Result<RunResult, Failure> {
    play_until(source, contracts, plan, asked, &Notify::new(), report).await
}

/// Makes the harmless calls that show a wrong target file, unless the arguments leave them out.
pub(super) async fn check_target(source: &Source, context: &Context, calls: &Calls, stop: impl Future<Output = ()>) -> Result<(), Failure> {
    if source.no_preflight {
        return Ok(());
    }
    tokio::select! {
        checked = preflight(context, calls) => embedded::note(&checked?),
        () = stop => Ok(()),
    }
}

/// Plays a plan until it is `enough`: then cases that have not started are left out.
pub(super) async fn play_until(
    source: &Source,
    contracts: Arc<Contracts>,
    plan: Vec<Case>,
    asked: BTreeSet<String>,
    enough: &Notify,
    report: impl FnMut(&Event) -> io::Result<()>,
) -> Result<RunResult, Failure> {
    let (mut context, emulator) = embedded::connect(source, Arc::clone(&contracts), waits_for_notifications(&plan)).await?;
    let interrupted = interrupt::handle_gracefully().wait();
    let stop = async {
        tokio::select! {
            () = interrupted => {}
            () = enough.notified() => {}
        }
    };
    let stop = stop.boxed().shared();
    check_target(source, &context, &called(&context, &plan), stop.clone()).await?;
    if emulator.is_none() && is_limited(&context, &plan) {
        context.carriers = Some(embedded::carriers_of_some(contracts, plan.clone(), source.jobs));
    }
    embedded::note(context.slowness(&plan, source.jobs).as_slice())?;
    let mut ran = verify::play(Arc::new(context), plan, asked, Limits { jobs: source.jobs }, stop, report).await?;
    ran.ended = match (ran.ended, interrupt::is_raised()) {
        // `enough` ended the run, not the user.
        (Ended::Interrupted, false) => Ended::Completed,
        // The user ended what is played after the last case.
        (Ended::Completed, true) => Ended::Interrupted,
        (ended, _) => ended,
    };
    if let Some(emulator) = emulator {
        emulator.stop().await;
    }
    Ok(ran)
}

/// Whether a case of a plan waits for a notification, or sets the responses to it.
fn waits_for_notifications(plan: &[Case]) -> bool {
    let mut steps = plan.iter().flat_map(|case| case.steps.iter());
    steps.any(|step| matches!(step.verb, StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_)))
}
