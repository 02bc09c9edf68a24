//! What a world keeps for the QR payment API.

use super::faults::Faults;
use super::payment_store::PaymentStore;
use crate::base::jwt::Signer;
use crate::common::IdGenerator;
use crate::qr::core::{Call, QrPayment, Refusal};

/// The purpose of the key that signs the tokens.
const KEY: u64 = 0;

/// The QR payments of a world, and other data of their API.
pub(crate) struct QrPayments {
    pub(super) payments: PaymentStore<QrPayment>,
    faults: Faults<Call, Refusal>,
    signer: Signer,
}

impl QrPayments {
    /// No payments yet; of finished ones, the last `keep_finished` are going to be kept.
    pub(super) fn new(ids: &IdGenerator, keep_finished: Option<usize>) -> Self {
        Self { payments: PaymentStore::new(keep_finished), faults: Faults::default(), signer: Signer::new(&ids.key(KEY)) }
    }

    /// Faults placed in its calls.
    pub(crate) const fn faults(&self) -> &Faults<Call, Refusal> {
        &self.faults
    }

    /// Signs its tokens.
    pub(crate) const fn signer(&self) -> &Signer {
        &self.signer
    }
}
