//! Many small pieces of bytes in a few large pages. Pieces never move, so growing copies nothing and no allocation becomes too
//! large.

/// The size of a page. A longer piece has a page of its own.
const PAGE: usize = 64 * 1024;

/// Pieces, identified by their start.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arena {
    pages: Vec<Vec<u8>>,
}

impl Arena {
    /// Adds a piece and returns its start; later pieces start later.
    pub(crate) fn add(&mut self, piece: &[u8]) -> usize {
        let number = self.pages.len();
        match self.pages.last_mut() {
            Some(page) if page.len() < PAGE && page.len() + piece.len() <= PAGE => {
                let begins = (number - 1) * PAGE + page.len();
                page.extend_from_slice(piece);
                begins
            }
            // Most arenas hold few pieces, so the first page grows with them.
            None => {
                self.pages.push(piece.to_vec());
                0
            }
            Some(_) => {
                let mut page = Vec::with_capacity(PAGE.max(piece.len()));
                page.extend_from_slice(piece);
                self.pages.push(page);
                number * PAGE
            }
        }
    }

    /// The piece at a start; `next` is the start of the one after it.
    pub(crate) fn piece(&self, begins: usize, next: Option<usize>) -> Option<&[u8]> {
        let page = self.pages.get(begins / PAGE)?;
        let end = next.filter(|next| next / PAGE == begins / PAGE).map_or(page.len(), |next| next % PAGE);
        page.get(begins % PAGE..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_piece_is_found_again(lengths in proptest::collection::vec(prop_oneof![1..99_usize, 1..=PAGE, Just(PAGE), Just(PAGE + 1)], 1..99)) {
            let pieces: Vec<Vec<u8>> = lengths.iter().zip(0..).map(|(length, number)| vec![number; *length]).collect();
            let mut pages = Arena::default();
            let begin: Vec<usize> = pieces.iter().map(|piece| pages.add(piece)).collect();
            for (at, piece) in pieces.iter().enumerate() {
                prop_assert_eq!(pages.piece(begin[at], begin.get(at + 1).copied()), Some(piece.as_slice()));
            }
        }
    }
}
