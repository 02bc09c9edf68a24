//! Each call: who calls, what is asked, what the core says.

use http::StatusCode;
use serde::Serialize;

use super::activate::activate;
use super::authentication::{by_device_token, by_jwt, issue};
use super::requests::{check_json, read_batch, read_optional_fields, read_since};
use super::{Context, DeviceCall, Failure, ok};
use crate::device::core::batch::Receipt;
use crate::device::core::config::Config;
use crate::device::core::debug_logs::DebugLogs;
use crate::device::core::device::Exchanged;
use crate::sync::read;
use crate::wire::Reply;

/// Carries a call out, unless a fault strikes it.
pub(super) fn perform(context: Context<'_>, call: DeviceCall, body: &[u8]) -> Result<Reply, Failure> {
    let sends = match call {
        DeviceCall::Activate | DeviceCall::Transactions | DeviceCall::Closings | DeviceCall::Logs => true,
        DeviceCall::Authenticate => !body.is_empty(),
        DeviceCall::Config | DeviceCall::PaymentCodes | DeviceCall::Catalog | DeviceCall::Ping => false,
    };
    if sends {
        check_json(context, body)?;
    }
    if let Some(fault) = context.world.fleet().faults().strike(call) {
        return Err(fault.into());
    }
    match call {
        DeviceCall::Activate => activate(context, body),
        DeviceCall::Authenticate => authenticate(context, body),
        DeviceCall::Config => config(context),
        DeviceCall::PaymentCodes => payment_codes(context),
        DeviceCall::Transactions => transactions(context, body),
        DeviceCall::Closings => closings(context, body),
        DeviceCall::Logs => logs(context, body),
        DeviceCall::Catalog => catalog(context),
        DeviceCall::Ping => Ok(Reply::empty(StatusCode::OK)),
    }
}

fn authenticate(context: Context<'_>, body: &[u8]) -> Result<Reply, Failure> {
    by_device_token(context, |connection, holder| {
        let fields = read_optional_fields(body)?;
        connection.device()?.exchange(fields.text("appVersion")?)?;
        let fleet = context.world.fleet();
        let catalog_version = read(&fleet.organization(&connection.merchant).catalog).version();
        Ok(ok(&Exchanged::of(connection, issue(context, holder), catalog_version, fleet.min_app_version_code())))
    })
}

fn config(context: Context<'_>) -> Result<Reply, Failure> {
    by_jwt(context, |connection| Ok(ok(&Config::of(connection, context.world.fleet().min_app_version_code()))))
}

fn payment_codes(context: Context<'_>) -> Result<Reply, Failure> {
    by_jwt(context, |connection| {
        let since = read_since(context.head)?;
        Ok(ok(&connection.device()?.payment_codes.since(since, context.world.now())))
    })
}

/// "The command repeats in authenticate and sync responses until done": uploads are the syncs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Synced<R> {
    #[serde(flatten)]
    receipt: R,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_debug_logs: Option<DebugLogs>,
}

fn transactions(context: Context<'_>, body: &[u8]) -> Result<Reply, Failure> {
    by_jwt(context, |connection| {
        let batch = read_batch(body, "transactions")?;
        let device = connection.device()?;
        let receipt: Receipt = device.upload_transactions(batch, context.world.fleet().keep());
        Ok(ok(&Synced { receipt, request_debug_logs: device.debug_logs }))
    })
}

fn closings(context: Context<'_>, body: &[u8]) -> Result<Reply, Failure> {
    by_jwt(context, |connection| {
        let batch = read_batch(body, "closings")?;
        let device = connection.device()?;
        let receipt = device.upload_closings(batch, context.world.fleet().keep());
        Ok(ok(&Synced { receipt, request_debug_logs: device.debug_logs }))
    })
}

/// How many logs were taken. The answer is not shown in the document.
#[derive(Serialize)]
struct Taken {
    accepted: usize,
}

fn logs(context: Context<'_>, body: &[u8]) -> Result<Reply, Failure> {
    by_jwt(context, |connection| {
        let batch = read_batch(body, "logs")?;
        let device = connection.device()?;
        let receipt = Taken { accepted: device.upload_logs(batch, context.world.fleet().keep()) };
        Ok(ok(&Synced { receipt, request_debug_logs: device.debug_logs }))
    })
}

fn catalog(context: Context<'_>) -> Result<Reply, Failure> {
    by_jwt(context, |connection| Ok(ok(&*read(&context.world.fleet().organization(&connection.merchant).catalog))))
}
