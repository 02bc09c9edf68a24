//! What is wrong with the bytes of a body, and where.

use serde::{Deserialize, Serialize};

use crate::base::file_position::FilePosition;
use crate::base::place::{Message, Place};
use crate::base::pointer;

/// Something wrong with the bytes of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyFault {
    /// Where in the file.
    #[serde(rename = "place")]
    pub position: FilePosition,
    /// Which part of the decoded view it is about, as a JSON Pointer; empty for the whole.
    pub pointer: String,
    /// What.
    pub message: String,
    /// Whether it is about what a file is wrapped in (Base64), not about the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_the_wrapping: bool,
}

impl BodyFault {
    /// A fault at a position of the body.
    pub fn new(position: FilePosition, message: impl Into<String>) -> Self {
        Self { position, pointer: String::new(), message: message.into(), of_the_wrapping: false }
    }

    /// A fault at a byte.
    pub fn at_byte(offset: usize, message: impl Into<String>) -> Self {
        Self::new(FilePosition::byte(offset), message)
    }

    /// The same fault, of what a file is wrapped in.
    #[must_use]
    pub fn of_the_wrapping(self) -> Self {
        Self { of_the_wrapping: true, ..self }
    }

    /// The same fault, about a part of the view.
    #[must_use]
    pub fn about(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    /// The same fault, of a file that is a part of another one.
    #[must_use]
    pub(crate) fn inside(mut self, file: &FilePosition, pointer: &str) -> Self {
        self.position = self.position.inside(file);
        self.pointer.insert_str(0, pointer);
        self
    }

    /// Whether something at a JSON Pointer is a part of what this is about.
    pub(crate) fn covers(&self, pointer: &str) -> bool {
        !self.pointer.is_empty() && pointer::covers(&self.pointer, pointer)
    }

    /// Its place in an exchange: `response body, line 3`.
    pub(crate) fn at(&self, message: Message) -> Place {
        let place = if self.pointer.is_empty() { Place::body(message) } else { Place::value(message, self.pointer.as_str()) };
        place.in_file(self.position.clone())
    }
}
