//! Closings, by the operator's hand or by the register itself.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{App, Flaw, Stop};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    pub id: String,
    at: Timestamp,
    /// How many transactions it closes.
    count: usize,
    /// The day of an automatic closing.
    day: Option<Date>,
    pub is_synchronized: bool,
}

impl Closing {
    pub(super) fn upload(&self) -> Value {
        json!({ "id": self.id, "created": self.at, "count": self.count })
    }
}

impl App {
    /// Closes what is open: every transaction gets the stamp of the closing.
    pub fn close(&mut self, now: Timestamp) {
        self.close_on(None, now);
    }

    /// What the app does as time goes by. "The register must do it itself, because the terminal in this mode has its
    /// scheduler off."
    pub async fn tick(&mut self, now: Timestamp) -> Result<(), Stop> {
        let prague = now.in_tz("Europe/Prague").unwrap();
        let (today, time) = (prague.date(), prague.time());
        let is_done = self.memory.closings.iter().any(|closing| closing.day == Some(today));
        if is_done || self.closing_time().is_none_or(|at| time < at) || self.has(Flaw::LeavesClosingToTheTerminal) {
            return Ok(());
        }
        self.close_on(Some(today), now);
        self.upload(now).await
    }

    fn closing_time(&self) -> Option<Time> {
        let auto = &self.config().auto_closing;
        auto.at.as_ref().filter(|_| auto.enabled).and_then(|at| at.parse().ok())
    }

    fn close_on(&mut self, day: Option<Date>, now: Timestamp) {
        let id = format!("closing-{:04}", self.memory.closings.len() + 1);
        let open: Vec<_> = self.memory.records.iter().filter(|r| r.closing.is_none()).map(|r| r.id.clone()).collect();
        for record in &open {
            if self.has(Flaw::OverlooksClosingStamps) {
                let record = self.memory.records.iter_mut().find(|r| r.id == *record).unwrap();
                record.closing = Some(id.clone());
            } else {
                self.change(record, |record| record.closing = Some(id.clone()));
            }
        }
        self.memory.closings.push(Closing { id, at: now, count: open.len(), day, is_synchronized: false });
    }
}
