//! Load on a merchant's notification endpoint: documented pushes at a rate, a share of them twice. `docs/load-notification.md`
//! says what is counted.
//!
//! Open load: every push has an intended start, whatever the merchant does, and its response time counts from there.
//! Nothing here knows an API: pushes are written from contracts by [`Stock`], each about a payment that the gateway in
//! this process tells the same of, so that a merchant that asks back gets the truth.

mod again;
mod carrier;
mod lanes;
mod play;
#[cfg(test)]
mod tests;
mod told;

use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt, stream};
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::Instant;
use url::Url;

use super::meter::Interval;
use super::pacer::{Pacer, RealClock, Starts};
use super::profile::{Accounting, Killswitch, Threshold};
use super::resources::Resources;
use super::result::LoadResult;
use super::run::Scheduled;
use super::schedule::Schedule;
use crate::contract::Contracts;
use crate::notify::{Gateway, Stock, Written};
use carrier::Http;
use lanes::{Kinds, Lanes};
use play::Play;
use told::About;

/// Pushes that are written before the first one is sent, and ahead of those that are sent.
const AHEAD: usize = 20_000;
/// Payments that are created at the same time.
const CREATED_AT_ONCE: usize = 16;

/// What is pushed where, and how it is counted.
#[derive(Clone, Debug)]
pub struct Options {
    /// The merchant's notification endpoint.
    pub endpoint: Url,
    /// How long it may take to answer.
    pub within: Duration,
    /// The most connections, and so the most pushes under way at a time.
    pub connections: usize,
    /// The share of pushes, 0 to 1, that are sent a second time after they were acknowledged.
    pub duplicates: f64,
    /// Which notifications; all when empty.
    pub formats: Vec<String>,
    /// How long the load is. What could not be begun until then is never begun.
    pub duration: Duration,
    /// When an acknowledgement is late.
    pub accounting: Accounting,
    /// What must hold of the numbers.
    pub thresholds: Vec<Threshold>,
    /// When it is ended early.
    pub killswitch: Killswitch,
    /// The seed of everything random.
    pub seed: u64,
}

/// How the load ended.
#[derive(Debug)]
pub struct Ended {
    /// What was measured and found.
    pub result: LoadResult,
    /// Nobody listened at the endpoint.
    pub unreachable: bool,
}

/// Why there was no load.
#[derive(Debug)]
pub enum RunError {
    /// The endpoint, or what is asked for, can't be used.
    Invalid(String),
    /// The gateway does not make the payments to tell of, or this machine gives no thread.
    Internal(String),
}

/// Pushes at intended starts until the load is over or `stop` resolves; `see` is shown every second.
///
/// # Errors
/// When it can't be begun, or the gateway fails.
pub async fn run(
    contracts: &Arc<Contracts>,
    gateway: &Gateway,
    options: &Options,
    schedule: Schedule,
    stop: impl Future<Output = ()>,
    see: impl FnMut(&Interval<'_>),
) -> Result<Ended, RunError> {
    let amount = schedule.len();
    let starts: Arc<dyn Starts> = Arc::new(Scheduled(Arc::new(schedule)));
    let stock = Stock::new(contracts, gateway, &options.formats).map_err(RunError::Invalid)?;
    let judge = stock.judge(contracts, options.endpoint.clone(), options.within);
    let recorder = Arc::clone(judge.recorder());
    let target = format!("the merchant at {}", recorder.text(options.endpoint.as_str()));
    let carrier = Http::new(options.endpoint.clone(), options.connections, options.within, recorder).map_err(RunError::Invalid)?;
    let mut letters = stream::iter(0..amount).map(|number| stock.write(number)).buffered(CREATED_AT_ONCE);
    let (filling, filled) = mpsc::channel(AHEAD);
    tokio::pin!(stop);
    let mut stopped = false;
    tokio::select! {
        () = &mut stop => stopped = true,
        ready = fill(&mut letters, &filling, AHEAD) => ready.map_err(RunError::Internal)?,
    }
    let about = About { target, started: Timestamp::now(), cpu: Resources::now().cpu };
    let start = Instant::now();
    let kinds = Kinds {
        names: stock.formats(),
        acknowledged_by: stock.acknowledged_by(),
        judge: Box::new(move |written, outcome| judge.finding(written, outcome)),
    };
    let lanes = Arc::new(Lanes::new(options, kinds, carrier, filled, start));
    let pacer = Pacer::new(Arc::clone(&starts));
    let pacing = pacer.start(RealClock(start.into_std())).map_err(|error| RunError::Internal(format!("no thread: {error}")))?;
    let stop = async move {
        if !stopped {
            stop.await;
        }
    };
    let play = Play { lanes: &lanes, options, starts: &*starts, see }.run(&pacer, || pacer.end(), stop);
    let played = tokio::select! {
        played = play => Ok(played),
        Err(error) = async move { fill(&mut letters, &filling, usize::MAX).await } => Err(RunError::Internal(error)),
    };
    pacer.end();
    // The thread sleeps a moment at most, and nothing hangs on how it ended.
    let _ = pacing.join();
    let result = told::result(&lanes, options, &played?, about);
    Ok(Ended { result, unreachable: lanes.counts.nobody_listens() })
}

/// Writes at most so many, as fast as they are taken.
async fn fill(
    letters: &mut (impl Stream<Item = Result<Written, String>> + Unpin),
    filling: &mpsc::Sender<Written>,
    most: usize,
) -> Result<(), String> {
    let mut letters = letters.take(most);
    while let Some(written) = letters.next().await {
        if filling.send(written?).await.is_err() {
            break;
        }
    }
    Ok(())
}
