//! The mutations of a request by seed: first every change alone, in the seed's order, then several at once.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::edit::{Edit, KEYS, METHODS};
use super::raw_request::RawRequest;
use super::spelling::Spelling;
use super::wire::{BodyEdit, HeaderEdit, TargetEdit};
use crate::wire::exchange::Coding;

/// The most changes of one request.
const MOST: u32 = 3;

/// Every change that can be made to a request, in the order in which they are tried alone.
#[derive(Clone, Debug)]
pub(super) struct Mutations {
    edits: Vec<Edit>,
    seed: u64,
}

impl Mutations {
    /// The changes to a valid request whose description contains one of `wanted`; all of them without any. `seed` is the
    /// operation's.
    pub(super) fn new(raw: &RawRequest, seed: u64, wanted: &[String]) -> Self {
        let has_body = raw.fields.is_some();
        let authorized = raw.headers.iter().any(|(name, _)| name == "authorization");
        let mut edits = fields(raw);
        edits.extend(BodyEdit::all(has_body).into_iter().map(Edit::Body));
        edits.extend(TargetEdit::all(raw.identifier.is_some(), !raw.query.is_empty()).into_iter().map(Edit::Target));
        edits.extend(METHODS.into_iter().filter(|method| *method != raw.method).map(Edit::Method));
        edits.extend(HeaderEdit::all(has_body, authorized).into_iter().map(Edit::Header));
        if !wanted.is_empty() {
            edits.retain(|edit| wanted.iter().any(|part| edit.describe().contains(part.as_str())));
        }
        shuffle(&mut edits, &mut Pcg32::seed_from_u64(seed));
        Self { edits, seed }
    }

    /// The number of changes.
    pub(super) fn len(&self) -> usize {
        self.edits.len()
    }

    /// The changes of the request with this number: the same for the same seed, whatever was sent before.
    pub(super) fn edits(&self, number: usize) -> Vec<Edit> {
        if let Some(edit) = self.edits.get(number) {
            return vec![edit.clone()];
        }
        // The golden ratio sets the seeds of neighbours far apart.
        let mut random = Pcg32::seed_from_u64(self.seed.wrapping_add((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let count = 2 + below(&mut random, MOST as usize - 1);
        (0..count).filter_map(|_| self.edits.get(below(&mut random, self.edits.len())).cloned()).collect()
    }
}

/// The changes of the fields of a body.
fn fields(raw: &RawRequest) -> Vec<Edit> {
    let Some(fields) = &raw.fields else { return Vec::new() };
    let spellings = Spelling::all(fields.coding);
    let mut edits = Vec::new();
    for pointer in fields.pointers() {
        edits.extend(spellings.iter().map(|spelling| Edit::Set { pointer: pointer.clone(), spelling: spelling.clone() }));
        edits.push(Edit::Remove { pointer: pointer.clone() });
        let repeated = |spelling: Spelling| Edit::Repeat { pointer: pointer.clone(), spelling };
        edits.extend([Spelling::Value(serde_json::Value::Null), Spelling::Value("a".into()), Spelling::Deep(2)].map(repeated));
    }
    let added = |key: &'static str| Edit::Add { key, spelling: Spelling::Value("a".into()) };
    edits.extend(KEYS.map(added));
    let nested = if fields.coding == Coding::Json { Spelling::Deep(1_000) } else { Spelling::Long(65_536) };
    edits.push(Edit::Add { key: "unknown", spelling: nested });
    edits
}

fn shuffle(edits: &mut [Edit], random: &mut Pcg32) {
    for upper in (1..edits.len()).rev() {
        edits.swap(upper, below(random, upper + 1));
    }
}

/// A number below a limit; the bias of the multiplication is negligible.
fn below(random: &mut Pcg32, limit: usize) -> usize {
    ((u64::from(random.next_u32()) * limit as u64) >> 32) as usize
}

/// A seed of an operation's own, whatever else is fuzzed (FNV-1a).
pub(super) fn seed_of(seed: u64, operation: &str) -> u64 {
    operation.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
