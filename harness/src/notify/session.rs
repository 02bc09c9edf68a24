//! The run: one case after the other, each with payments of its own.

use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;
use serde_json::{Map, Value};

use super::Options;
use super::acknowledgement::unacknowledged;
use super::courier::Courier;
use super::gateway::Gateway;
use super::goods::{self, Due, Orders, Parcel};
use super::letter::{Facts, Letter, Pace, fields, id_field, state_field};
use super::log::Log;
use super::malformation::Malformation;
use super::plan::{Case, Forgery, Probe, rules};
use super::route::{Route, routes};
use crate::contract::{Contracts, MerchantRules, Operation};
use crate::event::InstanceFinished;
use crate::exchange::Exchange;
use crate::verdict::{Finding, Verdict};

/// How often one notification comes at once.
const DUPLICATES: usize = 3;
/// A burst: payments, and how often each is notified.
const BURST: (usize, usize) = (10, 5);
/// After so many cases without any answer the endpoint is given up.
const SILENT: usize = 3;
/// A word that no document knows as a state.
const NO_STATE: &str = "NO-SUCH-STATE";

/// The run of all cases.
pub(super) struct Session<'s> {
    pub(super) contracts: &'s Contracts,
    pub(super) gateway: &'s Gateway,
    pub(super) courier: Courier,
    pub(super) options: &'s Options,
    parcels: Vec<Parcel>,
    orders: Option<Result<Orders, String>>,
    silent: usize,
    sent: usize,
    refused: usize,
}

/// What one case found.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    log: Log,
}

/// Why a case was not judged.
enum Stop {
    Skipped(String),
    Broken(String),
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

/// A notification with what it needs to be sent.
struct Post<'p> {
    notification: &'p Operation,
    rules: &'p MerchantRules,
    case: &'p str,
}

impl<'s> Session<'s> {
    pub(super) fn new(contracts: &'s Contracts, gateway: &'s Gateway, courier: Courier, options: &'s Options) -> Self {
        Self { contracts, gateway, courier, options, parcels: Vec::new(), orders: None, silent: 0, sent: 0, refused: 0 }
    }

    /// Whether nobody has ever listened at the endpoint.
    pub(super) fn nobody_listens(&self) -> bool {
        self.sent > 0 && self.refused == self.sent
    }

    /// Runs one case.
    pub(super) async fn run(&mut self, case: &Case) -> InstanceFinished {
        let started = Instant::now();
        let contracts = self.contracts;
        let notification = contracts.notifications.get(&case.notification);
        let post = notification.and_then(|n| Some(Post { notification: n, rules: rules(n)?, case: &case.name.case }));
        let mut found = Found::default();
        let (mut title, mut held) = (String::new(), Vec::new());
        let verdict = match &post {
            None => Verdict::Broken { reason: format!("there is no notification `{}`", case.notification) },
            Some(post) => {
                post.notification.summary.clone_into(&mut title);
                let ended = self.judged(post, &case.probe, &mut found).await;
                let clauses = case.clauses(post.rules);
                verdict(ended, &mut found, || held = clauses)
            }
        };
        self.count(&found.log);
        let elapsed = started.elapsed();
        InstanceFinished { verdict, held, record: found.log.exchanges, elapsed, ..InstanceFinished::begun(case.name.clone(), title) }
    }

    fn count(&mut self, log: &Log) {
        self.sent += log.sent();
        self.refused += log.refused();
        if log.is_silent() {
            self.silent += 1;
        } else if log.sent() > 0 {
            self.silent = 0;
        }
    }

    async fn judged(&mut self, post: &Post<'_>, probe: &Probe, found: &mut Found) -> Result<(), Stop> {
        if self.silent >= SILENT && !matches!(probe, Probe::Goods(_)) {
            return Err(Stop::Skipped(format!("the endpoint gave no answer in {SILENT} cases one after the other")));
        }
        match probe {
            Probe::Valid(route) => self.valid(post, route, found).await,
            Probe::AtOnce(route) => self.at_once(post, route, found).await,
            Probe::Again(route) => self.again(post, route, found).await,
            Probe::Reordered(chain) => self.reordered(post, &chain.first, &chain.call, found).await,
            Probe::Late(route) => self.late(post, route, found).await,
            Probe::Forged(forgery) => self.forged(post, *forgery, found).await,
            Probe::Malformed(malformation) => self.malformed(post, malformation, found).await,
            Probe::Slow(route) => self.slow(post, route, found).await,
            Probe::Burst(route) => self.burst(post, route, found).await,
            Probe::Goods(due) => self.goods(post, *due, found).await,
        }
    }

    async fn valid(&mut self, post: &Post<'_>, route: &Route, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, route, &mut found.log).await?;
        let letter = self.truth(post, &facts)?;
        let mut sent = self.documented(post, &facts, &[letter], found).await;
        // A merchant that does not take a plain notification does not implement them.
        sent.findings.iter_mut().for_each(|finding| finding.clauses.push(post.rules.implemented.clone()));
        found.findings.append(&mut sent.findings);
        Ok(())
    }

    async fn at_once(&mut self, post: &Post<'_>, route: &Route, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, route, &mut found.log).await?;
        let letter = self.truth(post, &facts)?;
        self.take(post, &facts, &vec![letter; DUPLICATES], found).await;
        Ok(())
    }

    async fn again(&mut self, post: &Post<'_>, route: &Route, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, route, &mut found.log).await?;
        let other = self.gateway.create_in(post.notification, route, &mut found.log).await?;
        let (letter, between) = (self.truth(post, &facts)?, self.truth(post, &other)?);
        self.take(post, &facts, std::slice::from_ref(&letter), found).await;
        self.take(post, &other, &[between], found).await;
        for _ in 1..DUPLICATES {
            self.take(post, &facts, std::slice::from_ref(&letter), found).await;
        }
        Ok(())
    }

    async fn reordered(&mut self, post: &Post<'_>, first: &Route, call: &str, found: &mut Found) -> Result<(), Stop> {
        let before = self.gateway.create_in(post.notification, first, &mut found.log).await?;
        let earlier = self.truth(post, &before)?;
        let after = self.gateway.call(post.notification, call, before, &mut found.log).await?;
        let later = self.truth(post, &after)?;
        for letter in [later, earlier] {
            self.take(post, &after, &[letter], found).await;
        }
        Ok(())
    }

    /// A push that tells another state makes a merchant that asks back see the true one; then that is pushed.
    async fn late(&mut self, post: &Post<'_>, route: &Route, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, route, &mut found.log).await?;
        let other = routes(self.contracts, post.notification).into_iter().map(|r| r.state).find(|state| *state != route.state);
        let mut fields = self.fields(post, &facts)?;
        set(&mut fields, state_field(post.notification), &other.unwrap_or_else(|| NO_STATE.to_owned()));
        self.undocumented(post, &Letter::of(post.notification, &fields), found).await;
        let letter = self.truth(post, &facts)?;
        self.take(post, &facts, &[letter], found).await;
        Ok(())
    }

    async fn forged(&mut self, post: &Post<'_>, forgery: Forgery, found: &mut Found) -> Result<(), Stop> {
        let pending = self.gateway.create(post.notification, &Map::new(), &mut found.log).await?;
        let mut fields = self.told_as_due(post, &pending, forgery)?;
        let mut id = pending.id;
        match forgery {
            Forgery::WrongSecret | Forgery::Contradicted => {}
            Forgery::NoState => set(&mut fields, state_field(post.notification), NO_STATE),
            Forgery::Unknown => {
                id = self.unknown_id(post, &id, &mut found.log).await?;
                set(&mut fields, id_field(post.notification), &id);
            }
        }
        let letter = self.undocumented(post, &Letter::of(post.notification, &fields), found).await;
        self.expect(post, &id, Due::Forged, &letter);
        self.still_there(post, found).await
    }

    async fn malformed(&mut self, post: &Post<'_>, malformation: &Malformation, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, &self.paid(post)?, &mut found.log).await?;
        let fields = self.fields(post, &facts)?;
        self.undocumented(post, &malformation.applied(post.notification, &fields), found).await;
        self.take(post, &facts, &[Letter::of(post.notification, &fields)], found).await;
        Ok(())
    }

    async fn slow(&mut self, post: &Post<'_>, route: &Route, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, route, &mut found.log).await?;
        let letter = Letter { pace: Pace::Trickled(self.options.slow), ..self.truth(post, &facts)? };
        self.take(post, &facts, &[letter], found).await;
        Ok(())
    }

    async fn burst(&mut self, post: &Post<'_>, route: &Route, found: &mut Found) -> Result<(), Stop> {
        let (payments, times) = BURST;
        let mut all = Vec::new();
        for _ in 0..payments {
            let facts = self.gateway.create_in(post.notification, route, &mut found.log).await?;
            let letter = self.truth(post, &facts)?;
            all.push((facts, letter));
        }
        let letters: Vec<&Letter> = all.iter().cycle().take(payments * times).map(|(_, letter)| letter).collect();
        let sent = self.send_all(post, &letters, &mut found.log).await;
        for (index, (facts, _)) in all.iter().enumerate() {
            let own: Vec<_> = sent.iter().skip(index).step_by(payments).cloned().collect();
            found.findings.extend(self.judge_documented(post, facts, &own));
        }
        Ok(())
    }

    /// What was handed over. The merchant's command is asked when all notifications have been sent.
    async fn goods(&mut self, post: &Post<'_>, due: Due, found: &mut Found) -> Result<(), Stop> {
        if self.options.orders.is_empty() {
            return Err(Stop::Skipped("without `--orders` nothing tells what goods were handed over".to_owned()));
        }
        let mine = |parcel: &&Parcel| parcel.due == due && parcel.notification == post.notification.id;
        if !self.parcels.iter().any(|parcel| mine(&parcel)) {
            return Err(Stop::Skipped("no notification was sent that would show it".to_owned()));
        }
        let orders = match self.orders.take() {
            Some(known) => known,
            None => goods::settled(&self.options.orders, &self.parcels, self.options.within).await,
        };
        let orders = self.orders.insert(orders).as_ref().map_err(|e| Stop::Broken(self.gateway.recorder().text(e)))?;
        found.findings = goods::judge(self.parcels.iter().filter(mine), orders, post.rules);
        Ok(())
    }

    /// A merchant that was given something undocumented still acknowledges what is documented.
    async fn still_there(&mut self, post: &Post<'_>, found: &mut Found) -> Result<(), Stop> {
        let facts = self.gateway.create_in(post.notification, &self.paid(post)?, &mut found.log).await?;
        let letter = self.truth(post, &facts)?;
        self.take(post, &facts, &[letter], found).await;
        Ok(())
    }

    /// Sends documented notifications about one payment, all at once, and takes in what is wrong.
    async fn take(&mut self, post: &Post<'_>, facts: &Facts, letters: &[Letter], found: &mut Found) {
        let sent = self.documented(post, facts, letters, found).await;
        found.findings.extend(sent.findings);
    }

    async fn documented(&mut self, post: &Post<'_>, facts: &Facts, letters: &[Letter], found: &mut Found) -> Found {
        let letters: Vec<&Letter> = letters.iter().collect();
        let sent = self.send_all(post, &letters, &mut found.log).await;
        Found { findings: self.judge_documented(post, facts, &sent), log: Log::default() }
    }

    async fn send_all(&self, post: &Post<'_>, letters: &[&Letter], log: &mut Log) -> Vec<Arc<Exchange>> {
        let recorder = self.gateway.recorder();
        let sent = join_all(letters.iter().map(|letter| self.courier.carry(post.notification, letter, recorder))).await;
        sent.into_iter().map(|exchange| log.add(exchange)).collect()
    }

    fn judge_documented(&mut self, post: &Post<'_>, facts: &Facts, sent: &[Arc<Exchange>]) -> Vec<Finding> {
        let findings: Vec<_> =
            sent.iter().filter_map(|letter| unacknowledged(post.notification, post.rules, letter, self.options.within)).collect();
        let state = state_field(post.notification).and_then(|field| told_state(post, facts, field)).unwrap_or_default();
        let due = match () {
            // What was never acknowledged would be sent again: nothing is due yet.
            () if post.rules.due.contains(&state) && findings.len() < sent.len() => Due::Once,
            () if post.rules.due.contains(&state) || post.rules.open.contains(&state) => Due::AtMostOnce,
            () => Due::NotPaid,
        };
        if let Some(letter) = sent.first() {
            self.expect(post, &facts.id, due, letter);
        }
        findings
    }

    /// Sends what the documents don't know: any answer is right, and none.
    async fn undocumented(&mut self, post: &Post<'_>, letter: &Letter, found: &mut Found) -> Arc<Exchange> {
        let exchange = self.courier.slip(post.notification, letter, self.gateway.recorder()).await;
        found.log.add(exchange)
    }

    /// The last word about a payment counts, but what was due stays due.
    fn expect(&mut self, post: &Post<'_>, id: &str, due: Due, letter: &Arc<Exchange>) {
        let known = self.parcels.iter_mut().find(|parcel| parcel.id == id);
        match known {
            Some(parcel) if parcel.due == Due::Once => {}
            Some(parcel) => parcel.due = due,
            None => self.parcels.push(Parcel {
                id: id.to_owned(),
                due,
                notification: post.notification.id.clone(),
                case: post.case.to_owned(),
                letter: Arc::clone(letter),
            }),
        }
    }

    fn fields(&self, post: &Post<'_>, facts: &Facts) -> Result<Map<String, Value>, Stop> {
        Ok(fields(post.notification, &self.gateway.credential(), facts)?)
    }

    fn truth(&self, post: &Post<'_>, facts: &Facts) -> Result<Letter, Stop> {
        Ok(Letter::of(post.notification, &self.fields(post, facts)?))
    }

    /// The fields of a push that says of an open payment that its goods are due.
    fn told_as_due(&self, post: &Post<'_>, pending: &Facts, forgery: Forgery) -> Result<Map<String, Value>, Stop> {
        let credential = if forgery == Forgery::WrongSecret { self.gateway.wrong_credential() } else { self.gateway.credential() };
        let mut told = pending.told.clone();
        let agreement = post.notification.notification.as_ref().and_then(|rules| rules.agrees_with.as_ref());
        let field = agreement.zip(state_field(post.notification)).and_then(|(a, field)| a.fields.get(field));
        let due = post.rules.due.first();
        if let (Some(told), Some(field), Some(due)) = (told.as_object_mut(), field, due) {
            told.insert(field.clone(), Value::String(due.clone()));
        }
        Ok(fields(post.notification, &credential, &Facts { told, ..pending.clone() })?)
    }

    /// The route into the state of which goods are due.
    fn paid(&self, post: &Post<'_>) -> Result<Route, Stop> {
        let mut routes = routes(self.contracts, post.notification).into_iter();
        routes.find(|route| post.rules.due.contains(&route.state)).ok_or_else(|| "no route leads to a paid payment".to_owned().into())
    }

    /// An identifier of the same shape that the gateway does not know.
    async fn unknown_id(&self, post: &Post<'_>, like: &str, log: &mut Log) -> Result<String, Stop> {
        let mut id = like.to_owned();
        for _ in 0..10 {
            id = id.chars().map(next).collect();
            if self.gateway.told(post.notification, &id, log).await?.is_null() {
                return Ok(id);
            }
        }
        Err(Stop::Broken("the gateway knows every identifier".to_owned()))
    }
}

fn verdict(ended: Result<(), Stop>, found: &mut Found, holds: impl FnOnce()) -> Verdict {
    match ended {
        // What was found counts, even if the rest could not be judged.
        _ if !found.findings.is_empty() => Verdict::Failed { findings: std::mem::take(&mut found.findings) },
        Err(Stop::Skipped(reason)) => Verdict::Skipped { reason },
        Err(Stop::Broken(reason)) => Verdict::Broken { reason },
        Ok(()) => {
            holds();
            Verdict::Passed
        }
    }
}

fn told_state(post: &Post<'_>, facts: &Facts, field: &str) -> Option<String> {
    let agreement = post.notification.notification.as_ref()?.agrees_with.as_ref()?;
    facts.told.get(agreement.fields.get(field)?)?.as_str().map(str::to_owned)
}

fn set(fields: &mut Map<String, Value>, field: Option<&str>, value: &str) {
    if let Some(field) = field {
        fields.insert(field.to_owned(), Value::String(value.to_owned()));
    }
}

/// The next letter or digit; anything else stays.
fn next(character: char) -> char {
    match character {
        '9' => '0',
        'z' => 'a',
        'Z' => 'A',
        c if c.is_ascii_alphanumeric() => char::from(u8::try_from(c).unwrap_or(b'0') + 1),
        c => c,
    }
}
