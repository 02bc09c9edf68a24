//! The final audit: after the load, the resources of an iteration are read once more.

use std::sync::Arc;
use std::time::Instant;

use super::session::{Session, Stop};
use super::user_session::{Played, UserSession};
use crate::engine::request::RequestContent;
use crate::judge::record::{Record, identifier};
use crate::spec::contract::{Contracts, Operation};
use crate::spec::scenario::{Step, StepVerb};
use crate::wire::exchange::Exchange;

impl UserSession {
    /// Reads everything that an iteration has created, and judges it once more: every state must be one that its transition table
    /// explains, and every response must agree with the others. `None` if the iteration created nothing that can be read.
    pub(crate) async fn audit(&self, record: &Record) -> Option<Played> {
        let mut session = Session::new(self.context(), self.case(), self.environment());
        session.vault = Arc::clone(&self.first().vault);
        let first = &self.first().record;
        session.record = Record { entries: first.entries.iter().chain(&record.entries).cloned().collect() };
        session.kept = session.record.exchanges().count();
        let (begun, asked) = (session.record.entries.len(), session.record.clone());
        let contracts = Arc::clone(&self.context().contracts);
        let questions = questions(&contracts, &asked);
        if questions.is_empty() {
            return None;
        }
        // The audit belongs to the whole script, not to a line of it.
        let step = Step::new(self.case().scenario.place(), StepVerb::NoNotification(indexmap::IndexMap::new()));
        let mut stop = None;
        for (operation, content) in questions {
            let sent = Instant::now();
            match session.ask_again(operation, content, &step).await {
                Ok(response) => session.report_status(&response, sent),
                Err(reason) => {
                    stop = Some(reason);
                    break;
                }
            }
        }
        Some(session.into_played(stop.filter(|stop| !matches!(stop, Stop::Skipped(_))), begun))
    }
}

impl Session<'_> {
    async fn ask_again(&mut self, operation: &Operation, content: RequestContent, step: &Step) -> Result<Arc<Exchange>, Stop> {
        let mut request = self.prepare_content(operation, content, step.place.as_str())?;
        self.send(operation, &mut request, step).await
    }
}

/// Returns the calls that read everything that was created.
fn questions<'c>(contracts: &'c Contracts, record: &Record) -> Vec<(&'c Operation, RequestContent)> {
    let created = record.exchanges().filter_map(|exchange| {
        let operation = contracts.operations.get(&exchange.operation)?;
        let about = operation.creates.as_ref().filter(|_| operation.accepted(exchange))?;
        let (asked, name) = reader(contracts, &about.resource)?;
        let mut values = asked.example();
        values.insert(name.to_owned(), identifier(about, exchange)?.into());
        Some((asked, RequestContent::new(asked, values, exchange.identity.as_str())))
    });
    created.collect()
}

/// The call that reads a resource without changing it, with the parameter or field of the identifier in its request.
fn reader<'c>(contracts: &'c Contracts, resource: &str) -> Option<(&'c Operation, &'c str)> {
    let reads = |operation: &&Operation| operation.creates.is_none() && operation.acts_on.is_none();
    let mut found = contracts.operations.values().filter(reads).filter_map(|operation| {
        let shows = operation.shows.as_ref().filter(|shows| shows.about.resource == resource)?;
        Some((operation, shows.about.id.request_field()?))
    });
    found.clone().find(|(operation, _)| operation.method == "GET").or_else(|| found.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_with_a_table_that_is_created_by_a_call_can_be_read() {
        let contracts = Contracts::shipped();
        let created: Vec<_> = contracts.operations.values().filter_map(|operation| operation.creates.as_ref()).collect();
        let unread: Vec<_> = created.iter().filter(|about| reader(&contracts, &about.resource).is_none()).map(|a| &a.resource).collect();
        assert_eq!(unread, Vec::<&String>::new());
        let (operation, _) = reader(&contracts, "payment").unwrap();
        assert_eq!(operation.id, "gateway.v2.status");
    }
}
