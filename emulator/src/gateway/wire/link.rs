//! The address of a payment page.

use super::Context;
use crate::gateway::core::TransId;
use crate::wire::host;

impl Context<'_> {
    /// `{base_url}/<transId>`, absolute, on the host the request was made to.
    pub(super) fn page_of(&self, id: TransId) -> String {
        format!("{}://{}{}/{}", self.caller.scheme, host::of(self.head), self.world.prefix(), id.letters().as_str())
    }
}
