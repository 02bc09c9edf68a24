//! Pages for the payer: `{base_url}/<transId>`, for people and for browsers under test.

use http::StatusCode;

use super::Context;
use crate::gateway::core::method::Method;
use crate::gateway::core::order::{Order, ResultUrls};
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Payment, Reason, Refusal, State, TransId};
use crate::wire::{Fields, Reply, form};

/// "Redirects the payer or shows an error": the error.
pub(super) fn error(refusal: &Refusal) -> Reply {
    let body = format!("<h1>The payment can't be made</h1><p>{}: {}</p>", refusal.code.number(), escape(&refusal.message));
    Reply::html(StatusCode::OK, document("Error", &body))
}

/// Shows a payment. "If the payment does not exist, a service error page is shown."
pub(super) fn show(context: Context<'_>, id: Option<TransId>) -> Reply {
    let shown = id.and_then(|id| context.world.with_payment(id, |payment, _| (view(payment), <&[_]>::default())));
    shown.map_or_else(not_found, |page| Reply::html(StatusCode::OK, page))
}

/// The payer presses a button: `choice=pay` with a `method`, or `choice=cancel`. Pressed too late, nothing changes.
pub(super) fn press(context: Context<'_>, id: Option<TransId>, body: &[u8]) -> Reply {
    let fields = form::decode(body).unwrap_or_default();
    let text = |name| fields_text(&fields, name);
    let method = text("method").and_then(Method::find);
    let pressed = id.and_then(|id| {
        context.world.with_payment(id, |payment, now| {
            let done = match text("choice") {
                Some("pay") => payment.pay(Payer { method, ..Payer::default() }, now),
                Some("cancel") => payment.fail(Reason::CustomerClick),
                _ => Ok(<&[_]>::default()),
            };
            (result_url(payment), done.unwrap_or_default())
        })
    });
    match pressed {
        Some(Some(url)) => Reply::redirect(&url),
        Some(None) => show(context, id),
        None => not_found(),
    }
}

fn fields_text<'f>(fields: &'f Fields<'_>, name: &'static str) -> Option<&'f str> {
    fields.text(name).unwrap_or_default()
}

/// Where the payer goes with this result, if the order says so.
fn result_url(payment: &Payment) -> Option<String> {
    let urls: &ResultUrls = payment.order.urls.as_deref()?;
    let url = match payment.state {
        State::Paid { .. } | State::Authorized { .. } => &urls.paid,
        State::Cancelled { .. } => &urls.cancelled,
        State::Pending => &urls.pending,
    };
    let id = payment.id.letters();
    Some(url.as_ref()?.replace("${id}", id.as_str()).replace("${refId}", &encoded(&payment.order.ref_id)))
}

fn encoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    form::escape(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn view(payment: &Payment) -> String {
    let order = &payment.order;
    let mut body = format!(
        "<h1>{}</h1><p id=\"price\">{}.{:02} {}</p><p id=\"status\">{}</p>",
        escape(&order.label),
        order.price / 100,
        order.price % 100,
        order.currency.word(),
        payment.state.word(),
    );
    if payment.state == State::Pending {
        body.push_str(&buttons(order));
    }
    document(payment.id.letters().as_str(), &body)
}

fn buttons(order: &Order) -> String {
    let option = |method: &Method| format!("<option value=\"{}\">{}</option>", method.id, escape(method.name));
    let options: String = order.methods.methods().map(option).collect();
    format!(
        "<form method=\"post\"><select name=\"method\">{options}</select>\
         <button name=\"choice\" value=\"pay\">Pay</button><button name=\"choice\" value=\"cancel\">Cancel</button></form>"
    )
}

fn not_found() -> Reply {
    Reply::html(StatusCode::NOT_FOUND, document("Error", "<h1>There is no such payment</h1>"))
}

fn document(title: &str, body: &str) -> String {
    format!("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><body>{body}</body></html>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
