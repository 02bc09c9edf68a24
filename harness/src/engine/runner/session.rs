//! One case while it runs: its world, its record, its variables and its findings.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::context::Context;
use super::created::Created;
use super::environment::Environment;
use super::patience::Patience;
use super::plan::Case;
use super::tokens::Tokens;
use crate::base::not_judged::NotJudgedReason;
use crate::base::skip::SkipReason;
use crate::base::source_place::SourcePlace;
use crate::base::verdict::Finding;
use crate::engine::inbox::{Mailbox, Mark};
use crate::engine::request::PreparedRequest;
use crate::engine::transport::Records;
use crate::engine::transport::own_connections::OwnConnections;
use crate::engine::world::World;
use crate::judge::check::{self, Judgement};
use crate::judge::record::{Record, RecordEntry, identifier};
use crate::spec::contract::{Clause, Operation};
use crate::spec::scenario::{Step, Variables};
use crate::spec::target::Credential;
use crate::wire::exchange::{Direction, Exchange, Vault};

/// One case while it runs.
pub(super) struct Session<'s> {
    pub(super) context: &'s Context,
    pub(super) case: &'s Case,
    pub(super) world: &'s dyn World,
    pub(super) mailbox: Option<Arc<Mailbox>>,
    pub(super) variables: Variables,
    pub(super) record: Record,
    pub(super) vault: Arc<Vault>,
    pub(super) tokens: Tokens,
    /// The number of exchanges in the record.
    pub(super) kept: usize,
    pub(super) judgement: Judgement,
    /// Clauses that the case is about.
    pub(super) about: BTreeSet<String>,
    /// The findings about expectations of a step, not about rules of the documents.
    pub(super) unexpected: BTreeSet<usize>,
    /// When the last step started that may have changed something.
    pub(super) moved: Instant,
    /// How long the next notification is waited for, where the clock can't be moved.
    pub(super) patience: Option<Patience>,
    /// The operations that may not be there, and what was judged before each; none if this case alone decides whether one is there.
    pub(super) absences: Option<Vec<Absence>>,
    /// The exchanges, by their numbers, whose answers at an assumed path are those of an unknown one.
    pub(super) as_unknown_path: BTreeSet<usize>,
    /// What it created that may end by itself.
    pub(super) created: Vec<Created>,
    /// How many of its steps were played that take back a change.
    pub(super) restored: usize,
    /// Its environment.
    pub(super) environment: &'s Environment,
    /// The connections of a virtual user; without them the shared client sends.
    pub(super) own: Option<&'s OwnConnections>,
}

/// What a session takes over from an earlier one of its case.
#[derive(Default)]
pub(super) struct SessionState {
    pub(super) variables: Variables,
    pub(super) record: Record,
    pub(super) vault: Arc<Vault>,
    pub(super) tokens: Tokens,
    /// The number of exchanges in the record.
    pub(super) kept: usize,
}

/// An operation that may not be there, and what was judged before it was called.
#[derive(Debug)]
pub(super) struct Absence {
    /// The operation.
    pub(super) operation: String,
    /// Why the case is not judged if the operation is not there.
    pub(super) reason: NotJudgedReason,
    /// The findings and the clauses that passed.
    pub(super) judgement: Judgement,
    /// Clauses that the case was about.
    pub(super) about: BTreeSet<String>,
    /// The number of entries in the record.
    pub(super) entries: usize,
}

/// Why the steps ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// An expectation failed, and the following steps depend on it.
    Failed,
    /// The following steps may not run on this target, and why.
    Skipped(SkipReason),
    /// The case cannot be judged, and why.
    NotJudged(String),
    /// The case cannot be judged because an assumption of ours does not hold, and which.
    Excused(NotJudgedReason),
}

impl Stop {
    /// The reason as a sentence.
    pub(super) fn reason(self) -> String {
        match self {
            Self::Failed => "an expectation failed".to_owned(),
            Self::Skipped(reason) => reason.to_string(),
            Self::NotJudged(reason) => reason,
            Self::Excused(reason) => reason.to_string(),
        }
    }
}

impl<'s> Session<'s> {
    /// Starts a case.
    pub(super) fn new(context: &'s Context, case: &'s Case, environment: &'s Environment) -> Self {
        let own = OwnVariables {
            world: Value::String(environment.name.clone()),
            reference: Value::String(environment.reference.clone()),
            digits: Value::String(environment.digits()),
            freed: Value::Bool(false),
        };
        let variables = variables_of(context, case, case.row.values.clone(), own);
        Self::resume(context, case, environment, SessionState { variables, ..SessionState::default() })
    }

    /// Goes on with a case where another session has left it.
    pub(super) fn resume(context: &'s Context, case: &'s Case, environment: &'s Environment, state: SessionState) -> Self {
        let SessionState { variables, record, vault, tokens, kept } = state;
        Self {
            context,
            case,
            world: environment.world.as_ref(),
            mailbox: environment.mailbox(),
            variables,
            record,
            vault,
            tokens,
            kept,
            judgement: Judgement::default(),
            about: BTreeSet::new(),
            unexpected: BTreeSet::new(),
            moved: Instant::now(),
            patience: None,
            absences: None,
            as_unknown_path: BTreeSet::new(),
            created: Vec::new(),
            restored: 0,
            environment,
            own: None,
        }
    }

    /// The values for comparison with the record. Records show the reference without the part that is unique to the run, so it is
    /// compared without that part too.
    pub(super) fn compared(&self) -> Cow<'_, Variables> {
        if !self.environment.reference.contains(&self.context.nonce) {
            return Cow::Borrowed(&self.variables);
        }
        let mut variables = self.variables.clone();
        let recorded = self.environment.reference.replace(&self.context.nonce, "");
        variables.insert("reference".to_owned(), Value::String(recorded));
        Cow::Owned(variables)
    }

    /// Sends a request; in a replay, returns the recorded response.
    pub(super) async fn exchange(&self, operation: &Operation, request: &PreparedRequest) -> Arc<Exchange> {
        match &self.environment.player {
            Some(player) => player.response(operation, request, self.records()),
            None => Arc::new(self.send_to_target(operation, request).await),
        }
    }

    async fn send_to_target(&self, operation: &Operation, request: &PreparedRequest) -> Exchange {
        if let Some(own) = self.own
            && let Some(exchange) = own.send(operation, request, self.records()).await
        {
            // A load counts the calls of its users itself.
            return exchange;
        }
        let exchange = self.context.transport.send(operation, request, self.records()).await;
        self.context.responsiveness.note(&exchange);
        exchange
    }

    /// The settings for recording exchanges.
    pub(super) fn records(&self) -> Records<'_> {
        Records { recorder: &self.context.recorder, vault: &self.vault }
    }

    /// Adds an exchange to the record and returns it with its number.
    pub(super) fn keep_exchange(&mut self, mut exchange: Arc<Exchange>) -> Arc<Exchange> {
        // A replayed exchange is shared with its recording and has its number already.
        if exchange.number != self.kept {
            Arc::make_mut(&mut exchange).number = self.kept;
        }
        self.kept += 1;
        self.recognise(&exchange);
        self.record.entries.push(RecordEntry::Exchange(Arc::clone(&exchange)));
        self.note_created(&exchange);
        exchange
    }

    /// Adds an action of the world to the record. A driver passes on what programs and other servers say, so known secrets are masked;
    /// what following steps keep of the response is not.
    pub(super) fn note_action(&mut self, action: &str, with: &Map<String, Value>, response: &Value) {
        let recorder = &self.context.recorder;
        let (with, response) = (recorder.fields(with), recorder.value(response));
        self.record.entries.push(RecordEntry::World { action: action.to_owned(), with, response });
    }

    /// Remembers a resource that was created. If all cases share one address, notifications about it are assigned to this one.
    fn recognise(&self, exchange: &Exchange) {
        let Some(operation) = self.context.contracts.operations.get(&exchange.operation) else { return };
        let Some(about) = &operation.creates else { return };
        let id = identifier(about, exchange);
        if let Some(id) = id.as_ref().filter(|_| operation.accepted(exchange)) {
            self.environment.seen.note(id);
        }
        if let (Some(inbox), Some(mailbox), false) = (&self.context.inbox, &self.mailbox, self.environment.alone) {
            // A response that sends the payer on has no identifier; what is sent more than once may begin with the reference of the case.
            let own = self.context.recorder.text(&self.environment.reference);
            let sent = about.or_by.iter().filter_map(|(field, by)| Some((field, by.text(exchange).filter(|sent| sent.contains(&own))?)));
            let references = sent.map(|(field, sent)| Mark::Reference(field.clone(), sent));
            id.map(Mark::Id).into_iter().chain(references).for_each(|mark| inbox.recognise(mailbox, &mark));
        }
    }

    /// Judges a response by the general checks. If nothing is at an assumed path, nothing can be judged.
    pub(super) fn judge_call(&mut self, operation: &Operation, exchange: &Arc<Exchange>, step: &Step) -> Result<(), Stop> {
        self.check_there(operation, exchange)?;
        if self.is_known(exchange) {
            return Ok(());
        }
        let contracts = &self.context.contracts;
        let mut judgement = match self.wants_held() {
            true => check::response(operation, exchange),
            false if self.is_sound(exchange) => Judgement::default(),
            false => Judgement { findings: check::response_findings(operation, exchange), held: Vec::new() },
        };
        judgement.add(check::echo(contracts, operation, exchange, &self.record));
        judgement.add(check::facts(contracts, operation, exchange, &self.record));
        self.add_judgement(judgement, &step.place);
        Ok(())
    }

    /// Stops if nothing is at an assumed path. In a run the other cases have to be known, so what was judged until here is kept for later.
    fn check_there(&mut self, operation: &Operation, exchange: &Exchange) -> Result<(), Stop> {
        let target = &self.context.target;
        let Some(absences) = &mut self.absences else {
            self.note_shown(exchange);
            let absent = check::not_there(target, operation, exchange).filter(|_| !self.is_there(operation));
            return absent.map_or(Ok(()), |reason| Err(Stop::Excused(reason)));
        };
        let is_as_unknown_path = self.as_unknown_path.contains(&exchange.number);
        if let Some(reason) = check::may_not_be_there(target, operation, exchange, is_as_unknown_path)
            && !absences.iter().any(|absence| absence.operation == operation.id)
        {
            let (judgement, about) = (self.judgement.clone(), self.about.clone());
            absences.push(Absence { operation: operation.id.clone(), reason, judgement, about, entries: self.record.entries.len() });
        }
        Ok(())
    }

    /// Notes for the rest of the run that an operation is there; a recording that is judged again is no run.
    fn note_shown(&self, exchange: &Exchange) {
        if let (None, Some(response)) = (&self.environment.player, exchange.response()) {
            self.context.shown.note(&exchange.operation, response.status);
        }
    }

    /// Whether a response to an earlier call of the case, or of the run, shows that the operation is at its path: what it returns later
    /// is its own.
    fn is_there(&self, operation: &Operation) -> bool {
        if self.environment.player.is_none() && self.context.shown.has(&operation.id) {
            return true;
        }
        let own = self.record.exchanges().filter(|exchange| exchange.direction == Direction::Call && exchange.operation == operation.id);
        own.into_iter().any(|exchange| {
            let responded = exchange.response().is_some_and(|response| response.status < 500);
            responded && check::nothing_there(operation, exchange).is_none()
        })
    }

    /// Judges a notification by the general checks.
    pub(super) fn judge_notification(&mut self, exchange: &Exchange, place: &SourcePlace) {
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
        self.add_judgement(judgement, place);
    }

    /// Whether it was judged when it was recorded, and nothing has changed since.
    fn is_known(&self, exchange: &Exchange) -> bool {
        self.environment.player.as_ref().is_some_and(|player| !player.is_judged(exchange))
    }

    /// Whether it had no fault when it was recorded, and has not changed since.
    fn is_sound(&self, exchange: &Arc<Exchange>) -> bool {
        self.environment.player.as_ref().is_some_and(|player| player.is_sound(exchange))
    }

    /// Whether the clauses that pass are wanted.
    fn wants_held(&self) -> bool {
        self.environment.player.as_ref().is_none_or(|player| !player.only_wrong)
    }

    /// Adds clauses that pass and that the case is about.
    pub(super) fn hold(&mut self, clauses: Vec<String>, place: &SourcePlace) {
        self.about.extend(clauses.iter().cloned());
        self.add_judgement(Judgement::holds(clauses), place);
    }

    /// Adds the judgement of a check; its findings belong to the step at this place.
    pub(super) fn add_judgement(&mut self, judgement: Judgement, place: &SourcePlace) {
        let judgement = self.located(judgement, place);
        self.judgement.add(judgement);
    }

    /// A judgement whose findings belong to the step at this place.
    pub(super) fn located(&self, mut judgement: Judgement, place: &SourcePlace) -> Judgement {
        if !self.wants_held() {
            judgement.held.clear();
        }
        for finding in &mut judgement.findings {
            finding.step = Some(place.to_owned());
        }
        judgement
    }

    /// Adds failed expectations of a step: following steps depend on them, unless they are only assumed.
    pub(super) fn fail(&mut self, mut findings: Vec<Finding>, step: &Step) -> Result<(), Stop> {
        if findings.is_empty() {
            return Ok(());
        }
        for finding in &mut findings {
            finding.assumed = finding.assumed.take().or_else(|| self.assumed_of(step));
        }
        let before = self.judgement.findings.len();
        let about_a_response = findings.iter().enumerate().filter(|(_, finding)| finding.exchange.is_some());
        self.unexpected.extend(about_a_response.map(|(index, _)| before + index));
        let counts = self.context.target.assert_assumed || findings.iter().any(|finding| finding.assumed.is_none());
        self.add_judgement(Judgement { findings, held: Vec::new() }, &step.place);
        if counts { Err(Stop::Failed) } else { Ok(()) }
    }

    /// The clauses of a failed expectation, most specific first: those of the step; the contract's for the place, if it is a rule
    /// about values; those of the scenario.
    pub(super) fn named_after(&self, step: &Step, derived: impl IntoIterator<Item = Option<String>>, fallback: &str) -> Vec<String> {
        let derived = derived.into_iter().flatten().next();
        if !step.clauses.is_empty() {
            // The contract's clause for the very place is the most specific.
            let mut clauses = step.clauses.clone();
            clauses.sort_by_key(|clause| derived.as_ref() != Some(clause));
            return clauses;
        }
        match derived {
            Some(derived) => vec![derived],
            None if self.case.scenario.clauses.is_empty() => vec![fallback.to_owned()],
            None => self.case.scenario.clauses.clone(),
        }
    }

    /// Why what a step expects is assumed: the target file may state the layout that this depends on.
    fn assumed_of(&self, step: &Step) -> Option<String> {
        let is_stated = step.layout.as_ref().is_some_and(|needed| {
            let stated = self.context.target.layouts.get(&needed.name);
            stated.is_some_and(|stated| needed.columns.iter().all(|column| stated.columns.contains_key(column)))
        });
        step.assumed.clone().filter(|_| !is_stated)
    }

    /// Keeps a value for templates.
    pub(super) fn remember(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }
}

/// The clauses of the fields that differ, if each clause is about one of the compared fields. Else all of them.
pub(super) fn narrowed<'f>(
    known: &IndexMap<String, Clause>,
    clauses: Vec<String>,
    compared: impl Iterator<Item = &'f String>,
    differing: &[String],
) -> Vec<String> {
    let field = |clause: &String| known.get(clause).and_then(|clause| clause.about.as_ref());
    let compared: BTreeSet<&String> = compared.collect();
    let is_compared = |clause: &String| field(clause).is_some_and(|field| compared.contains(field));
    let differs = |clause: &&String| field(clause).is_some_and(|field| differing.contains(field));
    let of_fields: Vec<String> = clauses.iter().filter(differs).cloned().collect();
    if of_fields.is_empty() || !clauses.iter().all(is_compared) { clauses } else { of_fields }
}

/// The clauses that are about no field, for what did not arrive at all. All of them, if each is about a field.
pub(super) fn of_the_whole(known: &IndexMap<String, Clause>, clauses: Vec<String>) -> Vec<String> {
    let is_of_a_field = |clause: &String| known.get(clause).is_some_and(|clause| clause.about.is_some());
    if clauses.iter().all(is_of_a_field) { clauses } else { clauses.into_iter().filter(|clause| !is_of_a_field(clause)).collect() }
}

/// The variables that every case has and that differ from case to case.
pub(super) struct OwnVariables {
    pub(super) world: Value,
    pub(super) reference: Value,
    pub(super) digits: Value,
    pub(super) freed: Value,
}

/// The variables of a case: these values of its row, its own variables, and what the target file gives.
pub(super) fn variables_of(context: &Context, case: &Case, row: Variables, own: OwnVariables) -> Variables {
    let OwnVariables { world, reference, digits, freed } = own;
    let credentials = public_parts(&context.target.credentials, &context.contracts.secret_parts);
    let settings = context.target.settings.laid_over(&case.scenario.setting);
    let mut variables = row;
    let further = [
        ("world", world),
        ("reference", reference),
        ("digits", digits),
        ("freed", freed),
        ("credentials", credentials),
        ("settings", settings),
    ];
    variables.extend(further.map(|(name, value)| (name.to_owned(), value)));
    variables
}

/// The non-secret parts of the target's credentials, by identity, for templates.
fn public_parts(credentials: &IndexMap<String, Credential>, secrets: &[String]) -> Value {
    let public = |credential: &Credential| {
        let parts = credential.iter().filter(|(part, _)| !secrets.contains(part));
        Value::Object(parts.map(|(part, value)| (part.clone(), Value::String(value.clone()))).collect::<Map<_, _>>())
    };
    Value::Object(credentials.iter().map(|(identity, credential)| (identity.clone(), public(credential))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::contract::Contracts;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    /// The clauses that are narrowed down to where these fields differ.
    fn of(clauses: &[&str], compared: &[&str], differing: &[&str]) -> Vec<String> {
        let known = &Contracts::shipped().clauses;
        assert!(clauses.iter().all(|clause| known.contains_key(*clause)));
        narrowed(known, texts(clauses), texts(compared).iter(), &texts(differing))
    }

    #[test]
    fn of_clauses_about_fields_those_of_the_fields_that_differ_are_named() {
        let (delivery, name) = ("gateway.notification.delivery.value", "gateway.notification.name.value");
        let compared = ["transId", "delivery", "name"];
        assert_eq!(of(&[delivery, name], &compared, &["name"]), [name]);
        assert_eq!(of(&[delivery, name], &compared, &["transId"]), [delivery, name], "no clause is about it");
        assert_eq!(of(&[delivery, name], &["name"], &["name"]), [delivery, name], "one is about a field that is not compared");
    }

    #[test]
    fn clauses_about_something_else_are_all_named() {
        let clauses = ["gateway.refund.code.1400", "gateway.notification.name.value"];
        assert_eq!(of(&clauses, &["code", "name"], &["name"]), clauses);
    }
}
