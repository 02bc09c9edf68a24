//! Whether the user has ended the command.

use std::sync::Arc;

use tokio::sync::watch;

/// A flag shared by the signal handler that sets it and the tasks that wait for it.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<watch::Sender<bool>>);

impl Default for Interrupt {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Interrupt {
    /// Records that the user ends the command; returns whether this is the first time.
    pub fn raise(&self) -> bool {
        !self.0.send_replace(true)
    }

    /// Whether the user has ended the command.
    pub fn is_raised(&self) -> bool {
        *self.0.borrow()
    }

    /// Resolves once the user has ended the command.
    pub fn wait(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut receiver = self.0.subscribe();
        let sender = Arc::clone(&self.0);
        async move {
            // The sender lives as long as this future, so it can only end with the interrupt.
            let _ = receiver.wait_for(|come| *come).await;
            drop(sender);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn waiting_and_later_tasks_are_interrupted() {
        let interrupt = Interrupt::default();
        let mut before = Box::pin(interrupt.wait());
        assert!(before.as_mut().now_or_never().is_none() && !interrupt.is_raised());
        assert!(interrupt.raise());
        assert!(!interrupt.raise(), "only the first is the first");
        assert!(before.now_or_never().is_some() && interrupt.wait().now_or_never().is_some() && interrupt.is_raised());
    }
}
