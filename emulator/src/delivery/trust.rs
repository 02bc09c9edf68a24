//! The certificates that are trusted when a notification goes to an https endpoint.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::world::TrustError;

/// The certificates that a world trusts.
#[derive(Debug, Clone, Default)]
pub(super) enum Trust {
    /// Those of the platform.
    #[default]
    Platform,
    /// These and no others.
    Only(Arc<Named>),
}

impl Trust {
    /// Reads certificates in PEM.
    pub(super) fn from_pem(text: &str) -> Result<Self, TrustError> {
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
        let certificates = read.map_err(|error| TrustError::NotPem(error.to_string()))?;
        if certificates.is_empty() {
            return Err(TrustError::NoCertificate);
        }
        Named::new(certificates).map(|named| Self::Only(Arc::new(named))).map_err(TrustError::BadCertificate)
    }

    /// The TLS settings of a client. Asking the platform reads files.
    pub(super) fn client_config(&self) -> Result<ClientConfig, Error> {
        let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        let builder = match self {
            Self::Platform => builder.with_platform_verifier()?,
            Self::Only(named) => builder.dangerous().with_custom_certificate_verifier(Arc::<Named>::clone(named)),
        };
        Ok(builder.with_no_client_auth())
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

/// Certificates of authorities and of endpoints.
#[derive(Debug)]
pub(super) struct Named {
    certificates: Vec<CertificateDer<'static>>,
    verifier: Arc<WebPkiServerVerifier>,
}

impl Named {
    fn new(certificates: Vec<CertificateDer<'static>>) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        certificates.iter().try_for_each(|one| roots.add(one.clone())).map_err(|error| error.to_string())?;
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build();
        Ok(Self { certificates, verifier: verifier.map_err(|error| error.to_string())? })
    }

    /// Whether an endpoint shows one of the certificates itself, which is refused only because it is that of an authority: what
    /// `openssl req -x509` makes. The verifier looks at this after the time for which a certificate is valid.
    fn is_its_own_authority(&self, end_entity: &CertificateDer<'_>, error: &Error) -> bool {
        let is_refused_as_authority =
            matches!(error, Error::InvalidCertificate(CertificateError::Other(other)) if other.to_string().contains("CaUsedAsEndEntity"));
        is_refused_as_authority && self.certificates.iter().any(|named| named == end_entity)
    }
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(error) if self.is_its_own_authority(end_entity, &error) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
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

    const THOUSAND_YEARS: u64 = 365_000 * 86_400;

    #[test]
    fn an_endpoint_may_show_the_certificate_that_is_named_itself() {
        let own = || {
            let mut params = rcgen::CertificateParams::new(["shop.example".to_owned()]).unwrap();
            params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
            params.not_after = params.not_before + std::time::Duration::from_secs(THOUSAND_YEARS);
            params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().der().clone()
        };
        let (trusted, other) = (own(), own());
        let named = Named::new(vec![trusted.clone()]).unwrap();
        let shown = |certificate: &CertificateDer<'_>, name: &'static str, now: u64| {
            let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(now));
            named.verify_server_cert(certificate, &[], &name.try_into().unwrap(), &[], now).is_ok()
        };
        let now = 1_800_000_000;
        assert!(shown(&trusted, "shop.example", now));
        assert!(!shown(&trusted, "other.example", now) && !shown(&other, "shop.example", now) && !shown(&trusted, "shop.example", 1 << 40));
    }
}
