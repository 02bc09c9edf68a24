//! The list of available methods.

use serde::Serialize;

use super::requests::{self, read};
use super::responses::ok;
use super::{authentication, logo};
use crate::qr::core::creation::check_caller;
use crate::qr::core::{Language, Method, Refusal};
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
    let (methods, language) = requests::read_offer(&fields)?.methods(&merchant.settings.country)?;
    Ok(ok(&Methods { methods: methods.into_iter().map(|method| row(context, method, language)).collect() }))
}

fn row(context: Context<'_>, method: &'static Method, language: Language) -> Row {
    let url = |extension| context.url(logo::path(method, extension));
    Row { id: method.id, name: method.name(language), logo: url("png"), logo_svg: method.has_vector.then(|| url("svg")) }
}
