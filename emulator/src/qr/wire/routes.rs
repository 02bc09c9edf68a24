//! What is asked, by method and path. The paths of the method list, the change of method, the extension and the creation
//! of a refund are not shown in the document; they are assumed.

use http::Method;

use super::logo;
use crate::gateway::core::TransId;
use crate::words::words;

words! {
    /// A call, by the name that faults know it by.
    pub(crate) enum QrCall {
        Authenticate = "qr.authenticate",
        AuthPing = "qr.auth-ping",
        Ping = "qr.ping",
        Methods = "qr.methods",
        Create = "qr.create",
        Status = "qr.status",
        Cancel = "qr.cancel",
        ChangeMethod = "qr.change-method",
        Extend = "qr.extend",
        CreateRefund = "qr.refund.create",
        RefundStatus = "qr.refund.status",
    }
}

/// What a path is about. A code that can't be one is `None`, and names nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct About {
    pub(super) payment: Option<TransId>,
    pub(super) refund: Option<TransId>,
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ask<'p> {
    /// A call of the API.
    Call(QrCall, About),
    /// The file of a logo.
    Logo(&'p str),
}

/// Why nothing is asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Astray {
    /// The path is none of the API's.
    Path,
    /// The path takes another method.
    Method,
}

/// Reads method and path, of which `/pos/` is gone.
pub(super) fn ask<'p>(method: &Method, path: &'p str) -> Result<Ask<'p>, Astray> {
    if let Some(file) = path.strip_prefix(logo::FOLDER) {
        return only(method, &[Method::GET, Method::HEAD], Ask::Logo(file));
    }
    let (call, about) = call(path).ok_or(Astray::Path)?;
    let taken = match call {
        QrCall::AuthPing | QrCall::Ping | QrCall::Status | QrCall::RefundStatus => Method::GET,
        QrCall::Authenticate
        | QrCall::Methods
        | QrCall::Create
        | QrCall::Cancel
        | QrCall::ChangeMethod
        | QrCall::Extend
        | QrCall::CreateRefund => Method::POST,
    };
    only(method, &[taken], Ask::Call(call, about))
}

fn call(path: &str) -> Option<(QrCall, About)> {
    let simple = match path {
        "auth-api/authenticate" => QrCall::Authenticate,
        "auth-api/ping" => QrCall::AuthPing,
        "qr-api/ping" => QrCall::Ping,
        "qr-api/methods" => QrCall::Methods,
        "qr-api/payment" => QrCall::Create,
        _ => return about_payment(path.strip_prefix("qr-api/payment/")?),
    };
    Some((simple, About::default()))
}

/// `{transId}` and what follows it.
fn about_payment(path: &str) -> Option<(QrCall, About)> {
    let (id, rest) = path.split_once('/').unwrap_or((path, ""));
    let about = About { payment: TransId::parse(id), refund: None };
    let call = match rest {
        "" if !path.contains('/') => QrCall::Status,
        "cancel" => QrCall::Cancel,
        "method" => QrCall::ChangeMethod,
        "extend" => QrCall::Extend,
        "refund" => QrCall::CreateRefund,
        _ => {
            let refund = rest.strip_prefix("refund/").filter(|id| !id.contains('/'))?;
            return Some((QrCall::RefundStatus, About { refund: TransId::parse(refund), ..about }));
        }
    };
    Some((call, about))
}

fn only<'p>(method: &Method, taken: &[Method], ask: Ask<'p>) -> Result<Ask<'p>, Astray> {
    if taken.contains(method) { Ok(ask) } else { Err(Astray::Method) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_document_and_of_the_assumptions() {
        let payment = TransId::parse("AB12-CD34-EF56");
        let about = About { payment, refund: None };
        for (method, path, asked) in [
            (Method::POST, "auth-api/authenticate", Ask::Call(QrCall::Authenticate, About::default())),
            (Method::GET, "auth-api/ping", Ask::Call(QrCall::AuthPing, About::default())),
            (Method::GET, "qr-api/ping", Ask::Call(QrCall::Ping, About::default())),
            (Method::POST, "qr-api/methods", Ask::Call(QrCall::Methods, About::default())),
            (Method::POST, "qr-api/payment", Ask::Call(QrCall::Create, About::default())),
            (Method::GET, "qr-api/payment/AB12-CD34-EF56", Ask::Call(QrCall::Status, about)),
            (Method::POST, "qr-api/payment/AB12-CD34-EF56/cancel", Ask::Call(QrCall::Cancel, about)),
            (Method::POST, "qr-api/payment/AB12-CD34-EF56/method", Ask::Call(QrCall::ChangeMethod, about)),
            (Method::POST, "qr-api/payment/AB12-CD34-EF56/extend", Ask::Call(QrCall::Extend, about)),
            (Method::POST, "qr-api/payment/nonsense/refund", Ask::Call(QrCall::CreateRefund, About::default())),
            (
                Method::GET,
                "qr-api/payment/AB12-CD34-EF56/refund/AB12-CD34-EF56",
                Ask::Call(QrCall::RefundStatus, About { payment, refund: payment }),
            ),
            (Method::GET, "qr-api/logo/x.png", Ask::Logo("x.png")),
        ] {
            assert_eq!(ask(&method, path), Ok(asked), "{method} {path}");
        }
    }

    #[test]
    fn other_paths_and_methods_ask_for_nothing() {
        for path in ["", "qr-api", "qr-api/payments", "qr-api/payment/a/", "qr-api/payment/a/b", "qr-api/payment/a/refund/b/c", "ping"] {
            assert_eq!(ask(&Method::GET, path), Err(Astray::Path), "{path}");
        }
        assert_eq!(ask(&Method::GET, "qr-api/payment"), Err(Astray::Method));
        assert_eq!(ask(&Method::POST, "qr-api/ping"), Err(Astray::Method));
        assert_eq!(ask(&Method::DELETE, "qr-api/payment/AB12-CD34-EF56"), Err(Astray::Method));
    }
}
