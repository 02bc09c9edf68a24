//! The calls of the gateway, and the codes each may respond with.

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
        for call in [
            Call::Create,
            Call::Status,
            Call::Cancel,
            Call::Refund,
            Call::Recurring,
            Call::RefundPos,
            Call::CapturePreauth,
            Call::CancelPreauth,
        ] {
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
