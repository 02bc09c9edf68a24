//! What became of every mutant, and the sum of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::mutant::Mutant;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "fate")]
pub enum Fate {
    /// Somebody noticed.
    Killed {
        /// The clause named.
        clause: String,
        /// In words.
        message: String,
        /// Who noticed.
        instance: String,
        /// Whether the finding is about the lie, and no accident.
        aimed: bool,
    },
    /// The documents allow it.
    Allowed {
        /// Why.
        reason: String,
    },
    /// Nobody could judge it: the run would have been inconclusive.
    Unjudged {
        /// Why.
        reason: String,
        /// Where it was told.
        instance: String,
    },
    /// Nobody noticed.
    Survived {
        /// Where it was told.
        instance: String,
    },
}

/// A mutant and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MutantOutcome {
    /// The operation or notification that lies.
    pub operation: String,
    /// What kind of answer or notification: code and state.
    #[serde(rename = "in")]
    pub kind: String,
    /// Where: `/price`, `HTTP status`, `header content-type`, `body`, `delivery`.
    pub place: String,
    /// The change, in words.
    pub change: String,
    /// In how many instances it was told.
    pub told: usize,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

impl MutantOutcome {
    pub(super) fn new(mutant: &Mutant, told: usize, fate: Fate) -> Self {
        Self {
            operation: mutant.teller.operation.clone(),
            kind: mutant.teller.kind.clone(),
            place: mutant.place.to_string(),
            change: mutant.change.clone().into_owned(),
            told,
            fate,
        }
    }

    pub(super) fn key(&self) -> (&str, &str, &str, &str) {
        (&self.operation, &self.kind, &self.place, &self.change)
    }
}

/// A lie that nobody notices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BlindSpot {
    /// The operation or notification.
    pub operation: String,
    /// Where.
    pub place: String,
    /// The change, in words.
    pub change: String,
    /// In which kinds of answers: code and state.
    #[serde(rename = "in")]
    pub kinds: Vec<String>,
    /// An instance in which it was told.
    pub instance: String,
}

/// How good the checks are at noticing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Score {
    /// Instances whose recordings were used.
    pub instances: usize,
    /// All mutants.
    pub mutants: usize,
    /// Noticed.
    pub killed: usize,
    /// Of those: by a finding that is not about the lie.
    pub by_accident: usize,
    /// Allowed by the documents.
    pub allowed: usize,
    /// Nobody could judge them.
    pub unjudged: usize,
    /// Not noticed although the documents don't allow them.
    pub survived: usize,
    /// Lies that nobody notices, by operation and place.
    pub blind_spots: Vec<BlindSpot>,
    /// Lies that are noticed by a finding that is not about them.
    pub accidents: Vec<MutantOutcome>,
}

impl Score {
    /// The sum of what became of mutants.
    pub(crate) fn of(instances: usize, outcomes: &[MutantOutcome]) -> Self {
        let mut score = Self { instances, mutants: outcomes.len(), ..Self::default() };
        for outcome in outcomes {
            match &outcome.fate {
                Fate::Killed { aimed, .. } => {
                    score.killed += 1;
                    if !aimed {
                        score.by_accident += 1;
                        score.accidents.push(outcome.clone());
                    }
                }
                Fate::Allowed { .. } => score.allowed += 1,
                Fate::Unjudged { .. } => score.unjudged += 1,
                Fate::Survived { instance } => {
                    score.survived += 1;
                    score.blind(outcome, instance);
                }
            }
        }
        score.blind_spots.sort();
        score
    }

    fn blind(&mut self, outcome: &MutantOutcome, instance: &str) {
        let same =
            |spot: &&mut BlindSpot| spot.operation == outcome.operation && spot.place == outcome.place && spot.change == outcome.change;
        match self.blind_spots.iter_mut().find(same) {
            Some(spot) => spot.kinds.push(outcome.kind.clone()),
            None => self.blind_spots.push(BlindSpot {
                operation: outcome.operation.clone(),
                place: outcome.place.clone(),
                change: outcome.change.clone(),
                kinds: vec![outcome.kind.clone()],
                instance: instance.to_owned(),
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

/// The published schema of `mutate --json`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(MutationResult).to_value()
}

/// What `mutate --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Result of paycheck mutate")]
pub struct MutationResult {
    /// The sum.
    pub score: Score,
    /// Every mutant, in order.
    pub mutants: Vec<MutantOutcome>,
}

impl MutantOutcome {
    /// The lie in one line: `gateway.v2.status [0 PAID] /price: one more`.
    pub fn title(&self) -> String {
        let kind = if self.kind.is_empty() { String::new() } else { format!(" [{}]", self.kind) };
        format!("{}{kind} {}: {}", self.operation, self.place, self.change)
    }
}
