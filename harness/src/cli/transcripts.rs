//! Transcripts of a run, one file per scenario, with what differs from run to run replaced.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use crate::event::Event;
use crate::report::{Normaliser, Reporter, Rules, transcript, write_whole};

/// Writes `FOLDER/api/scenario.txt` when the run has ended.
pub(super) struct Transcripts {
    folder: PathBuf,
    files: BTreeMap<String, String>,
}

impl Transcripts {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, files: BTreeMap::new() }
    }
}

impl Reporter for Transcripts {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(_) => Ok(()),
            Event::InstanceFinished(instance) => {
                let normaliser = Normaliser::new(Vec::new()).with(Rules::default());
                let file = self.files.entry(format!("{}/{}.txt", instance.name.api, instance.name.scenario)).or_default();
                file.push_str(&format!("== {} ==\n{}\n", instance.name, transcript(&instance.record, &normaliser)));
                Ok(())
            }
            Event::RunFinished(_) => self.files.iter().try_for_each(|(name, text)| write_whole(&self.folder.join(name), text.as_bytes())),
        }
    }
}
