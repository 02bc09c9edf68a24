//! What the documented APIs share: merchants, payment methods, currencies, codes, identifiers, fees and movements of money.

pub(crate) mod code;
pub(crate) mod country;
pub(crate) mod currency;
pub(crate) mod email;
pub(crate) mod expiration;
pub(crate) mod fees;
pub(crate) mod freedoms;
pub(crate) mod id_generator;
pub(crate) mod identifiers;
pub(crate) mod merchant;
pub(crate) mod method;
pub(crate) mod movement;
pub(crate) mod refusal;
pub(crate) mod terminal_id;
pub(crate) mod trans_id;

#[cfg(test)]
pub(crate) mod examples;

pub(crate) use code::Code;
pub(crate) use country::Country;
pub(crate) use currency::Currency;
pub(crate) use fees::{CardType, Fees};
pub(crate) use id_generator::IdGenerator;
pub(crate) use identifiers::Identifiers;
pub(crate) use merchant::{Merchant, MerchantSettings, TerminalStatus};
pub(crate) use method::{Method, Selection};
pub(crate) use movement::{Movement, Source};
pub(crate) use refusal::Refusal;
pub(crate) use terminal_id::{PaymentId, RefundId, TransactionId};
pub(crate) use trans_id::TransId;
