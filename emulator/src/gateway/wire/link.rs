//! The address of a payment page.

use http::header;

use super::Context;
use crate::gateway::core::TransId;

impl Context<'_> {
    /// `{base_url}/<transId>`, absolute, on the host the request was made to.
    pub(super) fn page_of(&self, id: TransId) -> String {
        format!("{}://{}{}/{}", self.caller.scheme, self.host(), self.world.prefix(), id.letters().as_str())
    }

    fn host(&self) -> &str {
        let authority = self.head.uri.authority().map(http::uri::Authority::as_str);
        let header = || self.head.headers.get(header::HOST)?.to_str().ok();
        authority.or_else(header).filter(|host| is_host(host)).unwrap_or("localhost")
    }
}

/// A host header is hostile too: it ends up in a URL.
fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b))
}
