//! Activation, under the bootstrap user.

use serde::Serialize;

use super::failure::{Failure, ok};
use super::requests::read_fields;
use crate::base::sync::lock;
use crate::common::MerchantSettings;
use crate::common::freedoms::Behaviour;
use crate::device::core::config::DeviceConfig;
use crate::device::core::token::Holder;
use crate::device::core::{Activation, Connection, ErrorCode, Refusal};
use crate::wire::credentials::{self, Credentials};
use crate::wire::{ApiResponse, Context, Fields};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Activated<'a> {
    device_token: String,
    device_id: i64,
    config_version: i64,
    connection_state: &'static str,
    config: DeviceConfig<'a>,
}

/// Gives the device of a connection its long-lived token.
pub(super) fn activate(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Failure> {
    let user = credentials::basic(&context.head.headers).filter(|user| is_known(context, user)).ok_or(ErrorCode::Unauthorized)?;
    let fields = read_fields(body)?;
    let request = read(context, &fields)?;
    let devices = context.world.devices();
    let connection = devices.named(request.name).ok_or_else(|| request.name.unknown())?;
    let mut connection = lock(&connection);
    if !serves(context, &user, &connection) {
        return Err(request.name.unknown().into());
    }
    let organization = devices.organization(&connection.merchant);
    request.apply(&mut connection, &mut lock(&organization.document_codes))?;
    if context.world.behaves(Behaviour::DeviceVersionRises) {
        connection.config_version += 1;
    }
    Ok(ok(&activated(context, &mut connection)?))
}

fn read<'f>(context: Context<'_>, fields: &'f Fields<'_>) -> Result<Activation<'f>, Failure> {
    let (platform, app_version) = (fields.text("platform")?, fields.text("appVersion")?);
    let read = Activation::read(platform, fields.text("serialNumber")?, fields.text("activationCode")?, app_version);
    read.map_err(|refusal| match refusal.code {
        ErrorCode::AmbiguousInput if context.world.behaves(Behaviour::DeviceNothingAmbiguous) => Refusal::invalid(refusal.message).into(),
        _ => refusal.into(),
    })
}

fn is_known(context: Context<'_>, user: &Credentials) -> bool {
    context.world.merchants().find_where(|merchant| is_user_of(&merchant.settings, user)).is_some()
}

/// A user may be that of several merchants, and activates the connections of these only.
fn serves(context: Context<'_>, user: &Credentials, connection: &Connection) -> bool {
    context.world.merchants().find(&connection.merchant).is_some_and(|merchant| is_user_of(&merchant.settings, user))
}

fn is_user_of(settings: &MerchantSettings, user: &Credentials) -> bool {
    settings.device_user == user.merchant && settings.device_password == user.secret
}

fn activated<'c>(context: Context<'_>, connection: &'c mut Connection) -> Result<Activated<'c>, Failure> {
    let holder = Holder { device: connection.device_id(), generation: connection.device()?.generation };
    let connection = &*connection;
    Ok(Activated {
        device_token: context.world.devices().tokens().write(holder),
        device_id: holder.device,
        config_version: connection.config_version,
        connection_state: connection.state.as_str(),
        config: DeviceConfig::from_connection(connection, context.world.devices().min_app_version_code()),
    })
}
