//! The facts that a response states about subjects of one kind, packed: a day of payments has a million of them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::wire::arena::Arena;

/// The facts about subjects, in the order of the list that states them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactTable {
    /// The list, as a JSON Pointer; none where the response as a whole states the facts of one subject.
    list: Option<String>,
    /// For each subject its identifier and its facts, each prefixed by its length plus one. A fact that is not stated is a zero.
    packed: Arena,
    subjects: Vec<Packed>,
    /// The last entry whose identifier has this hash. A short hash is enough: few entries collide.
    last: HashMap<u32, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Packed {
    start: u32,
    /// Its index in the list.
    item: u32,
    /// The previous entry whose identifier has the same hash.
    before: Option<u32>,
}

/// One subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'t> {
    packed: &'t [u8],
    item: u32,
}

/// Packs a subject; reused for the next one.
#[derive(Debug, Default)]
pub struct SubjectPacker {
    bytes: Vec<u8>,
    identifier: usize,
}

impl SubjectPacker {
    /// Begins a subject.
    pub(crate) fn begin(&mut self) {
        self.bytes.clear();
        self.identifier = 0;
    }

    /// Adds the identifier, or the next fact.
    pub(crate) fn part(&mut self, text: Option<&str>) {
        let mut length = text.map_or(0, |text| text.len() + 1);
        while length >= 0x80 {
            self.bytes.push(u8::try_from(length & 0x7f).unwrap_or_default() | 0x80);
            length >>= 7;
        }
        self.bytes.push(u8::try_from(length).unwrap_or_default());
        self.bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
        if self.identifier == 0 {
            self.identifier = self.bytes.len();
        }
    }

    /// The packed bytes, so that secrets can be found in them.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl FactTable {
    /// A table by the items of a list, or by a response as a whole.
    pub(crate) fn for_list(list: Option<String>) -> Self {
        Self { list, ..Self::default() }
    }

    /// Whether it holds no facts.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty()
    }

    /// Adds the facts of an item. An item with the same facts as the one before it adds nothing.
    pub(crate) fn add(&mut self, item: usize, subject: &SubjectPacker) {
        let last = self.subjects.len().checked_sub(1).and_then(|last| self.subject(last));
        if last.is_some_and(|last| last.packed == subject.bytes) {
            return;
        }
        // Bodies are far smaller than 4 GiB.
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let identifier = subject.bytes.get(..subject.identifier).unwrap_or_default();
        let before = self.last.insert(hash(identifier), number(self.subjects.len()));
        let start = number(self.packed.add(&subject.bytes));
        self.subjects.push(Packed { start, item: number(item), before });
    }

    /// All subjects, in order.
    pub fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        (0..self.subjects.len()).filter_map(|at| self.subject(at))
    }

    /// The entries of the same subject, the last one first.
    pub fn same_subject<'t>(&'t self, subject: &Subject<'_>) -> impl Iterator<Item = Subject<'t>> {
        let identifier = subject.identifier();
        let last = self.last.get(&hash(identifier)).copied();
        let all = std::iter::successors(last, move |at| self.subjects.get(place(*at))?.before);
        all.filter_map(move |at| self.subject(place(at))).filter(move |other| other.identifier() == identifier)
    }

    fn subject(&self, at: usize) -> Option<Subject<'_>> {
        let packed = self.subjects.get(at)?;
        let next = self.subjects.get(at + 1).map(|next| place(next.start));
        Some(Subject { packed: self.packed.piece(place(packed.start), next)?, item: packed.item })
    }

    /// The place of a subject, as a JSON Pointer.
    pub fn pointer(&self, subject: &Subject<'_>) -> String {
        self.list.as_ref().map_or_else(String::new, |list| format!("{list}/{}", subject.item))
    }
}

impl<'t> Subject<'t> {
    /// Whether both state the same facts about the same subject, given the same fact names.
    pub fn states_same_facts(&self, other: &Subject<'_>) -> bool {
        self.packed == other.packed
    }

    /// Its identifier.
    pub fn id(&self) -> String {
        self.parts().next().flatten().map(|id| String::from_utf8_lossy(id).into_owned()).unwrap_or_default()
    }

    /// Its facts in the order of the rule, each in a canonical text.
    pub fn facts(&self) -> impl Iterator<Item = Option<&'t [u8]>> + use<'t> {
        self.parts().skip(1)
    }

    /// The packed identifier.
    fn identifier(&self) -> &'t [u8] {
        let mut parts = self.parts();
        parts.next();
        self.packed.get(..self.packed.len() - parts.rest.len()).unwrap_or_default()
    }

    fn parts(&self) -> Parts<'t> {
        Parts { rest: self.packed }
    }
}

struct Parts<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Parts<'t> {
    type Item = Option<&'t [u8]>;

    fn next(&mut self) -> Option<Option<&'t [u8]>> {
        let (mut length, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            length |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let Some(length) = length.checked_sub(1) else { return Some(None) };
        let (part, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Some(part))
    }
}

fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn hash(bytes: &[u8]) -> u32 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let hash = hasher.finish();
    u32::try_from(hash >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(parts: &[Option<String>]) -> SubjectPacker {
        let mut packing = SubjectPacker::default();
        packing.begin();
        parts.iter().for_each(|part| packing.part(part.as_deref()));
        packing
    }

    fn table(things: &[Vec<Option<String>>]) -> FactTable {
        let mut table = FactTable::for_list(Some("/rows".into()));
        things.iter().enumerate().for_each(|(item, parts)| table.add(item, &packed(parts)));
        table
    }

    fn subject(parts: &[&str]) -> Vec<Option<String>> {
        parts.iter().map(|part| Some((*part).to_owned())).collect()
    }

    #[test]
    fn the_last_word_on_a_thing_comes_first() {
        let known = table(&[subject(&["A", "1"]), subject(&["B", "2"]), subject(&["A", "3"])]);
        let asked = table(&[subject(&["A", "9"])]);
        let asked = asked.subjects().next().unwrap();
        let facts: Vec<_> = known.same_subject(&asked).flat_map(|subject| subject.facts().flatten().map(<[u8]>::to_vec)).collect();
        assert_eq!(facts, [b"3", b"1"]);
        assert_eq!(known.same_subject(&asked).map(|subject| known.pointer(&subject)).collect::<Vec<_>>(), ["/rows/2", "/rows/0"]);
    }

    #[test]
    fn equal_facts_are_stored_once() {
        let table = table(&vec![subject(&["day", "2026-03-02"]); 1_000]);
        assert_eq!(table.subjects().count(), 1);
    }

    proptest! {
        #[test]
        fn what_is_packed_is_read_back(things in proptest::collection::vec(("\\PC{0,200}", proptest::collection::vec(proptest::option::of("\\PC{0,9}"), 3)), 1..9)) {
            let things: Vec<_> = things.into_iter().map(|(id, facts)| [vec![Some(id)], facts].concat()).collect();
            let mut expected = things.clone();
            expected.dedup();
            let table = table(&things);
            let read: Vec<Vec<Option<String>>> = table.subjects().map(|subject| {
                let facts = subject.facts().map(|fact| fact.map(|fact| String::from_utf8(fact.to_vec()).unwrap()));
                std::iter::once(Some(subject.id())).chain(facts).collect()
            }).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
