//! Reads a body of any length: some of it is kept, the rest is judged at once.
//!
//! Of a list that its schema describes item by item, the first items are kept. The others are handed to an [`ItemJudge`] as they
//! are read, and dropped, so that a response may be far larger than the memory for it. All other parts of a body are kept and
//! bounded. The judge's result becomes the [`Rest`] of the list, which the checks see.

use serde_json::Value;

use crate::base::file_position::FilePosition;
use crate::wire::exchange::{BodyFault, LISTED_FAULTS, MAX_BODY_BYTES, Rest};

/// The bytes kept of the items of all lists of a body.
pub(crate) const KEPT_ITEMS: usize = 2 * 1024 * 1024;
/// The most kinds of places that the faults beyond them are counted for.
const UNLISTED_PLACES: usize = 16;

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
    unlisted: Vec<Unlisted>,
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
        Self {
            judges: None,
            items_left: 0,
            left: MAX_BODY_BYTES,
            file,
            pointer,
            faults: Vec::new(),
            unlisted: Vec::new(),
            rests: Vec::new(),
        }
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
        if self.faults.len() < LISTED_FAULTS {
            self.faults.push(fault);
        } else {
            self.count(&fault);
        }
    }

    /// Counts a fault that is not listed, apart from those at places of another kind: an assumption may excuse one of them alone.
    fn count(&mut self, fault: &BodyFault) {
        let is_full = self.unlisted.len() == UNLISTED_PLACES;
        let index = self.unlisted.iter().position(|unlisted| unlisted.is_like(fault));
        let index = index.or(is_full.then_some(UNLISTED_PLACES - 1));
        match index.and_then(|index| self.unlisted.get_mut(index)) {
            Some(unlisted) => unlisted.faults += 1,
            None => self.unlisted.push(Unlisted { pointer: fault.pointer.clone(), of_the_wrapping: fault.of_the_wrapping, faults: 1 }),
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
        self.faults.extend(self.unlisted.into_iter().map(Unlisted::into_fault));
        (self.faults, self.rests)
    }
}

/// Faults that are not listed, at places of one kind.
struct Unlisted {
    /// The place of the first one.
    pointer: String,
    of_the_wrapping: bool,
    faults: usize,
}

impl Unlisted {
    /// Whether a fault is at a place of the same kind: one that differs in indexes only.
    fn is_like(&self, fault: &BodyFault) -> bool {
        self.of_the_wrapping == fault.of_the_wrapping && names(&self.pointer).eq(names(&fault.pointer))
    }

    fn into_fault(self) -> BodyFault {
        let fault = BodyFault::unlisted(self.faults, " of this kind").about(self.pointer);
        if self.of_the_wrapping { fault.of_the_wrapping() } else { fault }
    }
}

/// The segments of a JSON Pointer without indexes.
fn names(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.split('/').filter(|segment| segment.parse::<usize>().is_err())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_that_are_not_listed_keep_their_places_apart() {
        let mut ingest = Ingest::keep_all();
        let mut fault = |pointer: String| ingest.fault(BodyFault { pointer, ..BodyFault::new(FilePosition::whole(), "x") });
        (0..LISTED_FAULTS).for_each(|row| fault(format!("/rows/{row}")));
        ["/rows/100/total", "/rows/101/total", "/name"].into_iter().for_each(|pointer| fault(pointer.to_owned()));
        let faults = ingest.end().0.split_off(LISTED_FAULTS);
        let told: Vec<_> = faults.iter().map(|fault| format!("{} {}", fault.pointer, fault.message)).collect();
        assert_eq!(told, ["/rows/100/total 2 more faults of this kind are not listed", "/name 1 more fault of this kind is not listed"]);
    }

    #[test]
    fn places_beyond_the_bound_are_counted_with_the_last() {
        let mut ingest = Ingest::keep_all();
        for index in 0..LISTED_FAULTS + UNLISTED_PLACES + 5 {
            ingest.fault(BodyFault { pointer: format!("/x{index}"), ..BodyFault::new(FilePosition::whole(), "x") });
        }
        let faults = ingest.end().0;
        assert_eq!(faults.len(), LISTED_FAULTS + UNLISTED_PLACES);
        assert!(faults.last().unwrap().message.starts_with("6 more faults"));
    }
}
