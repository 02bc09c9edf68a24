//! The resources that this process has used.

use std::num::NonZero;
use std::time::Duration;

/// The resources that this process has used so far; `None` where the platform does not report them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// CPU time of all threads, user and system.
    pub cpu: Option<Duration>,
    /// Largest resident memory in bytes.
    pub peak_memory: Option<u64>,
    /// The number of cores that it may use.
    pub cores: Option<NonZero<usize>>,
}

impl Resources {
    /// Reads them from the system.
    pub fn now() -> Self {
        Self { cpu: cpu(), peak_memory: peak_memory(), cores: std::thread::available_parallelism().ok() }
    }
}

#[cfg(unix)]
fn cpu() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;

    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    u64::try_from(micros).ok().map(Duration::from_micros)
}

#[cfg(not(unix))]
fn cpu() -> Option<Duration> {
    None
}

/// Reads `/proc`, because on Linux the maximum of `getrusage` includes the process that forked this one.
#[cfg(target_os = "linux")]
fn peak_memory() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

#[cfg(not(target_os = "linux"))]
fn peak_memory() -> Option<u64> {
    None
}

/// `VmHWM:     5124 kB`, where a kB is 1,024 bytes.
#[cfg(target_os = "linux")]
fn high_water_mark(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_and_memory_are_seen() {
        let before = Resources::now();
        // Writing makes the memory resident; the loop is longer than a time slice that the system might not count.
        let mut block = vec![1_u8; 64 << 20];
        while Resources::now().cpu <= before.cpu {
            block.iter_mut().for_each(|byte| *byte = byte.wrapping_mul(3));
        }
        let after = Resources::now();
        assert!(after.cpu > before.cpu, "{before:?} {after:?}");
        assert!(after.peak_memory >= Some(64 << 20), "{after:?}");
        assert!(after.peak_memory < Some(64 << 30), "{after:?}");
        assert!(after.cores.is_some() && block.len() == 64 << 20);
    }

    #[test]
    fn the_high_water_mark_is_in_bytes() {
        assert_eq!(high_water_mark("VmPeak:\t  9 kB\nVmHWM:\t    5124 kB\nVmRSS:\t 1 kB\n"), Some(5124 * 1024));
        assert_eq!(high_water_mark("VmHWM:\t lots\n"), None);
        assert_eq!(high_water_mark(""), None);
    }
}
