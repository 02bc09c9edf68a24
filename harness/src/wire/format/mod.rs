//! How the bytes of files and of texts in responses are written, and the view that their schema describes.
//!
//! The formats are those of the world outside the APIs: CSV (RFC 4180), the ABO/GPC bank statement, ZIP, Base64, and what QR
//! codes of payments carry (SPAYD, EPC, PAY by square). Contracts name them with `x-format`; every finding names the entry, the
//! line and the column.

mod abo;
mod abo_layout;
mod amounts;
mod base64;
mod by_square;
mod charset;
mod columns;
mod csv;
mod epc;
mod error;
mod iban;
mod lines;
mod places;
mod row;
mod rules;
mod spayd;
mod view;
mod zip;

use std::io::{BufRead, Read};

use indexmap::IndexMap;
use serde_json::{Map, Value};

pub use error::FormatError;
pub use places::Places;
pub use view::View;

use crate::base::file_position::FilePosition;
use crate::wire::exchange::{BodyFault, MAX_BODY_BYTES, Request};
use crate::wire::expression::{RuntimeExpression, text_of};
use crate::wire::ingest::Ingest;
use amounts::Amounts;
use charset::Charset;
use columns::Columns;
use lines::Lines;

/// How a file is written.
#[derive(Clone, Debug, PartialEq)]
pub enum FileFormat {
    /// A table: a line of headings, or none, then rows.
    Csv {
        /// The character encoding.
        charset: Charset,
        /// How the table is written.
        table: csv::Table,
    },
    /// A statement of accounts in the format of Czech banks.
    Abo {
        /// The character encoding.
        charset: Charset,
    },
    /// An archive of files that are all written like this.
    Zip(Box<FileFormat>),
    /// A text that stands for bytes written like this.
    Base64(Box<FileFormat>),
    /// A Czech QR payment.
    Spayd,
    /// A SEPA QR payment.
    Epc,
    /// A Slovak QR payment.
    PayBySquare,
    /// Chosen by the request.
    Asked {
        /// The place in the request.
        from: RuntimeExpression,
        /// The formats by the value at that place.
        by: IndexMap<String, FileFormat>,
        /// The format for any other value.
        default: Box<FileFormat>,
    },
}

impl FileFormat {
    /// Reads an `x-format`. The error says what is wrong with it.
    pub fn parse(value: &Value) -> Result<Self, FormatError> {
        if value.get("from").is_some() {
            return Self::asked(value);
        }
        let one = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next());
        let (name, options) = one.ok_or(FormatError::NoMapping)?;
        match name.as_str() {
            "csv" => {
                let options = known(options, &["separator", "charset", "layout", "headings", "columns", "amounts"])?;
                let separator = options.get("separator").and_then(Value::as_str).unwrap_or(";");
                let &[separator] = separator.as_bytes() else { return Err(FormatError::Separator) };
                let (columns, amounts) = (Columns::parse(&options), Amounts::parse(options.get("amounts"))?);
                Ok(Self::Csv { charset: charset(&options)?, table: csv::Table { separator, columns, amounts } })
            }
            "abo" => Ok(Self::Abo { charset: charset(&known(options, &["charset"])?)? }),
            "zip" => Self::parse(options).map(|inner| Self::Zip(Box::new(inner))),
            "base64" => Self::parse(options).map(|inner| Self::Base64(Box::new(inner))),
            "spayd" => known(options, &[]).map(|_| Self::Spayd),
            "epc" => known(options, &[]).map(|_| Self::Epc),
            "pay-by-square" => known(options, &[]).map(|_| Self::PayBySquare),
            other => Err(FormatError::Unknown { name: other.to_owned() }),
        }
    }

    /// Reads `{ from: $request.body#/method, BANK_X: {epc: {}}, default: {spayd: {}} }`.
    fn asked(value: &Value) -> Result<Self, FormatError> {
        let map = value.as_object().into_iter().flatten();
        let mut by = map.filter(|(key, _)| *key != "from").map(|(key, format)| Ok((key.clone(), Self::parse(format)?)));
        let mut by: IndexMap<String, Self> = by.by_ref().collect::<Result<_, FormatError>>()?;
        let default = by.shift_remove("default").ok_or(FormatError::NoDefault)?;
        let from = RuntimeExpression::parse(value.get("from").and_then(Value::as_str).unwrap_or_default())?;
        Ok(Self::Asked { from, by, default: Box::new(default) })
    }

    /// The format for the response to a request.
    fn for_request(&self, request: &Request) -> &Self {
        match self {
            Self::Asked { from, by, default } => {
                let asked = from.sent(request).and_then(text_of);
                asked.and_then(|asked| by.get(&asked)).unwrap_or(default)
            }
            fixed => fixed,
        }
    }

    /// The format of the data in a payment's QR code, recognised by its beginning, and its name.
    pub fn of_qr_code(text: &str) -> (Self, String) {
        let (format, name) = match text {
            _ if text.starts_with("SPD*") => (Self::Spayd, "SPAYD, a Czech QR payment"),
            _ if text.starts_with("BCD") => (Self::Epc, "EPC, a SEPA QR payment"),
            _ => (Self::PayBySquare, "PAY by square, a Slovak QR payment"),
        };
        (format, name.to_owned())
    }

    /// Whether the bytes of the response to a request cannot be shown as text.
    pub fn is_binary(&self, request: &Request) -> bool {
        match self.for_request(request) {
            Self::Zip(_) => true,
            Self::Csv { .. } | Self::Abo { .. } | Self::Base64(_) | Self::Spayd | Self::Epc | Self::PayBySquare => false,
            // One choice is enough: see `asked`.
            Self::Asked { default, .. } => default.is_binary(request),
        }
    }

    /// The decoded text, for records; none for binary formats.
    pub fn text(&self, bytes: &[u8], request: &Request) -> Option<String> {
        match self.for_request(request) {
            Self::Csv { charset, .. } | Self::Abo { charset } => Some(charset.encoding_for(request).decode(bytes).0.into_owned()),
            Self::Zip(_) => None,
            Self::Base64(_) | Self::Spayd | Self::Epc | Self::PayBySquare => Some(String::from_utf8_lossy(bytes).into_owned()),
            // One choice is enough: see `asked`.
            Self::Asked { default, .. } => default.text(bytes, request),
        }
    }

    /// Decodes the bytes. Fails if the file cannot be read at all. The character encoding may depend on the request.
    pub fn decode(&self, bytes: &[u8], request: &Request) -> Result<View, BodyFault> {
        let (mut source, mut ingest) = (bytes, Ingest::keep_all());
        let (value, places) = self.read(&mut source, request, &mut ingest)?;
        Ok(View { value, faults: ingest.end().0, places })
    }

    /// Decodes a stream. The ingest decides how much of a list is kept, and collects the faults.
    pub(crate) fn read(&self, source: &mut dyn BufRead, request: &Request, ingest: &mut Ingest<'_>) -> Result<(Value, Places), BodyFault> {
        match self.for_request(request) {
            Self::Csv { charset, table } => csv::read(Lines::new(source, charset.encoding_for(request)), table, ingest),
            Self::Abo { charset } => {
                let lines = Lines::new(source, charset.encoding_for(request)).in_the_encoding_asked_for(charset.is_asked());
                abo::read(lines, ingest)
            }
            Self::Zip(inner) => zip::read(source, ingest, |entry, ingest| inner.read(entry, request, ingest)),
            Self::Base64(inner) => unwrapped(source, |file| inner.read(file, request, ingest)),
            Self::Spayd => short(source, ingest, spayd::decode),
            Self::Epc => short(source, ingest, epc::decode),
            Self::PayBySquare => short(source, ingest, by_square::decode),
            // One choice is enough: see `asked`.
            Self::Asked { default, .. } => default.read(source, request, ingest),
        }
    }
}

/// Reads the file inside Base64. Invalid Base64 is a fault of its own, whatever the file may look like.
fn unwrapped(
    source: &mut dyn BufRead,
    read: impl FnOnce(&mut dyn BufRead) -> Result<(Value, Places), BodyFault>,
) -> Result<(Value, Places), BodyFault> {
    let mut letters = base64::Base64::new(source);
    let file = read(&mut letters);
    match letters.fault() {
        Some(fault) => Err(BodyFault::new(FilePosition::whole(), fault).of_the_wrapping()),
        None => file,
    }
}

/// Reads a text that fits into a QR code.
fn short(
    source: &mut dyn BufRead,
    ingest: &mut Ingest<'_>,
    decode: impl Fn(&str) -> Result<View, BodyFault>,
) -> Result<(Value, Places), BodyFault> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_BODY_BYTES as u64).read_to_end(&mut bytes);
    read.map_err(|error| BodyFault::new(FilePosition::whole(), error.to_string()))?;
    let view = decode(charset::utf8(&bytes)?)?;
    view.faults.into_iter().for_each(|fault| ingest.fault(fault));
    Ok((view.value, view.places))
}

fn charset(options: &Map<String, Value>) -> Result<Charset, FormatError> {
    options.get("charset").map_or_else(|| Ok(Charset::default()), Charset::parse)
}

fn known(options: &Value, known: &'static [&'static str]) -> Result<Map<String, Value>, FormatError> {
    let map = options.as_object().ok_or(FormatError::NoOptions)?;
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(option) => Err(FormatError::UnknownOption { option: option.clone(), known }),
        None => Ok(map.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn formats_nest() {
        let format = FileFormat::parse(&json!({"base64": {"csv": {"separator": ",", "charset": "utf-8"}}})).unwrap();
        let view = format.decode(b"YSxiDQoxLMW+DQo=", &Request::default()).unwrap();
        assert_eq!(view.value, json!({"header": ["a", "b"], "rows": [{"a": "1", "b": "ž"}]}));
    }

    #[test]
    fn what_is_shown_of_a_file_depends_on_the_format_that_the_request_chooses() {
        let by = json!({"from": "$request.query.as", "zip": {"zip": {"csv": {}}}, "default": {"csv": {"charset": "windows-1250"}}});
        let format = FileFormat::parse(&by).unwrap();
        let zip = Request { query: Map::from_iter([("as".to_owned(), json!("zip"))]), ..Request::default() };
        assert_eq!((format.is_binary(&zip), format.text(b"PK", &zip)), (true, None));
        let table = Request::default();
        assert_eq!((format.is_binary(&table), format.text(b"\x9elu\x9d", &table).as_deref()), (false, Some("žluť")));
    }

    #[test]
    fn a_mistake_is_reported_with_the_known_names() {
        for (wrong, words) in [
            (json!({"cvs": {}}), "no format `cvs`"),
            (json!({"csv": {"separater": ";"}}), "no option `separater`"),
            (json!({"csv": {"separator": ";;"}}), "one character"),
            (json!({"csv": {"charset": "utf-16"}}), "not read"),
            (json!({"csv": {"charset": "latin-99"}}), "latin-99"),
            (json!("csv"), "csv, abo, zip, base64"),
            (json!({"from": "$request.body#/m", "X": {"epc": {}}}), "`default`"),
        ] {
            assert!(FileFormat::parse(&wrong).unwrap_err().to_string().contains(words), "{wrong}");
        }
    }
}
