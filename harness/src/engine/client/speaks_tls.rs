//! Whether a server speaks TLS. Called without it, a server of TLS breaks off or responds with a page of its own, and neither looks like
//! a mistake in the target file.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::connector::{Connector, server_name};
use super::tls;
use crate::spec::target::HttpChoice;

/// The longest time that the answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a record of a TLS handshake begins (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

impl Connector {
    /// Whether the server at a URL answers a TLS handshake. Nothing else is sent, and its certificate is not looked at.
    pub(crate) async fn speaks_tls(&self, url: &Url) -> bool {
        matches!(tokio::time::timeout(PATIENCE, self.first_byte(url)).await, Ok(Ok(HANDSHAKE)))
    }

    /// The first byte of the answer to a handshake.
    async fn first_byte(&self, url: &Url) -> io::Result<u8> {
        let hello = client_hello(url)?;
        let mut stream = self.stream(url).await?;
        stream.write_all(&hello).await?;
        stream.read_u8().await
    }
}

/// The first message of a client to the host of a URL.
fn client_hello(url: &Url) -> io::Result<Vec<u8>> {
    let config = tls::client_config(None, HttpChoice::Auto).map_err(io::Error::other)?;
    let mut client = rustls::ClientConnection::new(config.into(), server_name(url)?).map_err(io::Error::other)?;
    let mut hello = Vec::new();
    client.write_tls(&mut hello)?;
    Ok(hello)
}
