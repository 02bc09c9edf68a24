//! As much of a body as a terminal has room for: its beginning, or what is around the place of the finding.

use std::ops::Range;

use crate::base::text::{clean, columns, head_of, rows};

/// Stands for what is left out before.
const CUT: &str = "…";

/// At most `most` rows of `room` columns, and whether there is more of the body.
pub(super) fn excerpt(body: &str, place: Option<&Range<usize>>, room: usize, most: usize) -> (Vec<String>, bool) {
    match place.filter(|place| !fits(body, 0, needed(body, place, room), room, most)) {
        Some(place) => (around(body, place, room, most), true),
        None => first_rows(body, room, most),
    }
}

/// The rows that hold the place, and what follows as far as it fits.
fn around(body: &str, place: &Range<usize>, room: usize, most: usize) -> Vec<String> {
    let line = body.get(..place.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    if line > 0 && fits(body, line, needed(body, place, room), room, most.saturating_sub(1)) {
        let shown = first_rows(body.get(line..).unwrap_or_default(), room, most.saturating_sub(1)).0;
        return std::iter::once(CUT.to_owned()).chain(shown).collect();
    }
    // The line is too long for that: it begins a little before the place.
    let start = place.start.saturating_sub(end_of(body.get(line..place.start).unwrap_or_default(), room / 3));
    let cut = if start == 0 { "" } else { CUT };
    first_rows(&format!("{cut}{}", body.get(start..).unwrap_or_default()), room, most).0
}

/// The number of bytes at the end of a text that fit into `room` columns.
fn end_of(text: &str, room: usize) -> usize {
    let mut used = 0;
    let fitting = text.chars().rev().take_while(|c| {
        used += columns(&clean(c.encode_utf8(&mut [0; 4])));
        used <= room
    });
    fitting.map(char::len_utf8).sum()
}

/// Where what a reader has to see of the place ends: of a long value a row is enough.
fn needed(body: &str, place: &Range<usize>, room: usize) -> usize {
    body.floor_char_boundary(place.end.min(place.start + room))
}

/// Whether a part of the body fits into `most` rows.
fn fits(body: &str, from: usize, to: usize, room: usize, most: usize) -> bool {
    !first_rows(body.get(from..to).unwrap_or_default(), room, most).1
}

/// The first rows of a text, and whether there are more.
fn first_rows(text: &str, room: usize, most: usize) -> (Vec<String>, bool) {
    let mut all = text.lines().flat_map(|line| rows(&clean(head_of(line, room * most)), room));
    let shown = all.by_ref().take(most).collect();
    (shown, all.next().is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The excerpt around the only place where this text stands.
    fn around_text(body: &str, text: &str) -> (Vec<String>, bool) {
        let start = body.find(text).unwrap();
        excerpt(body, Some(&(start..start + text.len())), 20, 3)
    }

    #[test]
    fn a_place_in_the_first_rows_is_shown_with_the_beginning() {
        let body = "{\n  \"code\": 0,\n  \"state\": \"OPEN\",\n  \"more\": 1\n}";
        let first = ["{", "  \"code\": 0,", "  \"state\": \"OPEN\","].map(str::to_owned).to_vec();
        assert_eq!(excerpt(body, None, 20, 3), (first.clone(), true));
        assert_eq!(around_text(body, "\"state\": \"OPEN\""), (first, true));
        assert_eq!(excerpt("short", Some(&(0..5)), 20, 3), (vec!["short".to_owned()], false));
        assert_eq!(excerpt("", None, 20, 3), (Vec::new(), false));
    }

    #[test]
    fn a_line_further_below_is_shown_whole_and_with_the_next_one() {
        let body = "a;b\n1;2\n3;4\n5;6\n7;8\n9;10\n";
        assert_eq!(around_text(body, "7;8"), (["…", "7;8", "9;10"].map(str::to_owned).to_vec(), true));
        assert_eq!(around_text(body, "9;10").0, ["…", "9;10"]);
    }

    #[test]
    fn a_long_line_is_shown_from_a_little_before_the_place() {
        let body = format!("[{}\"variableSymbol\":\"12\",\"x\":0{}]", "{},".repeat(40), "9".repeat(90));
        let (shown, is_cut) = around_text(&body, "\"variableSymbol\":\"12\"");
        assert_eq!(shown, ["…{},{},\"variableSymb", "ol\":\"12\",\"x\":0999999", "99999999999999999999"]);
        assert!(is_cut);
        let below = format!("first\nsecond\nthird\n{body}");
        assert_eq!(around_text(&below, "\"variableSymbol\":\"12\"").0, shown);
    }

    #[test]
    fn of_a_long_value_the_first_row_is_enough() {
        let body = format!("{{\"a\":1,\"list\":[{}]}}", "1,".repeat(200));
        let (shown, _) = excerpt(&body, Some(&(7..body.len())), 20, 3);
        assert_eq!(shown[0], "{\"a\":1,\"list\":[1,1,1");
    }

    proptest! {
        #[test]
        fn it_fits_and_a_short_place_is_in_it(
            (before, place, after) in ("[a-zž支\n\r\u{1b} ]{0,200}", "[A-Z]{1,9}", "[a-zž支\n ]{0,80}"),
            (room, most) in (12_usize..60, 2_usize..5),
        ) {
            let body = format!("{before}{place}{after}");
            let (shown, _) = excerpt(&body, Some(&(before.len()..before.len() + place.len())), room, most);
            prop_assert!(shown.len() <= most);
            prop_assert!(shown.iter().all(|row| columns(row) <= room));
            prop_assert!(shown.concat().contains(&place), "{:?}", shown);
        }
    }
}
