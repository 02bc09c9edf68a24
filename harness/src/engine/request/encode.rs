//! Bodies in the coding of their contract.

use serde_json::{Map, Value};

use crate::spec::contract::Content;
use crate::wire::exchange::{Coding, encode_form};
use crate::wire::expression::text_of;

/// The media type of a body in the coding of its contract.
pub(super) fn media_type(content: Option<&Content>) -> Option<&'static str> {
    match content.map(|content| content.coding) {
        None | Some(Coding::Other) => None,
        Some(Coding::Json) => Some("application/json"),
        Some(Coding::Form) => Some("application/x-www-form-urlencoded"),
    }
}

/// Media type and text of a body in the coding of its contract.
pub(crate) fn encode(content: Option<&Content>, fields: &Map<String, Value>) -> (Option<&'static str>, String) {
    let text = match content.map(|content| content.coding) {
        None | Some(Coding::Other) => String::new(),
        Some(Coding::Json) => serde_json::to_string(fields).unwrap_or_default(),
        Some(Coding::Form) => {
            // A form cannot write a mapping; its JSON text is what a careless client would send.
            let texts: Vec<(&str, String)> =
                fields.iter().map(|(name, value)| (name.as_str(), text_of(value).unwrap_or_else(|| value.to_string()))).collect();
            encode_form(texts.iter().map(|(name, value)| (*name, value.as_str())))
        }
    };
    (media_type(content), text)
}
