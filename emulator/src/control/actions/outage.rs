//! Outages begin and end.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult, list};
use crate::common::Method;
use crate::control::error::ControlError;
use crate::status::core::{Outage, OutageKind};

/// The outage; its texts have defaults. Starting later, it is planned.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Starts {
    r#type: Option<String>,
    methods: Vec<String>,
    scheduled: bool,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    name: Option<Texts>,
    detail: Option<Texts>,
}

/// A text: the same in all languages, or one in each.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Texts {
    Same(String),
    Each { cs: String, sk: String, en: String },
}

impl Texts {
    /// In Czech, Slovak and English.
    fn in_each_language(self) -> [String; 3] {
        match self {
            Self::Same(text) => [text.clone(), text.clone(), text],
            Self::Each { cs, sk, en } => [cs, sk, en],
        }
    }
}

/// How long an outage is expected to last.
const EXPECTED: SignedDuration = SignedDuration::from_hours(1);

pub(super) async fn starts(context: ActionContext, with: Starts) -> ActionResult {
    let kind = with.r#type.as_deref().map_or(Some(OutageKind::Complete), OutageKind::parse);
    let kind = kind.ok_or_else(|| ControlError::bad(format!("type is one of {}", list(OutageKind::ALL, OutageKind::as_str))))?;
    if let Some(unknown) = with.methods.iter().find(|id| Method::find(id).is_none()) {
        return Err(ControlError::bad(format!("there is no payment method `{unknown}`")));
    }
    let id = context.world.outages().publish(outage(with, kind, context.world.now()));
    Ok(json!({ "id": id }))
}

fn outage(with: Starts, kind: OutageKind, now: Timestamp) -> Outage {
    let date_from = with.from.unwrap_or(now);
    let [name_cs, name_sk, name_en] = with.name.unwrap_or_else(|| Texts::Same("Outage".to_owned())).in_each_language();
    let [detail_cs, detail_sk, detail_en] = with.detail.unwrap_or_else(|| Texts::Same(String::new())).in_each_language();
    Outage {
        id: 0,
        name_cs,
        name_sk,
        name_en,
        date_from,
        date_to: with.to.unwrap_or_else(|| date_from.saturating_add(EXPECTED).unwrap_or(Timestamp::MAX)),
        date_published: now,
        detail_cs,
        detail_sk,
        detail_en,
        methods: with.methods,
        kind,
        scheduled: with.scheduled,
    }
}

/// The number of the outage.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ends {
    id: u32,
}

pub(super) async fn ends(context: ActionContext, with: Ends) -> ActionResult {
    if context.world.outages().end(with.id, context.world.now()) {
        return Ok(json!({ "id": with.id }));
    }
    Err(ControlError::unknown(format!("there is no outage {} in this world", with.id)))
}
