//! Reads the layout of a file that an assumption is about.

use super::Reader;
use crate::base::source::{Diagnostic, Fields, Node};
use crate::spec::scenario::step::NeededLayout;

impl Reader<'_, '_> {
    /// The layout that an assumption is about, with the columns that the step expects something of.
    pub(super) fn layout(&mut self, fields: &mut Fields<'_>, is_assumed: bool) -> Option<NeededLayout> {
        let name = fields.text("layout", self.problems)?;
        let node = fields.peek("layout")?;
        if !is_assumed {
            self.problems.add(Diagnostic::at(node, "`layout` says what an assumption is about: give `assumed` too"));
        }
        let Some(known) = self.contracts.layouts.get(&name) else {
            let problem = Diagnostic::at(node, format!("there is no layout `{name}`"));
            self.problems.add(problem.names(&name, self.contracts.layouts.keys().map(String::as_str)));
            return None;
        };
        let mut keys = Vec::new();
        fields.peek("expect").into_iter().for_each(|expected| collect_keys(expected, &mut keys));
        Some(NeededLayout { name, columns: known.columns.iter().filter(|column| keys.contains(&column.as_str())).cloned().collect() })
    }
}

/// Every key of every mapping in a node.
fn collect_keys<'n>(node: &'n Node, keys: &mut Vec<&'n str>) {
    for entry in node.entries().unwrap_or_default() {
        keys.push(&entry.key);
        collect_keys(&entry.value, keys);
    }
    node.list().unwrap_or_default().iter().for_each(|item| collect_keys(item, keys));
}
