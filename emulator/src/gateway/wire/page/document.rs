//! A page becomes a response: templates of `pages/`, filled and escaped, with the headers that keep a browser safe.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, StatusCode, header};
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use crate::wire::ApiResponse;

const STYLE: &str = include_str!("../../../../pages/style.css");

const SOURCES: [(&str, &str); 5] = [
    ("layout.html", include_str!("../../../../pages/layout.html")),
    ("order.html", include_str!("../../../../pages/order.html")),
    ("payment.html", include_str!("../../../../pages/payment.html")),
    ("result.html", include_str!("../../../../pages/result.html")),
    ("error.html", include_str!("../../../../pages/error.html")),
];

/// For names that end with `.html`, everything is escaped but what is declared safe: the style.
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.add_global("style", Value::from_safe_string(STYLE.to_owned()));
    for (name, source) in SOURCES {
        if let Err(error) = templates.add_template(name, source) {
            tracing::error!(%error, name, "a template of the payment page is broken");
        }
    }
    templates
});

/// No scripts, no frames, nothing from elsewhere; of styles this one. `form-action` is left out on purpose: browsers
/// apply it to the redirect after a form too, and that leads to the shop.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = STANDARD.encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, STYLE.as_bytes()));
    let policy = format!("default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; frame-ancestors 'none'");
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// Fills a template.
pub(super) fn page(status: StatusCode, template: &str, view: &impl Serialize) -> ApiResponse {
    match TEMPLATES.get_template(template).and_then(|template| template.render(Serde(view))) {
        Ok(page) => ApiResponse::html(status, page)
            .with(header::CONTENT_SECURITY_POLICY, POLICY.clone())
            .with(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
            .with(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"))
            .with(header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        Err(error) => {
            tracing::error!(%error, template, "a page could not be made");
            ApiResponse::new(StatusCode::INTERNAL_SERVER_ERROR, "text/plain; charset=UTF-8", "The page could not be made.")
        }
    }
}
