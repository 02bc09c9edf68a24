//! A file that is written while a run goes on.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::NamedTempFile;

use super::destination::Destination;
use super::{draft, named};

/// A file that grows under a name that ends in `.partial` and is renamed when complete. All clones write the same file. It is
/// opened with the first byte. A file that is never completed is removed, unless the process dies or the disk is full.
#[derive(Clone)]
pub struct StreamFile {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

enum State {
    Waiting,
    Draft {
        file: PathBuf,
        out: BufWriter<NamedTempFile>,
    },
    Stream(Box<dyn Write + Send>),
    Completed,
    /// The first error; every further write fails with it.
    Lost(io::ErrorKind, String),
}

impl StreamFile {
    /// A file that can be written.
    ///
    /// # Errors
    /// When it can't; the error names it.
    pub fn new(path: &Path) -> io::Result<Self> {
        super::check(path)?;
        Ok(Self { path: path.to_owned(), state: Arc::new(Mutex::new(State::Waiting)) })
    }

    /// Replaces the former file.
    ///
    /// # Errors
    /// If it cannot be renamed, or some of it could not be written.
    pub fn complete(&self) -> io::Result<()> {
        self.with(|state| match std::mem::replace(state, State::Completed) {
            State::Waiting | State::Completed => Ok(()),
            State::Stream(mut out) => out.flush(),
            State::Draft { file, out } => draft::persist(out.into_inner().map_err(io::IntoInnerError::into_error)?, &file),
            State::Lost(kind, reason) => {
                *state = State::Lost(kind, reason.clone());
                Err(io::Error::new(kind, reason))
            }
        })
    }

    /// Runs an action on the state; an error is remembered, and ends this file alone.
    fn with<T>(&self, act: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Lost(kind, reason) = &*state {
            return Err(io::Error::new(*kind, reason.clone()));
        }
        act(&mut state).map_err(|error| {
            let error = named(&self.path, &error);
            let kept = std::mem::replace(&mut *state, State::Completed).keep();
            let reason = kept.map_or_else(|| error.to_string(), |kept| format!("{error}; its beginning is in {}", kept.display()));
            *state = State::Lost(error.kind(), reason.clone());
            io::Error::new(error.kind(), reason)
        })
    }
}

impl State {
    fn out(&mut self, path: &Path) -> io::Result<&mut dyn Write> {
        if let Self::Waiting = self {
            *self = Self::open(path)?;
        }
        match self {
            Self::Draft { out, .. } => Ok(out),
            Self::Stream(out) => Ok(out),
            Self::Waiting | Self::Completed | Self::Lost(..) => Err(io::Error::other("it was completed before")),
        }
    }

    fn open(path: &Path) -> io::Result<Self> {
        match Destination::resolve(path)? {
            Destination::File(file) => {
                let draft = draft::beside(&file, &draft::prefix(&file), draft::PARTIAL)?;
                Ok(Self::Draft { file, out: BufWriter::new(draft) })
            }
            stream => stream.open().map(Self::Stream),
        }
    }

    /// Keeps a draft on disk and returns its path.
    fn keep(self) -> Option<PathBuf> {
        let Self::Draft { out, .. } = self else { return None };
        // The buffered rest could not be written.
        let (draft, _) = out.into_parts();
        draft.keep().ok().map(|(_, path)| path)
    }
}

impl Write for StreamFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let path = self.path.clone();
        self.with(|state| state.out(&path)?.write_all(bytes).map(|()| bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(|state| match state {
            State::Draft { out, .. } => out.flush(),
            State::Stream(out) => out.flush(),
            State::Waiting | State::Completed | State::Lost(..) => Ok(()),
        })
    }
}
