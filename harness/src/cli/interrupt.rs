//! SIGINT (Ctrl-C), SIGTERM and SIGHUP: the first ends the run, which is reported; the second ends the process.

use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::interrupt::Interrupt;

/// Signals belong to the process, so there is one flag for all of it.
static USER: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);
/// Whether the command ends by itself when interrupted, with a report.
static REPORTS: AtomicBool = AtomicBool::new(false);

/// Installs the signal handlers. goose would install a handler of its own, which ends the process with another code; it leaves an
/// existing one alone.
pub(super) fn install() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        let first = USER.raise();
        let reports = REPORTS.load(Ordering::Relaxed);
        if first && reports {
            return;
        }
        let what = if reports { "ended at once; reports may be missing" } else { "ended before anything was played" };
        // Nothing is left to do if standard error can't be written.
        let _ = writeln!(std::io::stderr(), "{what}");
        std::process::exit(Exit::Interrupted.code().into());
    })
    .map_err(|error| Failure::internal(format!("signals can't be heard: {error}")))
}

/// Returns the flag for a command that ends by itself, with a report, when the user interrupts it.
pub(super) fn handle_gracefully() -> Interrupt {
    REPORTS.store(true, Ordering::Relaxed);
    USER.clone()
}

/// Whether the user has interrupted the command.
pub(super) fn is_raised() -> bool {
    USER.is_raised()
}
