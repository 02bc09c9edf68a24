//! Finds the operations at an address.

use crate::base::text::hex_byte;
use crate::spec::contract::{Contracts, Operation, PathTemplate};
use crate::spec::target::Target;

/// The addresses of all operations on a target.
#[derive(Debug)]
pub(crate) struct Routes {
    routes: Vec<Route>,
}

/// One address of an operation.
#[derive(Debug)]
struct Route {
    operation: String,
    method: String,
    path: PathTemplate,
    /// The segments of the path as a tolerant server compares them.
    segments: Vec<String>,
    /// Whether the target has this path; otherwise it is the contract's, in place of which the target has its own.
    current: bool,
}

impl Route {
    fn new(operation: &Operation, method: &str, path: PathTemplate, current: bool) -> Self {
        let segments = tolerant_segments(path.as_str().as_bytes());
        Self { operation: operation.id.clone(), method: method.to_owned(), path, segments, current }
    }
}

impl Routes {
    /// The addresses that the contracts and the target file give.
    pub(crate) fn new(contracts: &Contracts, target: &Target) -> Self {
        let routes = contracts.operations.values().flat_map(|operation| {
            let own = target.paths.get(&operation.id);
            let own = own.map(|path| Route::new(operation, target.method(operation), PathTemplate::new(path.as_str()), true));
            let documented = Route::new(operation, &operation.method, operation.path.clone(), own.is_none());
            own.into_iter().chain([documented])
        });
        Self { routes: routes.collect() }
    }

    /// The operation at a path below the base URL, compared byte by byte. One without parameters goes before one with.
    pub(crate) fn exact(&self, method: &str, path: &[u8]) -> Option<&str> {
        let fitting = self.routes.iter().filter(|route| route.current && route.method == method && fits_exactly(&route.path, path));
        fitting.min_by_key(|route| route.path.parameters().count()).map(|route| route.operation.as_str())
    }

    /// The operations that some server may find at a path, whatever precedes their own path: a base URL, a proxy's prefix, the
    /// name of a world. Servers decode, join and compare paths in many ways; the target may use any of them. If a documented
    /// method matches, operations with another one are left out.
    pub(crate) fn tolerant<'r>(&'r self, method: &str, path: &[u8]) -> Vec<&'r str> {
        let segments = tolerant_segments(path);
        let fitting: Vec<&Route> = self.routes.iter().filter(|route| ends_with(&segments, &route.segments)).collect();
        let by_method = |route: &Route| route.method.eq_ignore_ascii_case(method);
        let any = fitting.iter().any(|route| by_method(route));
        fitting.iter().filter(|route| !any || by_method(route)).map(|route| route.operation.as_str()).collect()
    }
}

/// Whether a path matches a template: a parameter matches anything but a `/`.
fn fits_exactly(template: &PathTemplate, path: &[u8]) -> bool {
    let template: Vec<&str> = template.as_str().split('/').collect();
    let path: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    template.len() == path.len() && template.iter().zip(path).all(|(wanted, segment)| fits_segment(wanted, segment))
}

fn fits_segment(wanted: &str, segment: &[u8]) -> bool {
    let Some((before, rest)) = wanted.split_once('{') else { return wanted.as_bytes() == segment };
    let after = rest.rsplit_once('}').map_or("", |(_, after)| after);
    let inner = segment.strip_prefix(before.as_bytes()).and_then(|segment| segment.strip_suffix(after.as_bytes()));
    inner.is_some_and(|inner| !inner.is_empty())
}

fn ends_with(path: &[String], template: &[String]) -> bool {
    let Some(end) = path.len().checked_sub(template.len()).and_then(|start| path.get(start..)) else { return false };
    !template.is_empty() && template.iter().zip(end).all(|(wanted, segment)| fits_segment(wanted, segment.as_bytes()))
}

/// The segments of a path as the most tolerant server reads them: escapes decoded, also doubled ones; no upper case, no empty
/// segments, `.` and `..` resolved, and nothing after a `;` or a NUL.
fn tolerant_segments(path: &[u8]) -> Vec<String> {
    let mut text = String::from_utf8_lossy(path).into_owned();
    while let Some(decoded) = decoded_once(&text) {
        text = decoded;
    }
    let mut segments: Vec<String> = Vec::new();
    for segment in text.split(['/', '\\']) {
        let segment = segment.split([';', '\0', '?', '#']).next().unwrap_or_default().trim();
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment.to_lowercase()),
        }
    }
    segments
}

/// A text with its escapes decoded once; none if it has no escapes.
fn decoded_once(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let Some((first, rest)) = bytes.split_first() {
        let digits = rest.split_first_chunk::<2>().filter(|_| *first == b'%');
        let escape = digits.and_then(|(&[high, low], rest)| Some((hex_byte(high, low)?, rest)));
        let (byte, rest) = escape.unwrap_or((*first, rest));
        decoded.push(byte);
        bytes = rest;
    }
    (decoded.len() < text.len()).then(|| String::from_utf8_lossy(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_stays_in_its_segment() {
        let template = PathTemplate::new("/v2.0/payment/transId/{transId}.json");
        for (path, expected) in [
            ("/v2.0/payment/transId/AB12.json", true),
            ("/v2.0/payment/transId/%2e%2e.json", true),
            ("/v2.0/payment/transId/.json", false),
            ("/v2.0/payment/transId/a/b.json", false),
            ("//v2.0/payment/transId/AB12.json", false),
            ("/v2.0/payment/transId/AB12.json/", false),
        ] {
            assert_eq!(fits_exactly(&template, path.as_bytes()), expected, "{path}");
        }
    }

    #[test]
    fn a_tolerant_server_finds_an_operation_under_many_spellings() {
        let template = tolerant_segments(b"/v2.0/payment.json");
        for path in [
            "/v2.0/payment.json",
            "/w/one/v2.0/payment.json",
            "//v2.0//payment.json/",
            "/v2.0/./payment.json",
            "/v2.0/x/../payment.json",
            "/v2.0/x/%2e%2e/payment.json",
            "/v2.0%2fpayment.json",
            "/%76%32.0/%2570ayment.json",
            "/V2.0/Payment.JSON",
            "/v2.0/payment.json;a=b",
            "/v2.0/payment.json%00",
            "/v2.0/payment.json%20",
        ] {
            assert!(ends_with(&tolerant_segments(path.as_bytes()), &template), "{path}");
        }
        for path in ["/v2.0/payment", "/v2.0/payment.json/x", "/payment.json", "/", ""] {
            assert!(!ends_with(&tolerant_segments(path.as_bytes()), &template), "{path}");
        }
    }
}
