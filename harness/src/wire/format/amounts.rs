//! How amounts are written in a table.

use serde_json::Value;

use super::FormatError;
use crate::base::text::is_digits;

/// How the amounts in some columns of a table are written. Where they are not written with a decimal comma alone, they are read as if
/// they were, so that they can be compared with the amounts in other responses.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Amounts {
    /// What stands before the decimals, and between thousands, if anything; none where nothing is stated.
    marks: Option<(char, Option<char>)>,
    columns: Vec<String>,
}

impl Amounts {
    /// Reads `{ decimal: ".", thousands: ",", columns: [names] }`.
    pub(super) fn parse(options: Option<&Value>) -> Result<Self, FormatError> {
        let Some(options) = options else { return Ok(Self::default()) };
        let mark = |key: &str| match options.get(key).map(|mark| mark.as_str().map(|mark| mark.chars().collect::<Vec<_>>())) {
            None => Ok(None),
            Some(Some(mark)) if mark.len() == 1 => Ok(mark.first().copied()),
            Some(_) => Err(FormatError::Amounts),
        };
        let (decimal, thousands) = (mark("decimal")?.unwrap_or(','), mark("thousands")?);
        let known = |thousands: char| matches!(thousands, ',' | '.' | '\'' | ' ' | '\u{a0}' | '\u{202f}') && thousands != decimal;
        if !matches!(decimal, ',' | '.') || !thousands.is_none_or(known) {
            return Err(FormatError::Amounts);
        }
        let columns = options.get("columns").and_then(Value::as_array).into_iter().flatten();
        let columns = columns.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Ok(Self { marks: Some((decimal, thousands)), columns })
    }

    /// Writes an amount in a column with a decimal comma alone. Fails if it is written otherwise than stated. What is no amount stays
    /// what it is.
    pub(super) fn normalise(&self, column: &str, text: &mut String) -> Result<(), String> {
        let Some((decimal, thousands)) = self.marks.filter(|_| self.columns.iter().any(|name| name == column)) else { return Ok(()) };
        let is_figure = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '-' | '+') || thousands == Some(c);
        if !text.contains(|c: char| c.is_ascii_digit()) || !text.chars().all(is_figure) {
            return Ok(());
        }
        let amount = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, decimals) = amount.split_once(decimal).map_or((amount, None), |(whole, decimals)| (whole, Some(decimals)));
        if !is_whole(whole, thousands) || decimals.is_some_and(|decimals| !is_digits(decimals)) {
            let thousands = thousands.map(String::from).unwrap_or_default();
            return Err(format!("this amount is not written as the stated layout writes amounts, like 1{thousands}234{decimal}50"));
        }
        *text = text.chars().filter(|c| thousands != Some(*c)).map(|c| if c == decimal { ',' } else { c }).collect();
        Ok(())
    }
}

/// Digits, all together or in groups of three.
fn is_whole(text: &str, thousands: Option<char>) -> bool {
    let Some(mark) = thousands.filter(|mark| text.contains(*mark)) else { return is_digits(text) };
    let mut groups = text.split(mark);
    groups.next().is_some_and(|first| is_digits(first) && first.len() <= 3) && groups.all(|group| is_digits(group) && group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_amount_is_written_with_a_decimal_comma_or_is_wrong() {
        for (options, written, read) in [
            (json!({}), "12,50", Some("12,50")),
            (json!({}), "12.50", None),
            (json!({}), "1 234,50", Some("1 234,50")),
            (json!({ "decimal": "." }), "-0.5", Some("-0,5")),
            (json!({ "decimal": "." }), "12", Some("12")),
            (json!({ "decimal": "." }), "12,50", None),
            (json!({ "decimal": "." }), "1.2.3", None),
            (json!({ "decimal": "." }), "", Some("")),
            (json!({ "decimal": "." }), "unknown", Some("unknown")),
            (json!({ "thousands": "\u{a0}" }), "1\u{a0}234\u{a0}567,50", Some("1234567,50")),
            (json!({ "thousands": " " }), "1234567,50", Some("1234567,50")),
            (json!({ "thousands": " " }), "1 23,50", None),
        ] {
            let mut options = options;
            options["columns"] = json!(["a"]);
            let amounts = Amounts::parse(Some(&options)).unwrap();
            let (mut text, mut other) = (written.to_owned(), written.to_owned());
            let read_as = amounts.normalise("a", &mut text).ok().map(|()| text);
            assert_eq!(read_as.as_deref(), read, "{written} by {options}");
            assert!(amounts.normalise("b", &mut other).is_ok() && other == written);
        }
    }

    #[test]
    fn marks_that_no_amount_has_are_refused() {
        for wrong in
            [json!({ "decimal": ";" }), json!({ "decimal": ".", "thousands": "." }), json!({ "thousands": "  " }), json!({ "decimal": 1 })]
        {
            assert_eq!(Amounts::parse(Some(&wrong)), Err(FormatError::Amounts), "{wrong}");
        }
    }
}
