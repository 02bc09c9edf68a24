//! Movements of money that a transfer pays out or sets off.

use jiff::Timestamp;

use crate::gateway::core::TransId;
use crate::terminal::core::{PaymentId, RefundId};

/// Whose money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A payment of the gateway.
    Gateway(TransId),
    /// A payment on a terminal.
    TerminalPayment(PaymentId),
    /// A refund on a terminal.
    TerminalRefund(RefundId),
}

/// Money moved. What exactly, its source knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Movement {
    /// Whose money.
    pub source: Source,
    /// 0: the payment or refund itself; then what undid it, in order.
    pub number: usize,
    /// When.
    pub at: Timestamp,
}

impl Movement {
    /// A movement of a terminal payment.
    pub const fn of_terminal_payment(id: PaymentId, number: usize, at: Timestamp) -> Self {
        Self { source: Source::TerminalPayment(id), number, at }
    }

    /// A movement of a terminal refund.
    pub const fn of_terminal_refund(id: RefundId, number: usize, at: Timestamp) -> Self {
        Self { source: Source::TerminalRefund(id), number, at }
    }
}
