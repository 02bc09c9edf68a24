//! The field positions of ABO/GPC records, for the reader and for naming the place of a finding in the file.

/// What a field of a record is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any text, trimmed.
    Text,
    /// Digits, kept as they are.
    Digits,
    /// Digits without the zeros in front of them.
    Number,
    /// An amount in minor units.
    Amount,
    /// An amount with its sign in the position behind it.
    Signed,
    /// A day, `DDMMYY`.
    Day,
}

/// A field of a record: name, first position (from 1), length, kind.
pub(super) type Field = (&'static str, usize, usize, Kind);

/// The characters of a record.
pub(super) const WIDTH: usize = 128;

/// The record of an account, `074`.
pub(super) const HEADER: [Field; 9] = [
    ("account", 4, 16, Kind::Number),
    ("name", 20, 20, Kind::Text),
    ("oldBalanceDate", 40, 6, Kind::Day),
    ("oldBalance", 46, 14, Kind::Signed),
    ("newBalance", 61, 14, Kind::Signed),
    ("debit", 76, 14, Kind::Signed),
    ("credit", 91, 14, Kind::Signed),
    ("number", 106, 3, Kind::Number),
    ("date", 109, 6, Kind::Day),
];

/// The record of an item, `075`.
pub(super) const ITEM: [Field; 13] = [
    ("account", 4, 16, Kind::Number),
    ("counterAccount", 20, 16, Kind::Number),
    ("document", 36, 13, Kind::Text),
    ("amount", 49, 12, Kind::Amount),
    ("kind", 61, 1, Kind::Digits),
    ("variableSymbol", 62, 10, Kind::Number),
    ("counterBank", 74, 4, Kind::Digits),
    ("constantSymbol", 78, 4, Kind::Digits),
    ("specificSymbol", 82, 10, Kind::Number),
    ("valueDate", 92, 6, Kind::Day),
    ("name", 98, 20, Kind::Text),
    ("currency", 119, 4, Kind::Digits),
    ("date", 123, 6, Kind::Day),
];

/// The shortest complete header and item: trailing blanks may be cut off.
pub(super) const HEADER_END: usize = 114;
pub(super) const ITEM_END: usize = 128;

/// The first column of a field of an account's record, from 1.
pub(super) fn header_column(name: &str) -> Option<usize> {
    HEADER.iter().find(|(field, ..)| *field == name).map(|(_, first, ..)| *first)
}

/// The first column of a field of an item's record, from 1.
pub(super) fn item_column(name: &str) -> Option<usize> {
    ITEM.iter().find(|(field, ..)| *field == name).map(|(_, first, ..)| *first)
}
