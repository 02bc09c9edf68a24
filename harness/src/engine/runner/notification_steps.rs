//! The steps about notifications, and the notifications that no step has claimed.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::context::Context;
use super::patience::Schedule;
use super::session::{Session, Stop, narrowed, of_the_whole};
use crate::base::place::{Message, Place};
use crate::base::skip::SkipReason;
use crate::base::source_place::SourcePlace;
use crate::base::verdict::{Finding, FindingKind};
use crate::engine::inbox::{EndpointReply, Mailbox};
use crate::engine::notification_observer::{awaited, named, sighting};
use crate::judge::check;
use crate::judge::record::identifier;
use crate::spec::contract::{Agreement, Contracts, Operation};
use crate::spec::scenario::{Given, InboxStep, Keep, Matcher, NotificationStep, Step, Template, Variables};
use crate::wire::exchange::{Decoded, Exchange};
use crate::wire::expression::text_of;

/// The time that a notification may take from the world to the inbox (through a proxy, a tunnel) after the world reports that
/// nothing is under way.
const GRACE: Duration = Duration::from_millis(150);

/// How long silence lasts at most if the world cannot report whether something is under way; less where notifications take less.
const LONGEST_SILENCE: Duration = Duration::from_secs(3);

impl Session<'_> {
    /// Waits for a notification, judges it, and lets the status call confirm it.
    pub(super) async fn notification(&mut self, step: &Step, wanted: &NotificationStep) -> Result<(), Stop> {
        if self.is_left_out(wanted)? {
            return Ok(());
        }
        let mailbox = self.open_mailbox()?;
        let patience = self.patience.take();
        let within =
            patience.as_ref().map(|patience| patience.within).or(wanted.within).unwrap_or(self.context.target.notifications.within);
        let attempt = self.attempt_wanted(wanted)?;
        self.announce(wanted);
        let mut seen = None;
        let exchange = loop {
            let Some(arrival) = self.await_arrival(&mailbox, wanted, within).await? else {
                let is_silent = mailbox.unclaimed(|_| Some(())).is_empty();
                return match patience.filter(|_| is_silent).and_then(|patience| patience.ends(attempt, self.schedule())) {
                    Some(reason) => Err(Stop::Skipped(reason)),
                    None => self.missing(&mailbox, step, wanted),
                };
            };
            let exchange = self.keep_exchange(arrival);
            self.judge_notification(&exchange, &step.place);
            // Counted once; each further claim is the next one.
            let now = seen.map_or_else(|| self.attempts_until(&mailbox, wanted, &exchange), |before: usize| before + 1);
            seen = Some(now);
            match attempt {
                // Earlier attempts are claimed and judged before the expected one.
                Some(attempt) if now < attempt => {}
                Some(attempt) if now > attempt => return self.past_attempt(step, &exchange, attempt, now),
                Some(_) | None => break exchange,
            }
        };
        self.accept(step, wanted, &exchange).await
    }

    /// The schedule of repetitions, as far as the target file states it.
    fn schedule(&self) -> Schedule {
        let target = &self.context.target;
        Schedule { longest: target.settings.longest_retry(&self.context.contracts), under_way: target.notifications.within }
    }

    /// Keeps values of the expected notification, which was judged, and confirms it.
    pub(super) async fn accept(&mut self, step: &Step, wanted: &NotificationStep, exchange: &Exchange) -> Result<(), Stop> {
        self.variables.extend(kept(wanted, exchange));
        let mut held = step.clauses.clone();
        let contracts = Arc::clone(&self.context.contracts);
        held.extend(contracts.notifications.get(&exchange.operation).map(|o| o.clause.clone()));
        self.hold(held, &step.place);
        self.confirm(&contracts, exchange, step).await
    }

    /// Whether the condition under which the step is left out holds.
    fn is_left_out(&self, wanted: &NotificationStep) -> Result<bool, Stop> {
        let Some(template) = &wanted.unless else { return Ok(false) };
        let value = template.render(&self.variables).map_err(|error| Stop::NotJudged(error.to_string()))?;
        value.as_bool().ok_or_else(|| Stop::NotJudged(format!("`unless` is true or false, not {value}")))
    }

    /// Reports to the observer what is due.
    fn announce(&self, wanted: &NotificationStep) {
        announce(self.context, &self.environment.name, wanted, (&self.compared(), self.moved));
    }

    pub(super) fn open_mailbox(&self) -> Result<Arc<Mailbox>, Stop> {
        self.mailbox.clone().ok_or(Stop::Skipped(SkipReason::NoInbox))
    }

    async fn await_arrival(&self, mailbox: &Mailbox, wanted: &NotificationStep, within: Duration) -> Result<Option<Arc<Exchange>>, Stop> {
        let mut deadline = Instant::now() + within;
        let mut settled = false;
        loop {
            let seen = mailbox.arrivals();
            if let Some(found) = mailbox.claim(|exchange| fits(&wanted.fields, exchange, &self.compared())) {
                return Ok(Some(found));
            }
            if !settled {
                settled = self.settle_world().await?;
                if settled {
                    deadline = deadline.min(Instant::now() + GRACE.min(within));
                }
                if settled && mailbox.arrivals() > seen {
                    continue;
                }
            }
            if !mailbox.more(seen, deadline).await {
                return Ok(None);
            }
        }
    }

    pub(super) fn missing(&mut self, mailbox: &Mailbox, step: &Step, wanted: &NotificationStep) -> Result<(), Stop> {
        let contracts = Arc::clone(&self.context.contracts);
        self.drop_earlier(mailbox);
        let expected = described(&wanted.fields, &self.compared());
        let operation = self.notification_expected(&contracts, &expected);
        // They stay unclaimed: their faults are judged at the end.
        let seen = |exchange: &Exchange| Some(described_fields(exchange, &wanted.fields).unwrap_or_else(|| unreadable(exchange)));
        let mut arrived = mailbox.unclaimed(seen);
        arrived.extend(self.unreadable_unclaimed());
        arrived.truncate(5);
        let others = |exchange: &Exchange| Some(differing(&wanted.fields, exchange, &self.compared()));
        let nearest = mailbox.unclaimed(others).into_iter().min_by_key(Vec::len);
        let is_unreadable = nearest.is_none() && !arrived.is_empty();
        let (message, at) = match nearest.as_deref() {
            _ if arrived.is_empty() => ("no notification arrived", Place::Whole(Message::Notification)),
            Some([field]) if wanted.fields.len() > 1 => {
                ("a notification arrived that says something else", Place::field(Message::Notification, field))
            }
            _ => ("no such notification arrived, but others did", Place::Whole(Message::Notification)),
        };
        let id = operation.map(|o| o.id.clone()).unwrap_or_default();
        let mut finding = Finding::new("", id, message).at(at).compare(expected, json!(arrived));
        if arrived.is_empty() {
            finding.kind = FindingKind::NothingArrived;
        }
        let call = operation.map(|o| o.clause.clone());
        let due = operation.and_then(|o| o.notification.as_ref()?.missing.clone()).filter(|_| !is_unreadable);
        let clauses = self.named_after(step, [due.or_else(|| call.clone())], "");
        finding.clauses = match arrived.is_empty() {
            true => of_the_whole(&contracts.clauses, clauses),
            false => narrowed(&contracts.clauses, clauses, wanted.fields.keys(), nearest.as_deref().unwrap_or_default()),
        };
        if let Some(call) = call.filter(|call| is_unreadable && !finding.clauses.contains(call)) {
            finding.clauses.insert(0, call);
        }
        if step.assumed.is_none() {
            self.judge_unclaimed(&mailbox.rest(), &step.place);
        }
        self.fail(vec![finding], step)
    }

    /// Notifications at a shared address that tell no identifier may belong to any case, so every case that misses one names them.
    fn unreadable_unclaimed(&self) -> Vec<Value> {
        let inbox = self.context.inbox.as_ref().filter(|_| !self.is_alone());
        let contracts = &self.context.contracts;
        let about = || contracts.notifications.values().filter_map(|operation| operation.shows.as_ref()).map(|shows| &shows.about);
        let cannot = |exchange: &Exchange| about().all(|about| identifier(about, exchange).is_none()).then(|| unreadable(exchange));
        inbox.map(|inbox| inbox.unclaimed(cannot)).unwrap_or_default()
    }

    /// The notification in the format of the version that created the named resource.
    fn notification_expected<'c>(&self, contracts: &'c Contracts, fields: &Value) -> Option<&'c Operation> {
        let creator = fields.as_object()?.values().filter_map(text_of).find_map(|id| {
            let tables = contracts.tables.keys().map(String::as_str);
            tables.into_iter().find_map(|resource| self.record.creation(contracts, resource, &id, Some(fields))).map(|(_, o)| o.id.clone())
        });
        let made_for = |o: &&Operation| {
            let by = o.notification.as_ref().map(|n| n.created_by.as_slice()).unwrap_or_default();
            creator.as_ref().is_some_and(|creator| by.contains(creator))
        };
        contracts.notifications.values().find(made_for).or_else(|| contracts.notifications.values().next())
    }

    fn attempt_wanted(&self, wanted: &NotificationStep) -> Result<Option<usize>, Stop> {
        let Some(template) = &wanted.attempt else { return Ok(None) };
        let value = template.render(&self.variables).map_err(|error| Stop::NotJudged(error.to_string()))?;
        let attempt = value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        attempt.map(Some).ok_or_else(|| Stop::NotJudged(format!("`attempt` is a number from 1, not {value}")))
    }

    /// Counts the matching notifications up to this one: those in the record and the unclaimed ones.
    fn attempts_until(&self, mailbox: &Mailbox, wanted: &NotificationStep, exchange: &Exchange) -> usize {
        let counts = |other: &Exchange| other.arrived <= exchange.arrived && fits(&wanted.fields, other, &self.compared());
        self.record.notifications().filter(|other| counts(other)).count() + mailbox.unclaimed(|other| counts(other).then_some(())).len()
    }

    fn past_attempt(&mut self, step: &Step, exchange: &Exchange, expected: usize, got: usize) -> Result<(), Stop> {
        let mut finding = check::about(exchange, "", "this is a later attempt than the scenario expects").compare(expected, got);
        finding.clauses = self.named_after(step, [], &self.clause_of(exchange));
        self.fail(vec![finding], step)
    }

    /// The clause of a notification; empty if the contracts do not hold it.
    fn clause_of(&self, notification: &Exchange) -> String {
        self.context.contracts.notifications.get(&notification.operation).map(|operation| operation.clause.clone()).unwrap_or_default()
    }

    /// The documents tell the merchant to check a notification with the status call; so do we.
    pub(super) async fn confirm(&mut self, contracts: &Contracts, notification: &Exchange, step: &Step) -> Result<(), Stop> {
        let Some(operation) = contracts.notifications.get(&notification.operation) else { return Ok(()) };
        let Some(rule) = operation.notification.as_ref().and_then(|n| n.agrees_with.as_ref()) else { return Ok(()) };
        let Some(asked) = contracts.operations.get(&rule.operation) else { return Ok(()) };
        let identity = self.creator_of(contracts, operation, notification);
        let sent = std::time::Instant::now();
        let status = self.ask(asked, question(rule, notification), &identity, step).await?;
        self.agree(notification, &status, sent, step);
        Ok(())
    }

    /// Judges whether the status call, sent at this moment, agrees with a notification.
    pub(super) fn agree(&mut self, notification: &Exchange, status: &Exchange, sent: std::time::Instant, step: &Step) {
        self.report_status(status, sent);
        let contracts = &self.context.contracts;
        let Some(operation) = contracts.notifications.get(&notification.operation) else { return };
        let judgement = check::agreement(contracts, operation, notification, status, &self.record);
        self.add_judgement(judgement, &step.place);
    }

    /// Reports to the observer the state of a resource in a response. `sent` is when the call was sent.
    pub(super) fn report_status(&self, response: &Exchange, sent: std::time::Instant) {
        if let (Some(observer), Some((resource, state))) =
            (&self.context.observer, sighting(&self.context.contracts, response, &self.environment.name))
        {
            observer.status_seen(&resource, &state, sent);
        }
    }

    fn creator_of(&self, contracts: &Contracts, operation: &Operation, notification: &Exchange) -> String {
        let shown = notification.request.body.value();
        let about = operation.shows.as_ref().map(|shows| &shows.about);
        let id = about.and_then(|about| Some((about.resource.as_str(), identifier(about, notification)?)));
        let creation = id.and_then(|(resource, id)| self.record.creation(contracts, resource, &id, shown).map(|(e, _)| e.identity.clone()));
        creation.unwrap_or_default()
    }

    /// Expects that no matching notification has arrived or is under way.
    pub(super) async fn no_notification(&mut self, step: &Step, fields: &IndexMap<String, Matcher>) -> Result<(), Stop> {
        let mailbox = self.open_mailbox()?;
        self.quiet().await?;
        let is_it = |exchange: &Exchange| fits(fields, exchange, &self.compared());
        // Where cases share an address, a refused creation has no identifier by which its notification is assigned to a case.
        let shared = self.context.inbox.as_ref().filter(|_| !self.is_alone());
        let Some(arrival) = mailbox.claim(is_it).or_else(|| shared.and_then(|inbox| inbox.claim(is_it))) else {
            self.hold(step.clauses.clone(), &step.place);
            return Ok(());
        };
        let exchange = self.keep_exchange(arrival);
        let fallback = self.clause_of(&exchange);
        let mut finding = check::about(&exchange, "", "a notification arrived that must not").at(Place::Whole(Message::Notification));
        finding.clauses = self.named_after(step, [], &fallback);
        let got = described_fields(&exchange, fields).unwrap_or_default();
        self.fail(vec![finding.compare("no notification", got)], step)
    }

    /// Waits until nothing is under way in the world; returns `false` if the world cannot know.
    async fn settle_world(&self) -> Result<bool, Stop> {
        self.world.settle().await.map_err(|error| Stop::NotJudged(error.masked(&self.context.recorder).to_string()))
    }

    async fn quiet(&self) -> Result<(), Stop> {
        let settled = self.settle_world().await?;
        let silence = LONGEST_SILENCE.min(self.context.target.notifications.within);
        tokio::time::sleep(if settled { Duration::ZERO } else { silence }).await;
        Ok(())
    }

    /// Sets the responses of the merchant's endpoint from now on.
    pub(super) fn inbox(&mut self, inbox: &InboxStep) -> Result<(), Stop> {
        let mailbox = self.open_mailbox()?;
        let replies = inbox.responses.iter().map(|response| {
            let status = reply_status(&response.status, &self.variables)?;
            Ok(EndpointReply { status, delay: response.delay })
        });
        mailbox.respond_with(replies.collect::<Result<Vec<_>, Stop>>()?);
        Ok(())
    }

    /// Judges the unclaimed notifications.
    pub(super) async fn judge_rest(&mut self) -> Result<(), Stop> {
        let Some(mailbox) = self.mailbox.clone() else { return Ok(()) };
        self.settle_world().await?;
        self.drop_earlier(&mailbox);
        self.judge_unclaimed(&mailbox.rest(), &self.case.scenario.place());
        Ok(())
    }

    /// Drops notifications about what earlier iterations of a virtual user have created.
    fn drop_earlier(&self, mailbox: &Mailbox) {
        let contracts = &self.context.contracts;
        self.environment.seen.drop_earlier(contracts, mailbox, |about, id, exchange| {
            self.record.creation(contracts, &about.resource, id, exchange.request.body.value()).is_some()
        });
    }

    /// Judges notifications that no step has claimed; their findings belong to a place. Where a step misses a notification, they come
    /// first: what is wrong with those that arrived may be why none is the expected one.
    fn judge_unclaimed(&mut self, rest: &[Arc<Exchange>], place: &SourcePlace) {
        let contracts = Arc::clone(&self.context.contracts);
        let mut rest = rest.to_vec();
        rest.sort_by_cached_key(|exchange| self.place_of(&contracts, exchange));
        for exchange in rest {
            let exchange = self.keep_exchange(exchange);
            self.judge_notification(&exchange, place);
        }
    }

    /// Two resources may be notified at the same time, in either order. The record has them in the order of creation, so that the
    /// same run gives the same bytes.
    fn place_of(&self, contracts: &Contracts, exchange: &Exchange) -> (usize, String, u64) {
        let about = contracts.notifications.get(&exchange.operation).and_then(|o| o.shows.as_ref()).map(|shows| &shows.about);
        let id = about.and_then(|about| identifier(about, exchange)).unwrap_or_default();
        let shown = exchange.request.body.value();
        let creation = about.and_then(|about| self.record.creation(contracts, &about.resource, &id, shown));
        (creation.map_or(usize::MAX, |(creation, _)| creation.number), id, exchange.arrived)
    }
}

fn reply_status(template: &Template, variables: &Variables) -> Result<Option<u16>, Stop> {
    let value = template.render(variables).map_err(|error| Stop::NotJudged(error.to_string()))?;
    if value == "reset" {
        return Ok(None);
    }
    let status = text_of(&value).and_then(|text| text.parse::<u16>().ok()).filter(|status| (200..600).contains(status));
    status.map(Some).ok_or_else(|| Stop::NotJudged(format!("the inbox responds with a status from 200 to 599 or `reset`, not {value}")))
}

/// Reports to the observer that a notification is due since this moment.
pub(super) fn announce(context: &Context, world: &str, wanted: &NotificationStep, (variables, since): (&Variables, std::time::Instant)) {
    let Some(observer) = &context.observer else { return };
    let fields = described(&wanted.fields, variables);
    let due = context.contracts.notifications.values().find_map(|notification| awaited(notification, &fields));
    if let Some((id, state)) = due {
        observer.due(&named(world, &id), &state, since);
    }
}

/// The values of a notification that following steps need.
pub(super) fn kept(wanted: &NotificationStep, exchange: &Exchange) -> Vec<(String, Value)> {
    let value = |keep: &Keep| {
        let sent = exchange.request.body.value().and_then(|body| body.pointer(keep.pointer()?));
        sent.or(keep.otherwise.as_ref()).cloned()
    };
    wanted.keep.iter().filter_map(|keep| Some((keep.name.clone(), value(keep)?))).collect()
}

/// The parameters of the call that confirms a notification.
pub(super) fn question(rule: &Agreement, notification: &Exchange) -> Map<String, Value> {
    rule.with.iter().filter_map(|(name, place)| Some((name.clone(), place.value(notification)?.clone()))).collect()
}

/// Whether a notification has the expected fields.
pub(super) fn fits(fields: &IndexMap<String, Matcher>, exchange: &Exchange, variables: &Variables) -> bool {
    fields.iter().all(|field| is_so(field, exchange, variables))
}

/// The fields of which a notification has other values.
fn differing(fields: &IndexMap<String, Matcher>, exchange: &Exchange, variables: &Variables) -> Vec<String> {
    fields.iter().filter(|field| !is_so(*field, exchange, variables)).map(|(name, _)| name.clone()).collect()
}

fn is_so((name, matcher): (&String, &Matcher), exchange: &Exchange, variables: &Variables) -> bool {
    let value = exchange.request.body.value().and_then(|body| body.get(name));
    matcher.mismatches("", value, &Given::uncut(variables)).is_ok_and(|found| found.is_empty())
}

/// The expected fields, for a finding.
fn described(fields: &IndexMap<String, Matcher>, variables: &Variables) -> Value {
    let asked = fields.iter().map(|(name, matcher)| (name.clone(), matcher.describe(&Given::uncut(variables)).unwrap_or_default()));
    Value::Object(asked.collect())
}

/// Why a notification cannot be read.
fn unreadable(exchange: &Exchange) -> Value {
    match &exchange.request.body.decoded {
        Decoded::Unreadable(fault) => format!("a notification that can't be read: {} ({})", fault.message, fault.position).into(),
        Decoded::Empty => "a notification without a body".into(),
        Decoded::Value(..) => "a notification without the identifier in its place".into(),
        Decoded::Opaque => {
            let media_type = exchange.request.header("content-type").unwrap_or("no media type");
            format!("a notification of {media_type}, which is not documented").into()
        }
    }
}

/// The values of these fields in a notification.
fn described_fields(exchange: &Exchange, fields: &IndexMap<String, Matcher>) -> Option<Value> {
    let body = exchange.request.body.value()?.as_object()?;
    Some(Value::Object(fields.keys().filter_map(|name| Some((name.clone(), body.get(name)?.clone()))).collect()))
}
