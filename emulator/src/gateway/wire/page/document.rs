//! The templates of the payer's pages.

use std::sync::LazyLock;

use http::StatusCode;
use serde::Serialize;

use crate::wire::ApiResponse;
use crate::wire::pages::Pages;

static PAGES: LazyLock<Pages> = LazyLock::new(|| {
    let sources = [
        ("layout.html", include_str!("../../../../pages/layout.html")),
        ("order.html", include_str!("../../../../pages/order.html")),
        ("payment.html", include_str!("../../../../pages/payment.html")),
        ("result.html", include_str!("../../../../pages/result.html")),
        ("error.html", include_str!("../../../../pages/error.html")),
    ];
    Pages::new(include_str!("../../../../pages/style.css"), &sources)
});

/// Fills a template.
pub(super) fn page(status: StatusCode, template: &str, view: &impl Serialize) -> ApiResponse {
    PAGES.page(status, template, view)
}
