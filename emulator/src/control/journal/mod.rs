//! The newest requests of a world with their responses, as a client sent and got them, without secrets.

mod mask;

use std::sync::Arc;

use axum::extract::State;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use self::mask::Mask;
use super::error::ControlError;
use super::http::{ControlResponse, Path, json_response};
use super::lookup::find_world;
use super::views::MOST_LISTED;
use crate::base::journal::JournalEntry;
use crate::world::Worlds;

pub(super) async fn requests(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let kept = newest(&worlds, world.name(), MOST_LISTED);
    let kept =
        kept.ok_or_else(|| ControlError::unknown("this emulator keeps no requests: `paycheck emulate --journal N` keeps the newest N"))?;
    json_response(StatusCode::OK, &json!({ "requests": kept }))
}

/// The newest requests of a world, oldest first; none if no journal is kept.
pub(super) fn newest(worlds: &Worlds, world: &str, most: usize) -> Option<Vec<Value>> {
    Some(worlds.journal()?.newest(world, most).iter().map(|(number, entry)| view(*number, entry)).collect())
}

fn view(number: u64, entry: &JournalEntry) -> Value {
    let mask = Mask::of(entry);
    let response = entry.response.as_ref().map(|(status, body)| {
        json!({
            "status": status.as_u16(),
            "contentType": body.media_type.as_ref().and_then(text_of),
            "body": mask.response(body),
        })
    });
    json!({
        "number": number,
        "at": entry.at,
        "method": entry.method.as_str(),
        "path": mask.text(entry.uri.path()),
        "query": entry.uri.query().map(|query| mask.query(query)),
        "contentType": entry.request.media_type.as_ref().and_then(text_of),
        "body": mask.request(&entry.request),
        "response": response,
        "milliseconds": entry.milliseconds,
    })
}

fn text_of(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}
