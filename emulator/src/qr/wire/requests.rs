//! Requests out of the fields of a body.

use crate::qr::core::{Creation, Extension, MethodChange, Offer, Refund};
use crate::wire::Fields;
use crate::wire::fields::Malformed;

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

pub(super) fn read_refund<'f>(fields: &'f Fields<'_>) -> Result<Refund<'f>, Malformed> {
    Ok(Refund { amount: fields.long("amount")?, created: fields.text("created")?, ref_id: fields.text("refId")? })
}
