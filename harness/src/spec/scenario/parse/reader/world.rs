//! Reads an action outside the API.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::Reader;
use crate::base::source::{Diagnostic, Fields, Node};
use crate::spec::scenario::step::WorldStep;
use crate::spec::scenario::template::Template;

impl Reader<'_, '_> {
    pub(super) fn world(&mut self, fields: &mut Fields<'_>) -> Option<WorldStep> {
        let node = fields.require("world", self.problems)?;
        let action = self.template(node)?;
        let with = self.values(fields, "with", None);
        let names: BTreeSet<String> = match action.plain() {
            Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
            None => self.columns.iter().filter_map(|c| action.render(&c.values).ok()?.as_str().map(str::to_owned)).collect(),
        };
        for name in names {
            self.action(node, &name, &with);
        }
        let expect = self.matchers(fields, "expect", &BTreeSet::new(), &[]);
        let keep = self.keep(fields, &BTreeSet::new());
        let until_next = fields.flag("until-next", self.problems);
        let prepares = fields.text("prepares", self.problems);
        let restores = fields.flag("restores", self.problems);
        Some(WorldStep { action, with, until_next, expect, keep, prepares, restores })
    }

    fn action(&mut self, node: &Node, name: &str, with: &IndexMap<String, Template>) {
        let Some(action) = self.contracts.actions.get(name) else {
            let problem = Diagnostic::at(node, format!("there is no world action `{name}`"));
            self.problems.add(problem.names(name, self.contracts.actions.keys().map(String::as_str)));
            return;
        };
        self.actions.insert(action.capability().to_owned());
        for (parameter, _) in action.parameters.iter().filter(|(p, required)| **required && !with.contains_key(*p)) {
            self.problems.add(Diagnostic::at(node, format!("`{name}` needs `{parameter}` in `with`")));
        }
        for parameter in with.keys().filter(|p| !action.open && !action.parameters.contains_key(*p)) {
            let problem = Diagnostic::at(node, format!("`{name}` has no parameter `{parameter}`"));
            self.problems.add(problem.names(parameter, action.parameters.keys().map(String::as_str)));
        }
    }
}
