//! What is asked, by path, and the options in the query.

use jiff::civil::Date;

use super::abo::{Encoding, FeeRows};
use crate::transfers::core::Call;
use crate::wire::Fields;

/// Path prefix, suffix and call.
const PATHS: [(&str, &str, Call); 6] = [
    ("/v2.0/transferList/date/", ".json", Call::List),
    ("/v2.0/singleTransfer/transferId/", ".json", Call::Detail),
    ("/v2.0/csvSingleTransfer/transferId/", ".json", Call::Csv),
    ("/v2.0/aboSingleTransfer/transferId/", ".json", Call::Abo),
    ("/v2.0/csvDownload/date/", "", Call::CsvDay),
    ("/v2.0/aboDownload/date/", "", Call::AboDay),
];

/// Reads a path: the call, and the date or the number of the transfer in it.
pub(super) fn ask(path: &str) -> Option<(Call, &str)> {
    PATHS.iter().find_map(|(prefix, suffix, call)| {
        let what = path.strip_prefix(prefix)?.strip_suffix(suffix)?;
        (!what.is_empty() && !what.contains('/')).then_some((*call, what))
    })
}

/// Whether a path is one of the transfers'.
pub(crate) fn owns(path: &str) -> bool {
    ask(path).is_some()
}

/// Reads a day, `YYYY-MM-DD` and nothing else.
pub(super) fn date(text: &str) -> Option<Date> {
    let plain = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    text.parse().ok().filter(|_| plain)
}

/// The query; what a call has no option for is ignored there, as any unknown field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Options {
    /// The sample is told about.
    pub(super) test: bool,
    /// The file itself is wanted instead of the envelope.
    pub(super) download: bool,
    /// How an ABO statement tells fees.
    pub(super) fee_rows: FeeRows,
    /// How an ABO statement is encoded.
    pub(super) encoding: Encoding,
}

impl Options {
    /// Reads those of a call; the error is a sentence. An option sent empty counts as absent.
    pub(super) fn read(call: Call, query: &Fields<'_>) -> Result<Self, String> {
        let (single, abo) = (matches!(call, Call::Csv | Call::Abo), matches!(call, Call::Abo | Call::AboDay));
        let none = Fields::default();
        let (of_single, of_abo) = (if single { query } else { &none }, if abo { query } else { &none });
        Ok(Self {
            test: flag(query, "test")?,
            download: flag(of_single, "download")?,
            fee_rows: choice(of_abo, "type", FeeRows::parse, FeeRows::ALL, FeeRows::word)?,
            encoding: choice(of_abo, "encoding", Encoding::parse, Encoding::ALL, Encoding::word)?,
        })
    }
}

fn flag(query: &Fields<'_>, name: &'static str) -> Result<bool, String> {
    query.flag(name).map(|flag| flag.unwrap_or(false)).map_err(|_| format!("{name} is true or false"))
}

/// One of the values of the document, the first of which is the default.
fn choice<T: Copy>(
    query: &Fields<'_>,
    name: &'static str,
    parse: fn(&str) -> Option<T>,
    all: &[T],
    word: fn(T) -> &'static str,
) -> Result<T, String> {
    let asked = query.text(name).ok().flatten();
    let chosen = asked.map_or_else(|| all.first().copied(), parse);
    chosen.ok_or_else(|| format!("{name} is one of {}", all.iter().map(|each| word(*each)).collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::form;

    #[test]
    fn paths_are_those_of_the_document() {
        for (path, asked) in [
            ("/v2.0/transferList/date/2026-01-16.json", (Call::List, "2026-01-16")),
            ("/v2.0/singleTransfer/transferId/7.json", (Call::Detail, "7")),
            ("/v2.0/csvSingleTransfer/transferId/7.json", (Call::Csv, "7")),
            ("/v2.0/aboSingleTransfer/transferId/7.json", (Call::Abo, "7")),
            ("/v2.0/csvDownload/date/2026-01-16", (Call::CsvDay, "2026-01-16")),
            ("/v2.0/aboDownload/date/2026-01-16", (Call::AboDay, "2026-01-16")),
        ] {
            assert_eq!(ask(path), Some(asked), "{path}");
        }
        for path in ["/v2.0/transferList/date/2026-01-16", "/v2.0/csvDownload/date/", "/v2.0/singleTransfer/transferId/1/2.json"] {
            assert!(!owns(path), "{path}");
        }
    }

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
