//! Reads a step that becomes one case per generated violation.

use super::Reader;
use crate::base::source::Fields;
use crate::spec::scenario::step::ViolationsStep;
use crate::spec::scenario::template::Template;

impl Reader<'_, '_> {
    pub(super) fn violations(&mut self, fields: &mut Fields<'_>) -> Option<ViolationsStep> {
        let node = fields.require("violations", self.problems)?;
        let name = node.text().unwrap_or_default().to_owned();
        let operations = self.operations(node, &Template::text(name.clone()));
        let example = self.example(fields, &operations);
        let requests = self.field_names.of_requests(&operations);
        let with = self.values(fields, "with", Some(&requests));
        let without = self.removed(fields, &requests);
        let (only, except) = (fields.texts("only", self.problems), fields.texts("except", self.problems));
        Some(ViolationsStep { operation: name, example, with, without, only, except })
    }
}
