//! The result as one HTML file: no scripts, nothing from elsewhere, light and dark.

mod page;

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use crate::load::baseline::Comparison;
use crate::load::result::LoadResult;
use page::Page;

const TEMPLATE: &str = include_str!("html/page.html");

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Only an unfit pair of delimiters could be refused, and none is set here.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment
});

/// The page; an error is a fault of the template, which tests would have found.
pub fn html(result: &LoadResult, comparison: Option<&Comparison>) -> Result<String, minijinja::Error> {
    ENVIRONMENT.render_str(TEMPLATE, minijinja::value::Serde(Page::of(result, comparison)))
}

#[cfg(test)]
mod tests;
