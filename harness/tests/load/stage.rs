//! Shared by the load tests: a folder with a profile, scripts and a target file; the run; its result.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use harness::load::result::{ErrorKind, LoadCause, LoadResult, LoadVerdict, NotificationResult, ThresholdResult};
use tempfile::TempDir;

use super::support::binary::{CommandResult, emulated, ended, file, paycheck, target_file};
use super::support::proxy::{Proxy, Tamper};
use super::support::{MAIN, free_address};

/// A creation by v2.0; every step is judged on the fast path.
const CREATION: &str = "title: One creation
clauses: [gateway.create.code.0]
steps:
  - call: gateway.v2.create
    expect: { code: 0, transId: { $any: true } }
    clause: gateway.create.code.0
";

/// A folder with the files of a load.
pub struct Stage {
    folder: TempDir,
    target: PathBuf,
}

/// A load that has ended.
pub struct Loaded {
    pub ended: CommandResult,
    pub result: LoadResult,
    /// The bytes of the result.
    pub json: String,
}

pub fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

impl Stage {
    /// A load on the server at a base URL, without a driver for the payer.
    pub fn at(base: &str) -> Self {
        Self::with(base, "")
    }

    /// The same with further lines in the target file.
    pub fn with(base: &str, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        file(folder.path(), "gateway/creation.yaml", CREATION);
        let target = target_file(folder.path(), base, MAIN, more);
        Self { folder, target }
    }

    /// A load on an emulator.
    pub fn emulator(base: &str) -> Self {
        Self::with(base, &emulated(base))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a script of the gateway; in a mix it is `./gateway/NAME.yaml`.
    pub fn script(&self, name: &str, script: &str) {
        file(self.folder.path(), &format!("gateway/{name}.yaml"), script);
    }

    /// The arguments of a load with a profile.
    pub fn arguments(&self, profile: &str, more: &[&str]) -> Vec<String> {
        let profile = file(self.folder.path(), "profile.yaml", &format!("title: In a test\n{profile}"));
        let fixed = ["load", &text(&profile), "--target", &text(&self.target), "--json", &text(&self.path("result.json"))];
        fixed.iter().chain(more).map(|argument| (*argument).to_owned()).collect()
    }

    /// Runs to the end without reading a result.
    pub async fn refused(&self, profile: &str, more: &[&str]) -> CommandResult {
        run(self.arguments(profile, more)).await
    }

    /// Runs to the end and reads the result.
    pub async fn load(&self, profile: &str, more: &[&str]) -> Loaded {
        let ended = self.refused(profile, more).await;
        self.loaded(ended)
    }

    /// Runs until a future resolves, then interrupts the run.
    pub async fn interrupted(&self, profile: &str, happened: impl Future<Output = ()>) -> Loaded {
        let child = paycheck(self.arguments(profile, &[])).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        happened.await;
        self.loaded(interrupt(child).await)
    }

    /// Reads the result of a run that has ended.
    pub fn loaded(&self, ended: CommandResult) -> Loaded {
        let json = std::fs::read_to_string(self.path("result.json"));
        let json = json.unwrap_or_else(|_| panic!("no result, code {}:\n{}\n{}", ended.code, ended.out, ended.err));
        Loaded { ended, result: serde_json::from_str(&json).unwrap(), json }
    }
}

/// Runs the binary on a blocking thread, so that a server in the test can respond meanwhile.
pub async fn run(arguments: Vec<String>) -> CommandResult {
    let call = move || ended(paycheck(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    tokio::task::spawn_blocking(call).await.unwrap()
}

/// Sends SIGINT and waits for the end.
pub async fn interrupt(child: Child) -> CommandResult {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    tokio::task::spawn_blocking(move || ended(child)).await.unwrap().with_code(130)
}

/// An emulator behind a proxy that changes messages; its notifications pass through the proxy too.
pub struct Behind {
    pub stage: Stage,
    _proxy: Proxy,
    _emulator: emulator::Emulator,
}

impl Behind {
    pub async fn a_proxy(tamper: Tamper) -> Self {
        let emulator = super::support::emulator().await;
        let proxy = Proxy::start(emulator.addr(), tamper).await;
        let inbox = free_address();
        proxy.forward_to_inbox(inbox);
        let (base, public) = (proxy.url().to_string(), proxy.inbox_url());
        let more = format!(
            "world: {{ emulator: \"{base}\" }}\nnotifications: {{ listen: \"{inbox}\", public: \"{public}\", within: 5s }}\npoll-every: 5ms\npoll-within: 1s\n"
        );
        Self { stage: Stage::with(&base, &more), _proxy: proxy, _emulator: emulator }
    }
}

impl Loaded {
    /// Checks the exit code and the verdict. A run that is inconclusive only because the machine was too busy is tolerated.
    #[track_caller]
    pub fn ended_with(&self, code: i32) -> &Self {
        let busy = self.result.generator.limit.is_some() && self.result.verdict == LoadVerdict::Inconclusive;
        let verdict = match self.result.verdict {
            _ if busy => return self,
            LoadVerdict::Passed => 0,
            LoadVerdict::Failed => 1,
            LoadVerdict::Inconclusive => 2,
        };
        let CommandResult { out, err, .. } = &self.ended;
        assert_eq!((self.ended.code, verdict), (code, code), "{:?}\n{out}\n{err}", self.result.reasons);
        self
    }

    pub fn requests(&self) -> u64 {
        self.result.operations.iter().map(|operation| operation.requests).sum()
    }

    pub fn errors(&self, kind: ErrorKind) -> u64 {
        self.result.operations.iter().filter_map(|operation| operation.errors.get(&kind)).sum()
    }

    pub fn all_errors(&self) -> u64 {
        self.result.operations.iter().flat_map(|operation| operation.errors.values()).sum()
    }

    /// The cause with this clause.
    #[track_caller]
    pub fn cause(&self, clause: &str) -> &LoadCause {
        let found = self.result.findings.iter().find(|cause| cause.clauses.iter().any(|c| c == clause));
        found.unwrap_or_else(|| panic!("no finding of {clause} in {:#?}", self.result.findings))
    }

    pub fn notifications(&self) -> &NotificationResult {
        self.result.notifications.as_ref().unwrap()
    }

    #[track_caller]
    pub fn threshold(&self, rule: &str) -> &ThresholdResult {
        self.result.thresholds.iter().find(|threshold| threshold.rule == rule).unwrap()
    }
}
