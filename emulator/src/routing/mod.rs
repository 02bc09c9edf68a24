//! The table of all paths, and what serves them.

use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::response::IntoResponse as _;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};
use http_body_util::Full;

use crate::common::freedoms::Behaviour;
use crate::common::{Code, Refusal};
use crate::control::CONSOLE;
use crate::device::wire as device;
use crate::gateway::wire as gateway;
use crate::qr::wire as qr;
use crate::status::wire as status;
use crate::terminal::wire as terminal;
use crate::transfers::wire as transfers;
use crate::wire::body::{self, ReadBody};
use crate::wire::result::{form_refusal, json_refusal};
use crate::wire::routes::{PathInfo, Router};
use crate::wire::shape::{self, IdentifierSpelling};
use crate::wire::{ApiResponse, Caller, Context, Disconnected, RequestBody, Route};
use crate::world::{DEFAULT_WORLD, World, Worlds};

/// A route of one of the APIs.
#[derive(Clone, Copy)]
enum ApiRoute {
    Gateway(&'static Route<gateway::Endpoint>),
    Status(&'static Route<status::Call>),
    Terminal(&'static Route<crate::terminal::core::Call>),
    Transfers(&'static Route<crate::transfers::core::Call>),
    Qr(&'static Route<qr::Endpoint>),
    Device(&'static Route<crate::device::core::Call>),
}

/// The paths of all APIs but the control API, within a world.
static ROUTER: LazyLock<Router<ApiRoute>> = LazyLock::new(|| {
    let mut router = Router::new();
    add(&mut router, gateway::ROUTES, ApiRoute::Gateway);
    add(&mut router, status::ROUTES, ApiRoute::Status);
    add(&mut router, terminal::ROUTES, ApiRoute::Terminal);
    add(&mut router, transfers::ROUTES, ApiRoute::Transfers);
    add(&mut router, qr::ROUTES, ApiRoute::Qr);
    add(&mut router, device::ROUTES, ApiRoute::Device);
    router
});

fn add<E>(router: &mut Router<ApiRoute>, routes: &'static [Route<E>], of_api: fn(&'static Route<E>) -> ApiRoute) {
    routes.iter().for_each(|route| router.add(route.path, of_api(route)));
}

/// Responds to a call of any API but the control API.
pub(crate) async fn serve(
    worlds: &Worlds,
    caller: Caller,
    request: http::Request<impl RequestBody>,
) -> Result<Response<Body>, Disconnected> {
    let (mut head, body) = request.into_parts();
    let (world, path) = split_world(head.uri.path());
    let Some(world) = worlds.find(world) else { return Ok(not_found("there is no such world; `POST /__emulator/worlds` opens one")) };
    if world.settings().tolerant && transfers::v1::is_call(path) {
        return match body::read(body).await {
            Ok(parameters) => {
                transfers::v1::translate(&mut head, &parameters);
                respond(&world, caller, &head, Full::new(Bytes::new())).await
            }
            Err(error) => Ok(transfers::v1::unread(error)),
        };
    }
    if world.behaves(Behaviour::QrIdsNumbers) {
        let translated = shape::numbers::inward_address(&head.uri.to_string()).parse();
        head.uri = translated.unwrap_or(head.uri);
    }
    let Some(identifiers) = IdentifierSpelling::chosen_in(world.freedoms()) else { return respond(&world, caller, &head, body).await };
    let translated = identifiers.inward_text(&head.uri.to_string()).parse();
    head.uri = translated.unwrap_or(head.uri);
    let body = body::read(body).await.map(|body| identifiers.inward(&body));
    respond(&world, caller, &head, ReadBody::new(body)).await
}

/// Responds within a world.
async fn respond(world: &Arc<World>, caller: Caller, head: &Parts, body: impl RequestBody) -> Result<Response<Body>, Disconnected> {
    let (_, path) = split_world(head.uri.path());
    let refused = world.behaves(Behaviour::UnknownPathsRefused);
    let Some((route, path)) = ROUTER.find(path) else {
        let is_looked_at = matches!(path, "" | "/") && matches!(head.method, Method::GET | Method::HEAD);
        return Ok(if is_looked_at { console_of(world) } else { nothing_at(path, status_of_nothing(refused)) });
    };
    let operation = route.info().operation_name(&head.method);
    if refused && NOT_SHOWN.contains(&operation) {
        return Ok(nothing_at(split_world(head.uri.path()).1, StatusCode::OK));
    }
    if world.freedoms().hide(operation) {
        return Ok(StatusCode::NOT_FOUND.into_response());
    }
    let context = Context { world, caller, head };
    let response = match *route {
        ApiRoute::Gateway(route) => gateway::respond(context, route, path, body).await?.into_response(),
        ApiRoute::Status(route) => status::respond(context, route).into_response(),
        ApiRoute::Terminal(route) => terminal::respond(context, route, path, body).await?.into_response(),
        ApiRoute::Transfers(route) => transfers::respond(context, route, path, body).await?,
        ApiRoute::Qr(route) => qr::respond(context, route, path, body).await?.into_response(),
        ApiRoute::Device(route) => device::respond(context, route, body).await?.into_response(),
    };
    let response = with_allow(response, *route);
    if world.freedoms().is_empty() {
        return Ok(response);
    }
    Ok(shape::response(world.freedoms(), operation, response).await)
}

/// "The origin server MUST generate an Allow header field in a 405 response" (RFC 9110, 15.5.6).
fn with_allow(mut response: Response<Body>, route: ApiRoute) -> Response<Body> {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED
        && let Ok(methods) = HeaderValue::from_str(&route.info().methods().join(", "))
    {
        response.headers_mut().insert(header::ALLOW, methods);
    }
    response
}

impl ApiRoute {
    /// What is known of the route, whatever its API is.
    fn info(self) -> &'static dyn PathInfo {
        match self {
            Self::Gateway(route) => route,
            Self::Status(route) => route,
            Self::Terminal(route) => route,
            Self::Transfers(route) => route,
            Self::Qr(route) => route,
            Self::Device(route) => route,
        }
    }
}

/// The world a path is in, and the path within it.
fn split_world(path: &str) -> (&str, &str) {
    let Some(rest) = path.strip_prefix("/w/") else { return (DEFAULT_WORLD, path) };
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

/// The name of the world that a path is in.
pub(crate) fn world_of(path: &str) -> &str {
    split_world(path).0
}

/// The root of a world redirects a browser to its console.
fn console_of(world: &World) -> Response<Body> {
    ApiResponse::redirect(&format!("{CONSOLE}{}", world.name())).into_response()
}

/// Calls of a payment whose path the documents do not show.
const NOT_SHOWN: [&str; 6] = [
    "gateway.v1.cancelPreauth",
    "gateway.v2.refund",
    "gateway.v2.recurring",
    "gateway.v2.refundPos",
    "gateway.v2.capturePreauth",
    "gateway.v2.cancelPreauth",
];

/// What an unknown path has for a status: the documents show none.
fn status_of_nothing(refused: bool) -> StatusCode {
    if refused { StatusCode::OK } else { StatusCode::NOT_FOUND }
}

/// "Every call answers with `code` and `message`": clients of the gateway read those of a mistyped path as well.
fn nothing_at(path: &str, status: StatusCode) -> Response<Body> {
    let sentence = "there is nothing at this path; the control API is at /__emulator/openapi.yaml";
    let refusal = || Refusal { code: Code::BAD_REQUEST, message: format!("{}: {sentence}", Code::BAD_REQUEST.meaning()) };
    if path.starts_with("/v1.0/") {
        form_refusal(status, &refusal()).into_response()
    } else if path.starts_with("/v2.0/") {
        json_refusal(status, &refusal()).into_response()
    } else {
        not_found(sentence)
    }
}

fn not_found(sentence: &str) -> Response<Body> {
    ApiResponse::error(StatusCode::NOT_FOUND, sentence).into_response()
}

#[cfg(test)]
mod tests;
