//! The front door: a verification from a test or a program of your own.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::base::exit::Exit;
use crate::base::source::{Problems, Source};
use crate::engine::event::Event;
use crate::engine::missing::Missing;
use crate::engine::outcome::{Collector, Ended, Outcome, Verb};
use crate::engine::runner::{Context, Limits, Selection, StartError, plan};
use crate::modes::verify::{asked, play, unknown_clause};
use crate::report::{Reporter as _, Terminal, TerminalOptions};
use crate::spec::contract::{Contracts, Files};
use crate::spec::scenario::parse_all;
use crate::spec::target;

/// Cases that are played at the same time by default.
const JOBS: usize = 32;

/// Why there is no verdict. The target was neither proved nor disproved.
#[derive(Debug, thiserror::Error)]
pub enum VerificationError {
    /// The target file has mistakes; each is named with its line. Nothing was sent.
    #[error("{0}")]
    Invalid(Problems),
    /// A clause that was selected does not exist. Nothing was sent.
    #[error("{0}")]
    UnknownClause(String),
    /// The target can't be used: an address that is taken, a world that does not respond.
    #[error(transparent)]
    NotStarted(#[from] StartError),
    /// The target gives no response at all.
    #[error("{0}")]
    Unreachable(String),
}

impl From<Problems> for VerificationError {
    fn from(problems: Problems) -> Self {
        Self::Invalid(problems)
    }
}

/// A verification: a target, and a selection of the scenarios that come with this crate.
#[derive(Clone, Debug)]
pub struct Verification {
    target: Arc<Source>,
    selection: Selection,
    seed: u64,
    jobs: usize,
}

impl Verification {
    /// A verification of the target that a text describes, in the format of a target file (`docs/target.example.yaml`).
    /// Secrets named in it come from the environment.
    pub fn from_text(target: impl Into<String>) -> Self {
        Self::from_source(Source::new("target".to_owned(), target.into()))
    }

    /// A verification of the target that a file describes.
    ///
    /// # Errors
    /// [`VerificationError::Invalid`] where the file can't be read.
    pub fn from_file(path: &Path) -> Result<Self, VerificationError> {
        let mut problems = Problems::new();
        Source::read(path, &mut problems).map(Self::from_source).ok_or(VerificationError::Invalid(problems))
    }

    fn from_source(target: Arc<Source>) -> Self {
        Self { target, selection: Selection::default(), seed: 1, jobs: JOBS }
    }

    /// Only scenarios and cases whose name contains this (`refund`); called again, also these.
    #[must_use]
    pub fn only(mut self, text: impl Into<String>) -> Self {
        self.selection.names.only.push(text.into());
        self
    }

    /// Only what carries this clause (`gateway.refund.sum`); called again, also this one.
    #[must_use]
    pub fn clause(mut self, id: impl Into<String>) -> Self {
        self.selection.clauses.push(id.into());
        self
    }

    /// The seed of generated values; 1 otherwise. The same seed sends the same requests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many cases are played at the same time.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// Plays the scenarios and judges everything that is sent and received.
    ///
    /// # Errors
    /// If nothing can be judged: mistakes in the target file, a target that does not respond. A fault of the target itself is no
    /// error; it is in the result.
    pub async fn run(self) -> Result<Verified, VerificationError> {
        let shipped = Contracts::read(&Files::contracts())?;
        let target = target::parse(&self.target, &shipped, &|name| std::env::var(name).ok())?;
        let contracts =
            Arc::new(if target.layouts.is_empty() { shipped } else { Contracts::read(&Files::contracts().with_layouts(&target.layouts))? });
        if let Some(unknown) = unknown_clause(&contracts, &self.selection) {
            return Err(VerificationError::UnknownClause(unknown));
        }
        let scenarios: Vec<_> = parse_all(&Files::scenarios(), &contracts)?.into_iter().map(Arc::new).collect();
        let plan = plan(&scenarios, &contracts, &self.selection);
        let asked = asked(&contracts, &scenarios, &self.selection, true);
        let context = Arc::new(Context::start(contracts, target, Vec::new(), self.seed).await?);
        let mut collector = Collector::new(Verb::Verify);
        let never = std::future::pending();
        let played = play(context, plan, asked, Limits { jobs: self.jobs }, never, |event: &Event| {
            collector.collect(event);
            Ok::<_, std::convert::Infallible>(())
        });
        match played.await.unwrap_or_else(|never| match never {}).ended {
            Ended::Unreachable(why) => Err(VerificationError::Unreachable(why.unwrap_or_default())),
            ended @ (Ended::Completed | Ended::Interrupted) => Ok(Verified(collector.outcome(ended))),
        }
    }
}

/// The result of a verification. Its `Display` is the screen that `paycheck verify` prints.
pub struct Verified(Outcome);

impl Verified {
    /// Whether everything that was requested is proved.
    pub fn passed(&self) -> bool {
        self.0.exit() == Exit::Passed
    }

    /// Why the target fails, one sentence each; empty if it does not.
    pub fn failures(&self) -> &[String] {
        &self.0.failures
    }

    /// Why less is proved than requested, one sentence each; empty if everything is.
    pub fn missing(&self) -> Vec<String> {
        self.0.missing.iter().map(Missing::to_string).collect()
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut screen = Vec::new();
        let mut terminal = Terminal::new(&mut screen, TerminalOptions::default());
        terminal.start(&self.0.heading).and_then(|()| terminal.finish(&self.0)).map_err(|_| fmt::Error)?;
        drop(terminal);
        f.write_str(&String::from_utf8_lossy(&screen))
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
