//! The table of payment methods a merchant may use. It is not in the documents, but public clients read it.

use std::sync::Arc;

use http::StatusCode;
use serde::Serialize;
use serde_json::json;

use crate::common::method::{Group, Method};
use crate::common::{Country, Merchant, Refusal};
use crate::gateway::core::Violation;
use crate::wire::fields::Malformed;
use crate::wire::{ApiResponse, Context, Fields, form};

#[derive(Serialize)]
struct Table {
    methods: Vec<Row>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    /// Always empty: the emulator has no logos.
    logo: &'static str,
    group: &'static str,
    group_label: &'static str,
}

/// Responds in JSON, or in XML if `type` says so; `country` limits the methods as it does in a creation. Fields come
/// in the query of v2.0, which reads by GET.
pub(super) fn list(context: Context<'_>, fields: &Fields<'_>, merchant: &Arc<Merchant>) -> Result<ApiResponse, Refusal> {
    let query = form::decode(context.query())?;
    let field = |name| Ok::<_, Malformed>(fields.text(name)?.or(query.text(name)?));
    let country = Country::parse(field("country")?.unwrap_or("ALL")).ok_or(Violation::Malformed("country"))?;
    let methods = merchant.methods.offered_in(country).methods();
    if field("type")? == Some("xml") {
        return Ok(ApiResponse::new(StatusCode::OK, "text/xml; charset=UTF-8", xml(methods)));
    }
    Ok(ApiResponse::json_value(StatusCode::OK, &Table { methods: methods.map(row).collect() }))
}

/// Clients find a refusal under `error` where others read `code` and `message`, as of every other call: both are there.
pub(super) fn refused(status: StatusCode, refusal: &Refusal) -> ApiResponse {
    let (code, message) = (refusal.code.number(), &refusal.message);
    ApiResponse::json_value(status, &json!({ "code": code, "message": message, "error": { "code": code, "message": message } }))
}

fn xml(methods: impl Iterator<Item = &'static Method>) -> String {
    let rows = methods.map(|method| {
        let Row { id, name, description, .. } = row(method);
        format!("<method><id>{id}</id><name>{name}</name><description>{description}</description><logo></logo></method>")
    });
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><methods>{}</methods>", rows.collect::<String>())
}

fn row(method: &'static Method) -> Row {
    let (group, group_label) = match method.group {
        Group::Card | Group::CardWallet => ("CARD", "Cards"),
        Group::Bank => ("BANK", "Bank transfers"),
        Group::Later => ("LATER", "Pay later"),
        Group::Part => ("PART", "Pay in parts"),
        Group::Loan => ("LOAN", "Loans"),
        Group::Wallet => ("WALLET", "Wallets"),
    };
    Row { id: method.id, name: method.name, description: method.name, logo: "", group, group_label }
}
