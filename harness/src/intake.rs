//! Taking in a body: what is kept of it, and what is judged at once because it is not kept.
//!
//! Of a list that its schema describes item by item the first items are kept. The others are judged when
//! they have been read, and forgotten, so that an answer may be far larger than what is remembered of it.
//! All the rest of a body is kept and bounded. To judge is pure here as everywhere: an item and its rules
//! go in, and what comes out is recorded as the [`Rest`] of its list, which the checks then see.

use serde_json::Value;

use crate::contract::{ItemFault, Known, ListRules, Packing, Schema, SchemaFault, TOLD_OF_A_CAUSE, Tell, Telling};
use crate::exchange::{BodyFault, MAX_BODY_BYTES, Masking, Request, Rest};

/// As much is kept of the items of all lists of a body, in bytes as they were read.
const KEPT_ITEMS: usize = 128 * 1024;
/// As many faults of one cause are remembered: one more than are told, so that it is known that there are more.
const FAULTS_OF_A_CAUSE: usize = TOLD_OF_A_CAUSE + 1;
/// As many faults of spelling are told.
const FAULTS_OF_SPELLING: usize = 100;

/// What the items of a body are held against, and who hides secrets in what is recorded of them.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'r> {
    pub(crate) schema: &'r Schema,
    /// The operation's rules of what an answer tells.
    pub(crate) tells: &'r [Tell],
    pub(crate) request: &'r Request,
    pub(crate) masking: &'r dyn Masking,
}

/// A body while it is read.
pub(crate) struct Intake<'r> {
    rules: Option<Rules<'r>>,
    /// How many bytes of items may still be kept, and of everything else.
    items_left: usize,
    left: usize,
    /// The file that is being read inside of the body, and where it stands.
    place: String,
    pointer: String,
    faults: Vec<BodyFault>,
    untold: usize,
    rests: Vec<Rest>,
}

impl<'r> Intake<'r> {
    /// Takes in what can be judged by these rules.
    pub(crate) fn by(rules: Rules<'r>) -> Self {
        Self { rules: Some(rules), items_left: KEPT_ITEMS, ..Self::whole() }
    }

    /// Keeps everything, as far as that is no more than may be read of a body: for bodies that nothing is known of.
    pub(crate) fn whole() -> Self {
        let (place, pointer) = (String::new(), String::new());
        Self { rules: None, items_left: 0, left: MAX_BODY_BYTES, place, pointer, faults: Vec::new(), untold: 0, rests: Vec::new() }
    }

    /// Begins a list.
    pub(crate) fn list(&self, pointer: &str) -> Items<'r> {
        let pointer = format!("{}{pointer}", self.pointer);
        let judging = self.rules.and_then(|rules| Judging::of(rules, &pointer));
        Items { pointer, kept: Vec::new(), item: Value::Null, judging }
    }

    /// Takes note of something wrong with the spelling, about the file that is being read.
    pub(crate) fn fault(&mut self, fault: BodyFault) {
        let fault = self.of_the_body(fault);
        self.note(fault);
    }

    fn of_the_body(&self, fault: BodyFault) -> BodyFault {
        fault.inside(&self.place, &self.pointer)
    }

    fn note(&mut self, fault: BodyFault) {
        if self.faults.len() < FAULTS_OF_SPELLING {
            self.faults.push(fault);
        } else {
            self.untold += 1;
        }
    }

    /// Reads a file that is a part of what is read. What is wrong with a file that can't be read is noted.
    pub(crate) fn inside<T>(&mut self, place: &str, pointer: &str, read: impl FnOnce(&mut Self) -> Result<T, BodyFault>) -> Option<T> {
        let outside = (self.place.clone(), self.pointer.len(), self.rests.len());
        self.place = [outside.0.as_str(), place].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        self.pointer.push_str(pointer);
        let read = read(self).map_err(|fault| {
            self.fault(fault);
            self.rests.truncate(outside.2);
        });
        self.place = outside.0;
        self.pointer.truncate(outside.1);
        read.ok()
    }

    /// Keeps so many bytes of what is no item of a list that could be judged by its items.
    pub(crate) fn keep(&mut self, bytes: usize) -> Result<(), BodyFault> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| BodyFault::new("", format!("more than {MAX_BODY_BYTES} bytes would have to be kept of it")))?;
        Ok(())
    }

    /// Whether an item of that size may still be kept.
    fn keeps_item(&mut self, bytes: usize) -> bool {
        let left = self.items_left.checked_sub(bytes);
        self.items_left = left.unwrap_or_default();
        left.is_some()
    }

    /// What is wrong with the spelling, and the rests of the lists that were cut.
    pub(crate) fn end(mut self) -> (Vec<BodyFault>, Vec<Rest>) {
        if self.untold > 0 {
            self.faults.push(BodyFault::new("", format!("{} more faults of this kind are not listed", self.untold)));
        }
        (self.faults, self.rests)
    }
}

/// A list while its items are read.
pub(crate) struct Items<'r> {
    pointer: String,
    kept: Vec<Value>,
    item: Value,
    judging: Option<Judging<'r>>,
}

impl Items<'_> {
    /// How many items there were.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.judging.as_ref().map_or(0, |judging| judging.judged)
    }

    /// Where to write the next item. It may still hold an earlier one, whose shape it mostly shares.
    pub(crate) fn next(&mut self) -> &mut Value {
        &mut self.item
    }

    /// The next item is written. It took so many bytes, and these faults of spelling were in it.
    pub(crate) fn take(&mut self, intake: &mut Intake<'_>, bytes: usize, faults: Vec<BodyFault>) -> Result<(), BodyFault> {
        let faults: Vec<BodyFault> = faults.into_iter().map(|fault| intake.of_the_body(fault)).collect();
        if self.keeps(intake, bytes)? {
            self.kept.push(std::mem::take(&mut self.item));
        } else if let Some(judging) = &mut self.judging {
            judging.judge(&self.pointer, self.kept.len(), &self.item, &faults);
        }
        faults.into_iter().for_each(|fault| intake.note(fault));
        Ok(())
    }

    /// Whether the item is kept: the first one always is, and what has no rules of its own.
    fn keeps(&self, intake: &mut Intake<'_>, bytes: usize) -> Result<bool, BodyFault> {
        match &self.judging {
            Some(judging) if !self.kept.is_empty() => Ok(judging.judged == 0 && intake.keeps_item(bytes)),
            Some(_) | None => intake.keep(bytes).map(|()| true),
        }
    }

    /// The list has ended: what is kept of it.
    pub(crate) fn end(self, intake: &mut Intake<'_>) -> Value {
        intake.rests.extend(self.judging.and_then(|judging| judging.end(self.pointer, self.kept.len())));
        Value::Array(self.kept)
    }
}

/// The items of a list that are not kept while they are judged.
struct Judging<'r> {
    list: &'r ListRules,
    rules: Rules<'r>,
    judged: usize,
    faults: Vec<SchemaFault>,
    /// What causes faults that were told often enough.
    known: Known,
    sums: Vec<(usize, Option<i64>)>,
    told: Vec<(usize, Telling)>,
    packing: Packing,
}

impl<'r> Judging<'r> {
    /// Nothing where the items can't be judged one by one.
    fn of(rules: Rules<'r>, pointer: &str) -> Option<Self> {
        let list = rules.schema.list(pointer)?;
        let mut told = Vec::new();
        for (place, tell) in rules.tells.iter().enumerate().filter(|(_, tell)| tell.is_for(rules.request)) {
            told.extend(tell.by_items(pointer).ok()?.map(|telling| (place, telling)));
        }
        Some(Self {
            list,
            rules,
            judged: 0,
            faults: Vec::new(),
            known: Known::default(),
            sums: Vec::new(),
            told,
            packing: Packing::default(),
        })
    }

    fn judge(&mut self, list: &str, kept: usize, item: &Value, misspelt: &[BodyFault]) {
        let index = kept + self.judged;
        self.judged += 1;
        self.add_up(item);
        self.listen(index, item);
        let mut faults = self.list.faults(item, &self.known);
        if faults.is_empty() {
            return;
        }
        let mut masked = item.clone();
        self.rules.masking.mask(&mut masked);
        if masked != *item {
            faults = self.list.faults(&masked, &self.known);
        }
        self.note(faults, &format!("{list}/{index}"), misspelt);
    }

    fn add_up(&mut self, item: &Value) {
        for (at, (rule, share)) in self.list.shares(item).enumerate() {
            match self.sums.get_mut(at) {
                Some((_, sum)) => *sum = sum.zip(share).and_then(|(sum, share)| sum.checked_add(share)),
                None => self.sums.push((rule, share)),
            }
        }
    }

    /// Takes note of what the item tells, secrets masked.
    fn listen(&mut self, index: usize, item: &Value) {
        for (place, telling) in &mut self.told {
            let Some(tell) = self.rules.tells.get(*place) else { continue };
            let mut tells = tell.pack(&mut self.packing, self.rules.request, item);
            if tells && self.rules.masking.touches(self.packing.bytes()) {
                let mut masked = item.clone();
                self.rules.masking.mask(&mut masked);
                tells = tell.pack(&mut self.packing, self.rules.request, &masked);
            }
            if tells {
                telling.add(index, &self.packing);
            }
        }
    }

    /// What can't be read is told already; what was told often enough is not told again.
    fn note(&mut self, faults: Vec<ItemFault>, item: &str, misspelt: &[BodyFault]) {
        for of_item in faults {
            let fault = &of_item.fault;
            let of_its_cause = self.faults.iter().filter(|other| other.contract == fault.contract && other.clause == fault.clause);
            if of_its_cause.count() >= FAULTS_OF_A_CAUSE {
                self.known.learn(of_item);
                continue;
            }
            let fault = SchemaFault { instance: format!("{item}{}", fault.instance), ..of_item.fault };
            if !misspelt.iter().any(|told| told.covers(&fault.instance)) {
                self.faults.push(fault);
            }
        }
    }

    fn end(self, pointer: String, kept: usize) -> Option<Rest> {
        let (faults, sums, told) = (self.faults, self.sums, self.told);
        (self.judged > 0).then_some(Rest { pointer, kept, length: kept + self.judged, faults, sums, told })
    }
}

#[cfg(test)]
mod tests;
