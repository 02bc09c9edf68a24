//! The calls: each reads its request, authenticates the caller and runs the core.

use http::StatusCode;
use serde::Serialize;

use super::activate::activate;
use super::authentication::{by_device_token, by_jwt, issue};
use super::failure::{Failure, ok};
use super::requests::{check_json, read_batch, read_optional_fields, read_since};
use crate::base::sync::read;
use crate::common::freedoms::Behaviour;
use crate::device::core::config::DeviceConfig;
use crate::device::core::debug_logs::DebugLogs;
use crate::device::core::payment_codes::PaymentCodes;
use crate::device::core::token_exchange::TokenExchange;
use crate::device::core::upload::{Rejected, Upload, UploadReceipt};
use crate::device::core::{Call, Device, Refusal, transaction};
use crate::wire::{ApiResponse, Context};

/// Carries a call out, unless a fault meets it.
pub(super) fn perform(context: Context<'_>, call: Call, body: &[u8]) -> Result<ApiResponse, Failure> {
    let sends = match call {
        Call::Activate | Call::Transactions | Call::Closings | Call::Logs => true,
        Call::Authenticate => !body.is_empty(),
        Call::Config | Call::PaymentCodes | Call::Catalog | Call::Ping => false,
    };
    if sends {
        check_json(context, body)?;
    }
    if let Some(fault) = context.world.devices().faults().take_refusal(call) {
        return Err(fault.into());
    }
    match call {
        Call::Activate => activate(context, body),
        Call::Authenticate => authenticate(context, body),
        Call::Config => config(context),
        Call::PaymentCodes => payment_codes(context),
        Call::Transactions => transactions(context, body),
        Call::Closings => closings(context, body),
        Call::Logs => logs(context, body),
        Call::Catalog => catalog(context),
        Call::Ping => ping(context),
    }
}

/// Whether the liveness check needs a token is not shown.
fn ping(context: Context<'_>) -> Result<ApiResponse, Failure> {
    if context.world.behaves(Behaviour::DevicePingNeedsToken) {
        by_jwt(context, |_| Ok(()))?;
    }
    Ok(ApiResponse::empty(StatusCode::OK))
}

fn authenticate(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Failure> {
    by_device_token(context, |connection, holder| {
        let fields = read_optional_fields(body)?;
        connection.device()?.exchange(fields.text("appVersion")?)?;
        let devices = context.world.devices();
        let catalog_version = read(&devices.organization(&connection.merchant).catalog).version();
        let marker = codes(context, connection.device()?).marker();
        let versions = (catalog_version, marker, devices.min_app_version_code());
        Ok(ok(&TokenExchange::new(connection, issue(context, holder), versions)))
    })
}

fn config(context: Context<'_>) -> Result<ApiResponse, Failure> {
    by_jwt(context, |connection| Ok(ok(&DeviceConfig::from_connection(connection, context.world.devices().min_app_version_code()))))
}

/// The codes that a device is given: whether those of other devices are among them, is not shown.
fn codes<'d>(context: Context<'_>, device: &'d mut Device) -> &'d PaymentCodes {
    if context.world.behaves(Behaviour::CodesOfOthers) {
        device.payment_codes.include_others(context.world.now());
    }
    &device.payment_codes
}

fn payment_codes(context: Context<'_>) -> Result<ApiResponse, Failure> {
    by_jwt(context, |connection| {
        let since = read_since(context)?;
        let now = context.world.now();
        let codes = codes(context, connection.device()?);
        let matched = codes.since(since, now);
        let matched = if context.world.behaves(Behaviour::CodesInPages) { matched.first_page() } else { matched };
        Ok(if context.world.behaves(Behaviour::CodesInArrays) { ok(&matched.in_arrays()) } else { ok(&matched) })
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

fn transactions(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Failure> {
    by_jwt(context, |connection| {
        let batch = read_transactions(context, body)?;
        if context.world.behaves(Behaviour::DeviceBatchWhole) {
            check_all(|trial| Ok(trial.upload_transactions(read_transactions(context, body)?, None).rejected))?;
        }
        let beyond = if context.world.behaves(Behaviour::BatchBeyondRejected) { batch.beyond(transaction::MOST) } else { Vec::new() };
        let device = connection.device()?;
        let mut receipt: UploadReceipt = device.upload_transactions(batch, context.world.devices().keep());
        receipt.rejected.extend(beyond);
        Ok(ok(&Synced { receipt, request_debug_logs: device.debug_logs }))
    })
}

/// "Only the limit was processed": which part of a larger batch that is, is not said.
fn read_transactions(context: Context<'_>, body: &[u8]) -> Result<Upload, Failure> {
    let mut batch = read_batch(body, "transactions")?;
    if context.world.behaves(Behaviour::DeviceBatchEnd) {
        batch.end_first(transaction::MOST);
    }
    Ok(batch)
}

/// Refuses a batch of which any record would be rejected.
fn check_all(upload: impl FnOnce(&mut Device) -> Result<Vec<Rejected>, Failure>) -> Result<(), Failure> {
    match upload(&mut Device::default())?.first() {
        Some(rejected) => Err(Refusal::invalid(rejected.error_message).into()),
        None => Ok(()),
    }
}

fn closings(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Failure> {
    by_jwt(context, |connection| {
        let batch = read_batch(body, "closings")?;
        let device = connection.device()?;
        let receipt = device.upload_closings(batch, context.world.devices().keep());
        Ok(ok(&Synced { receipt, request_debug_logs: device.debug_logs }))
    })
}

/// The number of logs taken. The response is not shown in the document.
#[derive(Serialize)]
struct Taken {
    accepted: usize,
}

fn logs(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Failure> {
    by_jwt(context, |connection| {
        let batch = read_batch(body, "logs")?;
        let device = connection.device()?;
        let receipt = Taken { accepted: device.upload_logs(batch, context.world.devices().keep()) };
        Ok(ok(&Synced { receipt, request_debug_logs: device.debug_logs }))
    })
}

fn catalog(context: Context<'_>) -> Result<ApiResponse, Failure> {
    by_jwt(context, |connection| Ok(ok(&*read(&context.world.devices().organization(&connection.merchant).catalog))))
}
