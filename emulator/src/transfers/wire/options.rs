//! The options of a call, in its path and query.

use jiff::civil::Date;

use super::abo::{Encoding, FeeRows};
use crate::transfers::core::Call;
use crate::wire::Fields;

/// Reads a day, `YYYY-MM-DD` and nothing else.
pub(super) fn date(text: &str) -> Option<Date> {
    let plain = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    text.parse().ok().filter(|_| plain)
}

/// An option that has none of its values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum OptionError {
    /// A flag is neither true nor false.
    #[error("{0} is true or false")]
    NoFlag(&'static str),
    /// A choice is none of the documented ones.
    #[error("{name} is one of {known}")]
    NoChoice {
        /// The option.
        name: &'static str,
        /// Its values.
        known: String,
    },
}

/// The query; parameters without an option are ignored, like unknown fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Options {
    /// The sample is asked for.
    pub(super) test: bool,
    /// The file itself is wanted instead of the envelope.
    pub(super) download: bool,
    /// How an ABO statement lists fees.
    pub(super) fee_rows: FeeRows,
    /// How an ABO statement is encoded.
    pub(super) encoding: Encoding,
}

impl Options {
    /// Reads the options of a call. An option sent empty counts as absent.
    pub(super) fn read(call: Call, query: &Fields<'_>) -> Result<Self, OptionError> {
        let (single, abo) = (matches!(call, Call::Csv | Call::Abo), matches!(call, Call::Abo | Call::AboDay));
        let none = Fields::default();
        let (of_single, of_abo) = (if single { query } else { &none }, if abo { query } else { &none });
        Ok(Self {
            test: flag(query, "test")?,
            download: flag(of_single, "download")?,
            fee_rows: choice(of_abo, "type", FeeRows::parse, FeeRows::ALL, FeeRows::as_str)?,
            encoding: choice(of_abo, "encoding", Encoding::parse, Encoding::ALL, Encoding::as_str)?,
        })
    }
}

fn flag(query: &Fields<'_>, name: &'static str) -> Result<bool, OptionError> {
    query.flag(name).map(|flag| flag.unwrap_or(false)).map_err(|_| OptionError::NoFlag(name))
}

/// One of the values of the document, the first of which is the default.
fn choice<T: Copy>(
    query: &Fields<'_>,
    name: &'static str,
    parse: fn(&str) -> Option<T>,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<T, OptionError> {
    let asked = query.text(name).ok().flatten();
    let chosen = asked.map_or_else(|| all.first().copied(), parse);
    let known = || all.iter().map(|each| as_str(*each)).collect::<Vec<_>>().join(", ");
    chosen.ok_or_else(|| OptionError::NoChoice { name, known: known() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::form;

    #[test]
    fn a_day_is_exactly_one() {
        assert_eq!(date("2026-03-29").unwrap().to_string(), "2026-03-29");
        for wrong in
            ["", "2026-02-29", "2026-1-16", "20260116", "2026-01-16T00:00", "2026-01-16.json", "2026-01-16/2026-01-17", "-026-01-16"]
        {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn options_have_defaults_and_known_values() {
        let read = |call, query: &str| Options::read(call, &form::decode(query.as_bytes()).unwrap());
        let default = Options { test: false, download: false, fee_rows: FeeRows::V1, encoding: Encoding::Utf8 };
        assert_eq!(read(Call::Abo, ""), Ok(default));
        assert_eq!(read(Call::Abo, "download=&type=&encoding=&test="), Ok(default));
        let all = Options { test: true, download: true, fee_rows: FeeRows::V2, encoding: Encoding::Win1250 };
        assert_eq!(read(Call::Abo, "download=true&type=v2&encoding=win1250&test=true"), Ok(all));
        for wrong in ["download=maybe", "type=v3", "encoding=latin2", "test=2", "type=V1"] {
            assert!(read(Call::Abo, wrong).is_err(), "{wrong}");
        }
        assert_eq!(read(Call::List, "download=maybe&type=v3"), Ok(default), "the list has no such options");
    }
}
