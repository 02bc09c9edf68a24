//! Scenario scripts: what `scenarios/` holds, parsed whole before the first request.
//!
//! The format is described in `docs/scenarios.md`.

mod matcher;
mod parse;
mod schema;
mod step;
mod template;

use serde_json::{Map, Value};

pub use matcher::{Matcher, Mismatch};
pub use parse::{parse, parse_all};
pub use schema::schema;
pub use step::{Answering, Call, HttpExpectation, InboxStep, Keep, NotificationStep, Step, Verb, ViolationsStep, WorldStep};
pub use template::{Template, Variables};

/// One script.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its file name without the ending: `refund-in-parts`.
    pub name: String,
    /// The folder it stands in: the API.
    pub api: String,
    /// The path as the user knows it.
    pub path: String,
    /// What it shows, as a sentence.
    pub title: String,
    /// The clauses it carries.
    pub clauses: Vec<String>,
    /// What the target must be able to do: capabilities of the world.
    pub needs: Vec<String>,
    /// Settings of the world.
    pub setting: Map<String, Value>,
    /// The table; one row without columns where the script has none.
    pub cases: Vec<Case>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// One row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// Its name, unique in the scenario; empty where the scenario has no table.
    pub name: String,
    /// Its columns.
    pub values: Map<String, Value>,
}
