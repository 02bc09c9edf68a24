//! Refusals, in the syntax of the interface that was called.

use http::StatusCode;

use crate::common::Refusal;
use crate::gateway::core::{Interface, Violation};
use crate::wire::fields::{Malformed, Unreadable};
use crate::wire::result::{form_refusal, json_refusal};
use crate::wire::{ApiResponse, BodyError, Context};

/// Code and message alone.
pub(super) fn refused(interface: Interface, status: StatusCode, refusal: &Refusal) -> ApiResponse {
    match interface {
        Interface::V1 => form_refusal(status, refusal),
        Interface::V2 => json_refusal(status, refusal),
    }
}

/// The path takes another method.
pub(super) fn wrong_method(interface: Interface) -> ApiResponse {
    refused(interface, StatusCode::METHOD_NOT_ALLOWED, &Violation::Unreadable("the HTTP method is not that of this call").into())
}

/// The body could not be read.
pub(super) fn unread(interface: Interface, error: BodyError) -> ApiResponse {
    let (status, why) = error.ruling();
    refused(interface, status, &Violation::Unreadable(why).into())
}

/// Refuses a caller whose address the world doesn't allow.
pub(super) fn check_address(context: Context<'_>) -> Result<(), Refusal> {
    if context.is_caller_allowed() { Ok(()) } else { Err(Violation::AddressNotAllowed.into()) }
}

impl From<Malformed> for Refusal {
    fn from(Malformed(field): Malformed) -> Self {
        Violation::Malformed(field).into()
    }
}

impl From<Unreadable> for Refusal {
    fn from(Unreadable(why): Unreadable) -> Self {
        Violation::Unreadable(why).into()
    }
}
