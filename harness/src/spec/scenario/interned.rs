//! What texts compile to, kept once for each text that is in use: a set of scripts writes the same few hundred expressions thousands
//! of times.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What is in use, by its text.
pub(super) struct Interned<T>(Mutex<HashMap<String, Weak<T>>>);

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Interned<T> {
    /// What a text compiles to: what is in use already, or what `compile` makes of it.
    pub(super) fn compiled<E>(&self, text: &str, compile: impl FnOnce(&str) -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(text).and_then(Weak::upgrade) {
            return Ok(found);
        }
        let compiled = Arc::new(compile(text)?);
        if known.len() == known.capacity() {
            known.retain(|_, value| value.strong_count() > 0);
        }
        known.insert(text.to_owned(), Arc::downgrade(&compiled));
        Ok(compiled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_use_is_compiled_once() {
        let interned = Interned::default();
        let compile = |text: &str| if text.is_empty() { Err("empty") } else { Ok(text.len()) };
        let first = interned.compiled("price", compile).unwrap();
        assert!(Arc::ptr_eq(&first, &interned.compiled("price", |_| Err("again")).unwrap()));
        assert_eq!(interned.compiled("", compile), Err("empty"));
    }

    #[test]
    fn what_is_no_longer_in_use_is_forgotten() {
        let interned = Interned::default();
        for number in 0..1_000 {
            interned.compiled(&number.to_string(), |_| Ok::<_, ()>(number)).unwrap();
        }
        assert!(interned.0.lock().unwrap().len() < 100);
    }
}
