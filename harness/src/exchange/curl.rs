//! The command line that repeats a request.

use super::{Exchange, Request};

/// A `curl` line for the recorded request. Secrets stay masked: the marks say which one to put in.
pub fn curl(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let mut line = format!("curl -i -X {}", request.method);
    for (name, value) in request.headers.iter().filter(|(name, _)| worth_repeating(name)) {
        line.push_str(&match (name.as_str(), value.strip_prefix("Basic ")) {
            ("authorization", Some(pair)) => format!(" -u {}", quote(pair)),
            _ => format!(" -H {}", quote(&format!("{name}: {value}"))),
        });
    }
    push_body(&mut line, request);
    line.push(' ');
    line.push_str(&quote(&request.url));
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
