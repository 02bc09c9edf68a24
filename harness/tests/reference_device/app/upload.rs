//! Uploads of what was sold and closed.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::record::Record;
use super::wire::read;
use super::{App, Flaw, Stop};

/// "A batch of at most 50 transactions."
const BATCH: usize = 50;

/// "Lists `accepted` identifiers, `rejected` records, and `truncated`."
#[derive(Deserialize)]
struct Receipt {
    accepted: Vec<String>,
}

impl App {
    /// Uploads what is not synchronized, each record once.
    pub async fn upload(&mut self, now: Timestamp) -> Result<(), Stop> {
        self.may_speak(now)?;
        self.upload_transactions(now).await?;
        self.upload_closings(now).await?;
        self.heed(now).await
    }

    async fn upload_transactions(&mut self, now: Timestamp) -> Result<(), Stop> {
        let pending = self.memory.records.iter().filter(|record| !record.is_synchronized());
        let pending: Vec<Record> = pending.cloned().map(|record| self.as_uploaded(record)).collect();
        let size = if self.has(Flaw::SendsAllAtOnce) { usize::MAX } else { BATCH };
        for batch in pending.chunks(size) {
            let records: Vec<_> = batch.iter().map(Record::upload).collect();
            let accepted = self.send("transactions", records, now).await?;
            self.mark(batch, &accepted);
        }
        Ok(())
    }

    /// "Type is a keyboard hint, not a storage rule": what was entered is uploaded as it was entered.
    fn as_uploaded(&self, mut record: Record) -> Record {
        if self.has(Flaw::CorrectsSymbolsLater) {
            record.symbol = record.symbol.map(|symbol| symbol.chars().filter(char::is_ascii_digit).collect());
        }
        record
    }

    /// "Mark as synchronized only the ids in `accepted`", in the version that was sent.
    fn mark(&mut self, batch: &[Record], accepted: &[String]) {
        let flaw = self.flaw;
        for record in &mut self.memory.records {
            let sent = batch.iter().find(|sent| sent.id == record.id);
            let is_accepted = accepted.contains(&record.id);
            match sent {
                Some(sent) if is_accepted || flaw == Some(Flaw::MarksAllAsSynchronized) => record.synchronized = Some(sent.sync_version),
                None if is_accepted && flaw == Some(Flaw::MarksWhatWasNotSent) => record.synchronized = Some(record.sync_version),
                Some(_) | None => {}
            }
        }
    }

    async fn upload_closings(&mut self, now: Timestamp) -> Result<(), Stop> {
        let pending: Vec<Value> = self.memory.closings.iter().filter(|c| !c.is_synchronized).map(|c| c.upload()).collect();
        if pending.is_empty() {
            return Ok(());
        }
        let accepted = self.send("closings", pending, now).await?;
        for closing in &mut self.memory.closings {
            closing.is_synchronized |= accepted.contains(&closing.id);
        }
        Ok(())
    }

    async fn send(&mut self, kind: &str, records: Vec<Value>, now: Timestamp) -> Result<Vec<String>, Stop> {
        let response = self.call(kind, Some(json!({ kind: records })), now).await?;
        self.hear(&response);
        let receipt: Receipt = read(response).map_err(|trouble| self.stop(trouble, now))?;
        Ok(receipt.accepted)
    }
}
