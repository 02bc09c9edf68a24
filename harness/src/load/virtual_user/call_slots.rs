//! Where the calls of a fast path are counted, and the connections that they take.

use std::collections::HashMap;

use crate::engine::runner::{UserSession, largest};
use crate::engine::transport::own_connections::OwnConnection;
use crate::load::run_state::RunState;

/// What a call needs besides its request.
#[derive(Clone, Copy)]
pub(super) struct CallSlot {
    /// The number of its operation.
    pub(super) operation: usize,
    /// The index of its connection.
    pub(super) connection: usize,
    /// The most bytes of a response that are read.
    pub(super) largest: usize,
}

/// Assigns slots to calls: those to one address share a connection.
pub(super) struct CallSlots<'s> {
    session: &'s UserSession,
    run: &'s RunState,
    pub(super) connections: Vec<OwnConnection>,
    places: HashMap<(&'s str, &'s str, u16), usize>,
}

impl<'s> CallSlots<'s> {
    pub(super) fn new(session: &'s UserSession, run: &'s RunState) -> Self {
        Self { session, run, connections: Vec::new(), places: HashMap::new() }
    }

    /// The slot of calls of an operation; `None` if the operation or its address is not known in advance.
    pub(super) fn slot(&mut self, operation: &str) -> Option<CallSlot> {
        let context = &self.run.context;
        let known = context.contracts.operations.get(operation)?;
        let base = self.session.base(&known.api)?;
        let address = (base.scheme(), base.host_str()?, base.port_or_known_default()?);
        let (session, connections) = (self.session, &mut self.connections);
        let connection = *self.places.entry(address).or_insert_with(|| {
            connections.push(session.connection_to(base));
            connections.len() - 1
        });
        Some(CallSlot { operation: self.run.operations.number(operation)?, connection, largest: largest(&context.contracts, operation) })
    }
}
