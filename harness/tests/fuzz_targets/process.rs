//! One target in a process of its own. The process writes down which input it tries; what it was when it ended, the
//! test reads there.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{Resource, setrlimit};

use super::{bodies, inputs, planted};

const TARGET: &str = "PAYCHECK_FUZZ_TARGET";
const LIMITS: &str = "PAYCHECK_FUZZ_LIMITS";
const PROGRESS: &str = "PAYCHECK_FUZZ_PROGRESS";

/// What a target may take.
#[derive(Clone, Copy)]
pub struct Limits {
    /// How many inputs it gets.
    pub inputs: u32,
    /// Seconds of the processor for all of them: a busy machine takes nothing away.
    pub seconds: u64,
    /// Address space.
    pub mebibytes: u64,
    /// Memory that is really used, at most at one time.
    pub resident: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { inputs: 0, seconds: 40, mebibytes: 2_048, resident: 256 }
    }
}

/// Runs a target over its inputs. Says what went wrong, and leaves the input that shows it in a file.
pub fn fault(name: &str, limits: Limits) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let progress = folder.path().join("progress");
    File::create(&progress).unwrap();
    let Limits { inputs, seconds, mebibytes, resident } = limits;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture", "--test-threads=1"]).stdin(Stdio::null());
    command.env(TARGET, name).env(LIMITS, format!("{inputs} {seconds} {mebibytes} {resident}")).env(PROGRESS, &progress);
    let output = command.output().unwrap();
    if output.status.success() {
        return None;
    }
    let number = std::fs::read(&progress).unwrap().try_into().map_or(0, u32::from_le_bytes);
    let bytes = inputs::input(name, &inputs::seeds(name), number);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}"));
    std::fs::write(&file, &bytes).unwrap();
    let how = output.status.signal().map_or_else(|| "it panicked".to_owned(), |signal| format!("it ended by signal {signal}"));
    let printed = String::from_utf8_lossy(&output.stderr);
    Some(format!("{name}: input {number} of {} bytes is in {}; {how}\n{printed}", bytes.len(), file.display()))
}

/// The process: tries what its environment says.
pub fn child() {
    let Ok(name) = std::env::var(TARGET) else { return };
    let limits: Vec<u64> = std::env::var(LIMITS).unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
    let &[inputs, seconds, mebibytes, resident] = limits.as_slice() else { panic!("limits: {limits:?}") };
    let progress = File::options().write(true).open(std::env::var(PROGRESS).unwrap()).unwrap();
    for (resource, limit) in [(Resource::RLIMIT_CPU, seconds), (Resource::RLIMIT_AS, mebibytes << 20), (Resource::RLIMIT_CORE, 0)] {
        setrlimit(resource, limit, limit).unwrap();
    }
    let (seeds, planted) = (inputs::seeds(&name), planted::body(&name));
    for number in 0..u32::try_from(inputs).unwrap() {
        progress.write_all_at(&number.to_le_bytes(), 0).unwrap();
        match planted {
            Some(body) => body(number),
            None => bodies::run(&name, &inputs::input(&name, &seeds, number)),
        }
        assert!(peak() <= resident << 10, "{} MiB of memory were taken, and {resident} are allowed", peak() >> 10);
    }
}

/// The most memory that this process has had, in KiB.
fn peak() -> u64 {
    let most = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).unwrap().max_rss();
    u64::try_from(most).unwrap()
}
