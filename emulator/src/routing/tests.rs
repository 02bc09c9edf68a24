//! Paths and methods, and what serves them.

use http::Method;

use super::*;
use crate::app::AppState;
use crate::common::freedoms::FreedomSettings;
use crate::gateway::core::{Call, Interface};
use crate::wire::NoEndpoint;
use crate::world::WorldSettings;

/// What serves a path: an API, an endpoint or why there is none, and the variable parts of the path.
type Served = (&'static str, Result<String, NoEndpoint>, String);

fn served(method: &Method, path: &str) -> Option<Served> {
    const PARTS: [&str; 6] = ["transId", "transRefundId", "merchant", "file", "date", "transferId"];
    let (route, parts) = ROUTER.find(path)?;
    let parts = PARTS.map(|name| parts.get(name)).into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(match *route {
        ApiRoute::Gateway(route) => ("gateway", route.endpoint(method).map(|endpoint| format!("{endpoint:?}")), parts),
        ApiRoute::Status(route) => ("status", route.endpoint(method).map(|call| format!("{call:?}")), parts),
        ApiRoute::Terminal(route) => ("terminal", route.endpoint(method).map(|call| format!("{call:?}")), parts),
        ApiRoute::Transfers(route) => ("transfers", route.endpoint(method).map(|call| format!("{call:?}")), parts),
        ApiRoute::Qr(route) => ("qr", route.endpoint(method).map(|endpoint| format!("{endpoint:?}")), parts),
        ApiRoute::Device(route) => ("device", route.endpoint(method).map(|call| format!("{call:?}")), parts),
    })
}

fn expect(method: &Method, path: &str, api: &'static str, endpoint: &str, parts: &str) {
    assert_eq!(served(method, path), Some((api, Ok(endpoint.to_owned()), parts.to_owned())), "{method} {path}");
}

fn refuse(method: &Method, path: &str, api: &'static str, error: NoEndpoint) {
    assert_eq!(served(method, path).map(|(api, endpoint, _)| (api, endpoint)), Some((api, Err(error))), "{method} {path}");
}

#[test]
fn a_world_is_the_first_part_of_its_paths() {
    assert_eq!(split_world("/v1.0/create"), ("default", "/v1.0/create"));
    assert_eq!(split_world("/w/abc/v1.0/create"), ("abc", "/v1.0/create"));
    assert_eq!(split_world("/w/abc"), ("abc", ""));
}

#[test]
fn every_path_of_every_table_is_served_by_its_api() {
    let paths = |api: &'static str, paths: Vec<&'static str>| paths.into_iter().map(move |path| (api, path));
    let tables = [
        paths("gateway", gateway::ROUTES.iter().map(|route| route.path).collect()),
        paths("status", status::ROUTES.iter().map(|route| route.path).collect()),
        paths("terminal", terminal::ROUTES.iter().map(|route| route.path).collect()),
        paths("transfers", transfers::ROUTES.iter().map(|route| route.path).collect()),
        paths("qr", qr::ROUTES.iter().map(|route| route.path).collect()),
        paths("device", device::ROUTES.iter().map(|route| route.path).collect()),
    ];
    for (api, pattern) in tables.into_iter().flatten() {
        let path = pattern.replace(['{', '}', '*', '?'], "");
        assert_eq!(served(&Method::GET, &path).map(|(api, ..)| api), Some(api), "{pattern}");
    }
}

#[test]
fn paths_of_the_gateway_are_those_of_the_document() {
    for (method, path, endpoint, parts) in [
        (Method::POST, "/v1.0/create", gateway::Endpoint::V1(Call::Create), ""),
        (Method::POST, "/v1.0/refundPos", gateway::Endpoint::V1(Call::RefundPos), ""),
        (Method::POST, "/v1.0/methods", gateway::Endpoint::Methods(Interface::V1), ""),
        (Method::POST, "/v2.0/payment.json", gateway::Endpoint::V2(Call::Create), ""),
        (Method::GET, "/v2.0/payment/transId/AB12-CD34-EF56.json", gateway::Endpoint::V2(Call::Status), "AB12-CD34-EF56"),
        (Method::DELETE, "/v2.0/payment/transId/AB12-CD34-EF56.json", gateway::Endpoint::V2(Call::Cancel), "AB12-CD34-EF56"),
        (Method::GET, "/v2.0/payment/transId/.json", gateway::Endpoint::V2(Call::Status), ""),
        (Method::PUT, "/v2.0/preauth/transId/AB12-CD34-EF56.json", gateway::Endpoint::V2(Call::CapturePreauth), "AB12-CD34-EF56"),
        (Method::DELETE, "/v2.0/preauth/transId/nonsense.json", gateway::Endpoint::V2(Call::CancelPreauth), "nonsense"),
        (Method::GET, "/v2.0/paymentRedirect/merchant/100001", gateway::Endpoint::Redirect, "100001"),
        (Method::POST, "/v2.0/paymentRedirect/merchant/a/b", gateway::Endpoint::Redirect, "a/b"),
        (Method::GET, "/v2.0/paymentRedirect/merchant/", gateway::Endpoint::Redirect, ""),
        (Method::GET, "/AB12-CD34-EF56", gateway::Endpoint::Show, "AB12-CD34-EF56"),
        (Method::HEAD, "/AB12-CD34-EF56", gateway::Endpoint::Show, "AB12-CD34-EF56"),
        (Method::POST, "/AB12-CD34-EF56", gateway::Endpoint::Press, "AB12-CD34-EF56"),
        (Method::GET, "/v2.0", gateway::Endpoint::Show, "v2.0"),
        (Method::GET, "/pos", gateway::Endpoint::Show, "pos"),
        (Method::GET, "/cre%61te", gateway::Endpoint::Show, "cre%61te"),
    ] {
        expect(&method, path, "gateway", &format!("{endpoint:?}"), parts);
    }
}

#[test]
fn paths_of_the_other_apis_are_those_of_the_documents_and_of_the_assumptions() {
    for (method, path, api, call, parts) in [
        (Method::GET, "/outages", "status", "Outages", ""),
        (Method::GET, "/health", "status", "Health", ""),
        (Method::POST, "/v2.0/terminalPayment.json", "terminal", "Create", ""),
        (Method::GET, "/v2.0/terminalPayment/transId/ABC-123-DEF-456.json", "terminal", "Status", "ABC-123-DEF-456"),
        (Method::DELETE, "/v2.0/terminalPayment/transId/x.json", "terminal", "Cancel", "x"),
        (Method::POST, "/v2.0/terminalRefund.json", "terminal", "RefundCreate", ""),
        (Method::GET, "/v2.0/terminalRefund/transId/x.json", "terminal", "RefundStatus", "x"),
        (Method::DELETE, "/v2.0/terminalRefund/transId/x.json", "terminal", "RefundCancel", "x"),
        (Method::GET, "/v2.0/terminal.json", "terminal", "State", ""),
        (Method::POST, "/v2.0/terminalClosing.json", "terminal", "Closing", ""),
        (Method::GET, "/v2.0/transferList/date/2026-01-16.json", "transfers", "List", "2026-01-16"),
        (Method::GET, "/v2.0/singleTransfer/transferId/7.json", "transfers", "Detail", "7"),
        (Method::GET, "/v2.0/csvSingleTransfer/transferId/7.json", "transfers", "Csv", "7"),
        (Method::GET, "/v2.0/aboSingleTransfer/transferId/7.json", "transfers", "Abo", "7"),
        (Method::GET, "/v2.0/csvDownload/date/2026-01-16", "transfers", "CsvDay", "2026-01-16"),
        (Method::GET, "/v2.0/aboDownload/date/2026-01-16", "transfers", "AboDay", "2026-01-16"),
        (Method::POST, "/pos/auth-api/authenticate", "qr", "Call(Authenticate)", ""),
        (Method::GET, "/pos/auth-api/ping", "qr", "Call(AuthPing)", ""),
        (Method::GET, "/pos/qr-api/ping", "qr", "Call(Ping)", ""),
        (Method::POST, "/pos/qr-api/methods", "qr", "Call(Methods)", ""),
        (Method::POST, "/pos/qr-api/payment", "qr", "Call(Create)", ""),
        (Method::GET, "/pos/qr-api/payment/a", "qr", "Call(Status)", "a"),
        (Method::GET, "/pos/qr-api/payment/", "qr", "Call(Status)", ""),
        (Method::POST, "/pos/qr-api/payment/a/cancel", "qr", "Call(Cancel)", "a"),
        (Method::POST, "/pos/qr-api/payment//cancel", "qr", "Call(Cancel)", ""),
        (Method::POST, "/pos/qr-api/payment/a/method", "qr", "Call(ChangeMethod)", "a"),
        (Method::POST, "/pos/qr-api/payment/a/extend", "qr", "Call(Extend)", "a"),
        (Method::POST, "/pos/qr-api/payment/a/refund", "qr", "Call(CreateRefund)", "a"),
        (Method::GET, "/pos/qr-api/payment/a/refund/b", "qr", "Call(RefundStatus)", "a b"),
        (Method::GET, "/pos/qr-api/payment/a/refund/", "qr", "Call(RefundStatus)", "a"),
        (Method::GET, "/pos/qr-api/logo/x.png", "qr", "Logo", "x.png"),
        (Method::HEAD, "/pos/qr-api/logo/", "qr", "Logo", ""),
        (Method::GET, "/pos/qr-api/logo/a/b.png", "qr", "Logo", "a/b.png"),
        (Method::POST, "/pos/pokladna-api/activate", "device", "Activate", ""),
        (Method::GET, "/pos/pokladna-api/transactions", "device", "PaymentCodes", ""),
        (Method::POST, "/pos/pokladna-api/transactions", "device", "Transactions", ""),
    ] {
        expect(&method, path, api, call, parts);
    }
}

#[test]
fn other_paths_are_served_by_no_api() {
    for path in [
        "",
        "/",
        "//",
        "/v1.0/",
        "/v1.0/create/",
        "/v1.0/Create",
        "/v1.0/cre%61te",
        "/v2.0/payment",
        "/v2.0/payment/transId/",
        "/v2.0/payment/transId/a/b.json",
        "/v2.0/payment/transId/AB12-CD34-EF56",
        "/v2.0/paymentRedirect/merchant",
        "/v3.0/create",
        "/v2.0/terminal",
        "/v1.0/terminal.json",
        "/v2.0/terminalPayment/transId/.json",
        "/v2.0/terminalPayment/transId/a/b.json",
        "/v2.0/transferList/date/2026-01-16",
        "/v2.0/transferList/date/.json",
        "/v2.0/csvDownload/date/",
        "/v2.0/singleTransfer/transferId/1/2.json",
        "/outages/",
        "/health/x",
    ] {
        assert_eq!(served(&Method::GET, path), None, "{path}");
    }
}

#[test]
fn other_paths_under_pos_are_refused_by_their_api() {
    for path in [
        "/pos/",
        "/pos/ping",
        "/pos/qr-api",
        "/pos/qr-api/",
        "/pos/qr-api/payments",
        "/pos/qr-api/payment/a/",
        "/pos/qr-api/payment/a/b",
        "/pos/qr-api/payment/a/refund/b/c",
        "/pos/qr-api/logo",
        "/pos/pokladna-api",
    ] {
        refuse(&Method::GET, path, "qr", NoEndpoint::Path);
    }
    for path in ["/pos/pokladna-api/", "/pos/pokladna-api/configs", "/pos/pokladna-api/config/", "/pos/pokladna-api/activate/1"] {
        refuse(&Method::GET, path, "device", NoEndpoint::Path);
    }
}

#[test]
fn other_methods_are_refused_by_their_api() {
    for (method, path, api) in [
        (Method::GET, "/v1.0/create", "gateway"),
        (Method::PUT, "/v2.0/payment.json", "gateway"),
        (Method::POST, "/v2.0/payment/transId/a.json", "gateway"),
        (Method::GET, "/v2.0/preauth/transId/a.json", "gateway"),
        (Method::DELETE, "/v2.0/paymentRedirect/merchant/1", "gateway"),
        (Method::DELETE, "/AB12-CD34-EF56", "gateway"),
        (Method::POST, "/outages", "status"),
        (Method::HEAD, "/health", "status"),
        (Method::PUT, "/v2.0/terminal.json", "terminal"),
        (Method::POST, "/v2.0/transferList/date/2026-01-16.json", "transfers"),
        (Method::GET, "/pos/qr-api/payment", "qr"),
        (Method::POST, "/pos/qr-api/ping", "qr"),
        (Method::DELETE, "/pos/qr-api/payment/AB12-CD34-EF56", "qr"),
        (Method::POST, "/pos/qr-api/logo/x.png", "qr"),
        (Method::GET, "/pos/pokladna-api/activate", "device"),
        (Method::PUT, "/pos/pokladna-api/transactions", "device"),
    ] {
        refuse(&method, path, api, NoEndpoint::Method);
    }
}

/// The status of the response to a request with this body, in a world with these settings.
async fn status_of(settings: WorldSettings, method: Method, path: &str, body: Bytes) -> StatusCode {
    let state = AppState::new(settings).unwrap();
    let caller = Caller::local();
    let request = http::Request::builder().method(method).uri(path).body(Full::new(body)).unwrap();
    serve(&state.worlds, caller, request).await.unwrap().status()
}

#[tokio::test]
async fn a_body_that_cant_be_read_is_no_empty_body() {
    let long = || Bytes::from(vec![b'x'; body::LARGEST + 1]);
    let spelled =
        |alternative| WorldSettings { freedoms: Some(FreedomSettings::only("http.identifiers", alternative)), ..WorldSettings::default() };
    // An empty capture captures everything.
    let capture = "/v2.0/preauth/transId/AB12-CD34-EF56.json";
    for settings in [WorldSettings::default(), spelled("small"), spelled("long")] {
        assert_eq!(status_of(settings, Method::PUT, capture, long()).await, StatusCode::PAYLOAD_TOO_LARGE);
    }
    let tolerant = WorldSettings { tolerant: true, ..WorldSettings::default() };
    assert_eq!(status_of(tolerant, Method::POST, "/v1.0/transferList", long()).await, StatusCode::PAYLOAD_TOO_LARGE);
}
