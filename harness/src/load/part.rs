//! The parts of a mix as they are played: instances of scenarios, and the operations they may call.

use std::collections::HashMap;
use std::sync::Arc;

use crate::contract::{Authorization, Contracts, Operation};
use crate::runner::{Instance, Selection, plan};
use crate::scenario::{Scenario, Step, Verb};

use super::profile::Part;

/// The instance that a part of the mix plays. The error says why there is none.
pub(crate) fn instance(part: &Part, scenarios: &[Arc<Scenario>], contracts: &Contracts) -> Result<Instance, String> {
    let named = |scenario: &&Arc<Scenario>| format!("{}/{}", scenario.api, scenario.name) == part.scenario || scenario.path == part.scenario;
    let scenario = scenarios.iter().find(named).ok_or_else(|| format!("{}: there is no scenario `{}`", part.place, part.scenario))?;
    if scenario.steps.iter().any(|step| matches!(step.verb, Verb::Violations(_))) {
        return Err(format!("{}: `{}` is a list of generated cases; a load plays one case again and again", part.place, part.scenario));
    }
    let mut instances = plan(std::slice::from_ref(scenario), contracts, &Selection::default()).into_iter();
    match &part.case {
        None => instances.next(),
        Some(case) => instances.find(|instance| instance.name.case == *case),
    }
    .ok_or_else(|| format!("{}: `{}` has no case `{}`", part.place, part.scenario, part.case.as_deref().unwrap_or_default()))
}

/// The operations that instances may call, numbered in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
}

impl Operations {
    /// Those of some instances.
    pub(crate) fn of<'i>(instances: impl Iterator<Item = &'i Instance>, contracts: &Contracts) -> Self {
        let mut operations = Self::default();
        for instance in instances {
            for step in &instance.steps {
                operations.add_step(instance, step, contracts);
            }
        }
        operations
    }

    fn add_step(&mut self, instance: &Instance, step: &Step, contracts: &Contracts) {
        match &step.verb {
            Verb::Call(call) => match call.operation.render(&instance.case.values).ok().and_then(|name| Some(name.as_str()?.to_owned())) {
                Some(name) => self.add(contracts.operations.get(&name), contracts),
                // Only the run knows which it will be.
                None => contracts.operations.values().for_each(|operation| self.add(Some(operation), contracts)),
            },
            // A notification is confirmed by the call that it must agree with.
            Verb::Notification(_) => {
                let rules = contracts.notifications.values().filter_map(|o| o.notification.as_ref()?.agrees_with.as_ref());
                rules.for_each(|rule| self.add(contracts.operations.get(&rule.operation), contracts));
            }
            Verb::World(_) | Verb::NoNotification(_) | Verb::Inbox(_) | Verb::Violations(_) => {}
        }
    }

    fn add(&mut self, operation: Option<&Operation>, contracts: &Contracts) {
        let Some(operation) = operation else { return };
        if let Authorization::Bearer(token) = &operation.credentials.header
            && token.operation != operation.id
        {
            self.add(contracts.operations.get(&token.operation), contracts);
        }
        if !self.numbers.contains_key(&operation.id) {
            self.numbers.insert(operation.id.clone(), self.names.len());
            self.names.push(operation.id.clone());
        }
    }

    /// The number of an operation.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Their names in order.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
