//! A world that is never asked whether something is under way.

use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use url::Url;

use super::{Act, World, WorldError};

/// A world that is never asked whether something is under way.
pub struct Unsettled(pub Box<dyn World>);

impl World for Unsettled {
    fn base(&self, api: &str) -> Option<&Url> {
        self.0.base(api)
    }

    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>> {
        self.0.act(act)
    }

    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
        async { Ok(false) }.boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
        self.0.close()
    }
}
