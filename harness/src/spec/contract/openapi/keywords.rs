//! The keywords of our own (`x-…`) that say what OpenAPI can't: docs/contracts.md lists them.

use super::super::amount_format::AmountFormat;
use super::super::fact_rule::{self, expression};
use super::super::operation::{About, Agreement, Echo, EchoSource, MerchantRules, PlacedFault, RefusedCreation, Shows};
use crate::base::pointer::CompiledPointer;
use crate::base::source::{Diagnostic, Fields, Node, Problems};

/// The resource that an operation is about: `x-creates`, `x-acts-on`. `also` are the keys that are read elsewhere.
pub(super) fn about(node: &Node, also: &[&'static str], problems: &mut Problems) -> Option<About> {
    let mut fields = Fields::from_node(node, "a resource", problems)?;
    let resource = fields.require_text("resource", problems);
    let id = fields.require("id", problems).and_then(|n| expression(n, problems));
    let or_by = fields.map("or-by", problems).iter().filter_map(|e| Some((e.key.clone(), expression(&e.value, problems)?))).collect();
    for key in also {
        let _ = fields.optional(key);
    }
    fields.finish(problems);
    Some(About { resource: resource?, id: id?, or_by })
}

/// The resource whose state a response shows: `x-shows`.
pub(super) fn shows(node: &Node, problems: &mut Problems) -> Option<Shows> {
    let about = about(node, &["state"], problems);
    let Some(state) = node.get("state") else {
        problems.add(Diagnostic::at(node, "what is shown of a resource is its `state`, and that is missing"));
        return None;
    };
    let state = expression(state, problems);
    Some(Shows { about: about?, state: state? })
}

/// A field that returns what was sent before: one of `x-echoes`.
pub(super) fn echo(node: &Node, problems: &mut Problems) -> Option<Echo> {
    let mut fields = Fields::from_node(node, "an echo", problems)?;
    let field = fields.require_text("field", problems);
    let reading = fields.optional("as").map_or(Some(AmountFormat::Text), |node| fact_rule::reading(node, problems));
    let from = fields.require("from", problems).and_then(|node| match node.text() {
        Some(text) if text.starts_with('$') => expression(node, problems).map(EchoSource::Request),
        text => text.map(|field| EchoSource::Creation(field.to_owned())),
    });
    let amended_by = fields.map("amended-by", problems).iter().filter_map(|e| Some((e.key.clone(), e.value.text()?.to_owned()))).collect();
    let only_from = fields.list("only-from", problems).iter().filter_map(|node| Some(node.text()?.to_owned())).collect();
    let clause = fields.require_text("clause", problems);
    fields.finish(problems);
    let pointer = field.map(|field| CompiledPointer::new(&field).as_str().to_owned());
    Some(Echo { pointer: pointer?, from: from?, amended_by, only_from, reading: reading?, clause: clause? })
}

/// A number of bytes: `64MB`.
pub(super) fn size(node: &Node, problems: &mut Problems) -> Option<usize> {
    let number = node.text().and_then(|text| text.strip_suffix("MB")).and_then(|number| number.parse::<u16>().ok());
    if number.is_none_or(|number| !(1..=1_000).contains(&number)) {
        problems.add(Diagnostic::at(node, "a size is written `64MB`, up to `1000MB`"));
    }
    number.map(|number| usize::from(number) * 1_000_000)
}

/// What the refusal of a creation must leave out: `x-refusal`.
pub(super) fn refusal(node: &Node, problems: &mut Problems) -> Option<RefusedCreation> {
    let mut fields = Fields::from_node(node, "x-refusal", problems)?;
    let absent = fields.texts("absent", problems);
    let clause = fields.require_text("clause", problems);
    fields.finish(problems);
    Some(RefusedCreation { absent, clause: clause? })
}

/// The call that must agree with a notification: `x-agrees-with`.
pub(super) fn agreement(node: &Node, problems: &mut Problems) -> Option<Agreement> {
    let mut fields = Fields::from_node(node, "x-agrees-with", problems)?;
    let operation = fields.texts("operation", problems).into_iter().next();
    let with = fields.map("with", problems).iter().filter_map(|e| Some((e.key.clone(), expression(&e.value, problems)?))).collect();
    let names = fields.map("fields", problems).iter().filter_map(|e| Some((e.key.clone(), e.value.text()?.to_owned()))).collect();
    let clause = fields.require_text("clause", problems);
    fields.finish(problems);
    Some(Agreement { operation: operation?, with, fields: names, clause: clause? })
}

/// An action of the world and its parameters: one of `failing`.
fn placed_fault(node: &Node, problems: &mut Problems) -> Option<PlacedFault> {
    let mut fields = Fields::from_node(node, "a fault", problems)?;
    let action = fields.require_text("action", problems);
    let with = fields.map("with", problems).iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect();
    fields.finish(problems);
    Some(PlacedFault { action: action?, with })
}

/// What a merchant owes to a notification: `x-merchant`.
pub(super) fn merchant(node: &Node, problems: &mut Problems) -> Option<MerchantRules> {
    let mut fields = Fields::from_node(node, "x-merchant", problems)?;
    let (due, open) = (fields.texts("due", problems), fields.texts("open", problems));
    let failing = fields.list("failing", problems).iter().filter_map(|node| placed_fault(node, problems)).collect();
    let clauses = fields.require("x-clauses", problems).and_then(|node| Fields::from_node(node, "the clauses of x-merchant", problems));
    fields.finish(problems);
    let mut clauses = clauses?;
    let mut clause = |key| clauses.require_text(key, problems).unwrap_or_default();
    let rules = MerchantRules {
        due,
        open,
        failing,
        acknowledged: clause("acknowledged"),
        implemented: clause("implemented"),
        once: clause("once"),
        paid_only: clause("paid-only"),
        not_trusted: clause("not-trusted"),
    };
    clauses.finish(problems);
    Some(rules)
}
