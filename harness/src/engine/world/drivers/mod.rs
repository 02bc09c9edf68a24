//! The world of a live target: one for all cases, changed by commands, requests and people.

mod ask;
mod command;
mod fill;
mod http;

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use indexmap::IndexMap;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use url::Url;

use super::{Act, World, WorldError};
use crate::base::skip::SkipReason;
use crate::spec::contract::{Contracts, WorldAction};
use crate::spec::target::{ALL_PARAMETERS, Driver, Drivers, KNOWN_FIELDS, Target};
use crate::wire::expression::text_of;
pub use ask::{Person, Question};

/// The drivers of a target, ready to be used.
#[derive(Clone)]
pub struct Driven {
    drivers: Arc<Drivers>,
    contracts: Arc<Contracts>,
    bases: IndexMap<String, Url>,
    /// The variables about the target.
    variables: Arc<Map<String, Value>>,
    client: reqwest::Client,
    person: Option<Arc<dyn Person>>,
}

impl Driven {
    /// The drivers of a target.
    pub fn new(drivers: Drivers, target: &Target, contracts: &Arc<Contracts>, client: reqwest::Client) -> Self {
        Self {
            drivers: Arc::new(drivers),
            contracts: Arc::clone(contracts),
            bases: target.bases.clone(),
            variables: Arc::new(fill::of_target(target, contracts)),
            client,
            person: None,
        }
    }

    /// Sets the person who is asked to carry out actions.
    pub fn set_person(&mut self, person: Arc<dyn Person>) {
        self.person = Some(person);
    }

    /// Whether any action of a capability (`payer`) can be carried out.
    pub fn is_able(&self, capability: &str) -> bool {
        let mut actions = self.contracts.actions.values().filter(|action| action.capability() == capability);
        actions.any(|action| self.cannot(&action.name).is_none())
    }

    /// Why an action cannot be carried out, if so.
    pub fn cannot(&self, action: &str) -> Option<SkipReason> {
        match self.drivers.by_action.get(action) {
            Some(Driver::Ask) => self.person.is_none().then(|| SkipReason::Other(needs_a_person(action))),
            Some(Driver::Command(_) | Driver::Http(_)) => None,
            None if self.own_clock_field(action).is_some() => None,
            None if !self.lets_time_pass(action) => Some(SkipReason::NoDriver(action.to_owned())),
            None if self.drivers.waits_up_to.is_some() => None,
            None => Some(SkipReason::NoClock(action.to_owned())),
        }
    }

    /// Whether a person carries out an action.
    pub fn asks_a_person(&self, action: &str) -> bool {
        matches!(self.drivers.by_action.get(action), Some(Driver::Ask))
    }

    fn lets_time_pass(&self, action: &str) -> bool {
        self.contracts.actions.get(action).is_some_and(|action| action.passes.is_some())
    }

    /// The field in which an action returns the time, where that is this machine's: nothing moves the clock of the target.
    fn own_clock_field(&self, action: &str) -> Option<&String> {
        self.contracts.actions.get(action)?.reads.as_ref().filter(|_| !self.moves_time())
    }

    /// The longest that a case may wait for what time brings, where nothing can move the clock.
    pub fn longest_wait(&self) -> Option<Duration> {
        self.drivers.waits_up_to.filter(|_| !self.moves_time())
    }

    /// Returns a parameter that changes the action and that its driver does not pass on: the result could not be judged.
    pub fn leaves_out<'p>(&self, action: &str, given: impl IntoIterator<Item = &'p String>) -> Option<&'p str> {
        let (driver, known) = (self.drivers.by_action.get(action)?, self.contracts.actions.get(action)?);
        let optional = |parameter: &&String| known.parameters.get(parameter.as_str()).is_some_and(|required| !required);
        given.into_iter().filter(optional).find(|parameter| !driver.passes_on(parameter)).map(String::as_str)
    }

    /// Whether an action changes what every case sees. Waiting changes nothing for others.
    pub fn disturbs(&self, action: &str) -> bool {
        let changes = self.contracts.actions.get(action).is_some_and(|action| action.shared);
        changes && self.drivers.by_action.contains_key(action)
    }

    /// Whether something makes time pass faster than it does.
    pub fn moves_time(&self) -> bool {
        self.contracts.clock().is_some_and(|clock| self.drivers.by_action.contains_key(&clock.name))
    }

    /// How long the target may take to show what the driver of an action did. One that reads changes nothing.
    fn time_to_show(&self, action: &str) -> Option<Duration> {
        let reads = self.contracts.actions.get(action).is_some_and(|action| action.reads.is_some());
        self.drivers.shows_within.filter(|_| !reads && self.drivers.by_action.contains_key(action))
    }

    /// Waits for as long as an action says, within bounds.
    async fn wait(&self, action: &WorldAction, with: &Map<String, Value>, bound: Duration) -> Result<Value, WorldError> {
        let Some(asked) = action.time_passed(with) else {
            return Err(WorldError::Driver(format!("`{}` needs a whole number of seconds", action.name)));
        };
        if asked > bound {
            let reason = SkipReason::Time { seconds: asked.as_secs(), bound: bound.as_secs(), action: action.name.clone() };
            return Err(WorldError::Declined(reason.to_string()));
        }
        tokio::time::sleep(asked).await;
        Ok(Value::Object(Map::new()))
    }

    async fn carry_out(&self, act: Act<'_>) -> Result<Value, WorldError> {
        let Some(driver) = self.drivers.by_action.get(act.action) else {
            if let Some(field) = self.own_clock_field(act.action) {
                return Ok(json!({ field: Timestamp::now().to_string() }));
            }
            let clock = self.contracts.actions.get(act.action).filter(|action| action.passes.is_some());
            return match clock.zip(self.longest_wait()) {
                Some((clock, bound)) => self.wait(clock, act.with, bound).await,
                None => Err(WorldError::Driver(self.cannot(act.action).map(|reason| reason.to_string()).unwrap_or_default())),
            };
        };
        match (driver, &self.person, self.contracts.actions.get(act.action)) {
            (Driver::Command(words), _, _) => command::run(act.action, words, &self.variables(act)).await,
            (Driver::Http(driver), _, _) => http::send(&self.client, act.action, driver, &self.variables(act)).await,
            (Driver::Ask, Some(person), Some(action)) => {
                let known = act.resource.kind.as_ref().and_then(|kind| self.contracts.resources.get(kind));
                let question = Question::new(action, act.with, known.map_or(&[], |known| &known.shown), &act.resource.fields);
                ask::ask(person.as_ref(), question).await
            }
            (Driver::Ask, _, _) => Err(WorldError::Declined(needs_a_person(act.action))),
        }
    }

    /// The variables; parameters that an action omits are empty.
    fn variables(&self, act: Act<'_>) -> Map<String, Value> {
        let mut variables = self.variables.as_ref().clone();
        variables.insert(KNOWN_FIELDS.to_owned(), Value::Object(act.resource.fields.clone()));
        let parameters = self.contracts.actions.get(act.action).map(|action| action.parameters.keys()).into_iter().flatten();
        variables.extend(parameters.map(|name| (name.clone(), Value::String(String::new()))));
        variables.insert(ALL_PARAMETERS.to_owned(), Value::Object(act.with.clone()));
        variables.extend(act.with.clone());
        variables
    }
}

/// A result whose whole numbers are integers: what reads numbers as fractions writes 10000 as `10000.0`, and steps send it on.
fn integers(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            text_of(&Value::Number(number.clone())).and_then(|text| text.parse::<i64>().ok()).map_or(Value::Number(number), Value::from)
        }
        Value::Array(items) => items.into_iter().map(integers).collect(),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, field)| (name, integers(field))).collect()),
        other => other,
    }
}

fn needs_a_person(action: &str) -> String {
    format!("`{action}` needs a person; run paycheck in a terminal")
}

impl World for Driven {
    fn base(&self, api: &str) -> Option<&Url> {
        self.bases.get(api).or_else(|| self.bases.get("default"))
    }

    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>> {
        async move {
            let done = self.carry_out(act).await.map(integers);
            if let (Ok(_), Some(time)) = (&done, self.time_to_show(act.action)) {
                tokio::time::sleep(time).await;
            }
            done
        }
        .boxed()
    }

    fn longest_wait(&self) -> Option<Duration> {
        Driven::longest_wait(self)
    }

    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
        async { Ok(false) }.boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
        async { Ok(()) }.boxed()
    }
}

impl std::fmt::Debug for Driven {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driven").field("actions", &self.drivers.by_action.keys()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_an_integer_at_any_depth() {
        let result = json!({ "amount": 10000.0, "items": [{ "id": 7.0, "rate": 0.5, "name": "1.0" }], "large": 1e300 });
        let expected = json!({ "amount": 10000, "items": [{ "id": 7, "rate": 0.5, "name": "1.0" }], "large": 1e300 });
        assert_eq!(integers(result), expected);
    }
}
