//! A request without its body, and the world it is made in.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::request::Parts;

use super::host::host;
use crate::world::World;

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    /// The address that connected.
    pub(crate) address: IpAddr,
    /// `http` or `https`.
    pub(crate) scheme: &'static str,
}

/// A request without its body.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) caller: Caller,
    pub(crate) head: &'a Parts,
}

impl<'a> Context<'a> {
    /// Whether the world accepts calls from the caller's address.
    pub(crate) fn is_caller_allowed(&self) -> bool {
        self.world.allows(self.caller.address)
    }

    /// The query, or nothing.
    pub(crate) fn query(&self) -> &'a [u8] {
        self.head.uri.query().unwrap_or_default().as_bytes()
    }

    /// The absolute URL of a path in this world, on the host that the request was made to.
    pub(crate) fn url(&self, path: impl fmt::Display) -> String {
        format!("{}://{}{}{path}", self.caller.scheme, host(self.head), self.world.path())
    }
}
