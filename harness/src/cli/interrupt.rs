//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user has ended the command.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Resolves at Ctrl-C.
    pub(super) fn wait(&self) -> impl Future<Output = ()> + Send + 'static {
        let flag = Arc::clone(&self.0);
        async move {
            if tokio::signal::ctrl_c().await.is_err() {
                // Without a signal handler the run just goes to its end.
                std::future::pending::<()>().await;
            }
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it has come.
    pub(super) fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
