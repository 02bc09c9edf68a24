//! What a comparison finds, as values: `docs/compare.schema.json` is generated from them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::base::place::{self, Place};
use crate::base::source_place::SourcePlace;
use crate::base::verdict::Accepted;
use crate::engine::event::CaseName;
pub use crate::engine::missing::ComparedSide;
use crate::engine::missing::Missing;

/// The format of the JSON result; another number is another format.
pub const FORMAT: u32 = 2;

/// How two runs of the same scenarios differ.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Comparison {
    /// The format of this file.
    pub format: u32,
    /// The first one.
    pub a: ComparedRun,
    /// The second one.
    pub b: ComparedRun,
    /// Cases by what was found in them.
    pub cases: Cases,
    /// The differences grouped by cause: breaks first, then known ones, changes and freedoms; of each the most frequent first.
    pub differences: Vec<Difference>,
    /// Why the comparison says less than was asked for; empty when it says all of it.
    #[schemars(with = "Vec<String>")]
    pub missing: Vec<Missing>,
}

/// One of the two that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedRun {
    /// The target's title.
    pub target: String,
    /// How many cases it has.
    pub cases: usize,
}

/// Cases by what was found in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Cases {
    /// Judged on both sides, and so compared.
    pub compared: usize,
    /// Of those: without a difference, or with documented freedom only.
    pub alike: usize,
    /// Judged on neither side.
    pub on_neither: usize,
    /// Judged on one side only, or only there at all.
    pub on_one_side: usize,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceStanding {
    /// One side breaks a rule that the other keeps.
    Break,
    /// The same, and the team has accepted it.
    Known,
    /// Both conform, and no rule says which it is to be: worth a look.
    Changed,
    /// Both conform, and the documents leave it to the target.
    Freedom,
}

/// In what two exchanges differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// Another value.
    Value,
    /// A value of another type.
    Type,
    /// A field that only one side has.
    Field,
    /// A list of another length.
    Items,
    /// The same items in another order.
    Order,
    /// One side accepts the call, the other refuses it.
    Acceptance,
    /// Another HTTP status.
    Status,
    /// A body that is written otherwise.
    Body,
    /// Another header.
    Header,
    /// A call or a notification that only one side has.
    Exchange,
    /// What is wrong shows in no single place of a response.
    Finding,
}

/// Differences of one cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// What it means.
    pub standing: DifferenceStanding,
    /// The operation or notification.
    pub operation: String,
    /// Where: `response body /rows/*/price`; `*` stands for every item of a list.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "place::as_text::serialize")]
    #[schemars(with = "Option<String>")]
    pub at: Option<Place>,
    /// In what they differ.
    pub kind: DifferenceKind,
    /// Who breaks the rule, if one side does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_by: Option<ComparedSide>,
    /// The clauses broken, or the one that speaks of the place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// Why it means that, in one sentence.
    pub why: String,
    /// Who has accepted it and until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Accepted>,
    /// How often it was seen.
    pub times: usize,
    /// In how many cases.
    pub cases: usize,
    /// The first ones.
    pub examples: Vec<DifferenceExample>,
}

/// One place where a difference was seen.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct DifferenceExample {
    /// The case.
    pub case: CaseName,
    /// The scenario step, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub step: Option<SourcePlace>,
    /// What A has there, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Value>,
    /// What B has there, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Value>,
}

impl Comparison {
    /// The differences that mean this.
    pub fn with_standing(&self, standing: DifferenceStanding) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.standing == standing)
    }
}

/// The JSON Schema of the result, as committed in `docs/compare.schema.json`.
pub fn schema() -> Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Comparison>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".into(), "The result of paycheck compare".into());
    }
    schema
}
