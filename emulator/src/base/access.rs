//! Who may reach the emulator, and which addresses it notifies.

use std::net::SocketAddr;

use http::Uri;
use http::uri::Authority;

/// What is open beyond this machine, and its host names; nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Whether it may listen beyond this machine, and its worlds may notify other machines.
    pub remote: bool,
    /// Further names of it, as clients write them into `Host`. Addresses, `localhost` and names without a dot are known.
    pub hosts: Vec<String>,
}

impl Access {
    /// Whether it may listen there.
    pub(crate) fn listens_at(&self, address: SocketAddr) -> bool {
        self.remote || address.ip().is_loopback()
    }

    /// Whether its worlds may send notifications there.
    pub fn notifies(&self, endpoint: &Uri) -> bool {
        self.remote || endpoint.host().is_some_and(is_this_machine)
    }

    /// Whether this `Host` is a name of the emulator. A page in a browser can point a name of its own at this machine, but cannot
    /// use one of these.
    pub(crate) fn knows(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host();
        let plain = name.trim_start_matches('[').trim_end_matches(']');
        plain.parse::<std::net::IpAddr>().is_ok() || !name.contains('.') || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Whether a host of a URL is this machine and nothing else.
fn is_this_machine(host: &str) -> bool {
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || plain.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_stranger_may_own_is_not_known() {
        let access = Access { remote: false, hosts: vec!["emulator.test.svc".to_owned()] };
        for known in ["localhost:8080", "127.0.0.1:80", "[::1]:80", "192.0.2.7", "emulator:8080", "Emulator.test.svc:1"] {
            assert!(access.knows(known), "{known}");
        }
        for foreign in ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "", "a b"] {
            assert!(!access.knows(foreign), "{foreign}");
        }
    }

    #[test]
    fn notifications_stay_on_this_machine_unless_it_is_opened() {
        let may = |remote, text: &str| Access { remote, ..Access::default() }.notifies(&text.parse().unwrap());
        for here in ["http://127.0.0.1:1/", "https://localhost/push", "http://[::1]:9/", "http://127.9.9.9/"] {
            assert!(may(false, here), "{here}");
        }
        for there in ["http://192.0.2.1/", "http://shop.example/", "http://169.254.169.254/latest", "http://0.0.0.0/", "/path"] {
            assert!(!may(false, there), "{there}");
            assert!(may(true, there), "{there}");
        }
    }
}
