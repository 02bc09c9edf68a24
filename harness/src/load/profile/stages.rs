//! The list `stages` of ramping load.

use crate::source::{Diagnostic, Fields, Node, Problems};

/// More are a mistake of whatever wrote the file.
const MOST: usize = 1000;

/// Stages, and where they stand.
pub(super) struct Stages<'n, S> {
    /// At least one.
    pub(super) list: Vec<S>,
    node: &'n Node,
}

impl<S> Stages<'_, S> {
    /// Notes what is wrong with the list as a whole.
    pub(super) fn refuse(&self, message: &str, problems: &mut Problems) {
        problems.add(Diagnostic::at(self.node, message));
    }
}

/// Reads the list; `stage` reads the keys of one.
pub(super) fn read<'n, S>(
    fields: &mut Fields<'n>,
    problems: &mut Problems,
    stage: impl Fn(&mut Fields<'_>, &mut Problems) -> Option<S>,
) -> Option<Stages<'n, S>> {
    let node = fields.require("stages", problems)?;
    let Some(items) = node.list() else {
        problems.add(Diagnostic::at(node, format!("`stages` is a list, but this is {}", node.describe())));
        return None;
    };
    if items.is_empty() || items.len() > MOST {
        problems.add(Diagnostic::at(node, format!("`stages` has at least one stage and at most {MOST}")));
        return None;
    }
    let read = items.iter().map(|item| {
        let mut fields = Fields::of(item, "a stage", problems)?;
        let read = stage(&mut fields, problems);
        fields.finish(problems);
        read
    });
    let read: Vec<Option<S>> = read.collect();
    Some(Stages { list: read.into_iter().collect::<Option<Vec<S>>>()?, node })
}
