//! Pages for people: templates of `pages/`, filled and escaped, with the headers that keep a browser safe.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, StatusCode, header};
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::ApiResponse;

/// Templates that share a style.
pub(crate) struct Pages {
    templates: Environment<'static>,
    policy: HeaderValue,
    referrer: &'static str,
}

impl Pages {
    /// Reads templates: their names and sources. For names that end with `.html`, everything is escaped but what is declared safe: the
    /// style. Their pages allow no scripts, no frames, nothing from elsewhere; of styles this one.
    pub(crate) fn new(style: &'static str, sources: &[(&'static str, &'static str)]) -> Self {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        templates.add_global("style", Value::from_safe_string(style.to_owned()));
        for (name, source) in sources {
            if let Err(error) = templates.add_template(name, source) {
                tracing::error!(%error, name, "a template is broken");
            }
        }
        Self { templates, policy: policy(style, ""), referrer: "no-referrer" }
    }

    /// Lets forms be sent to this server alone. The browser says then which page sends one, which it doesn't without a referrer.
    pub(crate) fn with_own_forms(self, style: &str) -> Self {
        Self { policy: policy(style, "; form-action 'self'"), referrer: "same-origin", ..self }
    }

    /// Fills a template.
    pub(crate) fn page(&self, status: StatusCode, template: &str, view: &impl Serialize) -> ApiResponse {
        match self.templates.get_template(template).and_then(|template| template.render(Serde(view))) {
            Ok(page) => ApiResponse::html(status, page)
                .with(header::CONTENT_SECURITY_POLICY, self.policy.clone())
                .with(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
                .with(header::REFERRER_POLICY, HeaderValue::from_static(self.referrer))
                .with(header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            Err(error) => {
                tracing::error!(%error, template, "a page could not be made");
                ApiResponse::new(StatusCode::INTERNAL_SERVER_ERROR, "text/plain; charset=UTF-8", "The page could not be made.")
            }
        }
    }
}

/// `form-action` is no default: browsers apply it to the redirect after a form too, and that of a payer leads to the shop.
fn policy(style: &str, more: &str) -> HeaderValue {
    let style = STANDARD.encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, style.as_bytes()));
    let policy = format!("default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; frame-ancestors 'none'{more}");
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}
