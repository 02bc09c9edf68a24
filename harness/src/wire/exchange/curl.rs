//! The command line that repeats a request.

use super::{Coding, Exchange, HttpVersion, Request, UNKNOWN_SECRET};
use crate::base::shell_words::quoted;
use crate::base::text::is_unprintable;

/// Names the shell variable that holds the secret behind a mark, by the mark's name: `main` → `PAYCHECK_SECRET`.
pub type ShellVariables<'v> = &'v dyn Fn(&str) -> String;

/// Stands for a secret that no variable can hold, such as a wrong one: any wrong secret shows the same.
const NOT_A_SECRET: &str = "not-the-secret-0000";

/// A `curl` line that runs as it is printed once the variables of its secrets are set.
pub fn curl(exchange: &Exchange) -> String {
    curl_with(exchange, &|owner| variable(owner, "secret"))
}

/// The same line with the variables that a target file names.
pub fn curl_with(exchange: &Exchange, variables: ShellVariables<'_>) -> String {
    let request = &exchange.request;
    let mut line = beginning(request, &command(request), variables);
    let piped = push_body(&mut line, request, variables);
    line.push(' ');
    line.push_str(&quote(&request.url, variables));
    piped + &line
}

/// A line that puts the token in the response to a request, in a field of its JSON, into a shell variable.
pub fn fetching_with(exchange: &Exchange, (field, variable): (&str, &str), variables: ShellVariables<'_>) -> String {
    let request = &exchange.request;
    let command = command(request).replacen("curl -i", "curl -s", 1);
    let mut line = beginning(request, &command, variables);
    let piped = push_body(&mut line, request, variables);
    let value = quoted(&format!(r#"s/.*"{field}" *: *"\([^"]*\)".*/\1/p"#));
    format!("{variable}=\"$({piped}{line} {} | sed -n {value})\"", quote(&request.url, variables))
}

/// The line for a request that curl would not write by itself: the address is sent unchanged, and the body comes from a file.
pub(crate) fn curl_of_bytes(request: &Request, body: Option<&str>, variables: ShellVariables<'_>) -> String {
    let line = beginning(request, "curl -i --path-as-is --globoff", variables);
    let body = body.map(|file| format!(" --data-binary {}", quoted(&format!("@{file}")))).unwrap_or_default();
    format!("{line}{body} {}", quote(&request.url, variables))
}

/// The variable of a secret that no target file names: of `main` by the part alone, `PAYCHECK_TERMINAL_SECRET`.
pub fn variable(owner: &str, part: &str) -> String {
    // A token that was handed out (`token-1`) is no part of a credential.
    let is_token = owner.rsplit_once('-').is_some_and(|(_, number)| number.bytes().all(|digit| digit.is_ascii_digit()));
    let name = match owner {
        "main" => part.to_owned(),
        _ if is_token => owner.to_owned(),
        _ => format!("{owner}-{part}"),
    };
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("PAYCHECK_{name}")
}

/// With TLS curl asks for HTTP/2 by itself; without, it must know that the target speaks it.
fn command(request: &Request) -> String {
    let prior = if request.http == HttpVersion::Two && request.url.starts_with("http:") { " --http2-prior-knowledge" } else { "" };
    format!("curl -i{prior}{}", if has_glob(&request.url) { " --globoff" } else { "" })
}

/// Whether curl would read a part of the address as a pattern.
fn has_glob(url: &str) -> bool {
    url.contains(['[', ']', '{', '}'])
}

fn beginning(request: &Request, command: &str, variables: ShellVariables<'_>) -> String {
    let mut line = format!("{command} -X {}", request.method);
    for (name, value) in request.headers.iter().filter(|(name, _)| worth_repeating(name)) {
        // Without a colon curl would ask for the password.
        let pair = value.strip_prefix("Basic ").filter(|pair| pair.contains(':'));
        line.push_str(&match (name.as_str(), pair) {
            ("authorization", Some(pair)) => format!(" -u {}", quote(pair, variables)),
            // Without a value curl would leave the header out.
            _ if value.is_empty() => format!(" -H {}", quoted(&format!("{name};"))),
            _ => format!(" -H {}", quote(&format!("{name}: {value}"), variables)),
        });
    }
    line
}

/// Adds the body. Returns what must be printed before the command because no command line can hold it.
fn push_body(line: &mut String, request: &Request, variables: ShellVariables<'_>) -> String {
    let text = &request.body.text;
    if text.is_empty() {
        return String::new();
    }
    if text.chars().any(is_unprintable) {
        line.push_str(" --data-binary @-");
        return printf(text, variables);
    }
    let is_form = request.header("content-type").is_some_and(|value| Coding::from_media_type(value) == Coding::Form);
    for part in if is_form { form_parts(text) } else { vec![text.as_str()] } {
        // Only the shell knows a secret, so curl must escape it.
        let escapes = is_form && part.split_once('=').is_some_and(|(name, value)| !name.is_empty() && mark(value).is_some());
        line.push_str(if escapes { " --data-urlencode " } else { " --data-raw " });
        line.push_str(&quote(part, variables));
    }
    String::new()
}

/// A form in parts: each secret field is a part of its own.
fn form_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    for field in text.split('&') {
        let end = at + field.len();
        if field.split_once('=').is_some_and(|(_, value)| mark(value).is_some()) {
            parts.extend(text.get(begin..at.saturating_sub(1)).filter(|before| at > begin && !before.is_empty()));
            parts.push(field);
            begin = end + 1;
        }
        at = end + 1;
    }
    parts.extend(text.get(begin..).filter(|rest| !rest.is_empty()));
    parts
}

/// The text as an argument of `printf`: every byte that a terminal would obey is escaped.
fn printf(text: &str, variables: ShellVariables<'_>) -> String {
    let (mut formats, mut arguments) = (String::new(), String::new());
    for piece in pieces(text) {
        let (format, argument) = match piece {
            Piece::Text(text) => ("%b", quoted(&spelled(text))),
            Piece::Secret(name) => ("%s", shell(name, variables)),
        };
        formats.push_str(format);
        arguments.push(' ');
        arguments.push_str(&argument);
    }
    format!("printf '{formats}'{arguments} | ")
}

/// Escapes for `printf %b`.
fn spelled(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if is_unprintable(c) => out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\0{byte:03o}"))),
            c => out.push(c),
        }
    }
    out
}

/// Whether a header must be repeated; curl sends the others by itself.
fn worth_repeating(name: &str) -> bool {
    !matches!(name, "host" | "content-length" | "user-agent" | "connection" | "transfer-encoding")
}

/// A piece of a text in which secrets are masked.
enum Piece<'t> {
    Text(&'t str),
    /// The name in a mark.
    Secret(&'t str),
}

/// The name in a text that is a mark and nothing else.
fn mark(text: &str) -> Option<&str> {
    let name = text.strip_prefix("***")?.strip_suffix("***")?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    is_name.then_some(name)
}

/// The text between marks, and the marks.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut begin, mut from) = (0, 0);
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("***")).map(|at| from + at) {
        let end = text.get(start + 3..).and_then(|rest| rest.find("***")).map(|at| start + 3 + at + 3);
        let Some((name, end)) = end.and_then(|end| Some((mark(text.get(start..end)?)?, end))) else {
            from = start + 1;
            continue;
        };
        pieces.extend(text.get(begin..start).filter(|before| !before.is_empty()).map(Piece::Text));
        pieces.push(Piece::Secret(name));
        (begin, from) = (end, end);
    }
    pieces.extend(text.get(begin..).filter(|rest| !rest.is_empty()).map(Piece::Text));
    pieces
}

/// Quotes for a POSIX shell; secrets are variables.
fn quote(text: &str, variables: ShellVariables<'_>) -> String {
    let pieces = pieces(text);
    if pieces.is_empty() {
        return quoted("");
    }
    let shown = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => quoted(text),
        Piece::Secret(name) => shell(name, variables),
    };
    pieces.iter().map(shown).collect()
}

fn shell(name: &str, variables: ShellVariables<'_>) -> String {
    if mark(UNKNOWN_SECRET) == Some(name) { quoted(NOT_A_SECRET) } else { format!("\"${}\"", variables(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exchange() -> Exchange {
        Exchange {
            number: 0,
            arrived: 0,
            direction: crate::wire::exchange::Direction::Call,
            operation: "shop.login".into(),
            identity: "main".into(),
            request: Request::default(),
            outcome: crate::wire::exchange::ExchangeOutcome::Response(crate::wire::exchange::Response {
                status: 200,
                headers: Vec::new(),
                body: crate::wire::exchange::Body::default(),
            }),
            elapsed: std::time::Duration::ZERO,
        }
    }

    /// What a shell makes of a line that prints.
    fn run(line: &str) -> Vec<u8> {
        let output = std::process::Command::new("sh").args(["-c", line]).env("PAYCHECK_SECRET", "it's a \\n \"$ecret\"").output();
        output.map(|output| output.stdout).unwrap_or_default()
    }

    fn form(text: &str) -> String {
        let mut request = Request { method: "POST".into(), url: "http://shop/x".into(), ..Request::default() };
        request.headers = vec![("content-type".into(), "application/x-www-form-urlencoded".into())];
        request.body.text = text.into();
        let mut line = String::new();
        let piped = push_body(&mut line, &request, &|owner| variable(owner, "secret"));
        format!("{piped}curl{line}")
    }

    #[test]
    fn http2_without_tls_must_be_said() {
        let of = |url: &str, http| command(&Request { url: url.into(), http, ..Request::default() });
        assert_eq!(of("http://shop/[x]", HttpVersion::Two), "curl -i --http2-prior-knowledge --globoff");
        assert_eq!(of("http://shop/x", HttpVersion::One), "curl -i");
        assert_eq!(of("https://shop/x", HttpVersion::Two), "curl -i");
    }

    #[test]
    fn a_login_without_a_password_is_sent_as_a_header() {
        let of = |value: &str| {
            let headers = vec![("authorization".to_owned(), value.to_owned())];
            beginning(&Request { method: "GET".into(), headers, ..Request::default() }, "curl", &|owner| variable(owner, "secret"))
        };
        assert_eq!(of("Basic 100001:***main***"), r#"curl -X GET -u '100001:'"$PAYCHECK_SECRET""#);
        assert_eq!(of("Basic ***unknown***"), "curl -X GET -H 'authorization: Basic ''not-the-secret-0000'");
    }

    #[test]
    fn a_token_is_taken_out_of_the_response() {
        let exchange =
            Exchange { request: Request { method: "POST".into(), url: "http://shop/login".into(), ..Request::default() }, ..exchange() };
        let line = fetching_with(&exchange, ("token", "PAYCHECK_TOKEN_1"), &|owner| variable(owner, "secret"));
        let curl = "curl -s -X POST 'http://shop/login'";
        assert!(line.contains(curl), "{line}");
        for response in [r#"{"a": "b", "token": "x.y-z", "c": "d"}"#, "{\n  \"token\":\"x.y-z\"\n}"] {
            let line = line.replace(curl, &format!("printf %s {}", quoted(response)));
            assert_eq!(String::from_utf8(run(&format!("{line} && printf %s \"$PAYCHECK_TOKEN_1\""))).as_deref(), Ok("x.y-z"), "{line}");
        }
    }

    #[test]
    fn a_quote_in_a_value_does_not_end_it() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quote("", &|_| String::new()), "''");
    }

    #[test]
    fn a_secret_is_a_variable_and_curl_escapes_it() {
        assert_eq!(
            form("a=1&secret=***main***&b=2"),
            r#"curl --data-raw 'a=1' --data-urlencode 'secret='"$PAYCHECK_SECRET" --data-raw 'b=2'"#
        );
        assert_eq!(form("secret=***other***"), r#"curl --data-urlencode 'secret='"$PAYCHECK_OTHER_SECRET""#);
        assert_eq!(form("secret=***unknown***&x=***"), "curl --data-urlencode 'secret=''not-the-secret-0000' --data-raw 'x=***'");
        assert_eq!(quote("Bearer ***token-1***", &|owner| variable(owner, "secret")), r#"'Bearer '"$PAYCHECK_TOKEN_1""#);
    }

    #[test]
    fn only_a_name_is_a_mark() {
        for text in ["***", "******", "***$(id)***", "*** ***", "***a"] {
            assert_eq!(quote(text, &|_| "X".into()), quoted(text));
        }
        assert_eq!(quote("****main****", &|_| "X".into()), r#"'*'"$X"'*'"#);
    }

    #[test]
    fn what_no_terminal_shows_is_printed_into_curl() {
        let line = form("{\"a\":\"1\n2\\\"}***main***\u{202e}'");
        let (printed, curl) = line.rsplit_once(" | ").unwrap_or_default();
        assert_eq!(curl, "curl --data-binary @-");
        assert!(!line.chars().any(is_unprintable), "{line}");
        assert_eq!(String::from_utf8(run(printed)).as_deref(), Ok("{\"a\":\"1\n2\\\"}it's a \\n \"$ecret\"\u{202e}'"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_shell_reads_back_what_was_quoted(text in "(?s)[^\0]{0,40}") {
            prop_assert_eq!(run(&format!("printf %s {}", quote(&text, &|_| "X".into()))), text.as_bytes());
        }

        #[test]
        fn fields_of_a_form_stay_in_their_order(fields in prop::collection::vec("[a-c]=(x|\\*\\*\\*main\\*\\*\\*)?", 0..6)) {
            let text = fields.join("&");
            prop_assert_eq!(form_parts(&text).join("&"), text);
        }
    }
}
