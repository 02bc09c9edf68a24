//! What is asked, by method and path.

use http::Method;

use crate::terminal::core::Call;

/// The calls of a path, by method.
type Calls = &'static [(Method, Call)];

/// The calls of a path, and the transaction in it; `None` if the path is none of the terminal's.
fn calls(path: &str) -> Option<(Calls, &str)> {
    let about = |prefix| path.strip_prefix(prefix)?.strip_suffix(".json").filter(|id| !id.is_empty() && !id.contains('/'));
    if let Some(id) = about("/v2.0/terminalPayment/transId/") {
        return Some((&[(Method::GET, Call::Status), (Method::DELETE, Call::Cancel)], id));
    }
    if let Some(id) = about("/v2.0/terminalRefund/transId/") {
        return Some((&[(Method::GET, Call::RefundStatus), (Method::DELETE, Call::RefundCancel)], id));
    }
    let calls: Calls = match path {
        "/v2.0/terminalPayment.json" => &[(Method::POST, Call::Create)],
        "/v2.0/terminalRefund.json" => &[(Method::POST, Call::RefundCreate)],
        "/v2.0/terminal.json" => &[(Method::GET, Call::State)],
        "/v2.0/terminalClosing.json" => &[(Method::POST, Call::Closing)],
        _ => return None,
    };
    Some((calls, ""))
}

/// Whether a path is one of the terminal's.
pub(crate) fn owns(path: &str) -> bool {
    calls(path).is_some()
}

/// Reads method and path: the call, if the method is one of the path, and the transaction in it.
pub(super) fn ask<'p>(method: &Method, path: &'p str) -> Option<(Call, &'p str)> {
    let (calls, id) = calls(path)?;
    calls.iter().find(|(known, _)| known == method).map(|(_, call)| (*call, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_document() {
        for (method, path, asked) in [
            (Method::POST, "/v2.0/terminalPayment.json", (Call::Create, "")),
            (Method::GET, "/v2.0/terminalPayment/transId/ABC-123-DEF-456.json", (Call::Status, "ABC-123-DEF-456")),
            (Method::DELETE, "/v2.0/terminalPayment/transId/x.json", (Call::Cancel, "x")),
            (Method::POST, "/v2.0/terminalRefund.json", (Call::RefundCreate, "")),
            (Method::GET, "/v2.0/terminalRefund/transId/x.json", (Call::RefundStatus, "x")),
            (Method::DELETE, "/v2.0/terminalRefund/transId/x.json", (Call::RefundCancel, "x")),
            (Method::GET, "/v2.0/terminal.json", (Call::State, "")),
            (Method::POST, "/v2.0/terminalClosing.json", (Call::Closing, "")),
        ] {
            assert_eq!(ask(&method, path), Some(asked), "{method} {path}");
        }
    }

    #[test]
    fn other_paths_and_methods_ask_for_nothing() {
        for path in
            ["/v2.0/terminal", "/v2.0/terminalPayment/transId/.json", "/v2.0/terminalPayment/transId/a/b.json", "/v1.0/terminal.json"]
        {
            assert!(!owns(path), "{path}");
        }
        assert!(owns("/v2.0/terminal.json"));
        assert_eq!(ask(&Method::PUT, "/v2.0/terminal.json"), None);
    }
}
