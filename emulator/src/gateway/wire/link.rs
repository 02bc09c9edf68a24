//! The address of a payment page.

use crate::common::TransId;
use crate::wire::Context;

/// `{base_url}/<transId>`, absolute, on the host the request was made to.
pub(super) fn page_url(context: Context<'_>, id: TransId) -> String {
    context.url(format_args!("/{}", id.text().as_str()))
}
