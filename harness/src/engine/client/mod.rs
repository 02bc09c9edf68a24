//! The one place where HTTP clients and connections are made. Redirects, proxies, certificates, time limits and the
//! user agent are decided here, for every sender.

mod connector;
mod counts;
mod error;
pub(crate) mod explained;
mod opening;
mod proxy;
mod speaks_tls;
mod tls;

use std::time::Duration;

use tokio::time::Instant;

use bytes::Bytes;
use hyper::body::Body;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use url::Url;

use crate::spec::target::{HttpChoice, Target, WorldKind, is_loopback};
use connector::{CONNECTING, connecting};
pub(crate) use connector::{Connector, Stream};
pub(crate) use counts::{ConnectionCounts, SpokenOver};
pub use error::ClientError;
pub(crate) use opening::noted;
use proxy::Proxy;

/// The `User-Agent` of every request.
pub(crate) const USER_AGENT: &str = concat!("paycheck/", env!("CARGO_PKG_VERSION"));

/// The longest time that an action of the world may take.
pub(crate) const MOVING: Duration = Duration::from_secs(60);

/// How long a connection may be idle and still be used again. Servers close idle ones, often after two seconds (gunicorn) or five (Node.js,
/// Apache); a request that is sent at this very moment is lost, and that is no fault of the target.
pub(crate) const IDLE: Duration = Duration::from_millis(1_500);

/// The host and the port of a URL.
pub(crate) fn authority(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port().unwrap_or_default())
}

/// A client for the calls to a target.
pub(crate) fn for_target(target: &Target) -> Result<reqwest::Client, ClientError> {
    built(calls_to(target)?)
}

/// A client for the calls to a target that opens a connection for each.
pub(crate) fn for_single_calls(target: &Target) -> Result<reqwest::Client, ClientError> {
    built(calls_to(target)?.pool_max_idle_per_host(0))
}

fn calls_to(target: &Target) -> Result<reqwest::ClientBuilder, ClientError> {
    let builder = common(target.is_local(), target.certificate.as_deref(), target.http)?;
    Ok(builder.timeout(target.timeout).connect_timeout(connecting(target.timeout)).connector_layer(opening::layer()))
}

/// A client for actions of the world: the target's response time is no bound for them, and other hosts carry them out, so the target's
/// choice of HTTP version does not apply to them. A driver's request has an effect, so it goes over a new connection: one that was used
/// before may be closed just when the request is sent.
pub(crate) fn for_world(target: &Target) -> Result<reqwest::Client, ClientError> {
    let builder = common(target.is_local(), target.certificate.as_deref(), HttpChoice::Auto)?;
    let builder = match target.world {
        WorldKind::Emulator(_) => builder,
        WorldKind::Drivers(_) => builder.pool_max_idle_per_host(0),
    };
    built(builder.timeout(MOVING).connect_timeout(CONNECTING))
}

/// A client that opens a connection for each message, so that no message is affected by the one before. It trusts a further certificate
/// (PEM), if one is named.
pub(crate) fn for_single_messages(endpoint: &Url, certificate: Option<&[u8]>) -> Result<reqwest::Client, ClientError> {
    built(common(is_loopback(endpoint), certificate, HttpChoice::One)?.pool_max_idle_per_host(0))
}

/// A client that keeps up to `connections` connections, sends nothing twice and waits `within` for each response.
pub(crate) fn for_many_messages(endpoint: &Url, connections: usize, within: Duration) -> Result<reqwest::Client, ClientError> {
    let builder = common(is_loopback(endpoint), None, HttpChoice::One)?.retry(reqwest::retry::never()).pool_max_idle_per_host(connections);
    built(builder.tcp_nodelay(true).timeout(within))
}

/// The longest head of a response. Over HTTP/1.1 it also bounds what is read, and what is skipped of interim responses, before the
/// deadline is looked at again.
pub(crate) const LONGEST_HEAD: u32 = 128 * 1024;

/// How many bytes a target may send ahead of the reader, on a stream and on a connection of HTTP/2: those of hyper.
const WINDOW: u32 = 2 * 1024 * 1024;
const CONNECTION_WINDOW: u32 = 5 * 1024 * 1024;

/// The settings of all clients. A response is judged as it was sent: no redirect is followed and nothing is decompressed,
/// whatever features another user of the library (goose) enables. The environment's proxy is not used between two processes of
/// one machine.
fn common(local: bool, certificate: Option<&[u8]>, http: HttpChoice) -> Result<reqwest::ClientBuilder, ClientError> {
    let builder = reqwest::Client::builder().tls_backend_preconfigured(tls::client_config(certificate, http)?);
    let builder = match http {
        HttpChoice::Auto => builder,
        HttpChoice::One => builder.http1_only(),
        HttpChoice::Two => builder.http2_prior_knowledge(),
    };
    let builder =
        builder.http2_max_header_list_size(LONGEST_HEAD).user_agent(USER_AGENT).redirect(reqwest::redirect::Policy::none()).no_gzip();
    let builder = builder.pool_idle_timeout(IDLE);
    Ok(if local { builder.no_proxy() } else { builder })
}

fn built(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, ClientError> {
    builder.build().map_err(|error| ClientError::Library(error.to_string()))
}

/// The host and port of the proxy for all calls to a target, if any.
pub(crate) fn proxy(target: &Target) -> Option<String> {
    target.bases.values().filter(|_| !target.is_local()).find_map(Proxy::for_url).map(|proxy| proxy.address())
}

/// Whether a process listens at an address, as far as shows until a deadline. A name that has no address yet counts as not.
pub async fn is_listening(address: impl tokio::net::ToSocketAddrs, deadline: Instant) -> bool {
    tokio::time::timeout_at(deadline, TcpStream::connect(address)).await.is_ok_and(|connected| connected.is_ok())
}

/// Makes a stream an HTTP connection: a sender of requests, and the task that drives it.
pub(crate) async fn http<S, B>(stream: S) -> hyper::Result<(http1::SendRequest<B>, http1::Connection<TokioIo<S>, B>)>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    B: Body + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    http1::Builder::new().writev(false).max_buf_size(LONGEST_HEAD as usize).handshake(TokioIo::new(stream)).await
}

/// Makes a stream a connection of HTTP/2: a sender of requests, and the task that drives it. Pushed responses are refused; how many
/// frames a head may have, and how many resets are remembered, is bounded by the library.
pub(crate) async fn http2<S>(stream: S) -> Result<(h2::client::SendRequest<Bytes>, h2::client::Connection<S, Bytes>), h2::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut settings = h2::client::Builder::new();
    settings.enable_push(false).max_header_list_size(LONGEST_HEAD);
    settings.initial_window_size(WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
    settings.handshake(stream).await
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    /// Calls that make a client or a connection.
    const MAKERS: [&str; 5] = ["Client::builder", "Client::new(", "ClientConfig::builder", "TcpStream::connect", ".handshake("];

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    /// Whether the code calls it, and not what only ends with its name.
    fn calls(code: &str, maker: &str) -> bool {
        let is_name = |at: usize| maker.starts_with('.') || !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        code.match_indices(maker).any(|(at, _)| is_name(at))
    }

    #[test]
    fn clients_and_connections_are_made_here_and_nowhere_else() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut makers = Vec::new();
        for path in sources(&source) {
            let name = path.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
            let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
            if is_test || name.starts_with("engine/client/") || !name.ends_with(".rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            makers.extend(MAKERS.iter().filter(|maker| calls(code, maker)).map(|maker| format!("{name}: {maker}")));
        }
        assert_eq!(makers, Vec::<String>::new());
    }
}
