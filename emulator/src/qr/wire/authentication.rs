//! Tokens: obtained with user and password, shown with every other call.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::requests::read;
use super::responses::ok;
use crate::common::{Merchant, MerchantSettings};
use crate::qr::core::{Refusal, Violation};
use crate::wire::credentials::{self, Credentials};
use crate::wire::{ApiResponse, Context, bearer};

/// What a token says: which merchant it is bound to, and until when (seconds since 1970).
#[derive(Serialize, Deserialize)]
struct Claims {
    /// The merchant in this world, so that no search is needed.
    sub: String,
    mid: String,
    iat: i64,
    exp: i64,
}

#[derive(Serialize)]
struct Token {
    token: String,
    expiry: Timestamp,
}

/// Gives a token bound to the `mid` of the body.
pub(super) fn authenticate(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    let user = credentials::basic(&context.head.headers).filter(|user| is_known(context, user)).ok_or(Violation::WrongCredentials)?;
    let fields = read(context, body)?;
    let mid = fields.text("mid")?.ok_or(Violation::Missing("mid"))?;
    let merchant = context.world.merchants().find_where(|merchant| merchant.settings.mid == mid && is_user_of(&merchant.settings, &user));
    let merchant = merchant.ok_or(Violation::ForeignMerchant)?;
    Ok(ok(&issue(context, &merchant)))
}

fn is_known(context: Context<'_>, user: &Credentials) -> bool {
    context.world.merchants().find_where(|merchant| is_user_of(&merchant.settings, user)).is_some()
}

/// A business system may serve several merchants: the same user can be theirs.
fn is_user_of(settings: &MerchantSettings, user: &Credentials) -> bool {
    settings.qr_user == user.merchant && settings.qr_password == user.secret
}

fn issue(context: Context<'_>, merchant: &Merchant) -> Token {
    let iat = context.world.now().as_second();
    let exp = iat.saturating_add(i64::from(context.world.settings().qr_token_seconds));
    let token = context.world.qr().signer().sign(&Claims { sub: merchant.id().to_owned(), mid: merchant.settings.mid.clone(), iat, exp });
    Token { token, expiry: Timestamp::from_second(exp).unwrap_or(Timestamp::MAX) }
}

/// The merchant of the token that the call carries.
pub(super) fn admitted(context: Context<'_>) -> Result<Arc<Merchant>, Violation> {
    let token = bearer::token(&context.head.headers).ok_or(Violation::NoToken)?;
    let claims: Claims = context.world.qr().signer().verify(token).ok_or(Violation::NoToken)?;
    if context.world.now() >= Timestamp::from_second(claims.exp).unwrap_or(Timestamp::MAX) {
        return Err(Violation::TokenExpired);
    }
    context.world.merchants().find(&claims.sub).filter(|merchant| merchant.settings.mid == claims.mid).ok_or(Violation::NoToken)
}
