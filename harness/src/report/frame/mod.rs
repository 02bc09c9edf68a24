//! The frame of an HTML report: one file that opens from an artefact store, without scripts and without anything from elsewhere; light,
//! dark and on paper. A page brings its title, its body, and what is special in its style.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

const FRAME: &str = include_str!("frame.html");

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Only an invalid pair of delimiters could be refused, and none is set here.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment
});

/// A page without its contents.
pub(super) struct PageTemplate(String);

impl PageTemplate {
    /// The frame around a title and a body, which are templates, with a style of its own.
    pub(super) fn new(title: &str, style: &str, body: &str) -> Self {
        Self(FRAME.replace("[title]", title).replace("[style]\n", style).replace("[body]\n", body))
    }

    /// The page with these contents, everything in them escaped. An error is a fault of the template, which the tests exclude.
    pub(super) fn fill(&self, contents: impl Serialize) -> Result<String, minijinja::Error> {
        ENVIRONMENT.render_str(&self.0, Serde(contents))
    }
}
