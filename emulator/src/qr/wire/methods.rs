//! The list of available methods.

use serde::Serialize;

use super::requests::{self, read};
use super::responses::ok;
use super::{authentication, logo};
use crate::common::freedoms::Behaviour;
use crate::qr::core::creation::check_caller;
use crate::qr::core::{Language, Method, Refusal, Violation};
use crate::wire::{ApiResponse, Context};

#[derive(Serialize)]
struct Methods {
    methods: Vec<Row>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: &'static str,
    name: &'static str,
    /// A raster image.
    logo: String,
    /// "string or null"
    logo_svg: Option<String>,
}

/// Answers what a payment could be made by.
pub(super) fn list(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    let merchant = authentication::admitted(context)?;
    let fields = read(context, body)?;
    check_caller(&merchant, fields.text("merchantId")?, fields.text("terminalId")?)?;
    let offer = requests::read_offer(&fields)?;
    let (methods, language) = offer.methods(&merchant.settings.country)?;
    if offer.currency.is_some_and(|currency| !merchant.takes_currency(currency)) {
        return Err(Violation::UnknownCurrency.into());
    }
    let offered = methods.into_iter().filter(|method| merchant.offers_by_qr(method.id));
    let mut rows: Vec<Row> = offered.map(|method| row(context, method, language)).collect();
    if offer.amount < Some(100) && context.world.behaves(Behaviour::QrMethodsFromOne) {
        rows.clear();
    }
    if context.world.behaves(Behaviour::QrSlovakFirst) {
        add_button(&mut rows);
    }
    Ok(ok(&Methods { methods: rows }))
}

/// The button of a Slovak bank, which the document does not name: what is in its QR code is not said.
const SLOVAK_BUTTON: &str = "BANK_SK_T_TB";
const SLOVAK: &str = "BANK_SK_T_OTHER";

fn add_button(rows: &mut Vec<Row>) {
    if let Some(slovak) = rows.iter().find(|row| row.id == SLOVAK) {
        let button = Row { id: SLOVAK_BUTTON, name: "Tatra banka", logo: slovak.logo.clone(), logo_svg: slovak.logo_svg.clone() };
        rows.insert(0, button);
    }
}

/// The method that a button stands for, in worlds that have one.
pub(super) fn behind_button<'m>(context: Context<'_>, method: Option<&'m str>) -> Option<&'m str> {
    let is_button = method == Some(SLOVAK_BUTTON) && context.world.behaves(Behaviour::QrSlovakFirst);
    if is_button { Some(SLOVAK) } else { method }
}

fn row(context: Context<'_>, method: &'static Method, language: Language) -> Row {
    let url = |extension| context.url(logo::path(method, extension));
    Row { id: method.id, name: method.name(language), logo: url("png"), logo_svg: method.has_vector.then(|| url("svg")) }
}
