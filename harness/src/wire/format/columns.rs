//! The names of the columns of a table: by the headings in the file, or by the places of columns without headings.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::base::file_position::FilePosition;
use crate::base::text::counted;
use crate::wire::exchange::BodyFault;

/// The names of the columns that a layout names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Columns {
    /// By the heading in the file, which each has to have. Other columns keep their headings.
    Headed(IndexMap<String, String>),
    /// By the place, from 1. Other columns are called by their places.
    Placed(BTreeMap<usize, String>),
}

impl Columns {
    /// Reads `headings` and `columns`.
    pub(super) fn parse(options: &Map<String, Value>) -> Self {
        let columns = options.get("columns").and_then(Value::as_object).into_iter().flatten();
        if options.get("headings").and_then(Value::as_bool) == Some(false) {
            let place = |place: &Value| place.as_u64().and_then(|place| usize::try_from(place).ok());
            return Self::Placed(columns.filter_map(|(name, at)| Some((place(at)?, name.clone()))).collect());
        }
        Self::Headed(columns.filter_map(|(name, heading)| Some((heading.as_str()?.to_owned(), name.clone()))).collect())
    }

    /// Whether the first line has the headings.
    pub(super) fn are_headed(&self) -> bool {
        matches!(self, Self::Headed(_))
    }

    /// The names of the columns of a file that begins with this line.
    pub(super) fn names(&self, first: &[String]) -> Vec<String> {
        match self {
            Self::Headed(names) => first.iter().map(|heading| names.get(heading).unwrap_or(heading).clone()).collect(),
            Self::Placed(names) => (1..=first.len()).map(|at| names.get(&at).cloned().unwrap_or_else(|| at.to_string())).collect(),
        }
    }

    /// The columns that a file of this layout has, and that one that begins with this line lacks.
    pub(super) fn missing(&self, first: &[String]) -> Vec<BodyFault> {
        let fault = |message: String| BodyFault::new(FilePosition::line(1), message);
        match self {
            Self::Headed(names) => {
                let missing = names.keys().filter(|heading| !first.contains(heading));
                missing.map(|heading| fault(format!("the heading `{heading}` of the stated layout is missing"))).collect()
            }
            Self::Placed(names) => {
                let has = counted(first.len(), "field");
                let missing = names.iter().filter(|(at, _)| **at > first.len());
                missing.map(|(at, name)| fault(format!("the stated layout has a column {at} (`{name}`), this row has {has}"))).collect()
            }
        }
    }

    /// How many fields a row has to have, in words.
    pub(super) fn expected(&self, count: usize) -> String {
        match self {
            Self::Headed(_) => format!("the headings are {count}"),
            Self::Placed(_) => format!("the first has {count}"),
        }
    }
}
