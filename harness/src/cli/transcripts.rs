//! Transcripts of a run, one file per scenario, with values that differ from run to run replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use crate::base::output::write_whole;
use crate::engine::event::Event;
use crate::report::{Normaliser, Reporter, Rules, transcript};
use crate::spec::contract::Contracts;
use crate::wire::expression::RuntimeExpression;

/// Writes `FOLDER/api/scenario.txt` when the run has ended.
pub(super) struct Transcripts {
    folder: PathBuf,
    files: BTreeMap<String, String>,
    /// Replaces what differs from run to run.
    normaliser: Normaliser,
}

impl Transcripts {
    /// Transcripts with labels for identifiers, or with everything as it was received.
    pub(super) fn new(folder: PathBuf, contracts: &Contracts, as_received: bool) -> Self {
        let normaliser = if as_received { Normaliser::new(Vec::new()) } else { labels(contracts) };
        Self { folder, files: BTreeMap::new(), normaliser }
    }
}

/// Labels for identifiers, the same everywhere for the same identifier, and for worlds.
fn labels(contracts: &Contracts) -> Normaliser {
    let created = contracts.operations.values().filter_map(|o| o.creates.as_ref());
    let fields = created.filter_map(|about| match &about.id {
        RuntimeExpression::ResponseBody(pointer) | RuntimeExpression::RequestBody(pointer) => pointer.rsplit('/').next().map(str::to_owned),
        RuntimeExpression::RequestPath(name) | RuntimeExpression::RequestQuery(name) => Some(name.clone()),
    });
    let rules = Rules {
        numbered: fields.collect::<BTreeSet<_>>().into_iter().collect(),
        segments: vec![("/w/".to_owned(), "[world]".to_owned()), ("http://inbox/".to_owned(), "[world]".to_owned())],
        ..Rules::default()
    };
    Normaliser::new(Vec::new()).with(rules)
}

/// The file of a scenario below the folder. A script that was named alone belongs to no API; `/name.txt` would be a file of the machine.
fn file_of(api: &str, scenario: &str) -> String {
    if api.is_empty() { format!("{scenario}.txt") } else { format!("{api}/{scenario}.txt") }
}

impl Reporter for Transcripts {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(_) => Ok(()),
            Event::CaseFinished(case) => {
                let file = self.files.entry(file_of(&case.name.api, &case.name.scenario)).or_default();
                file.push_str(&format!("== {} ==\n{}\n", case.name, transcript(&case.entries, &self.normaliser)));
                Ok(())
            }
            Event::RunFinished(_) => self.files.iter().try_for_each(|(name, text)| write_whole(&self.folder.join(name), text.as_bytes())),
        }
    }
}
