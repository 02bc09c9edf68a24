//! The ABO/GPC statement of Czech banks: records of fixed width, `074` for an account and its balances,
//! `075` for each item, further kinds (`076`, `078`, `079`) for texts that belong to an item.
//!
//! Positions are counted in characters, as the records are written in one-byte encodings; a file in
//! UTF-8 that counts bytes instead is read as well.

use std::borrow::Cow;

use serde_json::Value;

use super::abo_layout::{Field, HEADER, HEADER_END, ITEM, ITEM_END, Kind, WIDTH};
use super::lines::Lines;
use super::places::{self, Places};
use super::row;
use crate::base::file_position::FilePosition;
use crate::base::text::is_digits;
use crate::wire::exchange::BodyFault;
use crate::wire::ingest::{Ingest, Items};

/// The view `{accounts: [{header: {…}, items: [{…}]}]}` of a statement.
pub(super) fn read(mut lines: Lines<'_>, ingest: &mut Ingest<'_>) -> Result<(Value, Places), BodyFault> {
    let (mut accounts, mut places, mut open) = (Vec::new(), Vec::<(u32, Vec<u32>)>::new(), None::<Account<'_>>);
    let (mut text, mut number) = (String::new(), 0);
    while lines.append(&mut text)? {
        number += 1;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (line.get(..3), &mut open, places.last_mut()) {
            _ if line.trim().is_empty() => {}
            (Some("074"), ..) => {
                accounts.extend(open.take().map(|account| account.end(ingest)));
                ingest.keep(line.len())?;
                open = Some(Account::begin(line, number, accounts.len(), ingest));
                places.push((places::line_number(number), Vec::new()));
            }
            (Some("075"), Some(account), Some((_, items))) => {
                items.push(places::line_number(number));
                account.item(line, number, ingest)?;
            }
            (Some("075"), ..) => {
                return Err(BodyFault::new(FilePosition::line(number), "an item (075) without an account (074) before it"));
            }
            (Some("076" | "078" | "079"), Some(_), _) => {}
            _ => return Err(unknown(number, line)),
        }
        text.clear();
    }
    accounts.extend(open.map(|account| account.end(ingest)));
    if accounts.is_empty() {
        return Err(BodyFault::new(FilePosition::line(1), "the file has no account (a record 074)"));
    }
    Ok((row::mapping([("accounts", Value::Array(accounts))]), Places::Statement { accounts: places }))
}

/// An account while its items are read.
struct Account<'r> {
    pointer: String,
    header: Value,
    items: Items<'r>,
}

impl<'r> Account<'r> {
    fn begin(line: &str, number: usize, index: usize, ingest: &mut Ingest<'r>) -> Self {
        let pointer = format!("/accounts/{index}");
        let (mut header, mut faults) = (Value::Null, Vec::new());
        record(&mut header, line, (&HEADER, HEADER_END), number, || format!("{pointer}/header"), &mut faults);
        faults.into_iter().for_each(|fault| ingest.fault(fault));
        Self { items: ingest.list(&format!("{pointer}/items")), pointer, header }
    }

    fn item(&mut self, line: &str, number: usize, ingest: &mut Ingest<'_>) -> Result<(), BodyFault> {
        let (index, mut faults) = (self.items.len(), Vec::new());
        record(self.items.next(), line, (&ITEM, ITEM_END), number, || format!("{}/items/{index}", self.pointer), &mut faults);
        self.items.push(ingest, line.len(), faults)
    }

    fn end(self, ingest: &mut Ingest<'_>) -> Value {
        row::mapping([("header", self.header), ("items", self.items.end(ingest))])
    }
}

fn unknown(number: usize, line: &str) -> BodyFault {
    let begins: String = line.chars().take(3).collect();
    BodyFault::new(
        FilePosition::line(number),
        format!("a record of an ABO file begins with 074, 075, 076, 078 or 079, not with {begins:?}"),
    )
}

/// Writes a record over an earlier one.
fn record(
    over: &mut Value,
    line: &str,
    (fields, end): (&[Field], usize),
    number: usize,
    pointer: impl Fn() -> String,
    faults: &mut Vec<BodyFault>,
) {
    let characters = Characters::new(line);
    let length = characters.length();
    if length < end || length > WIDTH {
        let message = format!("a record of an ABO file has {WIDTH} characters, this one has {length}");
        faults.push(BodyFault::new(FilePosition::line(number), message).about(pointer()));
    }
    let values = fields.iter().filter_map(|(name, first, length, kind)| {
        let text = characters.part(first - 1, *length);
        match kind.read(&text, &characters.part(first - 1 + length, 1)) {
            Ok(value) => Some((*name, value)),
            Err(message) => {
                let position = FilePosition::line(number).column(first);
                faults.push(BodyFault::new(position, format!("`{name}` is {text:?}, {message}")).about(format!("{}/{name}", pointer())));
                None
            }
        }
    });
    row::write(over, values);
}

/// A record by its positions.
struct Characters<'l> {
    line: &'l str,
    /// Where each character begins; empty where positions are bytes.
    starts: Vec<usize>,
}

impl<'l> Characters<'l> {
    fn new(line: &'l str) -> Self {
        if line.is_ascii() {
            return Self { line, starts: Vec::new() };
        }
        let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
        let by_bytes = starts.len() != WIDTH && line.len() == WIDTH;
        Self { line, starts: if by_bytes { Vec::new() } else { starts } }
    }

    fn length(&self) -> usize {
        if self.starts.is_empty() { self.line.len() } else { self.starts.len() }
    }

    fn part(&self, from: usize, length: usize) -> Cow<'l, str> {
        let to = from + length;
        if self.starts.is_empty() {
            let bytes = self.line.as_bytes();
            return String::from_utf8_lossy(bytes.get(from..bytes.len().min(to)).unwrap_or_default());
        }
        let at = |position: usize| self.starts.get(position).copied().unwrap_or(self.line.len());
        Cow::Borrowed(self.line.get(at(from)..at(to)).unwrap_or_default())
    }
}

impl Kind {
    fn read(self, text: &str, behind: &str) -> Result<Value, &'static str> {
        match self {
            Self::Text => Ok(places::text(text.trim_end())),
            _ if !is_digits(text) => Err("which is not all digits"),
            Self::Digits => Ok(places::text(text)),
            Self::Number => Ok(places::text(text.trim_start_matches('0'))),
            Self::Day if !is_day(text) => Err("which is no day DDMMYY"),
            Self::Day => Ok(places::text(text)),
            Self::Amount => text.parse::<i64>().map(Value::from).map_err(|_| "which is no amount"),
            Self::Signed => {
                let amount: i64 = text.parse().map_err(|_| "which is no amount")?;
                match behind {
                    // Banks write the plus sign as `+`, as `0` or not at all.
                    "+" | "0" | " " | "" => Ok(amount.into()),
                    "-" => Ok((-amount).into()),
                    _ => Err("which is followed by something else than a sign"),
                }
            }
        }
    }
}

/// Whether a text is a day; six zeros mean none.
fn is_day(text: &str) -> bool {
    let part = |from: usize| text.get(from..from + 2).and_then(|part| part.parse::<i8>().ok());
    let (Some(day), Some(month), Some(year)) = (part(0), part(2), part(4)) else { return false };
    text == "000000" || jiff::civil::Date::new(2000 + i16::from(year), month, day).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::{FileFormat, View};
    use super::*;
    use crate::wire::exchange::Request;
    use proptest::prelude::*;
    use serde_json::json;

    fn decode(text: &str) -> Result<View, BodyFault> {
        FileFormat::parse(&json!({"abo": {}})).unwrap().decode(text.as_bytes(), &Request::default())
    }

    fn header(balance: &str) -> String {
        let fields = [
            "074",
            "0000001234567890",
            "Obchod              ",
            "140126",
            balance,
            "00000000000000",
            "+",
            "00000000000500",
            "0",
            "00000000001500",
            "0",
            "015",
            "150126",
        ];
        format!("{:<128}", fields.concat())
    }

    fn item(amount: u64, kind: u8, name: &str) -> String {
        let start =
            format!("075{:016}{:016}{:013}{amount:012}{kind}{:010}00{:04}{:04}{:010}150126", 1_234_567_890_u64, 0, 7, 77, 100, 308, 0);
        format!("{start}{name:<20}00203150126")
    }

    #[test]
    fn another_encoding_than_the_one_asked_for_is_no_matter_of_the_layout() {
        let text = format!("{}\r\n{}\r\n", header("00000000001000-"), item(1500, 2, "Plat\u{1}")).replace('\u{1}', "?");
        let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'?' { 0x9e } else { byte }).collect();
        let fault = |charset: Value| {
            let format = FileFormat::parse(&json!({ "abo": { "charset": charset } })).unwrap();
            format.decode(&bytes, &Request::default()).unwrap_err()
        };
        let asked = json!({ "from": "$request.query.encoding", "win1250": "windows-1250", "default": "utf-8" });
        assert!(fault(asked).of_the_wrapping);
        assert!(!fault(json!("utf-8")).of_the_wrapping, "the request does not choose it");
    }

    #[test]
    fn a_statement_is_read() {
        let text = format!("{}\r\n{}\r\n", header("00000000001000-"), item(1500, 2, "Žluťoučký kůň"));
        let view = decode(&text).unwrap();
        assert_eq!(view.faults, []);
        let account = &view.value["accounts"][0];
        assert_eq!(account["header"]["oldBalance"], -1000);
        assert_eq!(account["header"]["credit"], 1500);
        assert_eq!(account["header"]["number"], "15");
        let item = &account["items"][0];
        assert_eq!((&item["amount"], &item["kind"], &item["variableSymbol"]), (&json!(1500), &json!("2"), &json!("77")));
        assert_eq!((&item["name"], &item["counterBank"], &item["currency"]), (&json!("Žluťoučký kůň"), &json!("0100"), &json!("0203")));
        assert_eq!(view.places.position("/accounts/0/items/0/amount").to_string(), "line 2, column 49");
    }

    #[test]
    fn positions_may_be_bytes() {
        let name = "Žluťoučký";
        let by_bytes = item(5, 2, "@").replace(&format!("@{}", " ".repeat(19)), &format!("{name}{}", " ".repeat(20 - name.len())));
        let view = decode(&format!("{}\n{by_bytes}\n", header("00000000001000+"))).unwrap();
        assert_eq!(view.faults, []);
        assert_eq!(view.value["accounts"][0]["items"][0]["name"], name);
    }

    #[test]
    fn faults_of_a_record_are_reported_with_their_place() {
        let faults = |second: String| decode(&format!("{}\n{second}", header("00000000001000+"))).unwrap().faults;
        let short = item(5, 2, "x").get(..100).unwrap().to_owned();
        assert_eq!(faults(short)[0].message, "a record of an ABO file has 128 characters, this one has 100");
        let letter = item(5, 2, "x").replace("000000000005", "00000000000O");
        assert_eq!(
            (faults(letter.clone())[0].position.to_string(), faults(letter)[0].pointer.as_str()),
            ("line 2, column 49".to_owned(), "/accounts/0/items/0/amount")
        );
        let day = item(5, 2, "x").replace("00203150126", "00203310226");
        assert!(faults(day)[0].message.contains("no day"));
        assert!(decode("075").unwrap_err().message.contains("without an account"));
        assert!(decode("<html>").unwrap_err().message.contains("begins with"));
        assert!(decode("").is_err());
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_read(text in "(07[4-9][\\PC]{0,140}\n?){0,4}") {
            let _ = decode(&text);
        }
    }
}
