//! The newest requests with their responses, in memory: what a client really sent.

use std::collections::VecDeque;
use std::sync::Mutex;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use jiff::Timestamp;

use super::sync::lock;

/// The longest body that is kept.
pub(crate) const LONGEST: usize = 64 * 1024;

/// A request that was made in a world, with its response.
#[derive(Debug, Clone)]
pub(crate) struct JournalEntry {
    /// The name of the world.
    pub(crate) world: String,
    /// When it came, in real time.
    pub(crate) at: Timestamp,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    /// The `Authorization` header. It is never shown; its secret is masked wherever else it stands.
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) request: JournalBody,
    /// None if the connection was closed without one.
    pub(crate) response: Option<(StatusCode, JournalBody)>,
    /// How long the response took.
    pub(crate) milliseconds: f64,
}

/// A body as far as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct JournalBody {
    pub(crate) media_type: Option<HeaderValue>,
    /// None if it was longer than [`LONGEST`].
    pub(crate) bytes: Option<Bytes>,
}

impl JournalBody {
    /// A body that these headers describe.
    pub(crate) fn new(headers: &HeaderMap, bytes: Option<Bytes>) -> Self {
        Self { media_type: headers.get(header::CONTENT_TYPE).cloned(), bytes }
    }
}

/// The newest entries of all worlds.
#[derive(Debug)]
pub(crate) struct Journal {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<(u64, JournalEntry)>,
    /// How many there have been.
    all: u64,
}

impl Journal {
    /// A journal of at most this many entries.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Adds an entry; the oldest one makes room.
    pub(crate) fn add(&self, entry: JournalEntry) {
        let mut kept = lock(&self.kept);
        kept.all += 1;
        let number = kept.all;
        kept.entries.push_back((number, entry));
        if kept.entries.len() > self.most {
            kept.entries.pop_front();
        }
    }

    /// The newest entries of a world, oldest first, each with its number among all requests.
    pub(crate) fn newest(&self, world: &str, most: usize) -> Vec<(u64, JournalEntry)> {
        let kept = lock(&self.kept);
        let mut newest: Vec<_> = kept.entries.iter().rev().filter(|(_, entry)| entry.world == world).take(most).cloned().collect();
        newest.reverse();
        newest
    }

    /// Forgets a world: another one may take its name.
    pub(crate) fn forget(&self, world: &str) {
        lock(&self.kept).entries.retain(|(_, entry)| entry.world != world);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(world: &str, path: &'static str) -> JournalEntry {
        JournalEntry {
            world: world.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            method: Method::GET,
            uri: Uri::from_static(path),
            authorization: None,
            request: JournalBody::default(),
            response: None,
            milliseconds: 0.0,
        }
    }

    #[test]
    fn the_newest_are_kept_and_a_world_is_forgotten() {
        let journal = Journal::of(3);
        ["/a", "/b", "/c", "/d"].into_iter().zip(["one", "one", "two", "one"]).for_each(|(path, world)| journal.add(entry(world, path)));
        let paths = |world: &str, most: usize| {
            let newest = journal.newest(world, most);
            newest.iter().map(|(number, entry)| format!("{number} {}", entry.uri)).collect::<Vec<_>>()
        };
        assert_eq!(paths("one", 9), ["2 /b", "4 /d"]);
        assert_eq!(paths("one", 1), ["4 /d"]);
        journal.forget("one");
        assert_eq!((paths("one", 9).len(), paths("two", 9)), (0, vec!["3 /c".to_owned()]));
    }
}
