//! One JSON object per event and line, for other programs. The same events give the same bytes.
//!
//! `docs/events.schema.json` describes the lines; it is generated from the types.

mod record;

use std::io::{self, Write};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use super::Reporter;
use crate::base::verdict::Verdict;
use crate::engine::event::{CaseFinished, Event, RunFinished, RunStarted};
pub use record::MAX_RECORDED_BODY_BYTES;
use record::RecordedExchange;

/// The version of the format of the lines. Version 1 had no `format`, and called a case an instance.
const FORMAT: u32 = 2;

/// Writes events as they come.
pub struct Ndjson<W> {
    out: W,
    all_records: bool,
}

impl<W: Write + Send> Ndjson<W> {
    /// A reporter that writes to `out`. The exchanges of failed cases are written, or of all cases if `all_records`.
    pub fn new(out: W, all_records: bool) -> Self {
        Self { out, all_records }
    }

    fn line<'e>(&self, event: &'e Event) -> Line<'e> {
        match event {
            Event::RunStarted(run) => Line::RunStarted(Started { format: FORMAT, run }),
            Event::CaseFinished(case) => Line::CaseFinished(Case {
                case,
                record: self.records(case).then(|| case.record.iter().map(|e| RecordedExchange::from_exchange(e)).collect()),
            }),
            Event::RunFinished(run) => Line::RunFinished(run),
        }
    }

    fn records(&self, case: &CaseFinished) -> bool {
        match case.verdict {
            Verdict::Failed { .. } => true,
            // The exchanges before the error show its cause.
            Verdict::NotJudged { .. } => true,
            Verdict::Passed | Verdict::Skipped { .. } => self.all_records,
        }
    }
}

impl<W: Write + Send> Reporter for Ndjson<W> {
    /// Writes each line at once, so that a reader, or an interrupted run, never has half a line.
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(&self.line(event))?;
        line.push(b'\n');
        self.out.write_all(&line)?;
        self.out.flush()
    }
}

/// One line of the event stream.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "event")]
enum Line<'e> {
    /// The run begins.
    RunStarted(Started<'e>),
    /// A case has ended.
    CaseFinished(Case<'e>),
    /// The run has ended.
    RunFinished(&'e RunFinished),
}

/// What is about to run.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Started<'e> {
    /// Version of the format of these lines.
    format: u32,
    #[serde(flatten)]
    run: &'e RunStarted,
}

/// The result of one case, with its exchanges.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Case<'e> {
    #[serde(flatten)]
    case: &'e CaseFinished,
    /// What was sent and received, in the order of its beginning; only of cases that failed or
    /// broke off, unless all records were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Vec<RecordedExchange<'e>>>,
}

/// The JSON Schema of a line, as committed in `docs/events.schema.json`.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Line<'_>>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".into(), "A line of Paycheck's event stream".into());
    }
    schema
}

#[cfg(test)]
mod tests;
