//! v2.0 creation by redirect: `/v2.0/paymentRedirect/merchant/{merchant_id}`, the parameters of basic creation.
//!
//! The payer's browser makes this call. A browser has no Basic header to give, and sends no JSON by itself: the
//! parameters are taken from a query, a form or JSON alike, and the merchant from the path.

use http::Method;

use super::link::page_url;
use super::{page, requests};
use crate::common::{Refusal, TransId};
use crate::gateway::core::creation::Mode;
use crate::gateway::core::{Call, Interface, Violation};
use crate::wire::{ApiResponse, Context, Fields, body, form, json};
use crate::world::Operation;

/// Redirects the payer or shows an error.
pub(super) fn create(context: Context<'_>, merchant: &str, body: &[u8]) -> ApiResponse {
    let created = read(context, body).and_then(|fields| enter(context, merchant, &fields));
    match created {
        Ok(id) => ApiResponse::redirect(&page_url(context, id)),
        Err(refusal) => page::error(context, &refusal),
    }
}

fn read<'b>(context: Context<'b>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if context.head.method == Method::GET {
        return Ok(form::decode(context.query())?);
    }
    if body::is_of_type(&context.head.headers, "application/x-www-form-urlencoded") {
        return Ok(form::decode(bytes)?);
    }
    Ok(json::decode(bytes)?)
}

fn enter(context: Context<'_>, merchant: &str, fields: &Fields<'_>) -> Result<TransId, Refusal> {
    if let Some(fault) = context.world.faults().take_refusal(Operation::Gateway { interface: Interface::V2, call: Call::Create }) {
        return Err(fault);
    }
    let merchant = context.world.merchants().find(merchant).ok_or(Violation::UnknownMerchant)?;
    let request = requests::read_creation(fields, Interface::V2, Mode::Redirect, context.world)?;
    Ok(context.world.create(&merchant, Interface::V2, &request)?)
}
