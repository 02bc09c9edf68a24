//! What is wrong with the bytes of a body, and where.

use serde::{Deserialize, Serialize};

use crate::base::file_position::FilePosition;
use crate::base::place::{Message, Place};
use crate::base::pointer;
use crate::base::text::counted;

/// Something wrong with the bytes of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyFault {
    /// Where in the file.
    #[serde(rename = "place")]
    pub position: FilePosition,
    /// Which part of the decoded view it is about, as a JSON Pointer; empty for the whole.
    pub pointer: String,
    /// A description of the fault.
    pub message: String,
    /// Whether the fault is in the wrapping of a file (Base64), not in the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_the_wrapping: bool,
    /// Whether the format allows it and the harness does not read it: nothing can be said of the body.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
}

impl BodyFault {
    /// A fault at a position of the body.
    pub fn new(position: FilePosition, message: impl Into<String>) -> Self {
        Self { position, pointer: String::new(), message: message.into(), of_the_wrapping: false, unread: false }
    }

    /// A fault at a byte.
    pub fn at_byte(offset: usize, message: impl Into<String>) -> Self {
        Self::new(FilePosition::byte(offset), message)
    }

    /// Says how many more faults there are, and of which kind: ` of this kind`, or nothing.
    pub(crate) fn unlisted(faults: usize, kind: &str) -> Self {
        let are = if faults == 1 { "is" } else { "are" };
        Self::new(FilePosition::whole(), format!("{}{kind} {are} not listed", counted(faults, "more fault")))
    }

    /// Marks the fault as one of the wrapping.
    #[must_use]
    pub fn of_the_wrapping(self) -> Self {
        Self { of_the_wrapping: true, ..self }
    }

    /// Marks what the format allows and the harness does not read.
    #[must_use]
    pub(crate) fn unread(self) -> Self {
        Self { unread: true, ..self }
    }

    /// Names the part of the decoded view that the fault is about.
    #[must_use]
    pub fn about(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    /// Moves the fault into the file that contains this one.
    #[must_use]
    pub(crate) fn inside(mut self, file: &FilePosition, pointer: &str) -> Self {
        self.position = self.position.inside(file);
        self.pointer.insert_str(0, pointer);
        self
    }

    /// Whether the value at a JSON Pointer is a part of what the fault is about.
    pub(crate) fn covers(&self, pointer: &str) -> bool {
        !self.pointer.is_empty() && pointer::covers(&self.pointer, pointer)
    }

    /// Its place in an exchange: `response body, line 3`.
    pub(crate) fn at(&self, message: Message) -> Place {
        let place = if self.pointer.is_empty() { Place::body(message) } else { Place::value(message, self.pointer.as_str()) };
        place.in_file(self.position.clone())
    }
}

/// How many faults of one body are listed.
pub(crate) const LISTED_FAULTS: usize = 100;

/// The most fields that are read of one object, form or row; documented ones have far fewer.
pub(crate) const MOST_FIELDS: usize = 10_000;

/// The faults of a body, of which the first ones are listed and the others counted: a peer decides how many there are.
#[derive(Debug, Default)]
pub(super) struct FewFaults {
    listed: Vec<BodyFault>,
    unlisted: usize,
}

impl FewFaults {
    pub(super) fn add(&mut self, fault: impl FnOnce() -> BodyFault) {
        if self.listed.len() < LISTED_FAULTS {
            self.listed.push(fault());
        } else {
            self.unlisted += 1;
        }
    }

    /// The listed faults, and one that says how many more there are.
    pub(super) fn into_list(self) -> Vec<BodyFault> {
        let rest = (self.unlisted > 0).then(|| BodyFault::unlisted(self.unlisted, ""));
        self.listed.into_iter().chain(rest).collect()
    }
}
