//! A request without its body, and the world it is made in.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http::request::Parts;

use super::host::host;
use crate::world::World;

/// Where a request comes from, and where it came in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    /// The address that connected.
    pub(crate) address: IpAddr,
    /// The address that it connected to.
    pub(crate) to: SocketAddr,
    /// `http` or `https`.
    pub(crate) scheme: &'static str,
}

impl Caller {
    /// One on this computer, without a socket.
    pub(crate) const fn local() -> Self {
        let localhost = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self { address: localhost, to: SocketAddr::new(localhost, 80), scheme: "http" }
    }
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

    /// The absolute URL of a path in this world, on the host that the request was made to; where it names none, on the address.
    pub(crate) fn url(&self, path: impl fmt::Display) -> String {
        let url = |host: &dyn fmt::Display| format!("{}://{host}{}{path}", self.caller.scheme, self.world.path());
        host(self.head).map_or_else(|| url(&self.caller.to), |host| url(&host))
    }
}
