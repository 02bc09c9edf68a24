//! The table of all paths, and what serves them.

use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::response::IntoResponse as _;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};
use http_body_util::Full;

use crate::common::{Code, Refusal};
use crate::device::wire as device;
use crate::gateway::wire as gateway;
use crate::qr::wire as qr;
use crate::status::wire as status;
use crate::terminal::wire as terminal;
use crate::transfers::wire as transfers;
use crate::wire::result::{form_refusal, json_refusal};
use crate::wire::routes::Router;
use crate::wire::shape::{self, IdentifierSpelling};
use crate::wire::{ApiResponse, Caller, Context, Disconnected, Route, body};
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
    gateway::ROUTES.iter().for_each(|route| router.add(route.path, ApiRoute::Gateway(route)));
    status::ROUTES.iter().for_each(|route| router.add(route.path, ApiRoute::Status(route)));
    terminal::ROUTES.iter().for_each(|route| router.add(route.path, ApiRoute::Terminal(route)));
    transfers::ROUTES.iter().for_each(|route| router.add(route.path, ApiRoute::Transfers(route)));
    qr::ROUTES.iter().for_each(|route| router.add(route.path, ApiRoute::Qr(route)));
    device::ROUTES.iter().for_each(|route| router.add(route.path, ApiRoute::Device(route)));
    router
});

/// Responds to a call of any API but the control API.
pub(crate) async fn serve<B>(worlds: &Worlds, caller: Caller, request: http::Request<B>) -> Result<Response<Body>, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (mut head, body) = request.into_parts();
    let (world, path) = split_world(head.uri.path());
    let Some(world) = worlds.find(world) else { return Ok(not_found("There is no such world.")) };
    if world.settings().tolerant && transfers::v1::is_call(path) {
        let body = body::read(body).await.unwrap_or_default();
        transfers::v1::translate(&mut head, &body);
        return respond(&world, caller, &head, Full::new(Bytes::new())).await;
    }
    let Some(identifiers) = IdentifierSpelling::chosen_in(world.freedoms()) else { return respond(&world, caller, &head, body).await };
    let translated = identifiers.inward_text(&head.uri.to_string()).parse();
    head.uri = translated.unwrap_or(head.uri);
    let body = body::read(body).await.unwrap_or_default();
    respond(&world, caller, &head, Full::new(identifiers.inward(&body))).await
}

/// Responds within a world.
async fn respond<B>(world: &Arc<World>, caller: Caller, head: &Parts, body: B) -> Result<Response<Body>, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (_, path) = split_world(head.uri.path());
    let Some((route, path)) = ROUTER.find(path) else {
        return Ok(nothing_at(path));
    };
    if world.freedoms().hide(route.operation(&head.method)) {
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
    let response = with_allow(response, route);
    if world.freedoms().is_empty() {
        return Ok(response);
    }
    Ok(shape::response(world.freedoms(), route.operation(&head.method), response).await)
}

/// "The origin server MUST generate an Allow header field in a 405 response" (RFC 9110, 15.5.6).
fn with_allow(mut response: Response<Body>, route: &ApiRoute) -> Response<Body> {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED
        && let Ok(methods) = HeaderValue::from_str(&route.methods().join(", "))
    {
        response.headers_mut().insert(header::ALLOW, methods);
    }
    response
}

impl ApiRoute {
    /// The methods that the path takes.
    fn methods(&self) -> Vec<&'static str> {
        match self {
            Self::Gateway(route) => route.method_names(),
            Self::Status(route) => route.method_names(),
            Self::Terminal(route) => route.method_names(),
            Self::Transfers(route) => route.method_names(),
            Self::Qr(route) => route.method_names(),
            Self::Device(route) => route.method_names(),
        }
    }

    /// The name of the operation behind the path, as freedoms know it; a method that the path doesn't take has that of its API.
    fn operation(&self, method: &Method) -> &'static str {
        match self {
            Self::Gateway(route) => route.endpoint(method).map_or("gateway", gateway::Endpoint::name),
            Self::Status(route) => route.endpoint(method).map_or("status", status::Call::name),
            Self::Terminal(route) => route.endpoint(method).map_or("terminal", crate::terminal::core::Call::name),
            Self::Transfers(route) => route.endpoint(method).map_or("transfers", crate::transfers::core::Call::name),
            Self::Qr(route) => route.endpoint(method).map_or("qr", qr::Endpoint::name),
            Self::Device(route) => route.endpoint(method).map_or("device", crate::device::core::Call::as_str),
        }
    }
}

/// The world a path is in, and the path within it.
fn split_world(path: &str) -> (&str, &str) {
    let Some(rest) = path.strip_prefix("/w/") else { return (DEFAULT_WORLD, path) };
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

/// "Every call answers with `code` and `message`": clients of the gateway read those of a mistyped path as well.
fn nothing_at(path: &str) -> Response<Body> {
    let sentence = "there is nothing at this path; the control API is at /__emulator/openapi.yaml";
    let refusal = || Refusal { code: Code::BAD_REQUEST, message: format!("{}: {sentence}", Code::BAD_REQUEST.meaning()) };
    if path.starts_with("/v1.0/") {
        form_refusal(StatusCode::NOT_FOUND, &refusal()).into_response()
    } else if path.starts_with("/v2.0/") {
        json_refusal(StatusCode::NOT_FOUND, &refusal()).into_response()
    } else {
        not_found(sentence)
    }
}

fn not_found(sentence: &str) -> Response<Body> {
    ApiResponse::error(StatusCode::NOT_FOUND, sentence).into_response()
}

#[cfg(test)]
mod tests;
