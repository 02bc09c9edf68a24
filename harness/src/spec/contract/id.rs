//! The parts of an id: operations, clauses, notifications and actions are named by words with dots between them.

/// The API of an operation or a clause: its first word.
pub fn api_of(id: &str) -> &str {
    first_word(id)
}

/// The capability that a target needs for an action of the world: its first word.
pub fn capability_of(action: &str) -> &str {
    first_word(action)
}

/// Whether one of the words of an id is this one.
pub fn has_word(id: &str, word: &str) -> bool {
    words(id).any(|own| own == word)
}

/// The words of an id.
pub fn words(id: &str) -> impl Iterator<Item = &str> {
    id.split('.')
}

fn first_word(id: &str) -> &str {
    words(id).next().unwrap_or_default()
}
