//! Enumerations that are words on the wire.

/// Declares an enumeration together with the words the documents give its values: `parse` reads a word (case
/// matters, as in the documents), `word` writes it.
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$each:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$each])* #[doc = concat!("`", $word, "`")] $variant),+ }

        #[allow(dead_code, reason = "every enumeration has all three, whether it needs them or not")]
        impl $name {
            /// Every value, in the order of the document.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Reads the word of the document.
            $vis fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The word of the document.
            $vis const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }
    };
}

pub(crate) use words;
