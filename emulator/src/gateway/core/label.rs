//! The length of a label. "1 to 16 characters" does not say what a character is.

/// The most characters of a label.
const LONGEST: usize = 16;

/// Whether a label is short enough, counted in code points or in units of UTF-16; never in bytes.
pub(crate) fn is_short(label: &str, in_utf16: bool) -> bool {
    // The byte length settles it for almost all labels.
    label.len() <= LONGEST || if in_utf16 { label.encode_utf16().count() <= LONGEST } else { label.chars().count() <= LONGEST }
}
