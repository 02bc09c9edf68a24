//! The certificates that are trusted when a notification goes to an https endpoint.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::world::TrustError;

/// The certificate authorities that a world trusts.
#[derive(Debug, Clone, Default)]
pub(super) enum Trust {
    /// The certificates of the platform.
    #[default]
    Platform,
    /// These and no others.
    Only(Arc<RootCertStore>),
}

impl Trust {
    /// Reads certificates in PEM.
    pub(super) fn from_pem(text: &str) -> Result<Self, TrustError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
            let certificate = certificate.map_err(|error| TrustError::NotPem(error.to_string()))?;
            roots.add(certificate).map_err(|error| TrustError::BadCertificate(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(TrustError::NoCertificate);
        }
        Ok(Self::Only(Arc::new(roots)))
    }

    /// The TLS settings of a client. Asking the platform reads files.
    pub(super) fn client_config(&self) -> Result<ClientConfig, rustls::Error> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
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
        assert!(Trust::from_pem(tls.certificate_pem()).unwrap().client_config().is_ok());
        assert!(Trust::from_pem("").unwrap_err().to_string().contains("BEGIN CERTIFICATE"));
        assert!(
            Trust::from_pem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
                .unwrap_err()
                .to_string()
                .contains("can't be read")
        );
    }
}
