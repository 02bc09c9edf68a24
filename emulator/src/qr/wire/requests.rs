//! Requests, read from the fields of a body.

use crate::qr::core::{Creation, Extension, MethodChange, Offer, RefundRequest, Refusal, Violation};
use crate::wire::fields::Malformed;
use crate::wire::{Context, Fields, body, json};

/// The fields of a body that has to be there.
pub(super) fn read<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if !body::is_of_type(&context.head.headers, "application/json") {
        return Err(Violation::Unreadable("the QR payment API takes application/json").into());
    }
    Ok(json::decode(bytes)?)
}

/// The fields of a body that may be missing.
pub(super) fn read_optional<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if bytes.is_empty() { Ok(Fields::default()) } else { read(context, bytes) }
}

/// Reads the fields of a creation.
pub(super) fn read_creation<'f>(fields: &'f Fields<'_>) -> Result<Creation<'f>, Malformed> {
    Ok(Creation {
        merchant_id: fields.text("merchantId")?,
        terminal_id: fields.text("terminalId")?,
        ref_id: fields.text("refId")?,
        amount: fields.long("amount")?,
        currency: fields.text("currency")?,
        method: fields.text("method")?,
        created: fields.text("created")?,
        variable_symbol: fields.text("variableSymbol")?,
        ..Creation::default()
    })
}

pub(super) fn read_offer<'f>(fields: &'f Fields<'_>) -> Result<Offer<'f>, Malformed> {
    Ok(Offer {
        currency: fields.text("currency")?,
        amount: fields.long("amount")?,
        both_eur_qr: fields.flag("bothEurQr")?.unwrap_or(false),
        lang: fields.text("lang")?,
    })
}

pub(super) fn read_change<'f>(fields: &'f Fields<'_>) -> Result<MethodChange<'f>, Malformed> {
    Ok(MethodChange { method: fields.text("method")? })
}

pub(super) fn read_extension<'f>(fields: &'f Fields<'_>) -> Result<Extension<'f>, Malformed> {
    Ok(Extension { note: fields.text("note")? })
}

pub(super) fn read_refund<'f>(fields: &'f Fields<'_>) -> Result<RefundRequest<'f>, Malformed> {
    Ok(RefundRequest { amount: fields.long("amount")?, created: fields.text("created")?, ref_id: fields.text("refId")? })
}
