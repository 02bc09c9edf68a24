//! TLS settings: trusted are the certificates that the platform trusts, and the one that the target file names.

use std::fmt::Display;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls_platform_verifier::{BuilderVerifierExt as _, Verifier};

use super::error::ClientError;

/// The settings of a client, with a further trusted certificate (PEM) where there is one.
pub(super) fn client_config(certificate: Option<&[u8]>) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().map_err(unusable)?;
    let Some(pem) = certificate else {
        return Ok(builder.with_platform_verifier().map_err(unusable)?.with_no_client_auth());
    };
    let more = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
    let verifier = Verifier::new_with_extra_roots(more, provider).map_err(unusable)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

#[allow(clippy::needless_pass_by_value, reason = "map_err hands over its error")]
fn unusable(error: impl Display) -> ClientError {
    ClientError::Certificate(error.to_string())
}
