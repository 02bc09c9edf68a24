//! The one place where HTTP clients and connections are made. Redirects, proxies, certificates, time limits and the
//! user agent are decided here, for every sender.

mod error;
mod proxy;
mod tls;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Body;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, ToSocketAddrs};
use url::Url;

use crate::spec::target::{Target, is_loopback};
pub use error::ClientError;
use proxy::Proxy;

/// The `User-Agent` of every request.
pub(crate) const USER_AGENT: &str = concat!("paycheck/", env!("CARGO_PKG_VERSION"));

/// The longest time that opening a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);

/// The longest time that an action of the world may take.
const MOVING: Duration = Duration::from_secs(60);

/// A client for the calls to a target.
pub(crate) fn for_target(target: &Target) -> Result<reqwest::Client, ClientError> {
    let builder = common(target.is_local(), target.certificate.as_deref())?;
    built(builder.timeout(target.timeout).connect_timeout(connecting(target.timeout)))
}

/// How long opening a connection may take, TLS included: less than the whole call, so that the two timeouts can be distinguished.
fn connecting(call: Duration) -> Duration {
    CONNECTING.min(call * 4 / 5)
}

/// A client for actions of the world: the target's response time is no bound for them.
pub(crate) fn for_world(target: &Target) -> Result<reqwest::Client, ClientError> {
    let builder = common(target.is_local(), target.certificate.as_deref())?;
    built(builder.timeout(MOVING).connect_timeout(CONNECTING))
}

/// A client that opens a connection for each message, so that no message is affected by the one before.
pub(crate) fn for_single_messages(endpoint: &Url) -> Result<reqwest::Client, ClientError> {
    built(common(is_loopback(endpoint), None)?.pool_max_idle_per_host(0))
}

/// A client that keeps up to `connections` connections, sends nothing twice and waits `within` for each response.
pub(crate) fn for_many_messages(endpoint: &Url, connections: usize, within: Duration) -> Result<reqwest::Client, ClientError> {
    let builder = common(is_loopback(endpoint), None)?.retry(reqwest::retry::never()).pool_max_idle_per_host(connections);
    built(builder.tcp_nodelay(true).timeout(within))
}

/// The settings of all clients. A response is judged as it was sent: no redirect is followed and nothing is decompressed,
/// whatever features another user of the library (goose) enables. The environment's proxy is not used between two processes of
/// one machine.
fn common(local: bool, certificate: Option<&[u8]>) -> Result<reqwest::ClientBuilder, ClientError> {
    let builder = reqwest::Client::builder().tls_backend_preconfigured(tls::client_config(certificate)?);
    let builder = builder.user_agent(USER_AGENT).redirect(reqwest::redirect::Policy::none()).no_gzip();
    Ok(if local { builder.no_proxy() } else { builder })
}

fn built(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, ClientError> {
    builder.build().map_err(|error| ClientError::Library(error.to_string()))
}

/// The host and port of the proxy for all calls to a target, if any.
pub(crate) fn proxy(target: &Target) -> Option<String> {
    target.bases.values().filter(|_| !target.is_local()).find_map(Proxy::for_url).map(|proxy| proxy.address())
}

/// Opens a connection without encryption.
pub(crate) async fn connect(address: impl ToSocketAddrs) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Whether a process listens at one of these addresses.
pub async fn is_listening(addresses: &[std::net::SocketAddr]) -> bool {
    TcpStream::connect(addresses).await.is_ok()
}

/// Makes a stream an HTTP connection: a sender of requests, and the task that drives it.
pub(crate) async fn http<S, B>(stream: S) -> hyper::Result<(http1::SendRequest<B>, http1::Connection<TokioIo<S>, B>)>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    B: Body + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    http1::Builder::new().writev(false).handshake(TokioIo::new(stream)).await
}

/// A connection for raw bytes.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Sync {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + Sync> Stream for S {}

/// Opens connections to a target for senders that write their own bytes.
#[derive(Clone)]
pub(crate) struct Connector {
    within: Duration,
    local: bool,
    tls: Option<Arc<rustls::ClientConfig>>,
}

impl Connector {
    /// A connector that trusts the same certificates as the target's other clients. Its copies share their TLS sessions: a
    /// reopened connection resumes the last one.
    pub(crate) fn new(target: &Target) -> Result<Self, ClientError> {
        let encrypted = target.bases.values().any(|base| base.scheme() == "https");
        let tls = if encrypted { Some(Arc::new(speaking_http1(tls::client_config(target.certificate.as_deref())?))) } else { None };
        Ok(Self { within: connecting(target.timeout), local: target.is_local(), tls })
    }

    /// A connector for tests, with a further trusted certificate.
    #[cfg(test)]
    pub(crate) fn of_test(certificate: Option<&[u8]>) -> Self {
        let tls = speaking_http1(tls::client_config(certificate).unwrap());
        Self { within: CONNECTING, local: true, tls: Some(Arc::new(tls)) }
    }

    /// Opens a connection to the host of a base URL.
    pub(crate) async fn connect(&self, base: &Url) -> io::Result<Box<dyn Stream>> {
        let connecting = tokio::time::timeout(self.within, self.stream(base));
        let stream = connecting.await.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "no connection came about"))??;
        match &self.tls {
            Some(tls) if base.scheme() == "https" => {
                let host = base.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
                let name = rustls::pki_types::ServerName::try_from(host).map_err(io::Error::other)?;
                let connector = tokio_rustls::TlsConnector::from(Arc::clone(tls));
                let handshake = tokio::time::timeout(self.within, connector.connect(name, stream));
                Ok(Box::new(handshake.await.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "no TLS handshake came about"))??))
            }
            Some(_) | None => Ok(Box::new(stream)),
        }
    }

    async fn stream(&self, base: &Url) -> io::Result<TcpStream> {
        match Proxy::for_url(base).filter(|_| !self.local) {
            Some(proxy) => {
                let mut stream = connect(proxy.address()).await?;
                proxy.tunnel(&mut stream, base).await?;
                Ok(stream)
            }
            None => connect(base.socket_addrs(|| None)?.as_slice()).await,
        }
    }
}

/// Negotiates HTTP/1.1 during the TLS handshake, because that is what is written.
fn speaking_http1(mut config: rustls::ClientConfig) -> rustls::ClientConfig {
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
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
            makers.extend(MAKERS.iter().filter(|maker| code.contains(**maker)).map(|maker| format!("{name}: {maker}")));
        }
        assert_eq!(makers, Vec::<String>::new());
    }
}
