//! Values that the emulator draws or computes, and that say nothing about a scenario: variable symbols and instants. Each
//! becomes a label with a number, so that it is still seen where the same one comes again.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A field `vs` with digits, as the emulator draws them.
static SYMBOL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?m)^    (?:\S*\.)?vs: "(\d{6,10})"$"#).unwrap());
static INSTANT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap());

pub fn labelled(case: &str) -> String {
    let mut symbols: Vec<&str> = Vec::new();
    for (_, [symbol]) in SYMBOL.captures_iter(case).map(|found| found.extract()) {
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    let text = symbols.iter().enumerate().fold(case.to_owned(), |text, (index, symbol)| {
        let anywhere = Regex::new(&format!(r"\b{symbol}\b")).unwrap();
        anywhere.replace_all(&text, format!("[vs-{}]", index + 1)).into_owned()
    });
    let mut instants: HashMap<String, usize> = HashMap::new();
    let number = |found: &Captures<'_>| {
        let next = instants.len() + 1;
        format!("[date-{}]", instants.entry(found[0].to_owned()).or_insert(next))
    };
    INSTANT.replace_all(&text, number).into_owned()
}

#[test]
fn the_same_value_has_the_same_label_everywhere() {
    let case = "    vs: \"61677014\"\n    rows[0].VS: \"61677014\"\n    a: \"2026-03-01T10:00:00Z\"\n    b: \"2026-03-01T11:00:00Z\"\n    \
                c: \"2026-03-01T10:00:00Z\"";
    let shown = "    vs: \"[vs-1]\"\n    rows[0].VS: \"[vs-1]\"\n    a: \"[date-1]\"\n    b: \"[date-2]\"\n    c: \"[date-1]\"";
    assert_eq!(labelled(case), shown);
}

#[test]
fn a_price_is_no_symbol() {
    assert_eq!(labelled("    vs: \"123456\"\n    price: 1234567"), "    vs: \"[vs-1]\"\n    price: 1234567");
}
