//! Enumerations whose values have names on the wire.

/// Declares an enumeration together with the names that the documents give its values. `parse` reads a name (case matters, as
/// in the documents), and `as_str` writes it.
macro_rules! wire_enum {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$each:meta])* $variant:ident = $wire_name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$each])* #[doc = concat!("`", $wire_name, "`")] $variant),+ }

        #[allow(dead_code, reason = "every enumeration has all three, whether it needs them or not")]
        impl $name {
            /// Every value, in the order of the document.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Reads the name in the document.
            $vis fn parse(name: &str) -> Option<Self> {
                match name {
                    $($wire_name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The name in the document.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $wire_name),+
                }
            }
        }
    };
}

pub(crate) use wire_enum;
