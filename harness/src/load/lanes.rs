//! Lanes: threads on which users play, each with a runtime of its own.
//!
//! A runtime of many threads moves users to whoever is free: every answer may wake another core, and users meet
//! on queues and on one driver that hears for all of them. A user that keeps to its lane brings its connection and
//! its timers with it, and is woken by nobody but the target.

use std::convert::Infallible;
use std::io;
use std::num::NonZero;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

/// The lanes of a run. They end with it: what is still under way on them then is dropped.
pub(crate) struct Lanes(Vec<Lane>);

struct Lane {
    runtime: Handle,
    /// Closes the lane when it is let go.
    open: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

/// What was played on a lane has no end: why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);

impl Lanes {
    /// Opens so many. The error is that the system has no thread, or nothing to wait for sockets with.
    pub(crate) fn open(count: NonZero<usize>) -> io::Result<Self> {
        (0..count.get()).map(Lane::open).collect::<io::Result<_>>().map(Self)
    }

    /// Plays on a user's lane. Whoever asks only waits.
    pub(crate) async fn play<T: Send + 'static>(&self, user: usize, part: impl Future<Output = T> + Send + 'static) -> Result<T, Broken> {
        let lane = self.0.get(user % self.0.len().max(1)).ok_or_else(|| Broken("there is no lane".to_owned()))?;
        lane.runtime.spawn(part).await.map_err(|error| Broken(error.to_string()))
    }
}

impl Lane {
    fn open(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (open, closed) = oneshot::channel();
        let thread = std::thread::Builder::new().name(format!("lane-{number}")).spawn(move || run(runtime, closed))?;
        Ok(Self { runtime: handle, open: Some(open), thread: Some(thread) })
    }
}

/// Runs whatever is spawned until the lane is closed.
fn run(runtime: Runtime, closed: oneshot::Receiver<Infallible>) {
    // An error is how it is closed.
    let _ = runtime.block_on(closed);
    // A name that is still being looked up holds nobody up.
    runtime.shutdown_background();
}

impl Drop for Lane {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(thread) = self.thread.take() {
            // What panicked there has been told where it was played.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread::{ThreadId, current};

    fn lanes(count: usize) -> Lanes {
        Lanes::open(NonZero::new(count).unwrap()).unwrap()
    }

    async fn here() -> ThreadId {
        // Whoever could go elsewhere would now.
        tokio::task::yield_now().await;
        current().id()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_user_keeps_to_its_lane_and_its_neighbour_to_another() {
        let lanes = lanes(2);
        let mut seen = Vec::new();
        for user in [0, 1, 2, 3, 0, 1, 2, 3] {
            seen.push(lanes.play(user, here()).await.unwrap());
        }
        let (even, odd) = (seen[0], seen[1]);
        assert_ne!(even, odd);
        assert!(even != current().id() && odd != current().id());
        assert_eq!(seen, [even, odd, even, odd, even, odd, even, odd]);
    }

    #[tokio::test]
    async fn who_panics_is_told_of_and_its_lane_goes_on() {
        let lanes = lanes(1);
        let Broken(why) = lanes.play(0, async { assert_eq!(1, 2, "sums") }).await.unwrap_err();
        assert!(why.contains("panicked") && why.contains("sums"), "{why}");
        assert_eq!(lanes.play(1, async { 3 }).await, Ok(3));
    }

    #[tokio::test]
    async fn what_is_under_way_when_the_lanes_end_is_dropped() {
        let lanes = lanes(2);
        let kept = Arc::new(());
        let held = Arc::clone(&kept);
        let forever = async move {
            let _held = held;
            std::future::pending::<()>().await;
        };
        {
            let mut played = std::pin::pin!(lanes.play(1, forever));
            assert!(futures::poll!(&mut played).is_pending());
        }
        assert_eq!(Arc::strong_count(&kept), 2);
        drop(lanes);
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}
