//! Base URLs: the part before the path of an operation.

use url::Url;

use crate::base::source::{Diagnostic, Node, Problems};

/// Reads a base URL.
pub(super) fn url(node: &Node, problems: &mut Problems) -> Option<Url> {
    let parsed = node.text().ok_or_else(|| "is not a text".to_owned()).and_then(|text| Url::parse(text).map_err(|e| e.to_string()));
    match parsed {
        Ok(url) if is_base(&url) => Some(url),
        Ok(_) => {
            problems.add(Diagnostic::at(node, "a base URL is http:// or https://, without user name and query"));
            None
        }
        Err(error) => {
            problems.add(
                Diagnostic::at(node, format!("this is no URL, which begins with http:// or https:// ({error})"))
                    .help("for example https://pay1.example.com"),
            );
            None
        }
    }
}

pub(super) fn is_base(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.username().is_empty() && url.password().is_none()
}
