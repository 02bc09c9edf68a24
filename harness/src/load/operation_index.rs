//! The operations that a load may call, numbered.

use std::collections::HashMap;

use super::known_codes::KnownCodes;
use crate::engine::runner::Case;
use crate::spec::contract::{Authorization, Contracts, Operation};
use crate::spec::scenario::{Step, StepVerb};

/// The operations that cases may call, numbered in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct OperationIndex {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    codes: Vec<KnownCodes>,
}

impl OperationIndex {
    /// The operations that these cases may call.
    pub(crate) fn from_cases<'i>(cases: impl Iterator<Item = &'i Case>, contracts: &Contracts) -> Self {
        let mut operations = Self::default();
        for case in cases {
            for step in case.steps.iter() {
                operations.add_step(case, step, contracts);
            }
        }
        operations
    }

    fn add_step(&mut self, case: &Case, step: &Step, contracts: &Contracts) {
        match &step.verb {
            StepVerb::Call(call) => match call.operation.render(&case.row.values).ok().and_then(|name| Some(name.as_str()?.to_owned())) {
                Some(name) => self.add(contracts.operations.get(&name), contracts),
                // The operation is known only during the run.
                None => contracts.operations.values().for_each(|operation| self.add(Some(operation), contracts)),
            },
            // A notification is confirmed by the call that it must agree with.
            StepVerb::Notification(_) => {
                let rules = contracts.notifications.values().filter_map(|o| o.notification.as_ref()?.agrees_with.as_ref());
                rules.for_each(|rule| self.add(contracts.operations.get(&rule.operation), contracts));
            }
            StepVerb::World(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) | StepVerb::Violations(_) => {}
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
            self.codes.push(KnownCodes::from_operation(operation));
        }
    }

    /// The number of an operation.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The result codes of the operation with this number.
    pub(crate) fn codes(&self, number: usize) -> Option<&KnownCodes> {
        self.codes.get(number)
    }

    /// The names of the result codes of each.
    pub(crate) fn code_names(&self) -> Vec<Vec<String>> {
        self.codes.iter().map(|codes| codes.names().to_vec()).collect()
    }

    /// The names of the operations in order.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Source;
    use crate::load::profile::Script;
    use crate::spec::scenario::parse;

    fn operations(steps: &str) -> Vec<String> {
        let contracts = Contracts::shipped();
        let text = format!("title: A script\nclauses: [gateway.versions]\nneeds: [payer]\n{steps}");
        let scenario = parse("scenarios/gateway/script.yaml", &Source::new("scenarios/gateway/script.yaml", text), &contracts);
        let scenario = std::sync::Arc::new(scenario.unwrap_or_else(|problems| panic!("{}", problems.render(false))));
        let row = scenario.cases.first().unwrap().clone();
        OperationIndex::from_cases(std::iter::once(&Script { scenario, row }.into_case()), &contracts).names().to_vec()
    }

    #[test]
    fn a_script_may_call_what_its_steps_say_and_what_they_need() {
        let steps = "steps:\n  - call: gateway.v1.create\n    keep: { payment: transId }\n  - call: gateway.v1.create\n  - notification: { status: PAID }\n";
        assert_eq!(operations(steps), ["gateway.v1.create", "gateway.v2.status"], "a notification is confirmed by a call");
        assert_eq!(operations("steps: [{ call: qr.create }]"), ["qr.authenticate", "qr.create"], "a token is got by a call");
        let table = "cases:\n  - { name: one, ask: gateway.v2.create }\nsteps: [{ call: '{{ ask }}' }]";
        assert_eq!(operations(table), ["gateway.v2.create"]);
    }
}
