//! TLS settings: the trusted certificates are those of the platform, and the one that the target file names.

use std::fmt::Display;
use std::sync::{Arc, LazyLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::error::ClientError;
use super::explained::AUTHORITY_AS_SERVER;
use crate::spec::target::HttpChoice;

/// How ALPN names HTTP/2.
pub(super) const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// The settings of a client, with a further trusted certificate (PEM) if there is one. It offers the versions of HTTP that are asked for.
pub(super) fn client_config(certificate: Option<&[u8]>, http: HttpChoice) -> Result<ClientConfig, ClientError> {
    let trust = match certificate {
        None => Trust::default(),
        Some(pem) => {
            let named = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
            Trust::with(named).map_err(unusable)?
        }
    };
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().map_err(unusable)?;
    let mut config = builder.dangerous().with_custom_certificate_verifier(Arc::new(trust)).with_no_client_auth();
    let offered: &[&[u8]] = match http {
        HttpChoice::Auto => &[HTTP2, HTTP1],
        HttpChoice::One => &[HTTP1],
        HttpChoice::Two => &[HTTP2],
    };
    config.alpn_protocols = offered.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
    Arc::clone(&PROVIDER)
}

#[allow(clippy::needless_pass_by_value, reason = "map_err hands over its error")]
fn unusable(error: impl Display) -> ClientError {
    ClientError::Certificate(error.to_string())
}

/// Trusts what the platform trusts, and the certificates that the target file names.
#[derive(Debug, Default)]
struct Trust {
    named: Vec<CertificateDer<'static>>,
    /// The verifier that knows them; that of the platform alone, where none is named.
    verifier: Option<Verifier>,
}

impl Trust {
    fn with(named: Vec<CertificateDer<'static>>) -> Result<Self, Error> {
        let verifier = Some(Verifier::new_with_extra_roots(named.clone(), provider())?);
        Ok(Self { named, verifier })
    }

    fn verifier(&self) -> Result<&Verifier, Error> {
        match &self.verifier {
            Some(verifier) => Ok(verifier),
            None => platform(),
        }
    }

    /// Whether a server shows one of the certificates itself, which the verifier refuses only because it is that of an authority: what
    /// `openssl req -x509` makes for a test server. The verifier looks at this after the time for which a certificate is valid.
    fn is_its_own_authority(&self, end_entity: &CertificateDer<'_>, error: &Error) -> bool {
        let is_refused_as_authority =
            matches!(error, Error::InvalidCertificate(CertificateError::Other(other)) if other.to_string().contains(AUTHORITY_AS_SERVER));
        is_refused_as_authority && self.named.iter().any(|named| named == end_entity)
    }
}

/// The platform's certificates are read at the first handshake of the process: reading them takes longer than a hundred calls without TLS.
fn platform() -> Result<&'static Verifier, Error> {
    static VERIFIER: LazyLock<Result<Verifier, Error>> = LazyLock::new(|| Verifier::new(provider()));
    VERIFIER.as_ref().map_err(Clone::clone)
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.verifier()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
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
        self.verifier()?.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, KeyPair};
    use std::time::Duration;

    /// A certificate for `shop.test` that has signed itself, as an authority or not.
    fn self_signed(is_ca: IsCa) -> Certificate {
        let mut params = CertificateParams::new(["shop.test".to_owned()]).unwrap();
        params.is_ca = is_ca;
        (params.not_before, params.not_after) = (rcgen::date_time_ymd(2026, 1, 1), rcgen::date_time_ymd(2027, 1, 1));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap()
    }

    /// Whether a server that shows this certificate is trusted, where the target file names another one or the same.
    fn is_trusted(shown: &Certificate, named: &Certificate, host: &str, seconds: u64) -> bool {
        let named = vec![CertificateDer::from_pem_slice(named.pem().as_bytes()).unwrap()];
        let verifier = Trust::with(named).unwrap();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        verifier.verify_server_cert(shown.der(), &[], &ServerName::try_from(host).unwrap(), &[], now).is_ok()
    }

    const IN_2026: u64 = 1_780_000_000;
    const IN_2028: u64 = 1_840_000_000;

    #[test]
    fn a_server_may_show_the_very_certificate_that_the_target_file_names() {
        for is_ca in [IsCa::NoCa, IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
            let own = self_signed(is_ca);
            assert!(is_trusted(&own, &own, "shop.test", IN_2026), "{is_ca:?}");
            assert!(!is_trusted(&own, &own, "other.test", IN_2026), "another host, {is_ca:?}");
            assert!(!is_trusted(&own, &own, "shop.test", IN_2028), "no longer valid, {is_ca:?}");
            assert!(!is_trusted(&own, &self_signed(is_ca), "shop.test", IN_2026), "another certificate, {is_ca:?}");
        }
    }
}
