//! Where the parts of a decoded view are in the file.

use serde_json::Value;

use super::abo_layout;
use crate::base::file_position::FilePosition;
use crate::base::pointer;

/// Positions of the parts of a view. Kept small: a statement may have a hundred thousand rows.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Places {
    /// Nothing is known.
    #[default]
    Unknown,
    /// A table: the line of each row.
    Table {
        /// Line numbers of `/rows`, from 1.
        rows: Vec<u32>,
        /// The headings, in their order.
        columns: Vec<String>,
    },
    /// A statement: the lines of each account's header and of its items.
    Statement {
        /// For each of `/accounts`: the line of its header, the lines of its items.
        accounts: Vec<(u32, Vec<u32>)>,
    },
    /// Other files below these pointers, each with its own position.
    Files(Vec<(String, FilePosition, Places)>),
}

impl Places {
    /// Translates a pointer into the view into the words of the file: ``entry `a.csv`, line 3, column 2 (`Měna`)``.
    pub fn position(&self, pointer: &str) -> FilePosition {
        self.find(pointer).unwrap_or_default()
    }

    fn find(&self, pointer: &str) -> Option<FilePosition> {
        let parts: Vec<&str> = pointer::tokens(pointer).collect();
        match self {
            Self::Unknown => None,
            Self::Table { rows, columns } => table(rows, columns, &parts),
            Self::Statement { accounts } => statement(accounts, &parts),
            Self::Files(files) => {
                let (inner, file, places) =
                    files.iter().find_map(|(at, file, places)| Some((pointer::strip_prefix(pointer, at)?, file, places)))?;
                Some(places.position(inner).inside(file))
            }
        }
    }
}

fn table(rows: &[u32], columns: &[String], parts: &[&str]) -> Option<FilePosition> {
    match parts {
        ["header", ..] => Some(FilePosition::line(1)),
        ["rows", row, rest @ ..] => {
            let line = usize::try_from(*rows.get(row.parse::<usize>().ok()?)?).ok()?;
            let name = rest.first().map(|token| pointer::unescaped(token));
            let place = name.and_then(|name| Some((columns.iter().position(|column| *column == name)? + 1, name)));
            Some(match place {
                Some((column, name)) => FilePosition::line(line).column(column).headed(&name),
                None => FilePosition::line(line),
            })
        }
        _ => None,
    }
}

fn statement(accounts: &[(u32, Vec<u32>)], parts: &[&str]) -> Option<FilePosition> {
    let ["accounts", account, rest @ ..] = parts else { return None };
    let (header, items) = accounts.get(account.parse::<usize>().ok()?)?;
    let (line, column) = match rest {
        ["header", field, ..] => (header, abo_layout::header_column(field)),
        ["items", item, field @ ..] => {
            (items.get(item.parse::<usize>().ok()?)?, field.first().and_then(|field| abo_layout::item_column(field)))
        }
        _ => (header, None),
    };
    let line = usize::try_from(*line).ok()?;
    Some(match column {
        Some(column) => FilePosition::line(line).column(column),
        None => FilePosition::line(line),
    })
}

/// A line number that fits; files with more lines are not read.
pub(super) fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// A text as a value.
pub(super) fn text(text: impl Into<String>) -> Value {
    Value::String(text.into())
}
