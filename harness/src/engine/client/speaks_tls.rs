//! A server of TLS that is called without it: a few break off, others respond with a page of their own, and neither says what to change.

use std::io;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::connector::connect;
use super::tls;
use crate::spec::target::HttpChoice;

/// The longest time that the answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the first record of a server is that takes up a handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// Whether the server at a URL takes up a TLS handshake. Nothing else is sent, and its certificate is not looked at.
pub(crate) async fn speaks_tls(url: &Url) -> bool {
    matches!(tokio::time::timeout(PATIENCE, first_byte(url)).await, Ok(Ok(HANDSHAKE)))
}

async fn first_byte(url: &Url) -> io::Result<u8> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let hello = client_hello(host)?;
    let mut stream = connect((host, url.port_or_known_default().unwrap_or_default())).await?;
    stream.write_all(&hello).await?;
    stream.read_u8().await
}

/// The first message of a client to a host.
fn client_hello(host: &str) -> io::Result<Vec<u8>> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let config = tls::client_config(None, HttpChoice::Auto).map_err(io::Error::other)?;
    let mut client = rustls::ClientConnection::new(config.into(), name).map_err(io::Error::other)?;
    let mut hello = Vec::new();
    client.write_tls(&mut hello)?;
    Ok(hello)
}
