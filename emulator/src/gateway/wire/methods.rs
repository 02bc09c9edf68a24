//! The table of payment methods a merchant may use. It is not in the documents, but public clients read it.

use std::sync::Arc;

use http::StatusCode;
use serde::Serialize;

use crate::common::Merchant;
use crate::common::method::{Group, Method};
use crate::wire::ApiResponse;

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

/// Responds in JSON, in both interface versions.
pub(super) fn list(merchant: &Arc<Merchant>) -> ApiResponse {
    let table = Table { methods: merchant.methods.methods().map(row).collect() };
    ApiResponse::json(StatusCode::OK, serde_json::to_vec(&table).unwrap_or_default())
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
