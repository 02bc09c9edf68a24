//! What readers ask for, so that tests can hold the schema of a file against its reader.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static ASKED: RefCell<Vec<Asked>> = const { RefCell::new(Vec::new()) };
}

/// A mapping that was read, and the keys that its reader asked for.
pub(crate) type Asked = (&'static str, BTreeSet<&'static str>);

/// Notes that a mapping was read.
pub(super) fn note(what: &'static str, keys: &[&'static str]) {
    ASKED.with_borrow_mut(|asked| asked.push((what, keys.iter().copied().collect())));
}

/// The mappings that are read meanwhile, the inner ones first.
pub(crate) fn asked_by(read: impl FnOnce()) -> Vec<Asked> {
    ASKED.take();
    read();
    ASKED.take()
}

/// The keys of an object in a schema.
pub(crate) fn keys_of(object: &serde_json::Value) -> BTreeSet<&str> {
    object["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}
