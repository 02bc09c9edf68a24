//! Recognises calls by method and path.

/// A path parameter: name and value.
pub(super) type Parameter<'p> = (&'static str, &'p str);

/// The operation and its path parameters.
pub(super) fn operation<'p>(method: &str, path: &'p str) -> Option<(&'static str, Option<Parameter<'p>>)> {
    let below = path.strip_prefix("/w/").and_then(|rest| rest.find('/').map(|at| &rest[at..])).unwrap_or(path);
    let below = below.split('?').next().unwrap_or(below);
    terminal(method, below)
        .or_else(|| transfers(method, below))
        .or_else(|| qr(method, below))
        .or_else(|| device(method, below))
        .or_else(|| gateway(method, below))
}

/// The card terminal.
fn terminal<'p>(method: &str, below: &'p str) -> Option<(&'static str, Option<Parameter<'p>>)> {
    let about = |resource: &str| Some(("transId", below.strip_prefix(resource)?.strip_suffix(".json")?));
    let payment = about("/v2.0/terminalPayment/transId/");
    let refund = about("/v2.0/terminalRefund/transId/");
    Some(match (method, below) {
        ("POST", "/v2.0/terminalPayment.json") => ("terminal.create", None),
        ("GET", _) if payment.is_some() => ("terminal.status", payment),
        ("DELETE", _) if payment.is_some() => ("terminal.cancel", payment),
        ("GET", "/v2.0/terminal.json") => ("terminal.state", None),
        ("POST", "/v2.0/terminalClosing.json") => ("terminal.closing", None),
        ("POST", "/v2.0/terminalRefund.json") => ("terminal.refund.create", None),
        ("GET", _) if refund.is_some() => ("terminal.refund.status", refund),
        ("DELETE", _) if refund.is_some() => ("terminal.refund.cancel", refund),
        _ => return None,
    })
}

/// Transfers and their statements: prefix and suffix of the path, the call, and the path parameter.
const TRANSFERS: [(&str, &str, &str, &str); 6] = [
    ("/v2.0/transferList/date/", ".json", "transfers.list", "date"),
    ("/v2.0/singleTransfer/transferId/", ".json", "transfers.detail", "transferId"),
    ("/v2.0/csvSingleTransfer/transferId/", ".json", "transfers.csv", "transferId"),
    ("/v2.0/aboSingleTransfer/transferId/", ".json", "transfers.abo", "transferId"),
    ("/v2.0/csvDownload/date/", "", "transfers.csvDay", "date"),
    ("/v2.0/aboDownload/date/", "", "transfers.aboDay", "date"),
];

fn transfers<'p>(method: &str, below: &'p str) -> Option<(&'static str, Option<Parameter<'p>>)> {
    TRANSFERS.iter().filter(|_| method == "GET").find_map(|(begin, end, operation, parameter)| {
        let value = below.strip_prefix(begin)?.strip_suffix(end)?;
        Some((*operation, Some((*parameter, value))))
    })
}

/// QR payments: the path below a payment, the call, and the path parameters.
fn qr<'p>(method: &str, below: &'p str) -> Option<(&'static str, Option<Parameter<'p>>)> {
    let payment = below.strip_prefix("/pos/qr-api/payment/");
    let (id, rest) = payment.map_or(("", ""), |payment| payment.split_once('/').unwrap_or((payment, "")));
    let about = Some(("transId", id));
    Some(match (method, below) {
        ("POST", "/pos/auth-api/authenticate") => ("qr.authenticate", None),
        ("GET", "/pos/auth-api/ping") => ("qr.auth-ping", None),
        ("GET", "/pos/qr-api/ping") => ("qr.ping", None),
        ("POST", "/pos/qr-api/methods") => ("qr.methods", None),
        ("POST", "/pos/qr-api/payment") => ("qr.create", None),
        ("GET", _) if payment.is_some() && rest.is_empty() => ("qr.status", about),
        ("GET", _) if rest.starts_with("refund/") => ("qr.refund.status", Some(("transRefundId", &rest["refund/".len()..]))),
        ("POST", _) => match rest {
            "cancel" => ("qr.cancel", about),
            "method" => ("qr.change-method", about),
            "extend" => ("qr.extend", about),
            "refund" => ("qr.refund.create", about),
            _ => return None,
        },
        _ => return None,
    })
}

/// Devices.
fn device<'p>(method: &str, below: &str) -> Option<(&'static str, Option<Parameter<'p>>)> {
    let operation = match (method, below.strip_prefix("/pos/pokladna-api/")?) {
        ("POST", "activate") => "device.activate",
        ("POST", "authenticate") => "device.authenticate",
        ("GET", "config") => "device.config",
        ("GET", "transactions") => "device.payment-codes",
        ("POST", "transactions") => "device.transactions",
        ("POST", "closings") => "device.closings",
        ("POST", "logs") => "device.logs",
        ("GET", "catalog") => "device.catalog",
        ("GET", "ping") => "device.ping",
        _ => return None,
    };
    Some((operation, None))
}

/// Online payments and the status API.
fn gateway<'p>(method: &str, below: &'p str) -> Option<(&'static str, Option<Parameter<'p>>)> {
    let of_resource = |resource: &str| Some(("transId", below.strip_prefix(resource)?.strip_suffix(".json")?));
    let payment = of_resource("/v2.0/payment/transId/");
    let preauth = of_resource("/v2.0/preauth/transId/");
    let page = below.strip_prefix('/').filter(|rest| !rest.is_empty() && !rest.contains('/')).map(|id| ("transId", id));
    Some(match (method, below) {
        ("POST", "/v1.0/create") => ("gateway.v1.create", None),
        ("POST" | "GET", "/v1.0/status") => ("gateway.v1.status", None),
        ("POST", "/v1.0/cancel") => ("gateway.v1.cancel", None),
        ("POST", "/v1.0/refund") => ("gateway.v1.refund", None),
        ("POST", "/v1.0/refundPos") => ("gateway.v1.refundPos", None),
        ("POST", "/v1.0/recurring") => ("gateway.v1.recurring", None),
        ("POST", "/v1.0/capturePreauth") => ("gateway.v1.capturePreauth", None),
        ("POST", "/v1.0/cancelPreauth") => ("gateway.v1.cancelPreauth", None),
        ("POST", "/v2.0/payment.json") => ("gateway.v2.create", None),
        ("POST", "/v2.0/refund.json") => ("gateway.v2.refund", None),
        ("POST", "/v2.0/refundPos.json") => ("gateway.v2.refundPos", None),
        ("POST", "/v2.0/recurring.json") => ("gateway.v2.recurring", None),
        ("POST", _) if below.starts_with("/v2.0/paymentRedirect/merchant/") => ("gateway.v2.paymentRedirect", None),
        ("GET", _) if payment.is_some() => ("gateway.v2.status", payment),
        ("DELETE", _) if payment.is_some() => ("gateway.v2.cancel", payment),
        ("PUT", _) if preauth.is_some() => ("gateway.v2.capturePreauth", preauth),
        ("DELETE", _) if preauth.is_some() => ("gateway.v2.cancelPreauth", preauth),
        ("GET", "/outages") => ("status.outages", None),
        ("GET", "/health") => ("status.health", None),
        ("GET", _) if page.is_some() => ("gateway.page", page),
        _ => return None,
    })
}

/// An action of the world: the path up to its name, and the name.
pub(super) fn action(path: &str) -> Option<(&str, &str)> {
    let name = path.rfind("/actions/").map(|at| at + "/actions/".len())?;
    path.starts_with("/__emulator/worlds/").then(|| path.split_at(name))
}

/// The name of the world in a path; empty if there is none.
pub(super) fn world(path: &str) -> String {
    let below = path.strip_prefix("/w/").or_else(|| path.strip_prefix("/__emulator/worlds/"));
    below.and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned()
}

/// Whether the request opens a world.
pub(super) fn opens_a_world(method: &str, path: &str) -> bool {
    (method, path) == ("POST", "/__emulator/worlds")
}
