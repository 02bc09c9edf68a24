//! Whose certificates are believed when a notification goes to an https endpoint.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The authorities of a world.
#[derive(Debug, Clone, Default)]
pub(crate) enum Trust {
    /// Those of the platform.
    #[default]
    Platform,
    /// These and no others.
    Only(Arc<RootCertStore>),
}

impl Trust {
    /// Reads certificates in PEM; the error is a sentence that says what to do.
    pub(crate) fn in_pem(text: &str) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
            let certificate = certificate.map_err(|error| format!("`trust` is not PEM: {error}"))?;
            roots.add(certificate).map_err(|error| format!("`trust` holds a certificate that can't be read: {error}"))?;
        }
        if roots.is_empty() {
            return Err("`trust` holds no certificate: give it in PEM, from -----BEGIN CERTIFICATE----- on".to_owned());
        }
        Ok(Self::Only(Arc::new(roots)))
    }

    /// What a client believes. Asking the platform reads files.
    pub(crate) fn client_config(&self) -> Result<ClientConfig, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let builder = match self {
            Self::Platform => builder.with_platform_verifier()?,
            Self::Only(roots) => builder.with_root_certificates(Arc::clone(roots)),
        };
        Ok(builder.with_no_client_auth())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pem_with_a_certificate_can_be_trusted() {
        let tls = crate::Tls::self_signed().unwrap();
        assert!(Trust::in_pem(tls.certificate_pem()).unwrap().client_config().is_ok());
        assert!(Trust::in_pem("").unwrap_err().contains("BEGIN CERTIFICATE"));
        assert!(Trust::in_pem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap_err().contains("can't be read"));
    }
}
