//! Pages for the payer: `{base_url}/<transId>`, for people and for browsers under test. They work without a script.

mod amount;
mod document;
mod result_url;
mod texts;
mod view;

use http::{StatusCode, header};
use jiff::Timestamp;

use self::texts::PageLanguage;
use super::link::page_url;
use crate::common::{Method, Refusal, TransId};
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Effect, NOTHING, Payment, Reason, State, Violation};
use crate::wire::{ApiResponse, Context, Fields, form};

/// "Redirects the payer or shows an error": the error.
pub(super) fn error(context: Context<'_>, refusal: &Refusal) -> ApiResponse {
    document::page(StatusCode::OK, "error.html", &view::refused(language_of(context), refusal))
}

/// Shows a payment. "If the payment does not exist, a service error page is shown."
pub(super) fn show(context: Context<'_>, id: Option<TransId>) -> ApiResponse {
    let shown = id.and_then(|id| context.world.read_payment(id, view));
    shown.unwrap_or_else(|| document::page(StatusCode::NOT_FOUND, "error.html", &view::not_found(language_of(context))))
}

fn view(payment: &Payment, now: Timestamp) -> ApiResponse {
    match payment.state {
        State::Pending => document::page(StatusCode::OK, "payment.html", &view::pending(payment, now)),
        State::Authorized { .. } | State::Paid { .. } | State::Cancelled { .. } => {
            document::page(StatusCode::OK, "result.html", &view::result(payment))
        }
    }
}

/// The payer presses a button, and goes to the result URL of the order, or else back to the page. What
/// can't be done changes nothing.
pub(super) fn press(context: Context<'_>, id: Option<TransId>, body: &[u8]) -> ApiResponse {
    let fields = form::decode(body).unwrap_or_default();
    let choice = text(&fields, "choice");
    let pressed = id.and_then(|id| {
        context.world.with_payment(id, |payment, now| {
            let effects = choose(payment, choice, &fields, now).unwrap_or(NOTHING);
            let leaves = payment.state != State::Pending || choice == Some("leave");
            let next = if leaves { result_url::result_url(payment) } else { None };
            (next.unwrap_or_else(|| page_url(context, id)), effects)
        })
    });
    match pressed {
        Some(next) => ApiResponse { status: StatusCode::SEE_OTHER, ..ApiResponse::redirect(&next) },
        None => show(context, id),
    }
}

/// The buttons of the page. The page can let a payment expire without the clock.
fn choose(payment: &mut Payment, choice: Option<&str>, fields: &Fields<'_>, now: Timestamp) -> Result<&'static [Effect], Violation> {
    match choice {
        Some("pay") => payment.pay(Payer { method: text(fields, "method").and_then(Method::find), ..Payer::default() }, now),
        Some("cancel") => payment.fail(Reason::CustomerClick),
        Some("fail") => payment.fail(text(fields, "reason").and_then(Reason::parse).unwrap_or(Reason::NotSpecified)),
        Some("expire") => payment.fail(Reason::CustomerTimeout),
        _ => Ok(NOTHING),
    }
}

fn text<'f>(fields: &'f Fields<'_>, name: &'static str) -> Option<&'f str> {
    fields.text(name).unwrap_or_default()
}

/// The language of the browser, where there is no payment that has one.
fn language_of(context: Context<'_>) -> PageLanguage {
    let accepted = context.head.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    PageLanguage::accepted(accepted.unwrap_or_default())
}
