//! The caller: by the device token, or by the short-lived one it was exchanged for.

use jiff::Timestamp;

use super::failure::Failure;
use crate::base::sync::lock;
use crate::common::freedoms::Behaviour;
use crate::device::core::token::{Claims, Holder};
use crate::device::core::{Connection, ErrorCode};
use crate::wire::{Context, bearer};

/// Runs an action on the connection whose device token the call carries.
pub(super) fn by_device_token<R>(
    context: Context<'_>,
    action: impl FnOnce(&mut Connection, Holder) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let token = bearer::token(&context.head.headers).ok_or_else(|| without_token(context))?;
    let holder = context.world.devices().tokens().read(token).ok_or(ErrorCode::Unauthorized)?;
    with_connection(context, holder, |connection| {
        connection.device()?.admit(holder.generation)?;
        action(connection, holder)
    })
}

/// What an exchange without a token is answered; whether such a device counts as revoked is not shown.
fn without_token(context: Context<'_>) -> ErrorCode {
    if context.world.behaves(Behaviour::TokenlessRevoked) { ErrorCode::DeviceRevoked } else { ErrorCode::Unauthorized }
}

/// Runs an action on the connection whose JWT the call carries.
pub(super) fn by_jwt<R>(context: Context<'_>, action: impl FnOnce(&mut Connection) -> Result<R, Failure>) -> Result<R, Failure> {
    let token = bearer::token(&context.head.headers).ok_or(ErrorCode::Unauthorized)?;
    let claims: Claims = context.world.devices().signer().verify(token).ok_or(ErrorCode::Unauthorized)?;
    with_connection(context, claims.holder, |connection| {
        connection.device()?.admit_claims(claims, context.world.now())?;
        action(connection)
    })
}

fn with_connection<R>(
    context: Context<'_>,
    holder: Holder,
    action: impl FnOnce(&mut Connection) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let connection = context.world.devices().with_device(holder.device).ok_or(ErrorCode::Unauthorized)?;
    let mut connection = lock(&connection);
    action(&mut connection)
}

/// Issues a JWT for the holder, with its expiry.
pub(super) fn issue(context: Context<'_>, holder: Holder) -> (String, Timestamp) {
    let iat = context.world.now().as_second();
    let exp = iat.saturating_add(i64::from(context.world.settings().device_token_seconds));
    (context.world.devices().signer().sign(&Claims { holder, iat, exp }), Timestamp::from_second(exp).unwrap_or(Timestamp::MAX))
}
