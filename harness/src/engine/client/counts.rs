//! How many connections were opened to a target, and what was spoken on them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::wire::exchange::HttpVersion;

/// Counts the connections of one run.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCounts {
    one: VersionCounts,
    two: VersionCounts,
}

#[derive(Debug, Default)]
struct VersionCounts {
    opened: AtomicU64,
    /// The most requests under way at once on one connection.
    streams: AtomicU64,
}

/// The connections over which one version of HTTP was spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpokenOver {
    pub(crate) http: HttpVersion,
    pub(crate) opened: u64,
    pub(crate) streams: u64,
}

impl ConnectionCounts {
    fn version(&self, http: HttpVersion) -> &VersionCounts {
        match http {
            HttpVersion::One => &self.one,
            HttpVersion::Two => &self.two,
        }
    }

    /// Counts a connection. That of HTTP/1.1 has one request at a time.
    pub(crate) fn opened(&self, http: HttpVersion) {
        let counts = self.version(http);
        counts.opened.fetch_add(1, Ordering::Relaxed);
        counts.streams.fetch_max(1, Ordering::Relaxed);
    }

    /// Notes how many requests are under way on a connection of HTTP/2.
    pub(crate) fn streams(&self, streams: u64) {
        self.two.streams.fetch_max(streams, Ordering::Relaxed);
    }

    /// The versions that were spoken.
    pub(crate) fn all(&self) -> Vec<SpokenOver> {
        let of = |http| {
            let counts = self.version(http);
            SpokenOver { http, opened: counts.opened.load(Ordering::Relaxed), streams: counts.streams.load(Ordering::Relaxed) }
        };
        [of(HttpVersion::One), of(HttpVersion::Two)].into_iter().filter(|spoken| spoken.opened > 0).collect()
    }
}
