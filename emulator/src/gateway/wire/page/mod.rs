//! Pages for the payer: `{base_url}/<transId>`, for people and for browsers under test. They work without a script.

mod amount;
mod document;
mod result_url;
mod texts;
mod view;

use http::{StatusCode, header};
use jiff::Timestamp;

use self::texts::Language;
use super::Context;
use crate::gateway::core::method::Method;
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Effect, Payment, Reason, Refusal, State, TransId, Violation};
use crate::wire::{Fields, Reply, form};

/// "Redirects the payer or shows an error": the error.
pub(super) fn error(context: Context<'_>, refusal: &Refusal) -> Reply {
    document::reply(StatusCode::OK, "error.html", &view::refused(language_of(context), refusal))
}

/// Shows a payment. "If the payment does not exist, a service error page is shown."
pub(super) fn show(context: Context<'_>, id: Option<TransId>) -> Reply {
    let shown = id.and_then(|id| context.world.with_payment(id, |payment, now| (view(payment, now), <&[_]>::default())));
    shown.unwrap_or_else(|| document::reply(StatusCode::NOT_FOUND, "error.html", &view::not_found(language_of(context))))
}

fn view(payment: &Payment, now: Timestamp) -> Reply {
    match payment.state {
        State::Pending => document::reply(StatusCode::OK, "payment.html", &view::pending(payment, now)),
        State::Authorized { .. } | State::Paid { .. } | State::Cancelled { .. } => {
            document::reply(StatusCode::OK, "result.html", &view::result(payment))
        }
    }
}

/// The payer presses a button, and goes to the result URL of the order, or else back to the page. What can't be done
/// (any more) changes nothing.
pub(super) fn press(context: Context<'_>, id: Option<TransId>, body: &[u8]) -> Reply {
    let fields = form::decode(body).unwrap_or_default();
    let choice = text(&fields, "choice");
    let pressed = id.and_then(|id| {
        context.world.with_payment(id, |payment, now| {
            let effects = choose(payment, choice, &fields, now).unwrap_or_default();
            let leaves = payment.state != State::Pending || choice == Some("leave");
            let next = if leaves { result_url::of(payment) } else { None };
            (next.unwrap_or_else(|| context.page_of(id)), effects)
        })
    });
    match pressed {
        Some(next) => Reply { status: StatusCode::SEE_OTHER, ..Reply::redirect(&next) },
        None => show(context, id),
    }
}

/// The buttons of the page. Expiry doesn't wait for the clock here.
fn choose(payment: &mut Payment, choice: Option<&str>, fields: &Fields<'_>, now: Timestamp) -> Result<&'static [Effect], Violation> {
    match choice {
        Some("pay") => payment.pay(Payer { method: text(fields, "method").and_then(Method::find), ..Payer::default() }, now),
        Some("cancel") => payment.fail(Reason::CustomerClick),
        Some("fail") => payment.fail(text(fields, "reason").and_then(Reason::parse).unwrap_or(Reason::NotSpecified)),
        Some("expire") => payment.fail(Reason::CustomerTimeout),
        _ => Ok(&[]),
    }
}

fn text<'f>(fields: &'f Fields<'_>, name: &'static str) -> Option<&'f str> {
    fields.text(name).unwrap_or_default()
}

/// Where there is no payment to tell the language, the browser does.
fn language_of(context: Context<'_>) -> Language {
    let wished = context.head.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::wished(wished.unwrap_or_default())
}
