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
use http::{Method, StatusCode};

use self::refusals::{refused, unread, wrong_method};
pub(crate) use self::routes::{Endpoint, ROUTES};
use super::core::{Call, Interface};
use crate::common::{Code, Merchant, Refusal, TransId};
use crate::wire::{ApiResponse, BodyError, Context, Disconnected, Fields, PathParts, RequestBody, Route, request_faults};

/// Responds to a call of the gateway.
pub(crate) async fn respond(
    context: Context<'_>,
    route: &Route<Endpoint>,
    path: PathParts<'_>,
    body: impl RequestBody,
) -> Result<ApiResponse, Disconnected> {
    let Some(endpoint) = endpoint(context, route) else { return Ok(wrong_method(routes::interface(route))) };
    let response = |body: Result<Bytes, BodyError>| match body {
        Ok(body) => perform(context, endpoint, &path, &body),
        Err(error) => unread(endpoint.interface(), error),
    };
    request_faults::respond(context.world.faults(), endpoint.operation(), body, response).await
}

/// What a method of a path is answered by; tolerant worlds let status and methods of v1.0 be read by GET.
fn endpoint(context: Context<'_>, route: &Route<Endpoint>) -> Option<Endpoint> {
    let readable = |endpoint: &Endpoint| matches!(endpoint, Endpoint::V1(Call::Status) | Endpoint::Methods(Interface::V1));
    let read = || route.endpoint(&Method::POST).ok().filter(readable);
    let tolerated = context.world.settings().tolerant && context.head.method == Method::GET;
    route.endpoint(&context.head.method).ok().or_else(|| read().filter(|_| tolerated))
}

/// A payment in a path that can't be one is `None`.
fn perform(context: Context<'_>, endpoint: Endpoint, path: &PathParts<'_>, body: &[u8]) -> ApiResponse {
    let payment = || TransId::parse(path.get("transId"));
    match endpoint {
        Endpoint::V1(call) => v1::respond(context, call, body),
        Endpoint::V2(call) => v2::respond(context, call, payment(), body),
        Endpoint::Redirect => redirect::create(context, path.get("merchant"), body),
        Endpoint::Methods(interface) => {
            let listed = undocumented(context, interface, body, |fields, merchant| methods::list(context, fields, merchant));
            listed.unwrap_or_else(|refusal| methods::refused(undocumented_status(context, interface), &refusal))
        }
        Endpoint::Simulation(interface) => {
            let played = undocumented(context, interface, body, |fields, merchant| simulation::play(context, merchant, fields));
            let result = played.map_or_else(|refusal| refusal, |()| Refusal::from_code(Code::OK));
            let status = if result.code == Code::OK { StatusCode::OK } else { undocumented_status(context, interface) };
            refused(interface, status, &result)
        }
        Endpoint::Show => page::show(context, link::payment_of(context, path)),
        Endpoint::Press => page::press(context, link::payment_of(context, path), body),
    }
}

/// A call outside of the documents: merchant and secret as in those of its interface.
fn undocumented<T>(
    context: Context<'_>,
    interface: Interface,
    body: &[u8],
    call: impl FnOnce(&Fields<'_>, &Arc<Merchant>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let (fields, merchant) = match interface {
        Interface::V1 => v1::identified(context, body),
        Interface::V2 => v2::identified(context, body),
    }?;
    call(&fields, &merchant)
}

fn undocumented_status(context: Context<'_>, interface: Interface) -> StatusCode {
    match interface {
        Interface::V1 => StatusCode::OK,
        Interface::V2 => context.world.error_status(),
    }
}
