//! A world that is never asked whether something is under way.

use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use url::Url;

use super::{Act, World, WorldError};

/// A world that is never asked whether something is under way. In all other respects it is the world inside.
pub struct Unsettled(pub Box<dyn World>);

impl World for Unsettled {
    fn base(&self, api: &str) -> Option<&Url> {
        self.0.base(api)
    }

    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>> {
        self.0.act(act)
    }

    fn keep_connection(&mut self) {
        self.0.keep_connection();
    }

    fn longest_wait(&self) -> Option<Duration> {
        self.0.longest_wait()
    }

    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
        async { Ok(false) }.boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
        self.0.close()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A world in which time passes by itself.
    struct Slow {
        keeps: Arc<AtomicBool>,
    }

    impl World for Slow {
        fn base(&self, _api: &str) -> Option<&Url> {
            None
        }

        fn act<'a>(&'a self, _act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>> {
            async { Ok(Value::Null) }.boxed()
        }

        fn keep_connection(&mut self) {
            self.keeps.store(true, Ordering::Relaxed);
        }

        fn longest_wait(&self) -> Option<Duration> {
            Some(Duration::from_secs(90))
        }

        fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
            async { Ok(true) }.boxed()
        }

        fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
            async { Ok(()) }.boxed()
        }
    }

    #[tokio::test]
    async fn only_what_is_under_way_is_left_unknown() {
        let keeps = Arc::new(AtomicBool::new(false));
        let mut world = Unsettled(Box::new(Slow { keeps: Arc::clone(&keeps) }));
        world.keep_connection();
        assert!(keeps.load(Ordering::Relaxed));
        assert_eq!(world.longest_wait(), Some(Duration::from_secs(90)));
        assert_eq!(world.settle().await, Ok(false));
    }
}
