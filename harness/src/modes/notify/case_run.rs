//! Runs one case: creates the payments, sends the notifications and judges the responses.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::{Map, Value};

use super::delivery_oracle::{DeliveryExpectation, DeliveryOracle, DeliveryRule};
use super::malformation::Malformation;
use super::options::NotifyOptions;
use super::plan::{CaseKind, Forgery};
use crate::base::verdict::Finding;
use crate::engine::push::PushError;
use crate::engine::push::acknowledgement::judge_acknowledgement;
use crate::engine::push::gateway::{Gateway, another_id};
use crate::engine::push::gateway_calls::GatewayCalls;
use crate::engine::push::log::ExchangeLog;
use crate::engine::push::message::{Pace, PushMessage, ResourceFacts, fields, id_field, state_field};
use crate::engine::push::route::{Route, routes};
use crate::engine::push::sender::Sender;
use crate::spec::contract::{Contracts, MerchantRules, Operation};
use crate::spec::target::Credential;
use crate::wire::exchange::Exchange;

/// How often a duplicated notification is sent.
const DUPLICATES: usize = 3;
/// The payments of a burst, and how often each is notified.
const BURST: (usize, usize) = (10, 5);
/// A text that no document knows as a state.
const NO_STATE: &str = "NO-SUCH-STATE";
/// How many identifiers are tried until the gateway does not know one.
const UNKNOWN_ATTEMPTS: usize = 10;

/// Why a case was not judged to its end.
pub(super) enum NotJudged {
    /// Something that the case needs is missing.
    Skipped(String),
    /// The gateway or the command failed.
    Broken(String),
}

impl From<PushError> for NotJudged {
    fn from(error: PushError) -> Self {
        Self::Broken(error.to_string())
    }
}

/// One case while it runs.
pub(super) struct CaseRun<'r> {
    pub(super) contracts: &'r Contracts,
    pub(super) gateway: &'r Gateway,
    pub(super) sender: &'r Sender,
    pub(super) options: &'r NotifyOptions,
    pub(super) notification: &'r Operation,
    pub(super) rules: &'r MerchantRules,
    /// The name of the case.
    pub(super) name: &'r str,
    pub(super) oracle: &'r mut DeliveryOracle,
    pub(super) findings: Vec<Finding>,
    pub(super) log: ExchangeLog,
}

impl CaseRun<'_> {
    /// Runs the case. Findings count even if the rest of it can't be judged.
    pub(super) async fn run(&mut self, kind: &CaseKind) -> Result<(), NotJudged> {
        match kind {
            CaseKind::Valid(route) => self.valid(route).await,
            CaseKind::ConcurrentDuplicates(route) => self.concurrent_duplicates(route).await,
            CaseKind::LaterDuplicates(route) => self.later_duplicates(route).await,
            CaseKind::InOrder(chain) => self.in_order(&chain.first, &chain.call).await,
            CaseKind::Reordered(chain) => self.reordered(&chain.first, &chain.call).await,
            CaseKind::Late(route) => self.late(route).await,
            CaseKind::Failing(route) => self.failing(route).await,
            CaseKind::Forged(forgery) => self.forged(*forgery).await,
            CaseKind::ForgedTooEarly(route) => self.forged_too_early(route).await,
            CaseKind::Malformed(malformation) => self.malformed(malformation).await,
            CaseKind::MalformedForgery(malformation) => self.malformed_forgery(malformation).await,
            CaseKind::Slow(route) => self.slow(route).await,
            CaseKind::Burst(route) => self.burst(route).await,
            CaseKind::Deliveries(rule) => self.deliveries(*rule).await,
        }
    }

    async fn valid(&mut self, route: &Route) -> Result<(), NotJudged> {
        let (payment, message) = self.payment(route).await?;
        let before = self.findings.len();
        self.send(&payment, &[message]).await;
        // A merchant that does not acknowledge a plain notification does not implement notifications.
        let implemented = &self.rules.implemented;
        self.findings.iter_mut().skip(before).for_each(|finding| finding.clauses.push(implemented.clone()));
        Ok(())
    }

    /// The calls of the merchant at the gateway.
    fn calls(&mut self) -> GatewayCalls<'_> {
        GatewayCalls::new(self.gateway, self.notification, &mut self.log)
    }

    async fn concurrent_duplicates(&mut self, route: &Route) -> Result<(), NotJudged> {
        let (payment, message) = self.payment(route).await?;
        self.send(&payment, &vec![message; DUPLICATES]).await;
        Ok(())
    }

    async fn later_duplicates(&mut self, route: &Route) -> Result<(), NotJudged> {
        let payment = self.calls().create_in(route).await?;
        let other = self.calls().create_in(route).await?;
        let (message, between) = (self.message(&payment)?, self.message(&other)?);
        self.send(&payment, std::slice::from_ref(&message)).await;
        self.send(&other, &[between]).await;
        for _ in 1..DUPLICATES {
            self.send(&payment, std::slice::from_ref(&message)).await;
        }
        Ok(())
    }

    async fn in_order(&mut self, first: &Route, call: &str) -> Result<(), NotJudged> {
        let (before, earlier) = self.payment(first).await?;
        self.send(&before, &[earlier]).await;
        let after = self.calls().call(call, before).await?;
        let later = self.message(&after)?;
        self.send(&after, &[later]).await;
        Ok(())
    }

    async fn reordered(&mut self, first: &Route, call: &str) -> Result<(), NotJudged> {
        let (before, earlier) = self.payment(first).await?;
        let after = self.calls().call(call, before).await?;
        let later = self.message(&after)?;
        for message in [later, earlier] {
            self.send(&after, &[message]).await;
        }
        Ok(())
    }

    /// A notification of another state makes a merchant that asks the gateway see the real one; only then that is notified.
    async fn late(&mut self, route: &Route) -> Result<(), NotJudged> {
        let payment = self.calls().create_in(route).await?;
        let other = routes(self.contracts, self.notification).into_iter().map(|r| r.state).find(|state| *state != route.state);
        let mut fields = self.fields(&payment)?;
        set(&mut fields, state_field(self.notification), &other.unwrap_or_else(|| NO_STATE.to_owned()));
        self.send_unjudged(&PushMessage::from_fields(self.notification, &fields)).await;
        let message = self.message(&payment)?;
        self.send(&payment, &[message]).await;
        Ok(())
    }

    /// A merchant that can't learn the state has two ways to the goods: it acknowledges and asks again by itself, or it does not
    /// acknowledge, and the notification comes again.
    async fn failing(&mut self, route: &Route) -> Result<(), NotJudged> {
        let (payment, message) = self.payment(route).await?;
        self.gateway.fail_status(self.rules).await?;
        let sent = self.send_all(&[&message]).await;
        self.calls().use_up_failures(&payment.id).await?;
        if sent.iter().any(|push| self.acknowledgement(push).is_none()) {
            self.judge(&payment, &sent);
        } else {
            self.send(&payment, &[message]).await;
        }
        Ok(())
    }

    async fn forged(&mut self, forgery: Forgery) -> Result<(), NotJudged> {
        let pending = match forgery {
            Forgery::Foreign => {
                let route = self.route_to_due()?;
                self.calls().of_the_other().create_in(&route).await?
            }
            _ => self.calls().create(&Map::new()).await?,
        };
        let mut fields = self.fields_of_due(&pending, &self.credential_of(forgery))?;
        let mut id = pending.id;
        match forgery {
            Forgery::WrongSecret | Forgery::Contradicted | Forgery::Foreign => {}
            Forgery::UnknownState => set(&mut fields, state_field(self.notification), NO_STATE),
            Forgery::Unknown => {
                id = self.unknown_id(&id).await?;
                set(&mut fields, id_field(self.notification), &id);
            }
        }
        let sent = self.send_unjudged(&PushMessage::from_fields(self.notification, &fields)).await;
        self.expect_deliveries(&id, DeliveryRule::Forged, &sent);
        self.send_after("forged", None).await
    }

    /// A merchant that has asked too early asks again.
    async fn forged_too_early(&mut self, route: &Route) -> Result<(), NotJudged> {
        let pending = self.calls().create(&route.when).await?;
        let fields = self.fields_of_due(&pending, &self.gateway.credential())?;
        self.send_unjudged(&PushMessage::from_fields(self.notification, &fields)).await;
        let payment = self.calls().move_along(pending, route).await?;
        self.send_after("forged", Some(payment)).await
    }

    async fn malformed(&mut self, malformation: &Malformation) -> Result<(), NotJudged> {
        let route = self.route_to_due()?;
        let payment = self.calls().create_in(&route).await?;
        let fields = self.fields(&payment)?;
        self.send_unjudged(&malformation.apply(self.notification, &fields)).await;
        self.send_after("malformed", Some(payment)).await
    }

    async fn malformed_forgery(&mut self, malformation: &Malformation) -> Result<(), NotJudged> {
        let pending = self.calls().create(&Map::new()).await?;
        let fields = self.fields_of_due(&pending, &self.gateway.credential())?;
        let sent = self.send_unjudged(&malformation.apply(self.notification, &fields)).await;
        self.expect_deliveries(&pending.id, DeliveryRule::Forged, &sent);
        self.send_after("malformed", None).await
    }

    /// A merchant that was sent a notification of this kind still acknowledges a documented one, by default about another payment.
    async fn send_after(&mut self, kind: &str, payment: Option<ResourceFacts>) -> Result<(), NotJudged> {
        let payment = match payment {
            Some(payment) => payment,
            None => {
                let route = self.route_to_due()?;
                self.calls().create_in(&route).await?
            }
        };
        let message = self.message(&payment)?;
        let before = self.findings.len();
        self.send(&payment, &[message]).await;
        for finding in self.findings.iter_mut().skip(before) {
            finding.message = format!("after the {kind} one, {}", finding.message);
        }
        Ok(())
    }

    async fn slow(&mut self, route: &Route) -> Result<(), NotJudged> {
        let (payment, message) = self.payment(route).await?;
        self.send(&payment, &[PushMessage { pace: Pace::Trickled(self.options.slow), ..message }]).await;
        Ok(())
    }

    async fn burst(&mut self, route: &Route) -> Result<(), NotJudged> {
        let (payments, times) = BURST;
        let mut all = Vec::new();
        for _ in 0..payments {
            all.push(self.payment(route).await?);
        }
        let messages: Vec<&PushMessage> = all.iter().cycle().take(payments * times).map(|(_, message)| message).collect();
        let sent = self.send_all(&messages).await;
        for (index, (payment, _)) in all.iter().enumerate() {
            let own: Vec<_> = sent.iter().skip(index).step_by(payments).cloned().collect();
            self.judge(payment, &own);
        }
        Ok(())
    }

    /// Judges the goods that were handed over. These cases come last, when everything has been sent.
    async fn deliveries(&mut self, rule: DeliveryRule) -> Result<(), NotJudged> {
        if self.options.orders.is_empty() {
            return Err(NotJudged::Skipped("without `--orders` the goods that were handed over are unknown".to_owned()));
        }
        if !self.oracle.expects(rule, &self.notification.id) {
            return Err(NotJudged::Skipped("no notification was sent that would show it".to_owned()));
        }
        let NotifyOptions { orders, within, .. } = self.options;
        let judged = self.oracle.judge(rule, &self.notification.id, self.rules, orders, *within).await;
        self.findings = judged.map_err(|error| NotJudged::Broken(self.gateway.recorder().text(&error.to_string())))?;
        Ok(())
    }

    /// A payment in the state of a route, and the notification about it.
    async fn payment(&mut self, route: &Route) -> Result<(ResourceFacts, PushMessage), NotJudged> {
        let payment = self.calls().create_in(route).await?;
        let message = self.message(&payment)?;
        Ok((payment, message))
    }

    /// Sends documented notifications about one payment, all at once, and judges the responses.
    async fn send(&mut self, payment: &ResourceFacts, messages: &[PushMessage]) {
        let messages: Vec<&PushMessage> = messages.iter().collect();
        let sent = self.send_all(&messages).await;
        self.judge(payment, &sent);
    }

    async fn send_all(&mut self, messages: &[&PushMessage]) -> Vec<Arc<Exchange>> {
        let recorder = self.gateway.recorder();
        let sent = join_all(messages.iter().map(|message| self.sender.send(self.notification, message, recorder))).await;
        sent.into_iter().map(|exchange| self.log.add(exchange)).collect()
    }

    /// Sends what the documents don't know: any response conforms, and none does too.
    async fn send_unjudged(&mut self, message: &PushMessage) -> Arc<Exchange> {
        let exchange = self.sender.send_unjudged(self.notification, message, self.gateway.recorder()).await;
        self.log.add(exchange)
    }

    fn judge(&mut self, payment: &ResourceFacts, sent: &[Arc<Exchange>]) {
        let findings: Vec<_> = sent.iter().filter_map(|push| self.acknowledgement(push)).collect();
        let state = self.reported_state(payment).unwrap_or_default();
        let is_due = self.rules.due.contains(&state);
        let rule = if is_due && findings.len() < sent.len() {
            DeliveryRule::Once
        } else if is_due || self.rules.open.contains(&state) {
            // What was never acknowledged would be sent again: nothing is due yet.
            DeliveryRule::AtMostOnce
        } else {
            DeliveryRule::NotPaid
        };
        if let Some(message) = sent.first() {
            self.expect_deliveries(&payment.id, rule, message);
        }
        self.findings.extend(findings);
    }

    /// What is wrong with the response to a documented notification.
    fn acknowledgement(&self, push: &Exchange) -> Option<Finding> {
        judge_acknowledgement(self.notification, self.rules, push, self.options.within)
    }

    fn expect_deliveries(&mut self, id: &str, rule: DeliveryRule, message: &Arc<Exchange>) {
        self.oracle.expect(DeliveryExpectation {
            id: id.to_owned(),
            rule,
            notification: self.notification.id.clone(),
            case: self.name.to_owned(),
            message: Arc::clone(message),
        });
    }

    fn fields(&self, payment: &ResourceFacts) -> Result<Map<String, Value>, NotJudged> {
        Ok(fields(self.notification, &self.gateway.credential(), payment)?)
    }

    fn message(&self, payment: &ResourceFacts) -> Result<PushMessage, NotJudged> {
        Ok(PushMessage::from_fields(self.notification, &self.fields(payment)?))
    }

    /// The credentials that a forged notification carries.
    fn credential_of(&self, forgery: Forgery) -> Credential {
        match forgery {
            Forgery::WrongSecret => self.gateway.wrong_credential(),
            Forgery::Foreign => self.gateway.foreign_credential(),
            Forgery::Unknown | Forgery::Contradicted | Forgery::UnknownState => self.gateway.credential(),
        }
    }

    /// The fields of a forged notification: it reports that the goods of a payment are due.
    fn fields_of_due(&self, pending: &ResourceFacts, credential: &Credential) -> Result<Map<String, Value>, NotJudged> {
        let mut status = pending.status.clone();
        let field = self.status_field().map(str::to_owned);
        if let (Some(status), Some(field), Some(due)) = (status.as_object_mut(), field, self.rules.due.first()) {
            status.insert(field, Value::String(due.clone()));
        }
        Ok(fields(self.notification, credential, &ResourceFacts { status, ..pending.clone() })?)
    }

    /// The state that the status call reports.
    fn reported_state(&self, payment: &ResourceFacts) -> Option<String> {
        payment.status.get(self.status_field()?)?.as_str().map(str::to_owned)
    }

    /// The field in which the status call reports what the notification reports as the state.
    fn status_field(&self) -> Option<&str> {
        let agreement = self.notification.notification.as_ref()?.agrees_with.as_ref()?;
        agreement.fields.get(state_field(self.notification)?).map(String::as_str)
    }

    /// The route to a state in which goods are due.
    fn route_to_due(&self) -> Result<Route, NotJudged> {
        let mut routes = routes(self.contracts, self.notification).into_iter();
        let route = routes.find(|route| self.rules.due.contains(&route.state));
        route.ok_or_else(|| NotJudged::Broken("no route leads to a state in which goods are due".to_owned()))
    }

    /// An identifier of the same shape that the gateway does not know.
    async fn unknown_id(&mut self, like: &str) -> Result<String, NotJudged> {
        let mut id = like.to_owned();
        for _ in 0..UNKNOWN_ATTEMPTS {
            id = another_id(&id);
            if self.calls().status(&id).await?.is_null() {
                return Ok(id);
            }
        }
        Err(NotJudged::Broken("the gateway knows every identifier".to_owned()))
    }
}

fn set(fields: &mut Map<String, Value>, field: Option<&str>, value: &str) {
    if let Some(field) = field {
        fields.insert(field.to_owned(), Value::String(value.to_owned()));
    }
}
