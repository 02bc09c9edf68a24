//! The frame of an HTML report: one file that opens from an artefact store, without scripts and external resources; light, dark and
//! on paper. A page adds its title, its body and its own styles.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

const FRAME: &str = concat!(include_str!("../../base/page_head.html"), include_str!("frame.html"));

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // This fails only for invalid delimiters, and none are set here.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment
});

/// The template of a page.
pub(super) struct PageTemplate(String);

impl PageTemplate {
    /// Puts the frame around a title, a style and a body. Title and body are templates.
    pub(super) fn new(title: &str, style: &str, body: &str) -> Self {
        Self(FRAME.replace("[title]", title).replace("[style]\n", style).replace("[body]\n", body))
    }

    /// Renders the page; all contents are escaped. An error is a fault of the template, which the tests exclude.
    pub(super) fn fill(&self, contents: impl Serialize) -> Result<String, minijinja::Error> {
        ENVIRONMENT.render_str(&self.0, Serde(contents))
    }
}
