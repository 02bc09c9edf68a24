//! The address of a payment page.

use crate::common::TransId;
use crate::common::freedoms::Behaviour;
use crate::wire::{Context, PathParts, form};

/// The parameter of a page that has the payment in its query.
const PARAMETER: &str = "id";

/// `{base_url}/<transId>`, absolute, on the host the request was made to. "The URL may change": it may have the payment in its query.
pub(super) fn page_url(context: Context<'_>, id: TransId) -> String {
    let id = id.text();
    if context.world.behaves(Behaviour::PageInQuery) {
        return context.url(format_args!("/init?{PARAMETER}={}", id.as_str()));
    }
    context.url(format_args!("/{}", id.as_str()))
}

/// The payment of a page; what can't be one is `None`.
pub(super) fn payment_of(context: Context<'_>, path: &PathParts<'_>) -> Option<TransId> {
    TransId::parse(path.get("transId")).or_else(|| {
        let fields = form::decode(context.query()).ok()?;
        TransId::parse(fields.text(PARAMETER).ok()??)
    })
}
