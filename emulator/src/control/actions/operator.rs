//! The operator of the service: shop connections, their configuration, the catalog.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::context::{ActionContext, ActionResult, find_merchant};
use crate::base::sync::{lock, write};
use crate::control::devices::connection_view;
use crate::control::error::ControlError;
use crate::device::core::{Connection, Platform};
use crate::world::Registration;

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
    /// A connection of the shop that it joins.
    same_shop_as: Option<i64>,
}

fn yes() -> bool {
    true
}

pub(super) async fn registers(context: ActionContext, with: Registers) -> ActionResult {
    let merchant = find_merchant(&context, &with.merchant)?;
    let platform = Platform::parse(&with.platform).ok_or_else(|| ControlError::bad("platform is POS or SOFTPOS"))?;
    let registration = Registration {
        platform,
        serial_number: with.serial_number,
        activation_code: with.activation_code,
        ready: with.ready,
        joins: with.same_shop_as,
    };
    let connection =
        context.world.devices().register(&merchant, registration).map_err(|error| ControlError::conflict(error.to_string()))?;
    Ok(connection_view(&lock(&connection)))
}

/// A merchant whose connections are listed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    merchant: String,
}

pub(super) async fn lists(context: ActionContext, with: Lists) -> ActionResult {
    find_merchant(&context, &with.merchant)?;
    let all = context.world.devices().all();
    let views = all.iter().filter_map(|connection| {
        let connection = lock(connection);
        (*connection.merchant == *with.merchant).then(|| connection_view(&connection))
    });
    Ok(json!({ "connections": views.collect::<Vec<_>>() }))
}

/// The connection that the action is about.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OfConnection {
    connection_id: i64,
}

/// Activation is blocked.
pub(super) async fn blocks(context: ActionContext, with: OfConnection) -> ActionResult {
    on_connection(&context, with.connection_id, |connection| connection.blocked = true)
}

/// All of the connection is set up.
pub(super) async fn readies(context: ActionContext, with: OfConnection) -> ActionResult {
    on_connection(&context, with.connection_id, |connection| connection.ready = true)
}

/// Its terminal is not registered any longer.
pub(super) async fn unregisters(context: ActionContext, with: OfConnection) -> ActionResult {
    on_connection(&context, with.connection_id, |connection| connection.registered = false)
}

/// The connection is over.
pub(super) async fn deactivates(context: ActionContext, with: OfConnection) -> ActionResult {
    on_connection(&context, with.connection_id, Connection::deactivate)
}

/// It is going to be over.
pub(super) async fn announces_deactivation(context: ActionContext, with: OfConnection) -> ActionResult {
    on_connection(&context, with.connection_id, Connection::announce_deactivation)
}

/// Support resets the PIN.
pub(super) async fn resets_pin(context: ActionContext, with: OfConnection) -> ActionResult {
    let now = context.world.now();
    on_connection(&context, with.connection_id, |connection| {
        connection.reset_pin(now);
    })
}

/// The terminal is reported to the card processor.
pub(super) async fn reports_terminal(context: ActionContext, with: OfConnection) -> ActionResult {
    let now = context.world.now();
    on_connection(&context, with.connection_id, |connection| {
        connection.report_terminal(now);
    })
}

fn on_connection(context: &ActionContext, id: i64, action: impl FnOnce(&mut Connection)) -> ActionResult {
    let connection = context.world.devices().connection(id).ok_or_else(|| unknown_connection(id))?;
    let mut connection = lock(&connection);
    action(&mut connection);
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

pub(super) async fn changes_config(context: ActionContext, with: ChangesConfig) -> ActionResult {
    let devices = context.world.devices();
    let shared = devices.connection(with.connection_id).ok_or_else(|| unknown_connection(with.connection_id))?;
    let (shop, refund_enabled, default_pin) = {
        let mut connection = lock(&shared);
        let organization = devices.organization(&connection.merchant);
        let changed = connection.change_config(with.config, &mut lock(&organization.document_codes));
        changed.map_err(|error| ControlError::bad(format!("operator.changes-config: {error}")))?;
        (connection.shop, connection.settings.refund_enabled, connection.settings.default_pin.clone())
    };
    // One lock at a time: the others of the shop follow, and those of the product.
    devices.keep_per_shop(shop, refund_enabled);
    devices.keep_product_wide(default_pin.as_deref());
    Ok(connection_view(&lock(&shared)))
}

/// The lowest version of the application; `null`: no lock.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RequiresApp {
    min_app_version_code: Option<i64>,
}

pub(super) async fn requires_app(context: ActionContext, with: RequiresApp) -> ActionResult {
    context.world.devices().require_app(with.min_app_version_code);
    Ok(json!({ "minAppVersionCode": with.min_app_version_code }))
}

/// Items of the catalog, with any fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stocks {
    merchant: String,
    items: Vec<Map<String, Value>>,
}

pub(super) async fn stocks(context: ActionContext, with: Stocks) -> ActionResult {
    let merchant = find_merchant(&context, &with.merchant)?;
    let organization = context.world.devices().organization(&merchant.id().into());
    let mut catalog = write(&organization.catalog);
    catalog.stock(with.items);
    Ok(json!({ "catalogVersion": catalog.version() }))
}
