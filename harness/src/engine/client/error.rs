//! The error of a client that cannot be made, or cannot speak with its target.

use crate::wire::exchange::HttpVersion;

/// Why a client cannot be made, or cannot speak with its target.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The certificate that the target file names is invalid.
    #[error("the certificate can't be used: {0}")]
    Certificate(String),
    /// The HTTP library refuses its settings.
    #[error("no HTTP client: {0}")]
    Library(String),
    /// The TLS handshake did not agree on the requested version of HTTP.
    #[error("the target offers no {name} in the TLS handshake (ALPN); `http: auto` speaks what it offers", name = .0.name())]
    NotOffered(HttpVersion),
    /// A target without TLS does not speak HTTP/2.
    #[error(
        "the target does not speak HTTP/2 without TLS (`http: 2` on plain http is prior knowledge, h2c); \
         `http: 1` or `http: auto` speaks HTTP/1.1, and with an https URL TLS decides"
    )]
    NoPriorKnowledge,
    /// A proxy for plain HTTP supports HTTP/1.1 only.
    #[error("`http: 2` on plain http does not go through the proxy {0}; `http: auto`, or NO_PROXY for this host")]
    BehindProxy(String),
}
