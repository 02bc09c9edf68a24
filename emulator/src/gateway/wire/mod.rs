//! The gateway over HTTP: routes, credentials, and the two syntaxes over one core.

mod link;
mod methods;
pub(crate) mod notification;
mod page;
mod preauth;
mod redirect;
mod refusals;
mod requests;
mod routes;
mod simulation;
mod status_record;
mod v1;
mod v2;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;

use self::refusals::{refused, unread, wrong_method};
pub(crate) use self::routes::{Endpoint, ROUTES};
use super::core::Interface;
use crate::common::{Code, Merchant, Refusal, TransId};
use crate::wire::{ApiResponse, BodyError, Context, Disconnected, Fields, PathParts, Route, request_faults};

/// Responds to a call of the gateway.
pub(crate) async fn respond<B>(
    context: Context<'_>,
    route: &Route<Endpoint>,
    path: PathParts<'_>,
    body: B,
) -> Result<ApiResponse, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Ok(endpoint) = route.endpoint(&context.head.method) else { return Ok(wrong_method(routes::interface(route))) };
    let response = |body: Result<Bytes, BodyError>| match body {
        Ok(body) => perform(context, endpoint, &path, &body),
        Err(error) => unread(endpoint.interface(), error),
    };
    request_faults::respond(context.world.faults(), endpoint.operation(), body, response).await
}

/// A payment in a path that can't be one is `None`.
fn perform(context: Context<'_>, endpoint: Endpoint, path: &PathParts<'_>, body: &[u8]) -> ApiResponse {
    let payment = || TransId::parse(path.get("transId"));
    match endpoint {
        Endpoint::V1(call) => v1::respond(context, call, body),
        Endpoint::V2(call) => v2::respond(context, call, payment(), body),
        Endpoint::Redirect => redirect::create(context, path.get("merchant"), body),
        Endpoint::Methods(interface) => undocumented(context, interface, body, |_, merchant| Ok(methods::list(merchant))),
        Endpoint::Simulation(interface) => undocumented(context, interface, body, |fields, merchant| {
            simulation::play(context, merchant, fields)?;
            Ok(refused(interface, StatusCode::OK, &Refusal::from_code(Code::OK)))
        }),
        Endpoint::Show => page::show(context, payment()),
        Endpoint::Press => page::press(context, payment(), body),
    }
}

/// A call outside of the documents: merchant and secret as in those of its interface.
fn undocumented(
    context: Context<'_>,
    interface: Interface,
    body: &[u8],
    call: impl FnOnce(&Fields<'_>, &Arc<Merchant>) -> Result<ApiResponse, Refusal>,
) -> ApiResponse {
    let identified = match interface {
        Interface::V1 => v1::identified(context, body),
        Interface::V2 => v2::identified(context, body),
    };
    let status = match interface {
        Interface::V1 => StatusCode::OK,
        Interface::V2 => context.world.error_status(),
    };
    identified.and_then(|(fields, merchant)| call(&fields, &merchant)).unwrap_or_else(|refusal| refused(interface, status, &refusal))
}
