//! Which call a method and a path are.

/// The operation, and the identifier of the payment where it stands in the path.
pub(super) fn operation<'p>(method: &str, path: &'p str) -> Option<(&'static str, Option<&'p str>)> {
    let below = path.strip_prefix("/w/").and_then(|rest| rest.find('/').map(|at| &rest[at..])).unwrap_or(path);
    let below = below.split('?').next().unwrap_or(below);
    let of_resource = |resource: &str| below.strip_prefix(resource).and_then(|rest| rest.strip_suffix(".json"));
    let payment = of_resource("/v2.0/payment/transId/");
    let preauth = of_resource("/v2.0/preauth/transId/");
    let page = below.strip_prefix('/').filter(|rest| !rest.is_empty() && !rest.contains('/'));
    Some(match (method, below) {
        ("POST", "/v1.0/create") => ("gateway.v1.create", None),
        ("POST", "/v1.0/status") => ("gateway.v1.status", None),
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
