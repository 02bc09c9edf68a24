//! Reading the rows of a model.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::super::model::{Answer, Creation, Each, Notify, Outcome, Row, Tell};
use super::Reader;
use crate::scenario::{Matcher, Template};
use crate::source::{Diagnostic, Fields, Node};

impl Reader<'_> {
    pub(super) fn row(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Row> {
        let mut fields = Fields::of(node, "a row", self.problems)?;
        let id = fields.require_text("id", self.problems);
        let clause = fields.take("clause").and_then(|node| self.clause(node));
        let when = self.conditions(&mut fields, "when", known);
        let about = fields.map("about", self.problems);
        let about = about.iter().filter_map(|entry| Some((entry.key.clone(), self.clause(&entry.value)?))).collect();
        let several = fields.take("outcomes");
        let outcomes = match several {
            None => vec![self.outcome(&mut fields, known)],
            Some(list) => list.list().unwrap_or_default().iter().filter_map(|node| self.one_of_several(node, known)).collect(),
        };
        fields.finish(self.problems);
        if outcomes.is_empty() {
            self.problems.add(Diagnostic::at(node, "`outcomes` is a list of at least one"));
        }
        let place = format!("{}:{}:{}", node.source.path, node.span.line, node.span.column);
        Some(Row { id: id?, clause, about, when, outcomes, place })
    }

    fn one_of_several(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Outcome> {
        let mut fields = Fields::of(node, "an outcome", self.problems)?;
        let outcome = self.outcome(&mut fields, known);
        fields.finish(self.problems);
        Some(outcome)
    }

    fn outcome(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> Outcome {
        let answer = fields.take("answer").map_or(Answer::Accepted, |node| self.answer(node));
        let expect = self.expectations(fields, known);
        let tells = fields.list("tells", self.problems).iter().filter_map(|node| self.tell(node, known)).collect();
        let keep = self.kept(fields, known);
        let mut known = known.clone();
        known.insert("answer".to_owned());
        let known = &known;
        Outcome {
            answer,
            expect,
            tells,
            keep,
            set: self.values(fields, "set", known),
            share: self.values(fields, "share", known),
            creates: fields.take("creates").and_then(|node| self.creation(node, known)),
            each: fields.list("each", self.problems).iter().filter_map(|node| self.each(node, known)).collect(),
            notify: fields.take("notify").and_then(|node| self.notify(node)),
            assumed: fields.flag("assumed", self.problems),
        }
    }

    fn expectations(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let expect = fields.map("expect", self.problems);
        expect.iter().filter_map(|entry| Some((entry.key.clone(), self.matcher(&entry.value, known)?))).collect()
    }

    fn tell(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Tell> {
        let mut fields = Fields::of(node, "what is told", self.problems)?;
        let clause = fields.require("clause", self.problems).and_then(|node| self.clause(node));
        let when = self.conditions(&mut fields, "when", known);
        let expect = self.expectations(&mut fields, known);
        fields.finish(self.problems);
        Some(Tell { clause: clause?, when, expect })
    }

    /// What is kept is a variable that every thing of the kind begins with.
    fn kept(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> IndexMap<String, String> {
        let mut kept = IndexMap::new();
        for entry in fields.map("keep", self.problems) {
            if !known.contains(&entry.key) {
                let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("nothing named `{}` is known here", entry.key));
                self.problems.add(problem.names(&entry.key, known.iter().map(String::as_str)));
            }
            kept.extend(entry.value.text().map(|place| (entry.key.clone(), place.to_owned())));
        }
        kept
    }

    fn answer(&mut self, node: &Node) -> Answer {
        match node.text() {
            Some("accepted") => Answer::Accepted,
            Some("refused") => Answer::Refused,
            Some("any") => Answer::Any,
            _ => {
                let items = node.list().unwrap_or(std::slice::from_ref(node));
                let codes: Vec<String> = items.iter().filter_map(|item| crate::contract::text_of(&item.to_json())).collect();
                let is_word = |text: &str| text.chars().all(|c| c.is_ascii_lowercase());
                if codes.len() != items.len() || node.text().is_some_and(is_word) {
                    let message = "an answer is `accepted`, `refused`, `any`, a code, or a list of codes";
                    self.problems.add(Diagnostic::at(node, message));
                }
                Answer::Codes(codes)
            }
        }
    }

    fn values(&mut self, fields: &mut Fields<'_>, key: &'static str, known: &BTreeSet<String>) -> IndexMap<String, Template> {
        let entries = fields.map(key, self.problems);
        entries.iter().filter_map(|entry| Some((entry.key.clone(), self.template(&entry.value, known)?))).collect()
    }

    fn creation(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Creation> {
        let mut fields = Fields::of(node, "what is created", self.problems)?;
        let resource = fields.require_text("resource", self.problems);
        if let (Some(name), Some(place)) = (&resource, fields.peek("resource")) {
            self.known_resource(place, name);
        }
        let id = fields.require_text("id", self.problems);
        let keep = fields.map("keep", self.problems);
        let keep = keep.iter().filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned()))).collect();
        let mut variables = IndexMap::new();
        let begins = self.resources.iter().find(|entry| Some(&entry.key) == resource.as_ref()).and_then(|entry| entry.value.get("begins"));
        let own = fields.map("with", self.problems);
        for entry in begins.and_then(Node::entries).unwrap_or_default().iter().filter(|entry| own.iter().all(|own| own.key != entry.key)) {
            variables.extend(self.template(&entry.value, known).map(|template| (entry.key.clone(), template)));
        }
        for entry in own {
            variables.extend(self.template(&entry.value, known).map(|template| (entry.key.clone(), template)));
        }
        fields.finish(self.problems);
        Some(Creation { resource: resource?, id: id?, keep, variables })
    }

    fn each(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Each> {
        let mut fields = Fields::of(node, "a change of every thing", self.problems)?;
        let resource = fields.require_text("resource", self.problems);
        if let (Some(name), Some(place)) = (&resource, fields.peek("resource")) {
            self.known_resource(place, name);
        }
        let mut known = known.clone();
        known.extend(self.names.of_thing(resource.as_ref()));
        let when = self.conditions(&mut fields, "when", &known);
        let set = self.values(&mut fields, "set", &known);
        fields.finish(self.problems);
        Some(Each { resource: resource?, when, set })
    }

    fn notify(&mut self, node: &Node) -> Option<Notify> {
        let mut fields = Fields::of(node, "what is notified", self.problems)?;
        let state = fields.require_text("state", self.problems);
        let clause = fields.require("clause", self.problems).and_then(|node| self.clause(node));
        fields.finish(self.problems);
        Some(Notify { state: state?, clause: clause? })
    }
}
