//! `x-facts`: facts about a subject that several responses state, and that must agree.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::amount_format::AmountFormat;
use super::schema_path::{self, PathStep, SchemaPath};
use super::when::When;
use crate::base::pointer::CompiledPointer;
use crate::base::source::{Diagnostic, Fields, Node, Problems};
use crate::wire::exchange::{Exchange, Request};
use crate::wire::expression::{RuntimeExpression, text_of};
use crate::wire::fact_table::{FactTable, SubjectPacker};

/// The facts that one kind of response states about one kind of subject.
#[derive(Clone, Debug)]
pub struct FactRule {
    /// `transferred-payment`: rules about the same kind of subject use the same word.
    pub subject: String,
    /// The lists of which each item is a subject; none = the response is one.
    each: Option<SchemaPath>,
    /// Only responses to requests with these fields state facts.
    when: When,
    only: Map<String, Value>,
    /// What identifies the subject: name → place.
    id: IndexMap<String, FactPlace>,
    facts: IndexMap<String, Fact>,
    /// The clause named when responses contradict each other.
    pub clause: String,
}

/// The place of a value: in the item, or anywhere in the exchange.
#[derive(Clone, Debug)]
enum FactPlace {
    Item(CompiledPointer),
    Exchange(RuntimeExpression),
}

#[derive(Clone, Debug)]
struct Fact {
    place: FactPlace,
    reading: AmountFormat,
    /// Values that state nothing: `unknown`.
    unless: Vec<String>,
}

impl FactRule {
    /// Reads one entry of `x-facts`.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::from_node(node, "an entry of x-facts", problems)?;
        let subject = fields.require_text("thing", problems);
        let each = fields.optional("each").and_then(|node| lists(node, problems));
        let when = When::read(&mut fields, "when", problems);
        let only = fields.optional("where").and_then(|node| node.to_json().as_object().cloned()).unwrap_or_default();
        let id = fields.require("id", problems).map(|node| ids(node, problems)).unwrap_or_default();
        let facts = fields.map("facts", problems).iter().filter_map(|e| Some((e.key.clone(), fact(&e.value, problems)?))).collect();
        let clause = fields.require_text("clause", problems);
        fields.finish(problems);
        Some(Self { subject: subject?, each, when, only, id, facts, clause: clause? })
    }

    /// The names of its facts, in their order.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.facts.keys().map(String::as_str)
    }

    /// All facts that an exchange states. `place` is the index of this rule among those of its operation.
    pub fn fact_tables<'e>(&self, place: usize, exchange: &'e Exchange) -> Vec<Cow<'e, FactTable>> {
        let Some(response) = exchange.response().filter(|_| self.is_for(&exchange.request)) else { return Vec::new() };
        let Some(body) = response.body.value() else { return Vec::new() };
        let source = Source { request: &exchange.request, response: Some(body) };
        let mut packer = SubjectPacker::default();
        let mut tables = Vec::new();
        let Some(path) = &self.each else {
            let mut table = FactTable::for_list(None);
            self.add(&mut table, &mut packer, source, 0, body);
            return vec![Cow::Owned(table)];
        };
        schema_path::visit(body, path, "", &mut |pointer, list| {
            let mut table = FactTable::for_list(Some(pointer.to_owned()));
            for (index, item) in list.as_array().into_iter().flatten().enumerate() {
                self.add(&mut table, &mut packer, source, index, item);
            }
            tables.push(Cow::Owned(table));
        });
        let rests = response.body.rests().iter().flat_map(|rest| &rest.fact_tables).filter(|(of, _)| *of == place);
        tables.extend(rests.map(|(_, table)| Cow::Borrowed(table)));
        tables
    }

    /// Whether responses to this request state facts.
    pub(crate) fn is_for(&self, request: &Request) -> bool {
        self.when.holds(request)
    }

    /// A table filled item by item as the list is read; none if the rule does not apply to the list. Fails if the items cannot be
    /// read without the rest of the response.
    pub(crate) fn by_items(&self, list: &str) -> Result<Option<FactTable>, ()> {
        if !self.each.as_ref().is_some_and(|path| schema_path::matches_pointer(path, list)) {
            return Ok(None);
        }
        let places = self.id.values().chain(self.facts.values().map(|fact| &fact.place));
        let is_elsewhere = |place: &FactPlace| matches!(place, FactPlace::Exchange(RuntimeExpression::ResponseBody(_)));
        if places.into_iter().any(is_elsewhere) { Err(()) } else { Ok(Some(FactTable::for_list(Some(list.to_owned())))) }
    }

    /// Packs the facts of an item; returns `false` if it states none.
    pub(crate) fn pack(&self, packer: &mut SubjectPacker, request: &Request, item: &Value) -> bool {
        self.packed(packer, Source { request, response: None }, item)
    }

    fn add(&self, table: &mut FactTable, packer: &mut SubjectPacker, source: Source<'_>, index: usize, item: &Value) {
        if self.packed(packer, source, item) {
            table.add(index, packer);
        }
    }

    fn packed(&self, packer: &mut SubjectPacker, source: Source<'_>, item: &Value) -> bool {
        let wanted = |(field, values): (&String, &Value)| {
            let value = item.get(field).unwrap_or(&Value::Null);
            values.as_array().map_or(values == value, |list| list.contains(value))
        };
        if !self.only.iter().all(wanted) {
            return false;
        }
        packer.begin();
        if !self.pack_id(packer, source, item) {
            return false;
        }
        for fact in self.facts.values() {
            fact.pack(packer, source, item);
        }
        true
    }

    fn pack_id(&self, packer: &mut SubjectPacker, source: Source<'_>, item: &Value) -> bool {
        let value = |place: &FactPlace| place.value(source, item);
        // Most identifiers are one text.
        if let (1, Some(Value::String(id))) = (self.id.len(), self.id.values().next().and_then(value)) {
            packer.part(Some(id));
            return !id.is_empty();
        }
        let parts = self.id.values().map(|place| value(place).and_then(text_of).filter(|text| !text.is_empty()));
        let Some(parts) = parts.collect::<Option<Vec<_>>>() else { return false };
        packer.part(Some(&parts.join(", ")));
        true
    }
}

/// The value that facts are taken from.
#[derive(Clone, Copy)]
struct Source<'s> {
    request: &'s Request,
    /// The whole response, if available.
    response: Option<&'s Value>,
}

impl Fact {
    fn pack(&self, packer: &mut SubjectPacker, source: Source<'_>, item: &Value) {
        let value = self.place.value(source, item);
        match value {
            // Most facts are texts that need no conversion.
            Some(Value::String(text)) if self.reading == AmountFormat::Text => packer.part((!self.unless.contains(text)).then_some(text)),
            _ => packer.part(value.and_then(|value| self.stated(value)).as_deref()),
        }
    }

    fn stated(&self, value: &Value) -> Option<String> {
        if !self.unless.is_empty() && text_of(value).is_some_and(|text| self.unless.contains(&text)) {
            return None;
        }
        self.reading.text(value)
    }
}

impl FactPlace {
    fn parse(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = node.text()?;
        if text.starts_with('$') {
            return expression(node, problems).map(Self::Exchange);
        }
        Some(Self::Item(CompiledPointer::new(text)))
    }

    fn value<'v>(&self, source: Source<'v>, item: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Item(pointer) => pointer.find(item),
            Self::Exchange(RuntimeExpression::ResponseBody(pointer)) => source.response?.pointer(pointer),
            Self::Exchange(sent) => sent.sent(source.request),
        }
    }
}

fn ids(node: &Node, problems: &mut Problems) -> IndexMap<String, FactPlace> {
    match node.entries() {
        Some(entries) => entries.iter().filter_map(|e| Some((e.key.clone(), FactPlace::parse(&e.value, problems)?))).collect(),
        None => FactPlace::parse(node, problems).map(|place| ("id".to_owned(), place)).into_iter().collect(),
    }
}

fn fact(node: &Node, problems: &mut Problems) -> Option<Fact> {
    if node.text().is_some() {
        return FactPlace::parse(node, problems).map(|place| Fact { place, reading: AmountFormat::Text, unless: Vec::new() });
    }
    let mut fields = Fields::from_node(node, "a fact", problems)?;
    let place = fields.require("field", problems).and_then(|node| FactPlace::parse(node, problems));
    let reading = fields.optional("as").map_or(Some(AmountFormat::Text), |node| reading(node, problems));
    let unless = fields.texts("unless", problems);
    fields.finish(problems);
    Some(Fact { place: place?, reading: reading?, unless })
}

/// The path to the lists that `$response.body#/entries/*/rows` names.
fn lists(node: &Node, problems: &mut Problems) -> Option<SchemaPath> {
    let RuntimeExpression::ResponseBody(pointer) = expression(node, problems)? else {
        problems.add(Diagnostic::at(node, "`each` is a list in the response: `$response.body#/POINTER`, `*` for every item on the way"));
        return None;
    };
    let parts = CompiledPointer::new(&pointer);
    Some(parts.names().iter().map(|part| if part == "*" { PathStep::EachItem(0) } else { PathStep::Field(part.clone()) }).collect())
}

/// A reading by its name.
pub(super) fn reading(node: &Node, problems: &mut Problems) -> Option<AmountFormat> {
    let name = node.text().unwrap_or_default();
    let found = AmountFormat::named(name);
    if found.is_none() {
        problems.add(Diagnostic::at(node, format!("{} is no way to read a value", node.describe())).names(name, AmountFormat::NAMES));
    }
    found
}

/// A place in a request or a response.
pub(super) fn expression(node: &Node, problems: &mut Problems) -> Option<RuntimeExpression> {
    RuntimeExpression::parse(node.text().unwrap_or_default()).map_err(|error| problems.add(Diagnostic::at(node, error.to_string()))).ok()
}
