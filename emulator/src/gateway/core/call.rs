//! The calls of the gateway, and the codes each may respond with.

use super::Interface;
use crate::common::Code;

/// A documented call of the gateway, in either version of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// Create a payment.
    Create,
    /// Reads the state of a payment.
    Status,
    /// Cancel a pending payment.
    Cancel,
    /// Return money of a paid payment.
    Refund,
    /// Return money of a terminal payment.
    RefundPos,
    /// Pay again without the payer.
    Recurring,
    /// Take reserved money.
    CapturePreauth,
    /// Release reserved money.
    CancelPreauth,
}

impl Call {
    /// Every call, in the order of the document.
    pub(crate) const ALL: [Self; 8] = [
        Self::Create,
        Self::Status,
        Self::Cancel,
        Self::Refund,
        Self::RefundPos,
        Self::Recurring,
        Self::CapturePreauth,
        Self::CancelPreauth,
    ];

    /// The name of the operation in an interface.
    pub(crate) const fn operation_name(self, interface: Interface) -> &'static str {
        match (interface, self) {
            (Interface::V1, Self::Create) => "gateway.v1.create",
            (Interface::V1, Self::Status) => "gateway.v1.status",
            (Interface::V1, Self::Cancel) => "gateway.v1.cancel",
            (Interface::V1, Self::Refund) => "gateway.v1.refund",
            (Interface::V1, Self::RefundPos) => "gateway.v1.refundPos",
            (Interface::V1, Self::Recurring) => "gateway.v1.recurring",
            (Interface::V1, Self::CapturePreauth) => "gateway.v1.capturePreauth",
            (Interface::V1, Self::CancelPreauth) => "gateway.v1.cancelPreauth",
            (Interface::V2, Self::Create) => "gateway.v2.create",
            (Interface::V2, Self::Status) => "gateway.v2.status",
            (Interface::V2, Self::Cancel) => "gateway.v2.cancel",
            (Interface::V2, Self::Refund) => "gateway.v2.refund",
            (Interface::V2, Self::RefundPos) => "gateway.v2.refundPos",
            (Interface::V2, Self::Recurring) => "gateway.v2.recurring",
            (Interface::V2, Self::CapturePreauth) => "gateway.v2.capturePreauth",
            (Interface::V2, Self::CancelPreauth) => "gateway.v2.cancelPreauth",
        }
    }

    /// The error codes documented for this call. Those of the v1.0 status call are not shown; it shares those of v2.0.
    pub(crate) const fn errors(self) -> &'static [u16] {
        match self {
            Self::Create => &[
                1100, 1102, 1103, 1104, 1107, 1200, 1301, 1303, 1304, 1305, 1306, 1308, 1309, 1310, 1311, 1316, 1317, 1319, 1399, 1400,
                1500,
            ],
            Self::Status => &[1100, 1200, 1400, 1500],
            Self::Cancel => &[1400],
            Self::Recurring => &[
                1100, 1102, 1103, 1104, 1200, 1301, 1303, 1304, 1305, 1308, 1309, 1310, 1311, 1316, 1317, 1318, 1319, 1320, 1399, 1400,
                1500,
            ],
            // Not shown. These are about money of an existing payment too, so they share the codes of the refund.
            Self::RefundPos | Self::CapturePreauth | Self::CancelPreauth => &[1100, 1200, 1400, 1401, 1402, 1500],
            Self::Refund => &[1100, 1200, 1400, 1401, 1402, 1500],
        }
    }

    /// Reads one of the error codes documented for this call.
    pub(crate) fn error(self, number: u16) -> Option<Code> {
        Code::from_number(number).filter(|_| self.errors().contains(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_error_has_a_meaning() {
        for call in Call::ALL {
            for number in call.errors() {
                assert!(Code::from_number(*number).is_some(), "{call:?} {number}");
            }
        }
    }

    #[test]
    fn a_code_of_another_call_is_refused() {
        assert_eq!(Call::Cancel.error(1401), None);
        assert_eq!(Call::Refund.error(1401), Some(Code::REFUND_OF_CANCELLED));
    }
}
