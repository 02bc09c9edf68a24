//! Worker threads for virtual users, each with a single-threaded runtime.
//!
//! A multi-threaded runtime moves users to any free thread: each response may wake another core, and users contend for queues and for
//! one I/O driver. A user that stays on its worker thread keeps its connection and its timers there.

use std::convert::Infallible;
use std::io;
use std::num::NonZero;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

/// The worker threads of a run. Tasks that are still under way when it is dropped are dropped too.
pub(crate) struct WorkerThreads(Vec<WorkerThread>);

struct WorkerThread {
    runtime: Handle,
    /// Ends the thread when it is dropped.
    open: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

/// A task on a worker thread panicked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TaskFailed(pub(crate) String);

impl WorkerThreads {
    /// Starts `count` threads. Fails if the system has no further thread or file descriptor.
    pub(crate) fn start(count: NonZero<usize>) -> io::Result<Self> {
        (0..count.get()).map(WorkerThread::start).collect::<io::Result<_>>().map(Self)
    }

    /// The runtime of each thread.
    pub(crate) fn runtimes(&self) -> Vec<Handle> {
        self.0.iter().map(|worker| worker.runtime.clone()).collect()
    }

    /// Runs a task on a user's worker thread, and waits for it.
    pub(crate) async fn play<T: Send + 'static>(
        &self,
        user: usize,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, TaskFailed> {
        let worker = self.0.get(user % self.0.len().max(1)).ok_or_else(|| TaskFailed("there is no worker thread".to_owned()))?;
        worker.runtime.spawn(task).await.map_err(|error| TaskFailed(error.to_string()))
    }
}

impl WorkerThread {
    fn start(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (open, closed) = oneshot::channel();
        let thread = std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || run(runtime, closed))?;
        Ok(Self { runtime: handle, open: Some(open), thread: Some(thread) })
    }
}

/// Runs tasks until the worker thread is to end.
fn run(runtime: Runtime, closed: oneshot::Receiver<Infallible>) {
    // Dropping the sender ends the thread.
    let _ = runtime.block_on(closed);
    // Does not wait for a pending name lookup.
    runtime.shutdown_background();
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(thread) = self.thread.take() {
            // A panic was returned to the caller of the task.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread::{ThreadId, current};

    fn workers(count: usize) -> WorkerThreads {
        WorkerThreads::start(NonZero::new(count).unwrap()).unwrap()
    }

    async fn here() -> ThreadId {
        // A task that could move to another thread would do so now.
        tokio::task::yield_now().await;
        current().id()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn each_user_stays_on_its_worker_thread() {
        let workers = workers(2);
        let mut seen = Vec::new();
        for user in [0, 1, 2, 3, 0, 1, 2, 3] {
            seen.push(workers.play(user, here()).await.unwrap());
        }
        let (even, odd) = (seen[0], seen[1]);
        assert_ne!(even, odd);
        assert!(even != current().id() && odd != current().id());
        assert_eq!(seen, [even, odd, even, odd, even, odd, even, odd]);
    }

    #[tokio::test]
    async fn a_panic_is_reported_and_its_worker_thread_goes_on() {
        let workers = workers(1);
        let TaskFailed(why) = workers.play(0, async { assert_eq!(1, 2, "sums") }).await.unwrap_err();
        assert!(why.contains("panicked") && why.contains("sums"), "{why}");
        assert_eq!(workers.play(1, async { 3 }).await, Ok(3));
    }

    #[tokio::test]
    async fn tasks_under_way_are_dropped_with_the_worker_threads() {
        let workers = workers(2);
        let kept = Arc::new(());
        let held = Arc::clone(&kept);
        let forever = async move {
            let _held = held;
            std::future::pending::<()>().await;
        };
        {
            let mut played = std::pin::pin!(workers.play(1, forever));
            assert!(futures::poll!(&mut played).is_pending());
        }
        assert_eq!(Arc::strong_count(&kept), 2);
        drop(workers);
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}
