//! TLS with a certificate made on the spot.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// How ALPN names HTTP/2.
pub(crate) const HTTP2: &[u8] = b"h2";

/// The names that every certificate is for.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// A self-signed certificate for this machine's own names and those that it was made for, and the means to serve it.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ServerConfig>,
    certificate_pem: String,
}

/// A certificate could not be made.
#[derive(Debug, thiserror::Error)]
#[error("failed to make a self-signed certificate: {0}")]
pub struct TlsError(Box<dyn std::error::Error + Send + Sync>);

impl Tls {
    /// Makes a new certificate for `localhost`, `127.0.0.1` and `::1`.
    pub fn self_signed() -> Result<Self, TlsError> {
        Self::self_signed_for(&[])
    }

    /// Makes a new certificate for these host names and addresses too.
    pub fn self_signed_for(hosts: &[String]) -> Result<Self, TlsError> {
        let names: Vec<String> = NAMES.map(str::to_owned).into_iter().chain(hosts.iter().cloned()).collect();
        let made = rcgen::generate_simple_self_signed(names).map_err(|error| TlsError(error.into()))?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key))
            .map_err(|error| TlsError(error.into()))?;
        config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config), certificate_pem: made.cert.pem() })
    }

    /// The certificate, for clients to trust.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }
}
