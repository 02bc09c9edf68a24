//! The response to a refused call.

use std::borrow::Cow;

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// `errorCode`: decides what applications do.
    pub(crate) enum ErrorCode {
        InvalidRequest = "INVALID_REQUEST",
        Unauthorized = "UNAUTHORIZED",
        TokenExpired = "TOKEN_EXPIRED",
        DeviceRevoked = "DEVICE_REVOKED",
        ActivationBlocked = "ACTIVATION_BLOCKED",
        ConnectionDeactivated = "CONNECTION_DEACTIVATED",
        ConnectionNotReady = "CONNECTION_NOT_READY",
        DeviceNotRegistered = "DEVICE_NOT_REGISTERED",
        ActivationCodeUnknown = "ACTIVATION_CODE_UNKNOWN",
        ActivationCodeUsed = "ACTIVATION_CODE_USED",
        AmbiguousInput = "AMBIGUOUS_INPUT",
        RateLimited = "RATE_LIMITED",
        InternalError = "INTERNAL_ERROR",
    }
}

impl ErrorCode {
    /// A general sentence for people.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::InvalidRequest => "the request is not valid",
            Self::Unauthorized => "a valid token is required",
            Self::TokenExpired => "the token has expired: exchange the device token again",
            Self::DeviceRevoked => "the device was revoked, or activated again",
            Self::ActivationBlocked => "activation of this connection is blocked",
            Self::ConnectionDeactivated => "the connection was deactivated",
            Self::ConnectionNotReady => "the connection is not ready yet",
            Self::DeviceNotRegistered => "the device is not registered",
            Self::ActivationCodeUnknown => "there is no such activation code",
            Self::ActivationCodeUsed => "the activation code was used already",
            Self::AmbiguousInput => "a POS is named by its serial number, a SOFTPOS by an activation code: not by both",
            Self::RateLimited => "too many calls: back off",
            Self::InternalError => "something went wrong: back off",
        }
    }
}

/// A code, and a text for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: Cow<'static, str>,
}

impl Refusal {
    /// A request that is not valid, and why.
    pub(crate) fn invalid(why: impl Into<Cow<'static, str>>) -> Self {
        Self { code: ErrorCode::InvalidRequest, message: why.into() }
    }
}

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self { code, message: code.sentence().into() }
    }
}
