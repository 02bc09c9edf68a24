//! The tokens that a case has obtained.

use std::collections::HashMap;

use crate::spec::contract::Token;

/// The tokens of a case, as marks: by the call that answers them and by identity.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    held: HashMap<(String, String), (String, bool)>,
}

impl Tokens {
    /// Time may have passed: only tokens that outlive it stay.
    pub(super) fn world_moved(&mut self) {
        self.held.retain(|_, (_, lasting)| *lasting);
    }

    /// The mark of a token that is known already.
    pub(super) fn get(&self, token: &Token, identity: &str) -> Option<String> {
        self.held.get(&(token.operation.clone(), identity.to_owned())).map(|(mark, _)| mark.clone())
    }

    /// Keeps a token for the calls to come.
    pub(super) fn keep(&mut self, token: &Token, identity: &str, mark: String) {
        self.held.insert((token.operation.clone(), identity.to_owned()), (mark, token.lasting));
    }
}
