//! Movements of money that a transfer pays out or sets off.

use jiff::Timestamp;

use super::{PaymentId, RefundId, TransId};

/// The payment or refund whose money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A payment of the gateway.
    Gateway(TransId),
    /// A payment on a terminal.
    TerminalPayment(PaymentId),
    /// A refund on a terminal.
    TerminalRefund(RefundId),
    /// A QR payment.
    Qr(TransId),
}

/// A movement of money. The amount is known to its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Movement {
    /// The payment or refund.
    pub(crate) source: Source,
    /// 0: the payment or refund itself; then its refunds or its reversal, in order.
    pub(crate) number: usize,
    /// When.
    pub(crate) at: Timestamp,
}

impl Movement {
    /// A movement of a terminal payment.
    pub(crate) const fn terminal_payment(id: PaymentId, number: usize, at: Timestamp) -> Self {
        Self { source: Source::TerminalPayment(id), number, at }
    }

    /// A movement of a terminal refund.
    pub(crate) const fn terminal_refund(id: RefundId, number: usize, at: Timestamp) -> Self {
        Self { source: Source::TerminalRefund(id), number, at }
    }
}
