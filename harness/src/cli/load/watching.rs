//! Progress of a load on the terminal and on the live page, the interval log, and the result so far.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::progress::Progress;
use crate::base::output::{PartialFile, StreamFile};
use crate::load::interval_log::IntervalLog;
use crate::load::live_page::{self, LivePage};
use crate::load::meter::rate;
use crate::load::percentile::percentile;
use crate::load::progress::{LoadProgress, ProgressLines, line};
use crate::load::prometheus::WebServer;
use crate::load::result::LoadResult;
use crate::load::run_loop::{LoadObserver, Phase, RunProgress};
use crate::report::load as report;

/// Consumers of every second of a load.
pub(super) struct Watching {
    live: ProgressLines,
    progress: Progress,
    log: Option<IntervalLog<StreamFile>>,
    /// Why the log is incomplete. The load goes on without it.
    lost: Option<io::Error>,
    /// The result so far; the load goes on without what can't be written.
    partial: Option<PartialFile>,
    page: Option<Arc<LivePage>>,
}

impl Watching {
    /// Lines for a person at a terminal, the interval log and the result so far, if they are asked for.
    pub(super) fn new(console: &Console, log: Option<&Path>, json: Option<&Path>, title: &str) -> Result<Self, Failure> {
        let create = |path: &Path| IntervalLog::create(path, title, SystemTime::now()).map_err(Failure::invalid);
        let live = if console.live { ProgressLines::shown() } else { ProgressLines::hidden() };
        let partial = json.map(PartialFile::beside).transpose().map_err(Failure::invalid)?.flatten();
        Ok(Self { live, progress: console.progress.clone(), log: log.map(create).transpose()?, lost: None, partial, page: None })
    }

    /// Shows the load on a live page until the returned value is dropped; `load` is its description.
    pub(super) async fn show_at(&mut self, address: SocketAddr, title: &str, load: &str) -> Result<WebServer, Failure> {
        let page = Arc::new(LivePage::new(title, load));
        let server = live_page::serve(address, Arc::clone(&page)).await.map_err(Failure::invalid)?;
        writeln!(io::stderr(), "live page: http://{}/", server.address())?;
        self.page = Some(page);
        Ok(server)
    }

    /// Removes the progress lines and completes the log; returns why it is incomplete, if it is. The file with the result so far is
    /// kept until this is dropped: the complete result is written later.
    pub(super) fn end(&mut self) -> Option<io::Error> {
        self.live.end();
        self.lost.take().or_else(|| self.log.take()?.complete().err())
    }

    /// Keeps the partial result on disk and returns its path: there will be no complete one.
    pub(super) fn keep(&mut self) -> Option<PathBuf> {
        self.partial.take()?.keep()
    }
}

impl LoadObserver for Watching {
    fn on_second(&mut self, second: &RunProgress<'_>) -> io::Result<()> {
        let now = now(second);
        self.progress.set(line(&now));
        self.live.show(&now);
        if let Some(page) = &self.page {
            page.show_second(second.phase, &now, second.interval);
        }
        // The warm-up is not measured.
        if let Some(log) = self.log.as_mut().filter(|_| second.phase != Phase::WarmUp && self.lost.is_none()) {
            self.lost = log.write(second.interval).err();
        }
        Ok(())
    }

    fn wants_result(&self) -> bool {
        self.partial.is_some() || self.page.is_some()
    }

    fn on_result(&mut self, result: LoadResult) {
        if let Some(page) = &self.page {
            page.show_result(&result);
        }
        let written = self.partial.as_ref().is_none_or(|partial| report::write(&result).is_ok_and(|bytes| partial.write(&bytes).is_ok()));
        if !written {
            self.partial = None;
        }
    }
}

fn now(second: &RunProgress<'_>) -> LoadProgress {
    let interval = second.interval;
    let phase = match second.phase {
        Phase::WarmUp => "warm-up",
        Phase::Measuring => "load",
        Phase::Draining => "draining",
    };
    let trial = second.trial.map(|rate| format!(", trial at {rate:.0}/s")).unwrap_or_default();
    let (total, elapsed) = match second.phase {
        Phase::WarmUp => (second.warm_up, interval.at),
        Phase::Measuring | Phase::Draining => (second.planned, interval.at + interval.length),
    };
    LoadProgress {
        phase: format!("{phase}{trial}"),
        elapsed,
        total: Some(total),
        users: interval.users,
        // In the last interval, calls end that began before it.
        rate: (second.phase != Phase::Draining).then(|| rate(interval.metrics.requests(), interval.length.as_secs_f64())),
        p50: percentile(interval.response, 0.5),
        p99: percentile(interval.response, 0.99),
        requests: interval.totals.requests(),
        errors: interval.totals.errors(),
        delayed: interval.intended.map(|_| interval.totals.delayed),
        outstanding: second.awaits.then_some(second.outstanding),
    }
}
