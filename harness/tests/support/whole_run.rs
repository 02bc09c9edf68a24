//! One run of everything against the embedded emulator, which takes seconds, for every test that only reads what such a run writes.

use std::path::PathBuf;
use std::sync::LazyLock;

use tempfile::{TempDir, tempdir};

use super::binary::run;

/// A finished run, by the folder of its reports.
pub struct WholeRun(TempDir);

/// The cases of the shared run are played many at a time.
pub static WHOLE_RUN: LazyLock<WholeRun> = LazyLock::new(|| WholeRun::play(&["--jobs", "64"]));

impl WholeRun {
    /// Plays everything, or what further arguments leave of it, and writes every report that a test reads. What is found there is for
    /// these tests to say.
    pub fn play(more: &[&str]) -> Self {
        let run_of = Self(tempdir().unwrap());
        let at = |path: PathBuf| path.display().to_string();
        let (junit, events, transcripts) = (at(run_of.junit()), at(run_of.events()), at(run_of.transcripts()));
        let arguments = ["verify", "--all-exchanges", "--junit", &junit, "--events", &events, "--transcripts", &transcripts];
        let ended = run(arguments.iter().chain(more));
        assert!([0, 1, 2].contains(&ended.code), "{}{}", ended.out, ended.err);
        run_of
    }

    pub fn junit(&self) -> PathBuf {
        self.0.path().join("junit.xml")
    }

    pub fn events(&self) -> PathBuf {
        self.0.path().join("events.ndjson")
    }

    /// A folder for each API.
    pub fn transcripts(&self) -> PathBuf {
        self.0.path().join("transcripts")
    }
}
