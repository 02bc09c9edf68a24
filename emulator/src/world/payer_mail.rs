//! The mail that a world sends to payers.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::base::sync::lock;

/// Kept unless the settings keep fewer: old mail is thrown away.
const MOST: usize = 10_000;

/// A mail to a payer.
#[derive(Debug, Clone)]
pub(crate) struct PayerEmail {
    pub(crate) to: String,
    /// The subject: a refund, or a transaction that was cancelled.
    pub(crate) kind: &'static str,
    pub(crate) trans_id: String,
}

/// The mail to all payers, oldest first.
pub(crate) struct PayerMail {
    sent: Mutex<VecDeque<PayerEmail>>,
    keep: usize,
}

impl PayerMail {
    /// No mail; the last `keep` are going to be kept.
    pub(super) fn new(keep: Option<usize>) -> Self {
        Self { sent: Mutex::default(), keep: keep.unwrap_or(MOST).min(MOST) }
    }

    /// Sends a mail.
    pub(super) fn send(&self, email: PayerEmail) {
        let mut sent = lock(&self.sent);
        sent.push_back(email);
        let surplus = sent.len().saturating_sub(self.keep);
        sent.drain(..surplus);
    }

    /// The mail to an address.
    pub(super) fn to(&self, address: &str) -> Vec<PayerEmail> {
        lock(&self.sent).iter().filter(|email| email.to == address).cloned().collect()
    }
}
