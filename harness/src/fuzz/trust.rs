//! Whose certificates are believed: those that the platform believes, and the one that the target file names.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls_platform_verifier::{BuilderVerifierExt as _, Verifier};

/// What a client believes. The error is a sentence.
pub(super) fn client_config(certificate: Option<&[u8]>) -> Result<ClientConfig, String> {
    let told = |error: &dyn std::fmt::Display| format!("the certificate can't be used: {error}");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(|e| told(&e))?;
    let Some(pem) = certificate else {
        return Ok(builder.with_platform_verifier().map_err(|e| told(&e))?.with_no_client_auth());
    };
    let more = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(|e| told(&e))?;
    let verifier = Verifier::new_with_extra_roots(more, provider).map_err(|e| told(&e))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}
