//! The fate of every mutant, and the score.

use schemars::JsonSchema;
use serde::Serialize;

use super::mutant::Mutant;

/// The fate of a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "fate")]
pub enum Fate {
    /// A check noticed it.
    Killed {
        /// The clause named.
        clause: String,
        /// In words.
        message: String,
        /// The case whose checks noticed it.
        case: String,
        /// Whether the finding is about what was changed, and not about a consequence.
        targeted: bool,
    },
    /// The documents allow it.
    Allowed {
        /// Why.
        reason: String,
    },
    /// It could not be judged: the run would have been inconclusive.
    Unjudged {
        /// Why.
        reason: String,
        /// Where it was tried.
        case: String,
    },
    /// No check noticed it.
    Survived {
        /// Where it was tried.
        case: String,
    },
}

/// A mutant and its fate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MutantOutcome {
    /// The operation or notification that is changed.
    pub operation: String,
    /// What kind of response or notification: code and state.
    #[serde(rename = "in")]
    pub kind: String,
    /// Where: `/price`, `HTTP status`, `header content-type`, `body`, `delivery`.
    pub place: String,
    /// The change, in words.
    pub change: String,
    /// In how many cases it was tried.
    pub tried: usize,
    /// Its fate.
    #[serde(flatten)]
    pub fate: Fate,
}

impl MutantOutcome {
    pub(super) fn new(mutant: &Mutant, tried: usize, fate: Fate) -> Self {
        Self {
            operation: mutant.carrier.operation.clone(),
            kind: mutant.carrier.kind.clone(),
            place: mutant.place.within_message().to_string(),
            change: mutant.change.clone().into_owned(),
            tried,
            fate,
        }
    }

    pub(super) fn key(&self) -> (&str, &str, &str, &str) {
        (&self.operation, &self.kind, &self.place, &self.change)
    }
}

/// A change that no check notices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BlindSpot {
    /// The operation or notification.
    pub operation: String,
    /// Where.
    pub place: String,
    /// The change, in words.
    pub change: String,
    /// In which kinds of responses: code and state.
    #[serde(rename = "in")]
    pub kinds: Vec<String>,
    /// A case in which it was tried.
    pub case: String,
}

/// How good the checks are at noticing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Score {
    /// Cases whose recordings were used.
    pub cases: usize,
    /// All mutants.
    pub mutants: usize,
    /// Noticed.
    pub killed: usize,
    /// Of those: by a finding that is not about what was changed.
    pub by_accident: usize,
    /// Allowed by the documents.
    pub allowed: usize,
    /// They could not be judged.
    pub unjudged: usize,
    /// Not noticed although the documents don't allow them.
    pub survived: usize,
    /// Changes that no check notices, by operation and place.
    pub blind_spots: Vec<BlindSpot>,
    /// Changes that are noticed by a finding that is not about them.
    pub accidents: Vec<MutantOutcome>,
}

impl Score {
    /// The score of a list of outcomes.
    pub(crate) fn from_outcomes(cases: usize, outcomes: &[MutantOutcome]) -> Self {
        let mut score = Self { cases, mutants: outcomes.len(), ..Self::default() };
        for outcome in outcomes {
            match &outcome.fate {
                Fate::Killed { targeted, .. } => {
                    score.killed += 1;
                    if !targeted {
                        score.by_accident += 1;
                        score.accidents.push(outcome.clone());
                    }
                }
                Fate::Allowed { .. } => score.allowed += 1,
                Fate::Unjudged { .. } => score.unjudged += 1,
                Fate::Survived { case } => {
                    score.survived += 1;
                    score.blind(outcome, case);
                }
            }
        }
        score.blind_spots.sort();
        score
    }

    fn blind(&mut self, outcome: &MutantOutcome, case: &str) {
        let same =
            |site: &&mut BlindSpot| site.operation == outcome.operation && site.place == outcome.place && site.change == outcome.change;
        match self.blind_spots.iter_mut().find(same) {
            Some(site) => site.kinds.push(outcome.kind.clone()),
            None => self.blind_spots.push(BlindSpot {
                operation: outcome.operation.clone(),
                place: outcome.place.clone(),
                change: outcome.change.clone(),
                kinds: vec![outcome.kind.clone()],
                case: case.to_owned(),
            }),
        }
    }

    /// Mutants that the documents forbid.
    pub fn forbidden(&self) -> usize {
        self.killed + self.unjudged + self.survived
    }

    /// How many of a hundred forbidden mutants are noticed; 100 where there are none.
    pub fn percent(&self) -> f64 {
        if self.forbidden() == 0 { 100.0 } else { 100.0 * self.killed as f64 / self.forbidden() as f64 }
    }
}

/// The version of the format of `mutate --json`. Version 1 had no `format`, and called a case an instance.
pub const FORMAT: u32 = 2;

/// The published schema of `mutate --json`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(MutationResult).to_value()
}

/// What `mutate --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Result of paycheck mutate")]
pub struct MutationResult {
    /// Version of this format.
    pub format: u32,
    /// The sum.
    pub score: Score,
    /// Every mutant, in order.
    pub mutants: Vec<MutantOutcome>,
}

impl MutantOutcome {
    /// The mutation in one line: `gateway.v2.status [0 PAID] /price: one more`.
    pub fn title(&self) -> String {
        let kind = if self.kind.is_empty() { String::new() } else { format!(" [{}]", self.kind) };
        format!("{}{kind} {}: {}", self.operation, self.place, self.change)
    }
}
