//! Outages of the gateway.

mod outage;

pub(crate) use outage::{Outage, OutageKind};
