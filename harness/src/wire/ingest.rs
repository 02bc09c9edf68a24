//! Reads a body of any length: some of it is kept, the rest is judged at once.
//!
//! Of a list that its schema describes item by item, the first items are kept. The others are handed to an [`ItemJudge`] as they
//! are read, and dropped, so that a response may be far larger than the memory for it. All other parts of a body are kept and
//! bounded. The judge's result becomes the [`Rest`] of the list, which the checks see.

use serde_json::Value;

use crate::base::file_position::FilePosition;
use crate::base::text::counted;
use crate::wire::exchange::{BodyFault, MAX_BODY_BYTES, Rest};

/// The bytes kept of the items of all lists of a body.
pub(crate) const KEPT_ITEMS: usize = 128 * 1024;
/// The most spelling faults that are reported of a body.
pub(crate) const FAULTS_OF_SPELLING: usize = 100;

/// Judges list items that are read and not kept.
pub(crate) trait ItemJudge {
    /// How many items it has judged.
    fn judged(&self) -> usize;

    /// Judges the next item. `list` is the list's JSON Pointer, and `kept` the number of items before the first judged one;
    /// `misspelt` are spelling faults that are already reported.
    fn judge(&mut self, list: &str, kept: usize, item: &Value, misspelt: &[BodyFault]);

    /// What is known of the judged items; nothing if there were none.
    fn end(self: Box<Self>, list: String, kept: usize) -> Option<Rest>;
}

/// Provides the judge of a list.
pub(crate) trait ItemJudges<'r> {
    /// The judge for the list at a JSON Pointer; none if its items cannot be judged one by one.
    fn judge_of(&self, pointer: &str) -> Option<Box<dyn ItemJudge + 'r>>;
}

/// A body while it is read.
pub(crate) struct Ingest<'r> {
    judges: Option<Box<dyn ItemJudges<'r> + 'r>>,
    /// How many bytes of items, and of everything else, may still be kept.
    items_left: usize,
    left: usize,
    /// The file inside the body that is being read, and its place.
    file: FilePosition,
    pointer: String,
    faults: Vec<BodyFault>,
    unlisted: usize,
    rests: Vec<Rest>,
}

impl<'r> Ingest<'r> {
    /// Judges items by these rules.
    pub(crate) fn by(judges: impl ItemJudges<'r> + 'r) -> Self {
        Self { judges: Some(Box::new(judges)), items_left: KEPT_ITEMS, ..Self::keep_all() }
    }

    /// Keeps everything up to the size limit: for bodies without rules for their items.
    pub(crate) fn keep_all() -> Self {
        let (file, pointer) = (FilePosition::whole(), String::new());
        Self { judges: None, items_left: 0, left: MAX_BODY_BYTES, file, pointer, faults: Vec::new(), unlisted: 0, rests: Vec::new() }
    }

    /// Begins a list.
    pub(crate) fn list(&self, pointer: &str) -> Items<'r> {
        let pointer = format!("{}{pointer}", self.pointer);
        let judge = self.judges.as_ref().and_then(|judges| judges.judge_of(&pointer));
        Items { pointer, kept: Vec::new(), item: Value::Null, judge }
    }

    /// Records a spelling fault of the file that is being read.
    pub(crate) fn fault(&mut self, fault: BodyFault) {
        let fault = self.of_the_body(fault);
        self.note(fault);
    }

    fn of_the_body(&self, fault: BodyFault) -> BodyFault {
        fault.inside(&self.file, &self.pointer)
    }

    fn note(&mut self, fault: BodyFault) {
        if self.faults.len() < FAULTS_OF_SPELLING {
            self.faults.push(fault);
        } else {
            self.unlisted += 1;
        }
    }

    /// Reads a file inside the body. If the file cannot be read, its fault is recorded.
    pub(crate) fn inside<T>(
        &mut self,
        file: &FilePosition,
        pointer: &str,
        read: impl FnOnce(&mut Self) -> Result<T, BodyFault>,
    ) -> Option<T> {
        let outside = (self.file.clone(), self.pointer.len(), self.rests.len());
        self.file = file.clone().inside(&outside.0);
        self.pointer.push_str(pointer);
        let read = read(self).map_err(|fault| {
            self.fault(fault);
            self.rests.truncate(outside.2);
        });
        self.file = outside.0;
        self.pointer.truncate(outside.1);
        read.ok()
    }

    /// Accounts for bytes outside lists that are judged item by item.
    pub(crate) fn keep(&mut self, bytes: usize) -> Result<(), BodyFault> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| {
            BodyFault::new(FilePosition::whole(), format!("more than {MAX_BODY_BYTES} bytes would have to be kept of it"))
        })?;
        Ok(())
    }

    /// Whether an item of this size may still be kept.
    fn keeps_item(&mut self, bytes: usize) -> bool {
        let left = self.items_left.checked_sub(bytes);
        self.items_left = left.unwrap_or_default();
        left.is_some()
    }

    /// Returns the spelling faults and the remainders of the lists that were cut.
    pub(crate) fn end(mut self) -> (Vec<BodyFault>, Vec<Rest>) {
        if self.unlisted > 0 {
            let are = if self.unlisted == 1 { "is" } else { "are" };
            let message = format!("{} of this kind {are} not listed", counted(self.unlisted, "more fault"));
            self.faults.push(BodyFault::new(FilePosition::whole(), message));
        }
        (self.faults, self.rests)
    }
}

/// A list while its items are read.
pub(crate) struct Items<'r> {
    pointer: String,
    kept: Vec<Value>,
    item: Value,
    judge: Option<Box<dyn ItemJudge + 'r>>,
}

impl Items<'_> {
    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.judge.as_ref().map_or(0, |judge| judge.judged())
    }

    /// Where to write the next item. It may still hold an earlier one, which mostly has the same shape.
    pub(crate) fn next(&mut self) -> &mut Value {
        &mut self.item
    }

    /// Adds the next item, which was `bytes` long and has these spelling faults.
    pub(crate) fn push(&mut self, ingest: &mut Ingest<'_>, bytes: usize, faults: Vec<BodyFault>) -> Result<(), BodyFault> {
        let faults: Vec<BodyFault> = faults.into_iter().map(|fault| ingest.of_the_body(fault)).collect();
        if self.keeps(ingest, bytes)? {
            self.kept.push(std::mem::take(&mut self.item));
        } else if let Some(judge) = &mut self.judge {
            judge.judge(&self.pointer, self.kept.len(), &self.item, &faults);
        }
        faults.into_iter().for_each(|fault| ingest.note(fault));
        Ok(())
    }

    /// Whether the item is kept: the first one always is, and so is every item without rules.
    fn keeps(&self, ingest: &mut Ingest<'_>, bytes: usize) -> Result<bool, BodyFault> {
        match &self.judge {
            Some(judge) if !self.kept.is_empty() => Ok(judge.judged() == 0 && ingest.keeps_item(bytes)),
            Some(_) | None => ingest.keep(bytes).map(|()| true),
        }
    }

    /// Ends the list and returns its kept items.
    pub(crate) fn end(self, ingest: &mut Ingest<'_>) -> Value {
        ingest.rests.extend(self.judge.and_then(|judge| judge.end(self.pointer, self.kept.len())));
        Value::Array(self.kept)
    }
}
