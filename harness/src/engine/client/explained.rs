//! Errors of the HTTP libraries in words for users. The URL of a request is in none of them: it may identify a payer.

use std::error::Error;
use std::iter::successors;

use h2::Reason;

/// How TLS says that a server shows the certificate of an authority.
pub(super) const AUTHORITY_AS_SERVER: &str = "CaUsedAsEndEntity";

/// Why a request has no response, or no whole one.
pub(crate) fn request(error: reqwest::Error) -> String {
    let error = error.without_url();
    let causes: Vec<String> = successors(Some(&error as &(dyn Error + 'static)), |cause| Error::source(*cause)).map(cause).collect();
    let first = causes.iter().position(|cause| !is_passed_on(cause)).unwrap_or_default();
    let words = causes.get(first..).unwrap_or_default().join(": ");
    // The pages of a library are for programmers.
    words.split(": https://docs.rs/").next().unwrap_or_default().to_owned()
}

/// Whether the library only passes a cause on, which explains nothing.
fn is_passed_on(cause: &str) -> bool {
    const PASSED_ON: [&str; 4] =
        ["error sending request", "error decoding response body", "request or response body error", "error reading a body from connection"];
    PASSED_ON.contains(&cause) || cause.starts_with("client error (")
}

/// What went wrong with a target or its world, with what its file can do about it.
pub(crate) fn advised(words: String) -> String {
    with_advice(
        words,
        [
            (
                "UnknownIssuer",
                "this machine does not know who has signed its certificate; where that is right, name the signer's certificate (PEM) as \
             `certificate` in the target file",
            ),
            (
                AUTHORITY_AS_SERVER,
                "it shows a certificate that has signed itself; where that is right, name it (PEM) as `certificate` in the target file",
            ),
            ("InvalidContentType", "it does not speak TLS; if it is meant to, check the port, else write http:// in the target file"),
        ],
    )
}

/// What went wrong with an endpoint that the command line names, with what the command line can do about it.
pub(crate) fn endpoint_advised(words: String) -> String {
    with_advice(
        words,
        [
            (
                "UnknownIssuer",
                "this machine does not know who has signed its certificate; where that is right, name the signer's certificate (PEM): \
                 `--certificate FILE`",
            ),
            (
                AUTHORITY_AS_SERVER,
                "it shows a certificate that has signed itself; where that is right, name it (PEM): `--certificate FILE`",
            ),
            ("InvalidContentType", "it does not speak TLS; if it is meant to, check the port, else write http:// in its URL"),
        ],
    )
}

/// The words, and the advice for the first error that they name.
fn with_advice(words: String, advice: [(&str, &str); 3]) -> String {
    match advice.into_iter().find(|(error, _)| words.contains(error)) {
        Some((_, advice)) => format!("{words}: {advice}"),
        None => words,
    }
}

fn cause(error: &(dyn Error + 'static)) -> String {
    error.downcast_ref::<h2::Error>().map_or_else(|| error.to_string(), http2)
}

/// Says who ended a stream or a connection, and why, in the words of the protocol. Bytes of the target are not in it.
pub(crate) fn http2(error: &h2::Error) -> String {
    let reason = error.reason().map(|reason| format!("{reason:?}: {}", reason.description())).unwrap_or_default();
    match (error.is_remote(), error.is_go_away(), error.is_reset()) {
        (true, true, _) => format!("the target closed the connection (GOAWAY, {reason})"),
        (true, _, true) if error.reason() == Some(Reason::REFUSED_STREAM) => {
            "the target refused the request unprocessed (REFUSED_STREAM)".to_owned()
        }
        (true, _, true) => format!("the target broke off the exchange (RST_STREAM, {reason})"),
        _ if error.is_library() => format!("the target does not keep to HTTP/2 ({reason})"),
        _ => format!("the connection was closed before the response was complete: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_command_line_can_change_is_said() {
        assert_eq!(endpoint_advised("peer closed".to_owned()), "peer closed");
        for error in ["UnknownIssuer", "Other(OtherError(CaUsedAsEndEntity))"] {
            let advice = endpoint_advised(format!("invalid peer certificate: {error}"));
            assert!(advice.contains("`--certificate FILE`") && !advice.contains("target file"), "{advice}");
        }
    }

    #[test]
    fn what_a_target_file_can_change_is_said() {
        assert_eq!(advised("peer closed".to_owned()), "peer closed");
        let unknown = advised("invalid peer certificate: UnknownIssuer".to_owned());
        assert!(
            unknown.starts_with("invalid peer certificate: UnknownIssuer: this machine") && unknown.contains("`certificate`"),
            "{unknown}"
        );
        assert!(
            advised("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))".to_owned()).contains("name it (PEM) as `certificate`")
        );
        assert!(advised("received corrupt message of type InvalidContentType".to_owned()).contains("it does not speak TLS"));
        assert!(is_passed_on("error decoding response body") && !is_passed_on("connection closed before message completed"));
    }
}
