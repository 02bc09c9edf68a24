//! What the console shows of a world.

use serde_json::{Value, json};

use super::forms::FORMS;
use crate::base::sync::lock;
use crate::control::error::ControlError;
use crate::control::prefix::{CONSOLE, PREFIX};
use crate::control::{devices, journal, qr_payments, views};
use crate::wire::shape::IdentifierSpelling;
use crate::world::{World, Worlds};

/// The most rows of a table, and the most worlds.
const MOST_SHOWN: usize = 100;

/// The steps of a virtual clock.
const STEPS: [(&str, u32); 4] = [("1 minute", 60), ("1 hour", 3_600), ("1 day", 86_400), ("7 days", 604_800)];

/// Everything on the page, with the result of an action that was just carried out.
pub(super) fn view(worlds: &Worlds, world: &World, done: Option<(&str, Result<Value, ControlError>)>) -> Value {
    let (names, all) = worlds.names(MOST_SHOWN);
    let view = json!({
        "world": world.name(),
        "worlds": names,
        "more_worlds": all.saturating_sub(MOST_SHOWN),
        "console": CONSOLE,
        "control": format!("{PREFIX}/worlds/{}", world.name()),
        "path": world.path(),
        "now": world.now(),
        "steps": if world.has_virtual_clock() { STEPS.map(|(label, seconds)| clock_button(label, seconds)).to_vec() } else { Vec::new() },
        "merchants": world.merchants().ids(),
        "in_flight": world.outbox().in_flight(),
        "scheduled": world.scheduled(),
        "done": done.map(|(action, result)| result_view(action, &result)),
        "payments": table(world.newest_payments(MOST_SHOWN, views::payment_view), payment_buttons),
        "qr": table(world.newest_qr_payments(MOST_SHOWN, qr_payments::payment_view), qr_buttons),
        "notifications": table(attempts(world), |attempt| vec![button("Send again", "notification.resends", &about(attempt))]),
        "mail": table(newest_emails(world), |_| Vec::new()),
        "devices": table((device_rows(world), 0), device_buttons),
        "actions": *FORMS,
    });
    let mut view = outward(world, view);
    // What clients sent and got has their identifiers already.
    if let Some(view) = view.as_object_mut() {
        view.insert("requests".to_owned(), request_rows(worlds, world));
    }
    view
}

/// The newest requests first; null if no journal is kept.
fn request_rows(worlds: &Worlds, world: &World) -> Value {
    let requests = journal::newest(worlds, world.name(), MOST_SHOWN);
    requests.map_or(Value::Null, |requests| requests.iter().rev().map(request_row).collect())
}

/// A request, and its parts as texts.
fn request_row(request: &Value) -> Value {
    let text = |pointer: &str| request.pointer(pointer).map(shown).unwrap_or_default();
    json!({ "of": request, "query": text("/query"), "body": text("/body"), "response_body": text("/response/body") })
}

/// A body as people read it: a line for each field of a form, JSON with its lines indented.
fn shown(body: &Value) -> String {
    let Some((kind, content)) = body.as_object().and_then(|body| body.iter().next()) else { return String::new() };
    match (kind.as_str(), content) {
        ("form", Value::Array(pairs)) => pairs.iter().map(form_line).collect::<Vec<_>>().join("\n"),
        ("json", value) => format!("{value:#}"),
        (_, text) => text.as_str().unwrap_or_default().to_owned(),
    }
}

fn form_line(pair: &Value) -> String {
    let parts = pair.as_array().into_iter().flatten().filter_map(Value::as_str);
    parts.collect::<Vec<_>>().join("=")
}

/// Identifiers as clients of the world know them.
fn outward(world: &World, view: Value) -> Value {
    let Some(identifiers) = IdentifierSpelling::chosen_in(world.freedoms()) else { return view };
    serde_json::from_slice(&identifiers.outward(view.to_string().as_bytes())).unwrap_or(view)
}

/// The newest first, with their buttons.
fn table((rows, older): (Vec<Value>, usize), buttons: impl Fn(&Value) -> Vec<Value>) -> Value {
    let rows: Vec<_> = rows.into_iter().rev().map(|row| json!({ "buttons": buttons(&row), "of": row })).collect();
    json!({ "rows": rows, "older": older })
}

fn attempts(world: &World) -> (Vec<Value>, usize) {
    let (attempts, older) = world.outbox().newest_attempts(MOST_SHOWN);
    (attempts.iter().map(views::attempt_view).collect(), older)
}

fn newest_emails(world: &World) -> (Vec<Value>, usize) {
    let (emails, older) = world.outbox().newest_emails(MOST_SHOWN);
    (emails.iter().map(views::email_view).collect(), older)
}

fn device_rows(world: &World) -> Vec<Value> {
    let connections = world.devices().all();
    let newest = connections.iter().rev().take(MOST_SHOWN);
    let mut rows: Vec<_> = newest.map(|connection| devices::connection_view(&lock(connection))).collect();
    rows.reverse();
    rows
}

fn result_view(action: &str, result: &Result<Value, ControlError>) -> Value {
    match result {
        Ok(body) => json!({ "action": action, "succeeded": true, "text": body.to_string() }),
        Err(error) => json!({ "action": action, "succeeded": false, "text": error.parts().1 }),
    }
}

/// A button that carries out an action.
fn button(label: &str, action: &str, parameters: &Value) -> Value {
    json!({ "label": label, "action": action, "parameters": parameters.to_string() })
}

fn clock_button(label: &str, seconds: u32) -> Value {
    button(label, "clock.advances", &json!({ "seconds": seconds }))
}

fn about(row: &Value) -> Value {
    json!({ "transId": row["transId"] })
}

fn payment_buttons(payment: &Value) -> Vec<Value> {
    let about = about(payment);
    match payment["status"].as_str() {
        Some("PENDING") => pending_buttons(&about),
        _ => vec![button("Notify again", "notification.resends", &about)],
    }
}

fn qr_buttons(payment: &Value) -> Vec<Value> {
    if payment["status"] == "PENDING" { pending_buttons(&about(payment)) } else { Vec::new() }
}

fn pending_buttons(about: &Value) -> Vec<Value> {
    vec![button("Pay", "payer.pays", about), button("Cancel", "payer.cancels", about)]
}

fn device_buttons(connection: &Value) -> Vec<Value> {
    let about = json!({ "connectionId": connection["connectionId"] });
    let offered = [("Ready", "operator.readies"), ("Block", "operator.blocks"), ("Deactivate", "operator.deactivates")];
    offered.map(|(label, action)| button(label, action, &about)).to_vec()
}
