//! Why results can't be merged, and the checks for it.

use std::collections::BTreeMap;

use thiserror::Error;

use super::part::ResultPart;
use crate::base::figures::span;
use crate::load::latency::LatencyError;
use crate::load::result::LoadResult;
use crate::load::shard::MOST_PARTS;

/// Why results can't be merged. `Display` says what, where, and what to do.
#[derive(Debug, Error)]
pub enum MergeError {
    /// There is no result.
    #[error("there is no result to merge; name the JSON files of the parts")]
    Nothing,
    /// The results are of different loads.
    #[error(
        "{} and {} are not of one load: their {what} differs, {} and {}; merge only the parts of one `--shard` run",
        .one.0, .other.0, .one.1, .other.1
    )]
    Differs {
        /// What differs: `seed`.
        what: &'static str,
        /// A file, and the value in it.
        one: (String, String),
        /// Another file, and the value in it.
        other: (String, String),
    },
    /// A file lists a part twice.
    #[error("{file} holds part {part} twice; name each file once")]
    TwiceInFile {
        /// The number of the part, from 1.
        part: u32,
        /// The file.
        file: String,
    },
    /// Two files hold the same part.
    #[error("{one} and {other} both hold part {part}; merge each part once, run with its own `--shard`")]
    Twice {
        /// The number of the part, from 1.
        part: u32,
        /// A file that holds it.
        one: String,
        /// The other one.
        other: String,
    },
    /// A file claims a part number that is impossible.
    #[error("{file} says it is part {part} of {of}; parts are numbered from 1 to {of}")]
    NoSuchPart {
        /// The file.
        file: String,
        /// The number.
        part: u32,
        /// The number of parts of the load.
        of: u32,
    },
    /// A file claims more parts than a load can have.
    #[error("{file} says its load has {of} parts; there are at most {MOST_PARTS}")]
    TooManyParts {
        /// The file.
        file: String,
        /// The number of parts.
        of: u32,
    },
    /// The parts of a capacity search try rates independently of each other.
    #[error("{file} is of a capacity search: each part has looked for its own rate, so there is no common one; run it unsplit")]
    Search {
        /// The first file.
        file: String,
    },
    /// A histogram can't be read.
    #[error("{file}: the histogram of {what} {error}; write the result again with this version, and don't change it")]
    Unreadable {
        /// The file.
        file: String,
        /// Which histogram.
        what: String,
        /// Why.
        #[source]
        error: LatencyError,
    },
    /// A time can't be read.
    #[error("{file}: `started` is `{text}`; it must be like 2026-01-31T12:00:00Z")]
    Time {
        /// The file.
        file: String,
        /// The text in the file.
        text: String,
    },
}

/// A field that must be the same in all parts: its name, and its value as text.
type Common = (&'static str, fn(&LoadResult) -> String);

/// The fields that must be the same in all parts.
const COMMON: &[Common] = &[
    ("format version", |result| result.format.to_string()),
    ("profile", |result| result.profile.clone()),
    ("title", |result| result.title.clone()),
    ("kind", |result| result.kind.clone()),
    ("target", |result| result.target.clone()),
    ("seed", |result| result.seed.to_string()),
    ("warm-up", |result| span(result.warm_up)),
    ("number of parts", |result| result.shards.of.to_string()),
    ("set of thresholds", |result| {
        let rules: Vec<_> = result.thresholds.iter().map(|threshold| format!("`{}`", threshold.rule)).collect();
        if rules.is_empty() { "none".to_owned() } else { rules.join(", ") }
    }),
];

/// Checks that these are the parts of one load, each of them once.
pub(super) fn check(parts: &[ResultPart]) -> Result<(), MergeError> {
    let (first, rest) = parts.split_first().ok_or(MergeError::Nothing)?;
    for other in rest {
        for (what, of) in COMMON {
            let (ours, theirs) = (of(&first.result), of(&other.result));
            if ours != theirs {
                return Err(MergeError::Differs { what, one: (first.file.clone(), ours), other: (other.file.clone(), theirs) });
            }
        }
    }
    numbers(parts)?;
    if !rest.is_empty() && parts.iter().any(|part| !part.result.trials.is_empty()) {
        return Err(MergeError::Search { file: first.file.clone() });
    }
    Ok(())
}

fn numbers(parts: &[ResultPart]) -> Result<(), MergeError> {
    let mut holders: BTreeMap<u32, &str> = BTreeMap::new();
    for ResultPart { file, result } in parts {
        let of = result.shards.of;
        if of > MOST_PARTS {
            return Err(MergeError::TooManyParts { file: file.clone(), of });
        }
        for &part in &result.shards.parts {
            if !(1..=of).contains(&part) {
                return Err(MergeError::NoSuchPart { file: file.clone(), part, of });
            }
            match holders.insert(part, file) {
                Some(one) if one == file => return Err(MergeError::TwiceInFile { part, file: file.clone() }),
                Some(one) => return Err(MergeError::Twice { part, one: one.to_owned(), other: file.clone() }),
                None => {}
            }
        }
    }
    Ok(())
}
