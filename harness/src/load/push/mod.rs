//! Load on a merchant's notification endpoint: documented pushes at a rate, a share of them twice. `docs/load-notification.md`
//! describes the counts.
//!
//! It is open load: every push has an intended start, whatever the merchant does, and its response time counts from there. This module
//! knows no API: [`MessagePool`] writes pushes from contracts, each about a payment of the gateway in this process, so that the
//! merchant's status calls return the same state.

mod duplicates;
mod error;
mod options;
mod push_loop;
mod send_slots;
mod sender;
mod summary;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures::{Stream, StreamExt, TryFutureExt, stream};
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::outcome::LoadOutcome;
use super::pacer::{IntendedStarts, Pacer, RealClock};
use super::resources::Resources;
use super::run_loop::LoadObserver;
use super::run_state::ScheduledStarts;
use super::schedule::Schedule;
use super::start_at::wait_until;
use crate::engine::push::Gateway;
use crate::engine::push::message_pool::{MessagePool, PreparedPush};
use crate::spec::contract::Contracts;
pub use error::PushLoadError;
pub use options::{PushOptions, TITLE};
use push_loop::PushLoop;
use send_slots::{PushedNotifications, SendSlots};
use sender::HttpSender;
use summary::{PushLoopEnd, RunInfo};

/// The number of pushes that are prepared in advance.
const AHEAD: usize = 20_000;
/// The number of payments that are created concurrently.
const CREATED_AT_ONCE: usize = 16;

/// Plays the load until its end or until `stop` resolves, and reports every second to `observer`.
///
/// # Errors
/// When the load can't start, or the gateway fails.
pub async fn run(
    contracts: &Arc<Contracts>,
    gateway: &Gateway,
    options: &PushOptions,
    schedule: Schedule,
    stop: impl Future<Output = ()>,
    observer: &mut dyn LoadObserver,
) -> Result<LoadOutcome, PushLoadError> {
    let schedule = schedule.shard(options.shard);
    let amount = schedule.len();
    let starts: Arc<dyn IntendedStarts> = Arc::new(ScheduledStarts(Arc::new(schedule)));
    let pool = MessagePool::new(contracts, gateway, &options.formats).map_err(|error| PushLoadError::Invalid(error.to_string()))?;
    let judge = pool.judge(contracts, options.endpoint.clone(), options.within);
    let recorder = Arc::clone(judge.recorder());
    let target = format!("the merchant at {}", recorder.text(options.endpoint.as_str()));
    let sender = HttpSender::new(options.endpoint.clone(), options.connections, options.within, recorder)?;
    let mut messages = stream::iter(0..amount)
        .map(|index| pool.write(options.shard.number(index).unwrap_or(index)).map_err(|error| error.to_string()))
        .buffered(CREATED_AT_ONCE);
    let (prepared_sender, filled) = mpsc::channel(AHEAD);
    tokio::pin!(stop);
    let ready = async {
        fill(&mut messages, &prepared_sender, AHEAD).await.map_err(|error| failed(gateway, error))?;
        Ok(wait_until(options.start_at).await)
    };
    let begun_late = tokio::select! {
        () = &mut stop => None,
        late = ready => Some(late?),
    };
    let about = RunInfo { target, started: Timestamp::now(), cpu: Resources::now().cpu, begun_late: begun_late.unwrap_or_default() };
    let kinds = PushedNotifications {
        names: pool.formats(),
        acknowledged_by: pool.acknowledged_by(),
        judge: Box::new(move |written, outcome| judge.finding(written, outcome)),
    };
    let slots = Arc::new(SendSlots::new(options, kinds, sender, filled, Instant::now()));
    let stop = async move {
        if begun_late.is_some() {
            stop.await;
        }
    };
    let refill = async { fill(&mut messages, &prepared_sender, usize::MAX).await.map_err(|error| failed(gateway, error)) };
    let push_loop = PushLoop { slots: &slots, options, starts: &*starts, observer, about: &about };
    let played = play(push_loop, Pacer::new(Arc::clone(&starts)), refill, stop).await?;
    let result = summary::result(&slots, options, &played, &about);
    Ok(LoadOutcome { result, unreachable: slots.responsiveness.never_responded().is_some() })
}

/// Runs the push loop while the pacer releases pushes and `refill` prepares further ones.
async fn play(
    push_loop: PushLoop<'_, HttpSender>,
    pacer: Arc<Pacer>,
    refill: impl Future<Output = Result<(), PushLoadError>>,
    stop: impl Future<Output = ()>,
) -> Result<PushLoopEnd, PushLoadError> {
    let clock = RealClock(push_loop.slots.start.into_std());
    let no_thread = |error: std::io::Error| PushLoadError::Internal(format!("the thread that paces the pushes can't be started: {error}"));
    let pacing = pacer.start(clock).map_err(no_thread)?;
    let played = tokio::select! {
        played = push_loop.run(&pacer, || pacer.end(), stop) => played.map_err(|error| PushLoadError::Internal(error.to_string())),
        Err(error) = refill => Err(error),
    };
    pacer.end();
    // The pacer thread ends within milliseconds; its result does not matter.
    let _ = pacing.join();
    played
}

/// The error for a payment that can't be created. An emulator of another process may not know the merchant; the own one never refuses.
fn failed(gateway: &Gateway, error: String) -> PushLoadError {
    match gateway.is_shared() {
        false => PushLoadError::Internal(error),
        true => {
            let gateway = gateway.base_url();
            PushLoadError::Invalid(format!("the emulator at {gateway}: {error}; are the credentials those of a merchant there?"))
        }
    }
}

/// Prepares at most `most` pushes, as fast as the channel accepts them.
async fn fill(
    messages: &mut (impl Stream<Item = Result<PreparedPush, String>> + Unpin),
    prepared_sender: &mpsc::Sender<PreparedPush>,
    most: usize,
) -> Result<(), String> {
    let mut messages = messages.take(most);
    while let Some(written) = messages.next().await {
        if prepared_sender.send(written?).await.is_err() {
            break;
        }
    }
    Ok(())
}
