//! The proxy that the environment names: either every sender uses it, or none does.

use std::io;

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

/// The longest head of a proxy's response.
const LONGEST_HEAD: usize = 16 * 1024;

/// The proxy in front of a host.
#[derive(Clone, Debug)]
pub(super) struct Proxy(Intercept);

impl Proxy {
    /// The proxy that the environment names for a URL, as the HTTP library reads it.
    pub(super) fn for_url(url: &Url) -> Option<Self> {
        Self::found(&Matcher::from_system(), url)
    }

    fn found(matcher: &Matcher, url: &Url) -> Option<Self> {
        matcher.intercept(&url.as_str().parse::<Uri>().ok()?).map(Self)
    }

    /// Its host and port, without its credentials.
    pub(super) fn address(&self) -> String {
        let uri = self.0.uri();
        let default = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(default))
    }

    /// Asks the proxy for a tunnel to the host of a URL; raw bytes follow.
    pub(super) async fn tunnel(&self, stream: &mut TcpStream, base: &Url) -> io::Result<()> {
        if self.0.uri().scheme_str() != Some("http") {
            let advice = "is another kind; add this host to NO_PROXY";
            return Err(io::Error::other(format!("raw requests need an http:// proxy, and {} {advice}", self.address())));
        }
        let host = base.host_str().unwrap_or_default();
        let authority = format!("{host}:{}", base.port_or_known_default().unwrap_or_default());
        asked(stream, &authority, self.0.basic_auth()).await
    }
}

async fn asked(stream: &mut TcpStream, authority: &str, login: Option<&HeaderValue>) -> io::Result<()> {
    let mut head = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    if let Some(login) = login {
        head.extend([b"Proxy-Authorization: ", login.as_bytes(), b"\r\n"].concat());
    }
    head.extend(b"\r\n");
    stream.write_all(&head).await?;
    let mut response = Vec::new();
    // Byte by byte: what follows the head belongs to the host behind the proxy.
    while !response.ends_with(b"\r\n\r\n") {
        if response.len() >= LONGEST_HEAD {
            return Err(io::Error::other("the proxy's response has no end"));
        }
        response.push(stream.read_u8().await?);
    }
    let status: String = String::from_utf8_lossy(&response).split(' ').nth(1).unwrap_or_default().chars().take(3).collect();
    if status == "200" { Ok(()) } else { Err(io::Error::other(format!("the proxy refuses a connection to {authority}: {status:?}"))) }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// A proxy that reads one head and sends these bytes.
    async fn proxied(responds: &'static [u8]) -> (io::Result<Vec<u8>>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let named = format!("http://user:pa%20ss@{}", listener.local_addr().unwrap());
        let matcher = Matcher::builder().all(named).no("internal.example").build();
        let heard = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(responds).await.unwrap();
            String::from_utf8(head).unwrap()
        });
        let proxy = Proxy::found(&matcher, &"https://pay.example/api".parse().unwrap()).unwrap();
        assert!(Proxy::found(&matcher, &"https://internal.example/".parse().unwrap()).is_none());
        assert!(!format!("{} {proxy:?}", proxy.address()).contains("pa ss"));
        let read = async {
            let mut stream = super::super::connector::connect(proxy.address()).await?;
            proxy.tunnel(&mut stream, &"https://pay.example/api".parse().unwrap()).await?;
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await?;
            Ok(rest)
        };
        (read.await, heard.await.unwrap())
    }

    #[tokio::test]
    async fn raw_requests_go_through_the_proxy_of_the_environment_too() {
        let (rest, heard) = proxied(b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nfrom the host").await;
        assert_eq!(rest.unwrap(), b"from the host");
        assert!(heard.starts_with("CONNECT pay.example:443 HTTP/1.1\r\nHost: pay.example:443\r\n"), "{heard}");
        assert!(heard.contains("Proxy-Authorization: Basic dXNlcjpwYSBzcw==\r\n"), "{heard}");
    }

    #[tokio::test]
    async fn a_proxy_that_refuses_is_named_as_the_reason() {
        let (rest, _) = proxied(b"HTTP/1.1 407 \x1b[2J\r\n\r\n").await;
        assert_eq!(rest.unwrap_err().to_string(), "the proxy refuses a connection to pay.example:443: \"407\"");
        let (rest, _) = proxied(b"").await;
        assert!(rest.is_err());
    }
}
