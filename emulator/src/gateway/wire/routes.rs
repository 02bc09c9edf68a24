//! What is asked, by method and path.

use http::Method;

use crate::gateway::core::{Call, Interface, TransId};
use crate::world::Operation;

/// What a request asks for. A payment in a path that can't be one is `None`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ask<'p> {
    /// A call of v1.0.
    V1(Call),
    /// A call of v2.0, about the payment in the path if it has one there.
    V2(Call, Option<TransId>),
    /// Creation by redirect, of this merchant.
    Redirect(&'p str),
    /// The table of methods.
    Methods(Interface),
    /// The merchant plays the payer of a test payment.
    Simulation(Interface),
    /// The page of a payment is shown.
    Show(Option<TransId>),
    /// A button on it is pressed.
    Press(Option<TransId>),
}

/// Why nothing is asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Astray {
    /// The path is none of the gateway's.
    Path,
    /// The path takes another method. Told in the syntax of this interface.
    Method(Interface),
}

impl Ask<'_> {
    /// The interface whose syntax an unreadable body is answered in.
    pub(super) const fn interface(&self) -> Interface {
        match self {
            Self::V1(_) => Interface::V1,
            Self::Methods(interface) | Self::Simulation(interface) => *interface,
            Self::V2(..) | Self::Redirect(_) | Self::Show(_) | Self::Press(_) => Interface::V2,
        }
    }

    /// The operation that faults know it by; the calls outside of the documents have none.
    pub(super) const fn operation(&self) -> Option<Operation> {
        match *self {
            Self::V1(call) => Some(Operation::Gateway { interface: Interface::V1, call }),
            Self::V2(call, _) => Some(Operation::Gateway { interface: Interface::V2, call }),
            Self::Redirect(_) => Some(Operation::Gateway { interface: Interface::V2, call: Call::Create }),
            Self::Methods(_) | Self::Simulation(_) | Self::Show(_) | Self::Press(_) => None,
        }
    }
}

/// Reads method and path.
pub(super) fn ask<'p>(method: &Method, path: &'p str) -> Result<Ask<'p>, Astray> {
    if let Some(name) = path.strip_prefix("/v2.0/payment/transId/") {
        return about_payment(method, name, &[("GET", Call::Status), ("DELETE", Call::Cancel)]);
    }
    if let Some(name) = path.strip_prefix("/v2.0/preauth/transId/") {
        return about_payment(method, name, &[("PUT", Call::CapturePreauth), ("DELETE", Call::CancelPreauth)]);
    }
    if let Some(merchant) = path.strip_prefix("/v2.0/paymentRedirect/merchant/") {
        return only(matches!(*method, Method::GET | Method::POST), Interface::V2, Ask::Redirect(merchant));
    }
    if let Some(name) = path.strip_prefix("/v1.0/") {
        return only(*method == Method::POST, Interface::V1, v1(name).ok_or(Astray::Path)?);
    }
    if path == "/v2.0/method.json" {
        return only(*method == Method::GET, Interface::V2, Ask::Methods(Interface::V2));
    }
    if let Some(name) = path.strip_prefix("/v2.0/") {
        return only(*method == Method::POST, Interface::V2, v2(name).ok_or(Astray::Path)?);
    }
    page(method, path)
}

fn v1(name: &str) -> Option<Ask<'_>> {
    Some(Ask::V1(match name {
        "create" => Call::Create,
        "status" => Call::Status,
        "cancel" => Call::Cancel,
        "refund" => Call::Refund,
        "refundPos" => Call::RefundPos,
        "recurring" => Call::Recurring,
        "capturePreauth" => Call::CapturePreauth,
        "cancelPreauth" => Call::CancelPreauth,
        "methods" => return Some(Ask::Methods(Interface::V1)),
        "simulation" => return Some(Ask::Simulation(Interface::V1)),
        _ => return None,
    }))
}

fn v2(name: &str) -> Option<Ask<'_>> {
    let call = match name {
        "payment.json" => Call::Create,
        "refund.json" => Call::Refund,
        "refundPos.json" => Call::RefundPos,
        "recurring.json" => Call::Recurring,
        "simulation.json" => return Some(Ask::Simulation(Interface::V2)),
        _ => return None,
    };
    Some(Ask::V2(call, None))
}

/// `{transId}.json`, where the method says what is done.
fn about_payment<'p>(method: &Method, name: &str, calls: &[(&str, Call)]) -> Result<Ask<'p>, Astray> {
    let id = name.strip_suffix(".json").filter(|id| !id.contains('/')).ok_or(Astray::Path)?;
    let call = calls.iter().find(|(name, _)| *name == method.as_str()).ok_or(Astray::Method(Interface::V2))?;
    Ok(Ask::V2(call.1, TransId::parse(id)))
}

/// `/{transId}`. Whatever else is in that place names a payment that doesn't exist.
fn page<'p>(method: &Method, path: &str) -> Result<Ask<'p>, Astray> {
    let name = path.strip_prefix('/').filter(|name| !name.is_empty() && !name.contains('/')).ok_or(Astray::Path)?;
    match *method {
        Method::GET | Method::HEAD => Ok(Ask::Show(TransId::parse(name))),
        Method::POST => Ok(Ask::Press(TransId::parse(name))),
        _ => Err(Astray::Method(Interface::V2)),
    }
}

const fn only(allowed: bool, interface: Interface, ask: Ask<'_>) -> Result<Ask<'_>, Astray> {
    if allowed { Ok(ask) } else { Err(Astray::Method(interface)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_document() {
        let id = TransId::parse("AB12-CD34-EF56");
        for (method, path, asked) in [
            (Method::POST, "/v1.0/create", Ask::V1(Call::Create)),
            (Method::POST, "/v2.0/payment.json", Ask::V2(Call::Create, None)),
            (Method::GET, "/v2.0/payment/transId/AB12-CD34-EF56.json", Ask::V2(Call::Status, id)),
            (Method::DELETE, "/v2.0/payment/transId/AB12-CD34-EF56.json", Ask::V2(Call::Cancel, id)),
            (Method::DELETE, "/v2.0/preauth/transId/nonsense.json", Ask::V2(Call::CancelPreauth, None)),
            (Method::GET, "/v2.0/paymentRedirect/merchant/100001", Ask::Redirect("100001")),
            (Method::GET, "/AB12-CD34-EF56", Ask::Show(id)),
        ] {
            assert_eq!(ask(&method, path), Ok(asked), "{method} {path}");
        }
    }

    #[test]
    fn other_paths_and_methods_ask_for_nothing() {
        for path in ["/", "/v1.0/create/", "/v2.0/payment/transId/a/b.json", "/v2.0/payment/transId/AB12-CD34-EF56", "/v3.0/create"] {
            assert_eq!(ask(&Method::GET, path), Err(Astray::Path), "{path}");
        }
        assert_eq!(ask(&Method::GET, "/v1.0/create"), Err(Astray::Method(Interface::V1)));
        assert_eq!(ask(&Method::PUT, "/v2.0/payment.json"), Err(Astray::Method(Interface::V2)));
    }
}
