//! Two equal requests at the same moment: one response has to be as the step expects, the other one as it expects of the twin. Which of
//! the two a target takes first is its own affair.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::join;
use tokio::sync::Barrier;

use super::session::{Session, Stop};
use crate::engine::request::PreparedRequest;
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Step, Twin};
use crate::wire::exchange::Exchange;

impl Session<'_> {
    /// Sends a request and its twin, and judges both responses.
    pub(super) async fn call_twice(
        &mut self,
        operation: &Operation,
        request: &mut PreparedRequest,
        (call, twin): (&Call, &Twin),
        step: &Step,
    ) -> Result<(), Stop> {
        self.check_responds(operation)?;
        self.authorize(operation, request, step).await?;
        let (one, other) = self.both(operation, request).await;
        let one = self.received(operation, request, one, step).await?;
        let other = self.received(operation, request, other, step).await?;
        let of_twin = Call { expect: twin.expect.clone(), http: twin.http.clone(), keep: twin.keep.clone(), ..call.clone() };
        let is_first = self.meets(operation, call, &one, step)? || !self.meets(operation, call, &other, step)?;
        let (own, twins) = if is_first { (one, other) } else { (other, one) };
        self.conclude(operation, call, &own, step).await?;
        self.conclude(operation, &of_twin, &twins, step).await
    }

    /// The responses to two equal requests, in an order that does not depend on which one was faster: records are compared.
    async fn both(&self, operation: &Operation, request: &PreparedRequest) -> (Arc<Exchange>, Arc<Exchange>) {
        if self.environment.player.is_some() {
            return (self.exchange(operation, request).await, self.exchange(operation, request).await);
        }
        let start = Barrier::new(2);
        let (one, other) = join(self.sent_after(operation, request, &start), self.sent_after(operation, request, &start)).await;
        if rank(operation, &one) <= rank(operation, &other) { (one, other) } else { (other, one) }
    }

    /// Sends a request as soon as all others are ready, too.
    pub(super) async fn sent_after(&self, operation: &Operation, request: &PreparedRequest, start: &Barrier) -> Arc<Exchange> {
        let signal = start.wait().map(|_| ());
        let exchange = self.context.transport.send_after(operation, request, self.records(), signal).await;
        self.context.responsiveness.note(&exchange);
        Arc::new(exchange)
    }
}

/// What is accepted comes first.
fn rank<'x>(operation: &Operation, exchange: &'x Exchange) -> (bool, &'x str) {
    (!operation.accepted(exchange), exchange.response().map_or("", |response| &response.body.text))
}
