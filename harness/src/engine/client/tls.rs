//! TLS settings: the trusted certificates are those of the platform, and the one that the target file names.

use std::fmt::Display;
use std::sync::{Arc, LazyLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::error::ClientError;
use crate::spec::target::HttpChoice;

/// How ALPN names HTTP/2.
pub(super) const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// The settings of a client, with a further trusted certificate (PEM) if there is one. It offers the versions of HTTP that are asked for.
pub(super) fn client_config(certificate: Option<&[u8]>, http: HttpChoice) -> Result<ClientConfig, ClientError> {
    let verifier: Arc<dyn ServerCertVerifier> = match certificate {
        None => Arc::new(Platform),
        Some(pem) => {
            let more = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
            Arc::new(Verifier::new_with_extra_roots(more, provider()).map_err(unusable)?)
        }
    };
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().map_err(unusable)?;
    let mut config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
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

/// Trusts what the platform trusts. The platform's certificates are read at the first handshake of the process: reading them takes
/// longer than a hundred calls without TLS.
#[derive(Debug)]
struct Platform;

impl Platform {
    fn verifier() -> Result<&'static Verifier, rustls::Error> {
        static VERIFIER: LazyLock<Result<Verifier, rustls::Error>> = LazyLock::new(|| Verifier::new(provider()));
        VERIFIER.as_ref().map_err(Clone::clone)
    }
}

impl ServerCertVerifier for Platform {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Self::verifier()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::verifier()?.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::verifier()?.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}
