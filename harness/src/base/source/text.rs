//! A text to be read, with its path.

use std::sync::Arc;

/// A text, with the path under which its mistakes are reported.
#[derive(PartialEq, Eq)]
pub struct Source {
    /// The path as the user would type it.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({})", self.path)
    }
}

impl Source {
    /// A source from memory.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { path: path.into(), text: text.into() })
    }
}
