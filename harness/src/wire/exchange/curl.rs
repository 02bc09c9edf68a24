//! The command line that repeats a request.

use super::{Exchange, Request};

/// A `curl` line for the recorded request. Secrets stay masked: the marks say which one to put in.
pub fn curl(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let mut line = beginning(request, "curl -i");
    push_body(&mut line, request);
    line.push(' ');
    line.push_str(&quote(&request.url));
    line
}

/// The same for a request that is not as curl would write it: nothing of its address is put right, and its
/// body comes from a file.
pub(crate) fn curl_of_bytes(request: &Request, body: Option<&str>) -> String {
    let line = beginning(request, "curl -i --path-as-is --globoff");
    let body = body.map(|file| format!(" --data-binary {}", quote(&format!("@{file}")))).unwrap_or_default();
    format!("{line}{body} {}", quote(&request.url))
}

fn beginning(request: &Request, command: &str) -> String {
    let mut line = format!("{command} -X {}", request.method);
    for (name, value) in request.headers.iter().filter(|(name, _)| worth_repeating(name)) {
        line.push_str(&match (name.as_str(), value.strip_prefix("Basic ")) {
            ("authorization", Some(pair)) => format!(" -u {}", quote(pair)),
            _ => format!(" -H {}", quote(&format!("{name}: {value}"))),
        });
    }
    line
}

fn push_body(line: &mut String, request: &Request) {
    if !request.body.text.is_empty() {
        line.push_str(" --data-raw ");
        line.push_str(&quote(&request.body.text));
    }
}

/// What curl sends by itself is left out.
fn worth_repeating(name: &str) -> bool {
    !matches!(name, "host" | "content-length" | "user-agent" | "connection" | "transfer-encoding")
}

/// Quotes for a POSIX shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_in_a_value_does_not_end_it() {
        assert_eq!(quote("it's"), r"'it'\''s'");
    }
}
