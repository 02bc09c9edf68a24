//! The rules of shop connections and their devices, without any input or output. Time and identifiers are handed in.

pub(crate) mod activation;
pub(crate) mod app_version;
pub(crate) mod call;
pub(crate) mod catalog;
pub(crate) mod config;
pub(crate) mod config_error;
pub(crate) mod connection;
pub(crate) mod debug_logs;
pub(crate) mod device;
pub(crate) mod document_codes;
pub(crate) mod payment_codes;
pub(crate) mod records;
pub(crate) mod refusal;
pub(crate) mod settings;
pub(crate) mod token;
pub(crate) mod token_exchange;
pub(crate) mod transaction;
pub(crate) mod upload;

#[cfg(test)]
pub(crate) mod examples;

pub(crate) use activation::Activation;
pub(crate) use call::Call;
pub(crate) use connection::{Connection, ConnectionState, Platform};
pub(crate) use device::Device;
pub(crate) use refusal::{ErrorCode, Refusal};
