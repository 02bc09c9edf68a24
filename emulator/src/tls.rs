//! TLS with a certificate made on the spot.

use std::sync::Arc;

use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// How ALPN names HTTP/2.
pub(crate) const HTTP2: &[u8] = b"h2";

/// The names that every certificate is for.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Whom every certificate names.
const SUBJECT: &str = "Paycheck emulator";

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
        let (certificate, key) = made(names).map_err(|error| TlsError(error.into()))?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key))
            .map_err(|error| TlsError(error.into()))?;
        config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config), certificate_pem: certificate.pem() })
    }

    /// Whether a text is the certificate of an emulator, and nothing else.
    pub fn is_certificate(text: &[u8]) -> bool {
        let text = text.trim_ascii();
        let is_one = text.starts_with(b"-----BEGIN CERTIFICATE-----") && text.ends_with(b"-----END CERTIFICATE-----");
        let sections: Result<Vec<(SectionKind, Vec<u8>)>, _> = PemObject::pem_slice_iter(text).collect();
        let names_it = |der: &[u8]| der.windows(SUBJECT.len()).any(|part| part == SUBJECT.as_bytes());
        is_one && matches!(sections.as_deref(), Ok([(SectionKind::Certificate, der)]) if names_it(der))
    }

    /// The certificate, for clients to trust.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }
}

fn made(names: Vec<String>) -> Result<(rcgen::Certificate, KeyPair), rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, SUBJECT);
    let key = KeyPair::generate()?;
    Ok((params.self_signed(&key)?, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_of_an_emulator_is_told_from_other_files() {
        let own = Tls::self_signed().unwrap();
        assert!(Tls::is_certificate(own.certificate_pem().as_bytes()));
        let others = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let more = format!("{}{}", own.certificate_pem(), others.signing_key.serialize_pem());
        for text in ["", "my notes", &others.cert.pem(), &more, &format!("my notes\n{}", own.certificate_pem())] {
            assert!(!Tls::is_certificate(text.as_bytes()), "{text}");
        }
    }
}
