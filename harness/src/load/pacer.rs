//! Releases the iterations of open load at their intended starts, whatever the target does.
//!
//! A thread of its own sleeps from start to start: the timers of an async runtime are precise to a millisecond, a thread's sleep to
//! twenty microseconds where the system is asked for that. Free users claim released iterations in order; the schedule has the
//! intended start of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// An iteration that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Its number in the schedule.
    pub(crate) number: u64,
    /// Its intended start, counted from the start of the load.
    pub(crate) at: Duration,
}

/// The intended starts of iterations, in order.
pub(crate) trait IntendedStarts: Send + Sync {
    /// When the iteration with this number is due; `None` after the last one.
    fn due(&self, number: u64) -> Option<Duration>;
}

/// The clock of a pacer; tests have a clock of their own.
pub(crate) trait Clock: Send + Sync {
    /// The time since the load began.
    fn elapsed(&self) -> Duration;
    /// Sleeps until this time since the load began.
    fn sleep_until(&self, then: Duration);
}

/// Real time since an instant.
pub(crate) struct RealClock(pub(crate) Instant);

impl Clock for RealClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep_until(&self, then: Duration) {
        let left = then.saturating_sub(self.0.elapsed());
        if !left.is_zero() {
            std::thread::sleep(left.max(SHORTEST_SLEEP));
        }
    }
}

/// The shortest sleep of the pacer: whatever the rate, it wakes no more often.
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);

/// Asks the system to end the sleeps of this thread at once. Linux lets a thread sleep fifty microseconds longer, so that it may
/// wake several at a time. Where it can't be asked, iterations start that much later.
fn sleep_precisely() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_timerslack(1);
}

/// The longest sleep of the pacer between two checks whether the load has ended.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Releases iterations; free users claim them.
pub(crate) struct Pacer {
    released: Semaphore,
    next: AtomicU64,
    ended: AtomicBool,
    starts: Arc<dyn IntendedStarts>,
}

impl Pacer {
    pub(crate) fn new(starts: Arc<dyn IntendedStarts>) -> Arc<Self> {
        Arc::new(Self { released: Semaphore::new(0), next: AtomicU64::new(0), ended: AtomicBool::new(false), starts })
    }

    /// Releases all iterations, in a thread of its own.
    pub(crate) fn start(self: &Arc<Self>, clock: impl Clock + 'static) -> std::io::Result<JoinHandle<()>> {
        let pacer = Arc::clone(self);
        std::thread::Builder::new().name("pacer".to_owned()).spawn(move || {
            sleep_precisely();
            pacer.pace(&clock);
        })
    }

    /// Releases every iteration when it is due, until the last one or the end.
    pub(crate) fn pace(&self, clock: &impl Clock) {
        let mut number = 0;
        while let Some(due) = self.starts.due(number) {
            while clock.elapsed() < due {
                if self.ended.load(Ordering::Relaxed) {
                    return;
                }
                clock.sleep_until(due.min(clock.elapsed() + LONGEST_SLEEP));
            }
            if self.ended.load(Ordering::Relaxed) {
                return;
            }
            // If the thread wakes up late, several iterations may be due: they are released together.
            let now = clock.elapsed();
            let first = number;
            while self.starts.due(number).is_some_and(|due| due <= now) && number - first < 1024 {
                number += 1;
            }
            let released = usize::try_from(number - first).unwrap_or_default();
            self.released.add_permits(released);
        }
        // Ends the pacer once all iterations are claimed, so that waiting users end too.
        while !self.ended.load(Ordering::Relaxed) && self.claimed() < number {
            clock.sleep_until(clock.elapsed() + LONGEST_SLEEP);
        }
        self.end();
    }

    /// Waits until the next iteration is due; `None` after the last one.
    pub(crate) async fn next(&self) -> Option<Due> {
        self.released.acquire().await.ok()?.forget();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Some(Due { number, at: self.starts.due(number)? })
    }

    /// The number of iterations that users have claimed.
    pub(crate) fn claimed(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Ends the load: iterations that no user has claimed are dropped.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.released.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Starts ten milliseconds apart, this many in all.
    struct Every(u64);

    impl IntendedStarts for Every {
        fn due(&self, number: u64) -> Option<Duration> {
            (number < self.0).then(|| Duration::from_millis(number * 10))
        }
    }

    /// A clock that jumps to the end of each sleep, and past it by `overshoot`.
    struct Jumping {
        now: Mutex<Duration>,
        overshoot: Duration,
        asleep: Box<dyn Fn(Duration) + Send + Sync>,
    }

    impl Clock for Jumping {
        fn elapsed(&self) -> Duration {
            *self.now.lock().unwrap()
        }

        fn sleep_until(&self, then: Duration) {
            (self.asleep)(then);
            *self.now.lock().unwrap() = then + self.overshoot;
        }
    }

    #[tokio::test]
    async fn everything_is_released_in_order_with_its_intended_start() {
        let pacer = Pacer::new(Arc::new(Every(5)));
        let taker = Arc::clone(&pacer);
        let taken = tokio::spawn(async move {
            let mut all = Vec::new();
            while let Some(due) = taker.next().await {
                all.push((due.number, due.at.as_millis()));
            }
            all
        });
        let clock = Jumping { now: Mutex::default(), overshoot: Duration::from_millis(25), asleep: Box::new(|_| ()) };
        tokio::task::spawn_blocking(move || pacer.pace(&clock)).await.unwrap();
        assert_eq!(taken.await.unwrap(), [(0, 0), (1, 10), (2, 20), (3, 30), (4, 40)]);
    }

    #[tokio::test]
    async fn iterations_not_started_at_the_end_are_dropped() {
        let pacer = Pacer::new(Arc::new(Every(1000)));
        let ending = Arc::clone(&pacer);
        let clock = Jumping {
            now: Mutex::default(),
            overshoot: Duration::ZERO,
            asleep: Box::new(move |then| {
                if then >= Duration::from_millis(50) {
                    ending.end();
                }
            }),
        };
        pacer.pace(&clock);
        assert_eq!(pacer.next().await, None);
        assert_eq!(pacer.claimed(), 0);
    }
}
