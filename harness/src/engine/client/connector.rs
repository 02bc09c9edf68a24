//! Connections for senders that drive them by themselves.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, ToSocketAddrs};
use url::Url;

use super::counts::{ConnectionCounts, SpokenOver};
use super::error::ClientError;
use super::explained;
use super::proxy::Proxy;
use super::tls;
use crate::spec::target::{HttpChoice, Target};
use crate::wire::exchange::HttpVersion;

/// How HTTP/2 begins on both sides: the preface, which no other protocol understands, and settings that change nothing.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// The length of a frame's head; the fourth byte is its type.
const FRAME_HEAD: usize = 9;
/// The type of the frame that a server of HTTP/2 begins with.
const SETTINGS: u8 = 4;

/// The longest time that opening a connection may take.
pub(super) const CONNECTING: Duration = Duration::from_secs(10);

/// How long opening a connection may take, TLS included: less than the whole call, so that the two timeouts can be distinguished.
pub(super) fn connecting(call: Duration) -> Duration {
    CONNECTING.min(call * 4 / 5)
}

/// Opens a connection without encryption.
pub(crate) async fn connect(address: impl ToSocketAddrs) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The host of a URL; an IPv6 address without its brackets.
fn bare_host(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

/// The host of a URL, as TLS names it.
pub(super) fn server_name(url: &Url) -> io::Result<ServerName<'static>> {
    ServerName::try_from(bare_host(url).to_owned()).map_err(io::Error::other)
}

/// A connection for raw bytes.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Sync {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + Sync> Stream for S {}

/// Opens connections to a target for senders that write their own bytes.
#[derive(Clone)]
pub(crate) struct Connector {
    within: Duration,
    local: bool,
    http: HttpChoice,
    tls: Option<Arc<rustls::ClientConfig>>,
    counts: Arc<ConnectionCounts>,
}

impl Connector {
    /// A connector that trusts the same certificates as the target's other clients. Its copies share their TLS sessions: a
    /// reopened connection resumes the last one.
    pub(crate) fn new(target: &Target) -> Result<Self, ClientError> {
        Self::speaking(target, target.http)
    }

    /// A connector for senders that write HTTP/1.1, whatever the target is asked to speak elsewhere.
    pub(crate) fn for_http1(target: &Target) -> Result<Self, ClientError> {
        Self::speaking(target, HttpChoice::One)
    }

    /// A connector for actions of the world: the target's choice of HTTP version does not apply to them.
    pub(crate) fn for_world(target: &Target) -> Result<Self, ClientError> {
        Self::speaking(target, HttpChoice::Auto)
    }

    fn speaking(target: &Target, http: HttpChoice) -> Result<Self, ClientError> {
        let encrypted = target.bases.values().any(|base| base.scheme() == "https");
        let tls = if encrypted { Some(Arc::new(tls::client_config(target.certificate.as_deref(), http)?)) } else { None };
        Ok(Self { within: connecting(target.timeout), local: target.is_local(), http, tls, counts: Arc::default() })
    }

    /// A connector for tests, with a further trusted certificate.
    #[cfg(test)]
    pub(crate) fn of_test(certificate: Option<&[u8]>, http: HttpChoice) -> Self {
        let tls = tls::client_config(certificate, http).unwrap();
        Self { within: CONNECTING, local: true, http, tls: Some(Arc::new(tls)), counts: Arc::default() }
    }

    /// Whether HTTP/2 may be spoken with the host of a base URL.
    pub(crate) fn may_speak_http2(&self, base: &Url) -> bool {
        self.http.may_be_two(base.scheme())
    }

    /// The connections that were opened by it and its copies.
    pub(crate) fn spoken(&self) -> Vec<SpokenOver> {
        self.counts.all()
    }

    /// Where its connections are counted.
    pub(crate) fn counts(&self) -> &Arc<ConnectionCounts> {
        &self.counts
    }

    /// Opens a connection to the host of a base URL; returns also what is spoken on it.
    pub(crate) async fn connect(&self, base: &Url) -> io::Result<(Box<dyn Stream>, HttpVersion)> {
        let (stream, http) = self.open(base).await?;
        self.counts.opened(http);
        Ok((stream, http))
    }

    async fn open(&self, base: &Url) -> io::Result<(Box<dyn Stream>, HttpVersion)> {
        let late = |what: &str| io::Error::new(io::ErrorKind::TimedOut, format!("no {what} within {:?}", self.within));
        let connecting = tokio::time::timeout(self.within, self.stream(base));
        let stream = connecting.await.map_err(|_| late("connection"))??;
        match &self.tls {
            Some(tls) if base.scheme() == "https" => {
                let name = server_name(base)?;
                let connector = tokio_rustls::TlsConnector::from(Arc::clone(tls));
                let handshake = tokio::time::timeout(self.within, connector.connect(name, stream));
                let stream = handshake.await.map_err(|_| late("TLS handshake"))?.map_err(|error| self.explained(error))?;
                let http = match stream.get_ref().1.alpn_protocol() {
                    Some(tls::HTTP2) => HttpVersion::Two,
                    _ if self.http == HttpChoice::Two => return Err(io::Error::other(ClientError::NotOffered(HttpVersion::Two))),
                    _ => HttpVersion::One,
                };
                Ok((Box::new(stream), http))
            }
            Some(_) | None => Ok((Box::new(stream), if self.http == HttpChoice::Two { HttpVersion::Two } else { HttpVersion::One })),
        }
    }

    /// Says what a refused handshake means where client and target have no version of HTTP in common.
    fn explained(&self, error: io::Error) -> io::Error {
        let alert = rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol);
        let refused = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) == Some(&alert);
        match self.http {
            HttpChoice::One if refused => io::Error::other(ClientError::NotOffered(HttpVersion::One)),
            HttpChoice::Two if refused => io::Error::other(ClientError::NotOffered(HttpVersion::Two)),
            HttpChoice::Auto | HttpChoice::One | HttpChoice::Two => io::Error::new(error.kind(), explained::advised(error.to_string())),
        }
    }

    /// Whether the hosts of a target speak the version of HTTP that it is asked for. One that can't be reached is no answer.
    pub(crate) async fn check_http(&self, bases: impl Iterator<Item = &Url>) -> Result<(), ClientError> {
        let mut seen = Vec::new();
        for base in bases.filter(|base| self.http != HttpChoice::Auto && (self.http == HttpChoice::Two || base.scheme() == "https")) {
            if seen.contains(&base.origin()) {
                continue;
            }
            seen.push(base.origin());
            if base.scheme() == "http"
                && let Some(proxy) = Proxy::for_url(base).filter(|_| !self.local)
            {
                return Err(ClientError::BehindProxy(proxy.address()));
            }
            match self.open(base).await {
                Ok((stream, HttpVersion::Two)) if base.scheme() == "http" => self.check_preface(stream).await?,
                Ok(_) => {}
                Err(error) => {
                    if let Ok(refusal) = error.downcast::<ClientError>() {
                        return Err(refusal);
                    }
                }
            }
        }
        Ok(())
    }

    async fn check_preface(&self, mut stream: Box<dyn Stream>) -> Result<(), ClientError> {
        let answered = async {
            stream.write_all(PREFACE).await?;
            let mut head = [0; FRAME_HEAD];
            stream.read_exact(&mut head).await?;
            io::Result::Ok(head)
        };
        match tokio::time::timeout(self.within, answered).await {
            Ok(Ok([_, _, _, SETTINGS, ..])) => Ok(()),
            Ok(Ok(_) | Err(_)) | Err(_) => Err(ClientError::NoPriorKnowledge),
        }
    }

    pub(super) async fn stream(&self, base: &Url) -> io::Result<TcpStream> {
        match Proxy::for_url(base).filter(|_| !self.local) {
            Some(proxy) => {
                let mut stream = connect(proxy.address()).await?;
                proxy.tunnel(&mut stream, base).await?;
                Ok(stream)
            }
            // A host and a port are resolved without blocking the other tasks of this thread, and within the time limit.
            None => connect((bare_host(base), base.port_or_known_default().unwrap_or_default())).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_no_brackets_where_it_is_looked_up() {
        let host = |url: &str| bare_host(&url.parse().unwrap()).to_owned();
        assert_eq!(host("http://[::1]:8080/api"), "::1");
        assert_eq!(host("https://pay.example/"), "pay.example");
    }
}
