//! The operator of the service: shop connections, their configuration, the catalog.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{At, ControlError, Outcome};
use crate::control::devices::connection_view;
use crate::device::core::{Connection, Platform};
use crate::gateway::core::Merchant;
use crate::sync::{lock, write};
use crate::world::Terms;

/// A new connection of a merchant.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Registers {
    merchant: String,
    platform: String,
    serial_number: Option<String>,
    activation_code: Option<String>,
    #[serde(default = "yes")]
    ready: bool,
}

fn yes() -> bool {
    true
}

pub(super) async fn registers(at: At, with: Registers) -> Outcome {
    let merchant = merchant(&at, &with.merchant)?;
    let platform = Platform::parse(&with.platform).ok_or_else(|| ControlError::bad("platform is POS or SOFTPOS"))?;
    let terms = Terms { platform, serial_number: with.serial_number, activation_code: with.activation_code, ready: with.ready };
    let connection = at.world.fleet().register(&merchant, terms).map_err(ControlError::conflict)?;
    Ok(connection_view(&lock(&connection)))
}

fn merchant(at: &At, id: &str) -> Result<Arc<Merchant>, ControlError> {
    at.world.merchants().find(id).ok_or_else(|| ControlError::unknown(format!("there is no merchant {id} in this world")))
}

/// A merchant whose connections are listed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    merchant: String,
}

pub(super) async fn lists(at: At, with: Lists) -> Outcome {
    merchant(&at, &with.merchant)?;
    let all = at.world.fleet().all();
    let views = all.iter().filter_map(|connection| {
        let connection = lock(connection);
        (*connection.merchant == *with.merchant).then(|| connection_view(&connection))
    });
    Ok(json!({ "connections": views.collect::<Vec<_>>() }))
}

/// A connection something is done with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Concerns {
    connection_id: i64,
}

/// Activation is blocked.
pub(super) async fn blocks(at: At, with: Concerns) -> Outcome {
    on_connection(&at, with.connection_id, |connection| connection.blocked = true)
}

/// All of the connection is set up.
pub(super) async fn readies(at: At, with: Concerns) -> Outcome {
    on_connection(&at, with.connection_id, |connection| connection.ready = true)
}

/// Its terminal is not registered any longer.
pub(super) async fn unregisters(at: At, with: Concerns) -> Outcome {
    on_connection(&at, with.connection_id, |connection| connection.registered = false)
}

/// The connection is over.
pub(super) async fn deactivates(at: At, with: Concerns) -> Outcome {
    on_connection(&at, with.connection_id, Connection::deactivate)
}

/// It is going to be over.
pub(super) async fn announces_deactivation(at: At, with: Concerns) -> Outcome {
    on_connection(&at, with.connection_id, Connection::announce_deactivation)
}

/// Support resets the PIN.
pub(super) async fn resets_pin(at: At, with: Concerns) -> Outcome {
    let now = at.world.now();
    on_connection(&at, with.connection_id, |connection| {
        connection.reset_pin(now);
    })
}

/// The terminal is reported to the card processor.
pub(super) async fn reports_terminal(at: At, with: Concerns) -> Outcome {
    let now = at.world.now();
    on_connection(&at, with.connection_id, |connection| {
        connection.report_terminal(now);
    })
}

fn on_connection(at: &At, id: i64, deed: impl FnOnce(&mut Connection)) -> Outcome {
    let connection = at.world.fleet().connection(id).ok_or_else(|| unknown_connection(id))?;
    let mut connection = lock(&connection);
    deed(&mut connection);
    Ok(connection_view(&connection))
}

fn unknown_connection(id: i64) -> ControlError {
    ControlError::unknown(format!("there is no connection {id} in this world; operator.lists lists them"))
}

/// Fields of the configuration, under their names in the document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChangesConfig {
    connection_id: i64,
    config: Map<String, Value>,
}

pub(super) async fn changes_config(at: At, with: ChangesConfig) -> Outcome {
    let fleet = at.world.fleet();
    let connection = fleet.connection(with.connection_id).ok_or_else(|| unknown_connection(with.connection_id))?;
    let mut connection = lock(&connection);
    let organization = fleet.organization(&connection.merchant);
    let changed = connection.change_config(with.config, &mut lock(&organization.document_codes));
    changed.map_err(|sentence| ControlError::bad(format!("operator.changes-config: {sentence}")))?;
    Ok(connection_view(&connection))
}

/// The lowest version of the application; `null`: no lock.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RequiresApp {
    min_app_version_code: Option<i64>,
}

pub(super) async fn requires_app(at: At, with: RequiresApp) -> Outcome {
    at.world.fleet().require_app(with.min_app_version_code);
    Ok(json!({ "minAppVersionCode": with.min_app_version_code }))
}

/// Items of the catalog, with whatever fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stocks {
    merchant: String,
    items: Vec<Map<String, Value>>,
}

pub(super) async fn stocks(at: At, with: Stocks) -> Outcome {
    let merchant = merchant(&at, &with.merchant)?;
    let organization = at.world.fleet().organization(&merchant.id().into());
    let mut catalog = write(&organization.catalog);
    catalog.stock(with.items);
    Ok(json!({ "catalogVersion": catalog.version() }))
}
