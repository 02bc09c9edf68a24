//! The steps of a script.

mod call;
mod expectation;
mod inbox;
mod keep;
mod layout;
mod notification;
mod sent_values;
mod violations;
mod world;

use std::collections::BTreeSet;
use std::time::Duration;

use super::names::{FieldNames, clauses};
use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};
use crate::base::values::duration;
use crate::spec::contract::{Contracts, Operation};
use crate::spec::scenario::TableRow;
use crate::spec::scenario::matcher::read::template;
use crate::spec::scenario::step::{Round, Step, StepVerb};
use crate::spec::scenario::template::Template;

/// The verbs of a step.
const VERBS: [&str; 6] = ["call", "world", "notification", "no-notification", "inbox", "violations"];

/// How often steps may be repeated.
const TIMES: std::ops::RangeInclusive<u64> = 2..=1000;

/// Reads the steps of one script in order: what a step keeps is known to later ones.
pub(super) struct Reader<'r, 'c> {
    pub(super) contracts: &'c Contracts,
    pub(super) columns: &'r [TableRow],
    pub(super) field_names: &'r mut FieldNames<'c>,
    pub(super) known: BTreeSet<String>,
    pub(super) actions: BTreeSet<String>,
    /// Whether a step without `once` was read.
    pub(super) repeated: bool,
    pub(super) problems: &'r mut Problems,
}

impl<'c> Reader<'_, 'c> {
    /// Reads the steps of a list; those that are repeated are there once for each time.
    pub(super) fn steps(&mut self, items: &[Node]) -> Vec<Step> {
        let mut steps = Vec::new();
        for item in items {
            match item.entries().is_some_and(|entries| entries.iter().any(|entry| entry.key == "repeat")) {
                true => steps.extend(self.repeated_steps(item)),
                false => steps.extend(self.step(item)),
            }
        }
        steps
    }

    /// The steps of a `repeat`, in turn, as often as it says.
    fn repeated_steps(&mut self, node: &Node) -> Vec<Step> {
        let Some(mut fields) = Fields::from_node(node, "a repetition", self.problems) else { return Vec::new() };
        let times_node = fields.peek("repeat");
        let times = fields.integer("repeat", self.problems).unwrap_or(1);
        if let (false, Some(node)) = (TIMES.contains(&times), times_node) {
            self.problems.add(Diagnostic::at(node, format!("steps are repeated {} to {} times", TIMES.start(), TIMES.end())));
        }
        let within = self.time(&mut fields, "within");
        self.repeated = true;
        let items = fields.list("steps", self.problems);
        let steps = self.steps(items);
        fields.finish(self.problems);
        if steps.is_empty() || steps.iter().any(|step| matches!(step.verb, StepVerb::Violations(_))) {
            self.problems
                .add(Diagnostic::at(node, "a repetition has at least one step, and no `violations`, which become cases of their own"));
        }
        let times = usize::try_from(times.min(*TIMES.end())).unwrap_or_default();
        let of_round = |number| move |step: &Step| Step { round: within.map(|within| Round { number, within }), ..step.clone() };
        (0..times).flat_map(|number| steps.iter().map(of_round(number))).collect()
    }

    fn step(&mut self, node: &Node) -> Option<Step> {
        let mut fields = Fields::from_node(node, "a step", self.problems)?;
        let verbs: Vec<&Entry> = node.entries()?.iter().filter(|e| VERBS.contains(&e.key.as_str())).collect();
        let [verb] = verbs.as_slice() else {
            let near = node.entries()?.first().map_or("", |e| e.key.as_str());
            let problem = Diagnostic::at(node, "a step has exactly one of call, world, notification, no-notification, inbox, violations");
            self.problems.add(problem.names(near, VERBS));
            return None;
        };
        let clauses = clauses(fields.optional("clause"), self.contracts, self.problems);
        let once = self.once(&mut fields, &verb.key);
        // The response of the merchant's endpoint is no expectation.
        let assumed = if verb.key == "inbox" { None } else { fields.text("assumed", self.problems) };
        let layout = if verb.key == "call" { self.layout(&mut fields, assumed.is_some()) } else { None };
        let verb = match verb.key.as_str() {
            "call" => self.call(&mut fields).map(|call| StepVerb::Call(Box::new(call))),
            "world" => self.world(&mut fields).map(|world| StepVerb::World(Box::new(world))),
            "notification" => self.notification(&mut fields).map(|wanted| StepVerb::Notification(Box::new(wanted))),
            "no-notification" => Some(StepVerb::NoNotification(self.notification_fields(&mut fields, "no-notification", &[]))),
            "inbox" => self.inbox(&mut fields).map(StepVerb::Inbox),
            _ => self.violations(&mut fields).map(|wanted| StepVerb::Violations(Box::new(wanted))),
        };
        fields.finish(self.problems);
        Some(Step { place: node.place(), clauses, assumed, layout, once, round: None, verb: verb? })
    }

    /// Whether the step is played once per user under load: such steps precede all others.
    fn once(&mut self, fields: &mut Fields<'_>, verb: &str) -> bool {
        let node = fields.peek("once");
        let once = fields.flag("once", self.problems);
        if let (true, Some(node)) = (once, node) {
            if verb == "violations" {
                self.problems.add(Diagnostic::at(node, "`violations` becomes many cases; it can't be played once"));
            } else if self.repeated {
                let problem = Diagnostic::at(node, "a step that is played once comes after one that is repeated");
                self.problems.add(problem.help("steps with `once: true` come first"));
            }
        }
        self.repeated |= !once;
        once
    }

    /// The operations that the step may call: one, or one per case.
    fn operations(&mut self, node: &Node, name: &Template) -> Vec<&'c Operation> {
        let contracts = self.contracts;
        let names: BTreeSet<String> = match name.plain() {
            Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
            None => {
                let rows = self.columns.iter();
                rows.filter_map(|case| name.render(&case.values).ok()?.as_str().map(str::to_owned)).collect()
            }
        };
        let mut found = Vec::new();
        for name in names {
            match contracts.operations.get(&name) {
                Some(operation) => found.push(operation),
                None => {
                    let problem = Diagnostic::at(node, format!("there is no operation `{name}`"));
                    self.problems.add(problem.names(&name, contracts.operations.keys().map(String::as_str)));
                }
            }
        }
        found
    }

    fn example(&mut self, fields: &mut Fields<'_>, operations: &[&Operation]) -> Option<String> {
        let node = fields.optional("example")?;
        let name = node.text().unwrap_or_default();
        for operation in operations.iter().filter(|o| !o.examples.contains_key(name)) {
            let problem = Diagnostic::at(node, format!("`{}` has no example `{name}`", operation.id));
            self.problems.add(problem.names(name, operation.examples.keys().map(String::as_str)));
        }
        Some(name.to_owned())
    }

    /// Reports a field that is not known; returns whether it is.
    fn must_be_known(&mut self, entry: &Entry, known: &BTreeSet<String>, what: &str, else_help: &str) -> bool {
        let name = entry.key.split('/').find(|part| !part.is_empty()).unwrap_or_default();
        if known.is_empty() || known.contains(name) || name.parse::<usize>().is_ok() {
            return true;
        }
        let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("{what} `{name}`"));
        let near = crate::base::source::nearest(name, known.iter().map(String::as_str));
        self.problems.add(problem.help(near.map_or_else(|| else_help.to_owned(), |near| format!("did you mean `{near}`?"))));
        false
    }

    fn time(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Duration> {
        fields.optional(key).and_then(|node| duration(node, self.problems))
    }

    fn optional_template(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Template> {
        fields.optional(key).and_then(|node| self.template(node))
    }

    fn template(&mut self, node: &Node) -> Option<Template> {
        let template = template(node, self.problems)?;
        self.names_known(node, &template.names());
        Some(template)
    }

    fn names_known(&mut self, node: &Node, names: &BTreeSet<String>) {
        for name in names.iter().filter(|name| !self.known.contains(*name)) {
            let problem = Diagnostic::at(node, format!("nothing named `{name}` is known here"));
            self.problems.add(problem.names(name, self.known.iter().map(String::as_str)));
        }
    }
}
