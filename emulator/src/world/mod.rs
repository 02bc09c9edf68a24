//! A world: an isolated universe of merchants, payments, faults, notifications and time.
//!
//! `state.rs` holds what belongs to a world. The files about payments, terminals, transfers and notifications add what can be
//! done with it; the cores decide, and here their effects are carried out. `opening.rs` and `worlds.rs` make worlds.

mod advance;
mod devices;
mod faults;
mod fill;
mod merchants;
mod notifications;
mod notifier;
mod opening;
mod operation;
mod outages;
mod outbox;
mod payer_mail;
mod payment_store;
mod payments;
mod payouts;
mod qr_payments;
mod qr_store;
mod refund_pos;
mod schedule;
mod settings;
mod settings_error;
mod settings_place;
mod state;
mod terminals;
mod transfers;
mod worlds;

pub(crate) use advance::AdvanceError;
pub(crate) use devices::Registration;
pub(crate) use faults::{Fault, FaultEffect, Faults};
pub(crate) use notifier::{DeliveryResult, Notification, NotificationBody, Notifier, PendingDelivery};
pub(crate) use operation::Operation;
pub(crate) use outbox::{Attempt, Email};
pub(crate) use payer_mail::PayerEmail;
pub use settings::{ClockKind, RetrySettings, WorldSettings};
pub use settings_error::{RegistrationError, SettingsError, TrustError};
pub(crate) use state::World;
pub(crate) use worlds::{DEFAULT_WORLD, MOST_WORLDS, WorldError, Worlds};
