//! One instance while it runs: its world, its record, what it knows and what was found.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::context::Context;
use super::place::Place;
use super::plan::Instance;
use super::token::{Tokens, public_parts};
use crate::check::{self, Judgement};
use crate::contract::Operation;
use crate::exchange::{Exchange, Vault};
use crate::inbox::Mailbox;
use crate::record::{Entry, Record};
use crate::scenario::{Step, Variables};
use crate::transport::Outgoing;
use crate::verdict::Finding;
use crate::world::World;

/// One instance while it runs.
pub(super) struct Session<'s> {
    pub(super) context: &'s Context,
    pub(super) instance: &'s Instance,
    pub(super) world: &'s dyn World,
    pub(super) mailbox: Option<Arc<Mailbox>>,
    pub(super) variables: Variables,
    pub(super) record: Record,
    pub(super) vault: Arc<Vault>,
    pub(super) tokens: Tokens,
    /// How many exchanges are in the record.
    pub(super) kept: usize,
    pub(super) judgement: Judgement,
    /// Which findings are about what a step expects, and not about what the documents ask for.
    pub(super) unexpected: BTreeSet<usize>,
    /// When the last step began that may have changed something.
    pub(super) moved: Instant,
    /// Where it is played.
    pub(super) place: &'s Place,
}

/// Why the steps ended before their end.
#[derive(Debug)]
pub(super) enum Stop {
    /// An expectation failed; what follows depends on it.
    Failed,
    /// The rest may not run here, and why.
    Skipped(String),
    /// It can't be judged, and why.
    Broken(String),
}

impl Stop {
    /// Why, in words.
    pub(super) fn reason(self) -> String {
        match self {
            Self::Failed => "an expectation failed".to_owned(),
            Self::Skipped(reason) | Self::Broken(reason) => reason,
        }
    }
}

impl<'s> Session<'s> {
    /// Nothing has happened yet.
    pub(super) fn new(context: &'s Context, instance: &'s Instance, place: &'s Place) -> Self {
        let mut variables = instance.case.values.clone();
        variables.insert("world".to_owned(), Value::String(place.name.clone()));
        let public = public_parts(&context.target.credentials, &context.contracts.secret_parts);
        variables.insert("credentials".to_owned(), public);
        Self {
            context,
            instance,
            world: place.world.as_ref(),
            mailbox: place.mailbox(context),
            variables,
            record: Record::default(),
            vault: Arc::default(),
            tokens: Tokens::default(),
            kept: 0,
            judgement: Judgement::default(),
            unexpected: BTreeSet::new(),
            moved: Instant::now(),
            place,
        }
    }

    /// Sends a request; where a recording is played again, what was answered then is the answer.
    pub(super) async fn exchange(&self, outgoing: Outgoing<'_>) -> Arc<Exchange> {
        let context = self.context;
        match &self.place.deck {
            Some(deck) => deck.answer(&outgoing, &context.recorder),
            None => Arc::new(context.transport.send(outgoing, &context.recorder).await),
        }
    }

    /// Takes an exchange into the record and answers it with its number.
    pub(super) fn keep_exchange(&mut self, mut exchange: Arc<Exchange>) -> Arc<Exchange> {
        // One that is played again is shared with its recording, and has its number already.
        if exchange.number != self.kept {
            Arc::make_mut(&mut exchange).number = self.kept;
        }
        self.kept += 1;
        self.record.entries.push(Entry::Exchange(Arc::clone(&exchange)));
        exchange
    }

    /// Holds an answer against everything that is always on.
    pub(super) fn judge_call(&mut self, operation: &Operation, exchange: &Arc<Exchange>, step: &Step) {
        if self.is_known(exchange) {
            return;
        }
        let contracts = &self.context.contracts;
        let mut judgement = match self.wants_held() {
            true => check::answer(operation, exchange),
            false if self.is_sound(exchange) => Judgement::default(),
            false => Judgement { findings: check::answer_findings(operation, exchange), held: Vec::new() },
        };
        judgement.add(check::echo(contracts, operation, exchange, &self.record));
        judgement.add(check::facts(contracts, operation, exchange, &self.record));
        self.take(judgement, &step.place);
    }

    /// Holds a notification against everything that is always on.
    pub(super) fn judge_notification(&mut self, exchange: &Exchange, place: &str) {
        if self.is_known(exchange) {
            return;
        }
        let contracts = &self.context.contracts;
        let Some(operation) = contracts.notifications.get(&exchange.operation) else { return };
        let whose = |identity: &str, part: &str| self.context.target.credentials.get(identity)?.get(part).cloned();
        let mut judgement = match self.wants_held() {
            true => check::notification(contracts, operation, exchange, &self.record, &whose),
            false => {
                let findings = check::notification_findings(contracts, operation, exchange, &self.record, &whose);
                Judgement { findings, held: Vec::new() }
            }
        };
        judgement.add(check::echo(contracts, operation, exchange, &self.record));
        self.take(judgement, place);
    }

    /// Whether it was judged when it was recorded, and nothing has changed since.
    fn is_known(&self, exchange: &Exchange) -> bool {
        self.place.deck.as_ref().is_some_and(|deck| !deck.is_judged(exchange))
    }

    /// Whether nothing was found wrong in it when it was recorded, and nothing of it has changed since.
    fn is_sound(&self, exchange: &Arc<Exchange>) -> bool {
        self.place.deck.as_ref().is_some_and(|deck| deck.is_sound(exchange))
    }

    /// Whether anybody asks for the clauses that hold.
    fn wants_held(&self) -> bool {
        self.place.deck.as_ref().is_none_or(|deck| !deck.only_wrong)
    }

    /// Takes in what a check says; its findings belong to a step.
    pub(super) fn take(&mut self, mut judgement: Judgement, place: &str) {
        if !self.wants_held() {
            judgement.held.clear();
        }
        for finding in &mut judgement.findings {
            finding.step = Some(place.to_owned());
        }
        self.judgement.add(judgement);
    }

    /// Findings of a step's own expectations: what follows depends on them.
    pub(super) fn fail(&mut self, findings: Vec<Finding>, place: &str) -> Result<(), Stop> {
        if findings.is_empty() {
            return Ok(());
        }
        let before = self.judgement.findings.len();
        let about_an_answer = findings.iter().enumerate().filter(|(_, finding)| finding.exchange.is_some());
        self.unexpected.extend(about_an_answer.map(|(index, _)| before + index));
        self.take(Judgement { findings, held: Vec::new() }, place);
        Err(Stop::Failed)
    }

    /// The clauses that a failed expectation of a step is named after, most specific first.
    pub(super) fn named_after(&self, step: &Step, derived: impl IntoIterator<Item = Option<String>>, fallback: &str) -> Vec<String> {
        let derived = derived.into_iter().flatten().next();
        if !step.clauses.is_empty() {
            // Of several clauses the one that the contract gives the very place is the most specific.
            let mut clauses = step.clauses.clone();
            clauses.sort_by_key(|clause| derived.as_ref() != Some(clause));
            return clauses;
        }
        let only = self.instance.scenario.clauses.first().filter(|_| self.instance.scenario.clauses.len() == 1).cloned();
        vec![derived.or(only).unwrap_or_else(|| fallback.to_owned())]
    }

    /// Remembers a value for templates.
    pub(super) fn remember(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }
}
