//! Texts from a target, prepared for a terminal or a report: cleaned, bounded, and cut between characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Marks the place of the part that was cut.
const CUT: char = '…';

/// The columns a text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

fn columns_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The text on one line, without anything that a terminal or a reader's eye would obey: control characters and those that reverse
/// or hide text are escaped.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            cleaned.extend(c.escape_default());
        } else {
            cleaned.push(c);
        }
    }
    cleaned
}

/// Whether a terminal or a reader's eye obeys the character instead of showing it.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control() || obeyed(c)
}

/// A text of several lines without control sequences: escaped as in JSON, so that JSON stays unchanged.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if (c.is_control() && !matches!(c, '\n' | '\t')) || obeyed(c) {
            printable.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            printable.push(c);
        }
    }
    printable
}

/// Characters without a shape of their own that change how their neighbours are shown.
fn obeyed(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Cleaned and cut at its end to fit into this many columns.
pub(crate) fn fit(text: &str, room: usize) -> String {
    let text = clean(head_of(text, room));
    if columns(&text) <= room {
        return text;
    }
    let mut cut = head(&text, room.saturating_sub(1)).to_owned();
    if room > 0 {
        cut.push(CUT);
    }
    cut
}

/// A prefix that is certainly longer than the room, so that only the start of a long text is cleaned.
pub(crate) fn head_of(text: &str, room: usize) -> &str {
    // A character takes up to two columns, or none, as combining accents do; a text of those alone would have no end.
    text.get(..fitting(text.chars().take(8 * (room + 2)), room + 2)).unwrap_or(text)
}

/// The text in rows of this many columns, broken anywhere.
pub(crate) fn rows(text: &str, room: usize) -> Vec<String> {
    let (mut rows, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        // A character wider than the room has a row of its own.
        let end = fitting(rest.chars(), room).max(rest.chars().next().map_or(0, char::len_utf8));
        let (row, after) = rest.split_at(end);
        rows.push(row.to_owned());
        rest = after;
    }
    rows
}

/// The longest beginning that fits.
fn head(text: &str, room: usize) -> &str {
    text.get(..fitting(text.chars(), room)).unwrap_or_default()
}

/// The number of bytes of the characters that fit.
fn fitting(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let mut taken = 0;
    chars
        .take_while(|c| {
            taken += columns_of(*c);
            taken <= room
        })
        .map(char::len_utf8)
        .sum()
}

/// The longest beginning of at most `limit` bytes that ends between characters.
pub(crate) fn first_bytes(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

/// The beginning of at most `most` characters.
pub(crate) fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// At most `most` characters; a mark shows that more were cut.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let kept = first_chars(text, most);
    if kept.len() < text.len() { format!("{kept}{CUT}") } else { kept.to_owned() }
}

/// Whether a text is one or more ASCII digits and nothing else.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The byte that two hexadecimal digits stand for, in any case.
pub(crate) fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? * 16 + digit(low)?)
}

/// How much of a library's explanation of a mistake is shown.
pub(crate) const LONGEST_REASON: usize = 600;

/// At most `limit` bytes, followed by the number of bytes left out.
pub(crate) fn bounded(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let kept = first_bytes(text, limit.saturating_sub(ROOM_FOR_THE_REST));
    format!("{kept}… ({} left out here)", counted(text.len() - kept.len(), "more byte"))
}

/// Text as it is written into HTML and SVG, between tags or in an attribute.
pub(crate) fn markup_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Bytes reserved for the note about the rest.
pub(crate) const ROOM_FOR_THE_REST: usize = 80;

/// `1 case`, `2 cases`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The first names and the number of the others: `a, b and 3 more`.
pub(crate) fn list_first(names: &[String], most: usize) -> String {
    let listed = names.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    format!("{listed}{}", and_more(names.len().saturating_sub(most)))
}

/// All names, as code in a sentence: "`a`, `b` and `c`".
pub(crate) fn all_of<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
        None => String::new(),
    }
}

/// The text in lines of whole words, cleaned; a word longer than the room has a line of its own.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let options = textwrap::Options::new(room.max(1)).break_words(false).word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(&clean(text), options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// The names that fit into the room, and the number of the others.
pub(crate) fn list_within(names: &[&str], room: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let longer = if text.is_empty() { clean(name) } else { format!("{text}, {}", clean(name)) };
        let rest = and_more(names.len() - index - 1);
        if index > 0 && columns(&longer) + rest.len() > room {
            text.push_str(&and_more(names.len() - index));
            return text;
        }
        text = longer;
    }
    text
}

fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

/// Replaces texts by others in one pass from left to right, so that no replacement is replaced again. Expects the longest text
/// first; replaces a text only where it is no part of a longer word.
pub(crate) fn replaced(line: &str, replacements: &[(String, String)]) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let before = out.chars().next_back();
        let found = replacements.iter().find_map(|(text, label)| {
            let after = rest.strip_prefix(text.as_str())?;
            stands_alone(before, text, after).then_some((after, label))
        });
        rest = if let Some((after, label)) = found {
            out.push_str(label);
            after
        } else {
            out.push(next);
            rest.get(next.len_utf8()..).unwrap_or_default()
        };
    }
    out
}

/// Whether a text is no part of a longer word or number.
fn stands_alone(before: Option<char>, text: &str, after: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| matches!((a, b), (Some(a), Some(b)) if a.is_alphanumeric() && b.is_alphanumeric());
    !joins(before, text.chars().next()) && !joins(text.chars().next_back(), after.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_wide_ones_counted_as_two() {
        assert_eq!(fit("příliš", 6), "příliš");
        assert_eq!(fit("příliš", 4), "pří…");
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(fit("💳💳", 3), "💳…");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn rows_hold_the_whole_text() {
        assert_eq!(rows("abcde", 2), ["ab", "cd", "e"]);
        assert_eq!(rows("日本", 1), ["日", "本"]);
        assert_eq!(rows("", 2), Vec::<String>::new());
    }

    #[test]
    fn nothing_in_a_text_moves_the_cursor() {
        assert_eq!(clean("a\u{1b}[2Jb\r\n\u{202e}c\u{0}"), r"a\u{1b}[2Jb\r\n\u{202e}c\u{0}");
    }

    #[test]
    fn accents_that_are_characters_of_their_own_take_no_room() {
        let decomposed = "r\u{30c}".repeat(20);
        assert_eq!(fit(&decomposed, 20), decomposed);
        assert_eq!(fit(&decomposed, 19), format!("{}{CUT}", "r\u{30c}".repeat(18)));
        assert!(head_of(&"\u{30c}".repeat(10_000), 10).len() < 1_000);
    }

    #[test]
    fn a_list_says_how_many_it_leaves_out() {
        assert_eq!(list_within(&["a", "b", "c"], 20), "a, b, c");
        assert_eq!(list_within(&["payment/paid", "payment/cancelled", "c"], 24), "payment/paid and 2 more");
        assert_eq!(list_within(&[], 24), "");
    }

    #[test]
    fn bytes_are_cut_between_characters() {
        assert_eq!(first_bytes("aříz", 2), "a");
        assert_eq!(first_bytes("aříz", 99), "aříz");
    }

    #[test]
    fn digits_are_ascii_and_hexadecimal_ones_have_any_case() {
        assert!(is_digits("0042") && !is_digits("") && !is_digits("-1") && !is_digits("٣"));
        let pairs = [(b'0', b'9'), (b'f', b'F'), (b'+', b'1'), (b'1', b'g')];
        assert_eq!(pairs.map(|(high, low)| hex_byte(high, low)), [Some(9), Some(255), None, None]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_it_fits(text in "\\PC{0,60}|.{0,60}", room in 0usize..50) {
            proptest::prop_assert!(columns(&fit(&text, room)) <= room);
            proptest::prop_assert_eq!(rows(&text, room).concat(), text);
        }
    }
}
