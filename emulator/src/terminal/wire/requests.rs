//! Requests, read from bodies and queries.

use crate::terminal::core::request::check_email;
use crate::terminal::core::{PaymentRequest, RefundRequest, Violation};
use crate::wire::fields::{Malformed, Unreadable};
use crate::wire::{Context, Fields, body, form, json};

/// "Only JSON is supported."
pub(super) fn check_type(context: Context<'_>) -> Result<(), Violation> {
    if body::is_of_type(&context.head.headers, "application/json") {
        Ok(())
    } else {
        Err(Violation::Unreadable("a terminal takes application/json"))
    }
}

/// Reads a JSON body.
pub(super) fn fields<'b>(context: Context<'_>, body: &'b [u8]) -> Result<Fields<'b>, Violation> {
    check_type(context)?;
    Ok(json::decode(body)?)
}

/// Reads the fields of a payment.
pub(super) fn payment<'f>(fields: &'f Fields<'_>) -> Result<PaymentRequest<'f>, Violation> {
    Ok(PaymentRequest {
        price: fields.integer("price").map_err(|_| Violation::PriceMalformed)?,
        tip: fields.integer("tip").map_err(|_| Violation::TipMalformed)?,
        curr: fields.text("curr")?,
        ref_id: fields.text("refId")?,
    })
}

/// Reads the fields of a refund.
pub(super) fn refund<'f>(fields: &'f Fields<'_>) -> Result<RefundRequest<'f>, Violation> {
    Ok(RefundRequest {
        price: fields.integer("price").map_err(|_| Violation::PriceMalformed)?,
        curr: fields.text("curr")?,
        ref_id: fields.text("refId")?,
        email: fields.text("email")?,
    })
}

/// Reads the `email` of a cancellation. The document gives its shape, `email=<EMAIL>`, and not its place: the query and the
/// body are both read, the latter as a form or as JSON.
pub(super) fn email(context: Context<'_>, body: &[u8]) -> Result<Option<String>, Violation> {
    let query = form::decode(context.query())?;
    let body = body.trim_ascii();
    let fields = if body.starts_with(b"{") { json::decode(body)? } else { form::decode(body)? };
    let (in_query, in_body) = (query.text("email")?, fields.text("email")?);
    check_email(in_query)?;
    check_email(in_body)?;
    Ok(in_query.or(in_body).map(str::to_owned))
}

impl From<Malformed> for Violation {
    fn from(Malformed(field): Malformed) -> Self {
        Self::Malformed(field)
    }
}

impl From<Unreadable> for Violation {
    fn from(Unreadable(why): Unreadable) -> Self {
        Self::Unreadable(why)
    }
}
