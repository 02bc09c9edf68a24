//! Secrets that a target issues at run time: tokens. They are recorded as marks like every other secret; a request that names a
//! mark sends the secret behind it.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mask::UNKNOWN_SECRET;
use super::unescape::{found_in_any, replace};

/// The secrets issued in one case, or to one user of a load.
#[derive(Debug, Default)]
pub struct Vault {
    issued: Mutex<Issued>,
}

#[derive(Debug, Default)]
struct Issued {
    /// The newest secrets, in order.
    kept: VecDeque<Kept>,
    /// The number of secrets from each field: no mark ever stands for two secrets, not even for one that is forgotten.
    counts: HashMap<String, usize>,
}

struct Kept {
    mark: String,
    secret: String,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.mark)
    }
}

/// Shorter texts are no tokens: replacing them everywhere would spoil the record.
const SHORTEST: usize = 6;
/// Longer ones are none either: no header could carry them, and a target that issues many would fill the memory.
const LONGEST: usize = 64 * 1024;
/// How many secrets are kept. A load that asks for a token in every iteration would fill the memory, and each text is searched for all.
const MOST: usize = 1_000;

impl Vault {
    /// Keeps a secret from a field of this name, and returns its mark: `***token-1***`.
    pub fn keep(&self, field: &str, secret: &str) -> String {
        if secret.len() > LONGEST {
            return UNKNOWN_SECRET.to_owned();
        }
        let mut issued = self.issued();
        if let Some(known) = issued.kept.iter().find(|known| known.secret == secret) {
            return known.mark.clone();
        }
        let count = issued.counts.entry(field.to_owned()).or_default();
        *count += 1;
        let mark = format!("***{field}-{count}***");
        if issued.kept.len() >= MOST {
            issued.kept.pop_front();
        }
        issued.kept.push_back(Kept { mark: mark.clone(), secret: secret.to_owned() });
        mark
    }

    /// The secret behind a mark, unless it is forgotten.
    pub fn secret(&self, mark: &str) -> Option<String> {
        self.issued().kept.iter().find(|known| known.mark == mark).map(|known| known.secret.clone())
    }

    /// Whether a mark stands for a secret that was kept and is forgotten.
    pub fn has_forgotten(&self, mark: &str) -> bool {
        let issued = self.issued();
        let numbered = mark.strip_prefix("***").and_then(|rest| rest.strip_suffix("***")?.rsplit_once('-'));
        let was_kept = numbered.is_some_and(|(field, number)| {
            let count = issued.counts.get(field).copied().unwrap_or_default();
            number.parse::<usize>().is_ok_and(|number| (1..=count).contains(&number))
        });
        was_kept && !issued.kept.iter().any(|known| known.mark == mark)
    }

    /// The mark of an issued secret.
    pub fn mark(&self, secret: &str) -> Option<String> {
        self.issued().kept.iter().find(|known| known.secret == secret).map(|known| known.mark.clone())
    }

    /// The length of the longest secret, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.issued().kept.iter().map(|known| known.secret.len()).max().unwrap_or_default()
    }

    /// A text with every issued secret replaced by its mark, whatever of it is escaped.
    pub fn masked(&self, text: String) -> String {
        let issued = self.issued();
        let long = issued.kept.iter().filter(|known| known.secret.len() >= SHORTEST);
        long.fold(text, |text, known| replaced(&text, &known.secret, &known.mark).unwrap_or(text))
    }

    fn issued(&self) -> MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text without a secret, if it is in there.
fn replaced(text: &str, secret: &str, mark: &str) -> Option<String> {
    let found = found_in_any(text.as_bytes(), |bytes| places(bytes, secret).map(|place| (place, mark)).collect());
    (!found.is_empty()).then(|| replace(text, found))
}

/// Where a text is in some bytes.
fn places(bytes: &[u8], text: &str) -> impl Iterator<Item = Range<usize>> {
    let parts = bytes.utf8_chunks().scan(0, |next, chunk| {
        let start = *next;
        *next += chunk.valid().len() + chunk.invalid().len();
        Some((start, chunk.valid()))
    });
    parts.flat_map(move |(start, valid)| valid.match_indices(text).map(move |(at, found)| start + at..start + at + found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_for_its_secret() {
        let vault = Vault::default();
        let (first, second) = (vault.keep("token", "abc.def"), vault.keep("token", "ghi.jkl"));
        assert_eq!((first.as_str(), second.as_str()), ("***token-1***", "***token-2***"));
        assert_eq!(vault.keep("token", "abc.def"), first, "the same secret keeps its mark");
        assert_eq!(vault.secret(&second).as_deref(), Some("ghi.jkl"));
        assert_eq!(vault.secret("garbage"), None);
        assert_eq!(vault.masked("Bearer abc.def".into()), "Bearer ***token-1***");
        assert_eq!(vault.masked("%ff abc%2Edef \\u0067hi.jkl ab&#99;.def!".into()), "%ff ***token-1*** ***token-2*** ***token-1***!");
        assert!(!format!("{vault:?}").contains("abc"));
    }

    #[test]
    fn the_newest_secrets_are_kept_and_no_mark_is_used_twice() {
        let vault = Vault::default();
        let first = vault.keep("token", "secret-0");
        for number in 1..=MOST {
            vault.keep("token", &format!("secret-{number}"));
        }
        assert_eq!(vault.secret(&first), None, "the oldest one is forgotten");
        assert!(vault.has_forgotten(&first) && !vault.has_forgotten("***token-2***"));
        assert!(!vault.has_forgotten("***token-9999***") && !vault.has_forgotten(UNKNOWN_SECRET) && !vault.has_forgotten("***main***"));
        assert_eq!(vault.secret("***token-2***").as_deref(), Some("secret-1"));
        assert_eq!(vault.mark(&format!("secret-{MOST}")), Some(format!("***token-{}***", MOST + 1)));
        assert_eq!(vault.keep("token", "secret-0"), format!("***token-{}***", MOST + 2));
    }

    #[test]
    fn what_no_header_could_carry_is_not_kept() {
        let vault = Vault::default();
        assert_eq!(vault.keep("token", &"a".repeat(LONGEST + 1)), UNKNOWN_SECRET);
        assert_eq!(vault.longest(), 0);
    }
}
