//! `x-tells`: what an answer tells about a thing that other answers tell about too.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::expression::{Expression, text_of};
use super::operation::When;
use super::pointer::Pointer;
use super::reading::Reading;
use super::telling::{Packing, Telling};
use super::within::{self, Down, Way};
use crate::exchange::{Exchange, Request};
use crate::source::{Diagnostic, Fields, Node, Problems};

/// What one kind of answer tells about one kind of thing.
#[derive(Clone, Debug)]
pub struct Tell {
    /// `transferred-payment`: answers that tell about the same thing use the same word.
    pub thing: String,
    /// The lists of which each item tells about a thing of its own; none = the answer does.
    each: Option<Way>,
    /// Only answers to requests with these fields tell anything.
    when: When,
    only: Map<String, Value>,
    /// What identifies the thing: name → where it stands.
    id: IndexMap<String, Place>,
    facts: IndexMap<String, Fact>,
    /// The clause named when answers contradict each other.
    pub clause: String,
}

/// Where a value stands: in the item, or anywhere in the exchange.
#[derive(Clone, Debug)]
enum Place {
    Item(Pointer),
    Exchange(Expression),
}

#[derive(Clone, Debug)]
struct Fact {
    place: Place,
    reading: Reading,
    /// Values that tell nothing: `unknown`.
    unless: Vec<String>,
}

impl Tell {
    /// Reads one entry of `x-tells`.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::of(node, "an entry of x-tells", problems)?;
        let thing = fields.require_text("thing", problems);
        let each = fields.take("each").and_then(|node| lists(node, problems));
        let when = When::read(&mut fields, "when", problems);
        let only = fields.take("where").and_then(|node| node.to_json().as_object().cloned()).unwrap_or_default();
        let id = fields.require("id", problems).map(|node| ids(node, problems)).unwrap_or_default();
        let facts = fields.map("facts", problems).iter().filter_map(|e| Some((e.key.clone(), fact(&e.value, problems)?))).collect();
        let clause = fields.require_text("clause", problems);
        fields.finish(problems);
        Some(Self { thing: thing?, each, when, only, id, facts, clause: clause? })
    }

    /// The names of its facts, in the order in which they are told.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.facts.keys().map(String::as_str)
    }

    /// Everything that an exchange tells. `place` is that of this rule among those of its operation.
    pub fn told<'e>(&self, place: usize, exchange: &'e Exchange) -> Vec<Cow<'e, Telling>> {
        let Some(answer) = exchange.answer().filter(|_| self.is_for(&exchange.request)) else { return Vec::new() };
        let Some(body) = answer.body.value() else { return Vec::new() };
        let source = Source { request: &exchange.request, answer: Some(body) };
        let mut packing = Packing::default();
        let mut told = Vec::new();
        let Some(way) = &self.each else {
            let mut telling = Telling::of(None);
            self.add(&mut telling, &mut packing, source, 0, body);
            return vec![Cow::Owned(telling)];
        };
        within::each(body, way, "", &mut |pointer, list| {
            let mut telling = Telling::of(Some(pointer.to_owned()));
            for (index, item) in list.as_array().into_iter().flatten().enumerate() {
                self.add(&mut telling, &mut packing, source, index, item);
            }
            told.push(Cow::Owned(telling));
        });
        let rests = answer.body.rests().iter().flat_map(|rest| &rest.told).filter(|(of, _)| *of == place);
        told.extend(rests.map(|(_, telling)| Cow::Borrowed(telling)));
        told
    }

    /// Whether answers to this request tell anything.
    pub(crate) fn is_for(&self, request: &Request) -> bool {
        self.when.holds(request)
    }

    /// A telling by the items of a list, as they are read; none where they tell nothing. The error is
    /// that they can't be read alone, without the rest of the answer.
    pub(crate) fn by_items(&self, list: &str) -> Result<Option<Telling>, ()> {
        if !self.each.as_ref().is_some_and(|way| within::leads_to(way, list)) {
            return Ok(None);
        }
        let places = self.id.values().chain(self.facts.values().map(|fact| &fact.place));
        let is_elsewhere = |place: &Place| matches!(place, Place::Exchange(Expression::ResponseBody(_)));
        if places.into_iter().any(is_elsewhere) { Err(()) } else { Ok(Some(Telling::of(Some(list.to_owned())))) }
    }

    /// Packs what an item tells, if it tells anything.
    pub(crate) fn pack(&self, packing: &mut Packing, request: &Request, item: &Value) -> bool {
        self.packed(packing, Source { request, answer: None }, item)
    }

    fn add(&self, telling: &mut Telling, packing: &mut Packing, source: Source<'_>, index: usize, item: &Value) {
        if self.packed(packing, source, item) {
            telling.add(index, packing);
        }
    }

    fn packed(&self, packing: &mut Packing, source: Source<'_>, item: &Value) -> bool {
        let wanted = |(field, values): (&String, &Value)| {
            let value = item.get(field).unwrap_or(&Value::Null);
            values.as_array().map_or(values == value, |list| list.contains(value))
        };
        if !self.only.iter().all(wanted) {
            return false;
        }
        packing.begin();
        if !self.pack_id(packing, source, item) {
            return false;
        }
        for fact in self.facts.values() {
            fact.pack(packing, source, item);
        }
        true
    }

    fn pack_id(&self, packing: &mut Packing, source: Source<'_>, item: &Value) -> bool {
        let value = |place: &Place| place.value(source, item);
        // By far the most are one text.
        if let (1, Some(Value::String(id))) = (self.id.len(), self.id.values().next().and_then(value)) {
            packing.part(Some(id));
            return !id.is_empty();
        }
        let parts = self.id.values().map(|place| value(place).and_then(text_of).filter(|text| !text.is_empty()));
        let Some(parts) = parts.collect::<Option<Vec<_>>>() else { return false };
        packing.part(Some(&parts.join(", ")));
        true
    }
}

/// Where what is told is taken from.
#[derive(Clone, Copy)]
struct Source<'s> {
    request: &'s Request,
    /// The whole answer, where it is there.
    answer: Option<&'s Value>,
}

impl Fact {
    fn pack(&self, packing: &mut Packing, source: Source<'_>, item: &Value) {
        let value = self.place.value(source, item);
        match value {
            // By far the most are texts as they are.
            Some(Value::String(text)) if self.reading == Reading::Text => packing.part((!self.unless.contains(text)).then_some(text)),
            _ => packing.part(value.and_then(|value| self.told(value)).as_deref()),
        }
    }

    fn told(&self, value: &Value) -> Option<String> {
        if !self.unless.is_empty() && text_of(value).is_some_and(|text| self.unless.contains(&text)) {
            return None;
        }
        self.reading.text(value)
    }
}

impl Place {
    fn parse(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = node.text()?;
        if text.starts_with('$') {
            return expression(node, problems).map(Self::Exchange);
        }
        Some(Self::Item(Pointer::new(text)))
    }

    fn value<'v>(&self, source: Source<'v>, item: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Item(pointer) => pointer.find(item),
            Self::Exchange(Expression::ResponseBody(pointer)) => source.answer?.pointer(pointer),
            Self::Exchange(sent) => sent.sent(source.request),
        }
    }
}

fn ids(node: &Node, problems: &mut Problems) -> IndexMap<String, Place> {
    match node.entries() {
        Some(entries) => entries.iter().filter_map(|e| Some((e.key.clone(), Place::parse(&e.value, problems)?))).collect(),
        None => Place::parse(node, problems).map(|place| ("id".to_owned(), place)).into_iter().collect(),
    }
}

fn fact(node: &Node, problems: &mut Problems) -> Option<Fact> {
    if node.text().is_some() {
        return Place::parse(node, problems).map(|place| Fact { place, reading: Reading::Text, unless: Vec::new() });
    }
    let mut fields = Fields::of(node, "a fact", problems)?;
    let place = fields.require("field", problems).and_then(|node| Place::parse(node, problems));
    let reading = fields.take("as").map_or(Some(Reading::Text), |node| reading(node, problems));
    let unless = fields.texts("unless", problems);
    fields.finish(problems);
    Some(Fact { place: place?, reading: reading?, unless })
}

/// The way to the lists that `$response.body#/entries/*/rows` names.
fn lists(node: &Node, problems: &mut Problems) -> Option<Way> {
    let Expression::ResponseBody(pointer) = expression(node, problems)? else {
        problems.add(Diagnostic::at(node, "`each` is a list in the answer: `$response.body#/POINTER`, `*` for every item on the way"));
        return None;
    };
    let parts = Pointer::new(&pointer);
    Some(parts.parts().iter().map(|part| if part == "*" { Down::Each } else { Down::Field(part.clone()) }).collect())
}

/// A reading by its name.
pub(super) fn reading(node: &Node, problems: &mut Problems) -> Option<Reading> {
    let name = node.text().unwrap_or_default();
    let found = Reading::named(name);
    if found.is_none() {
        problems.add(Diagnostic::at(node, format!("{} is no way to read a value", node.describe())).names(name, Reading::NAMES));
    }
    found
}

fn expression(node: &Node, problems: &mut Problems) -> Option<Expression> {
    Expression::parse(node.text().unwrap_or_default()).map_err(|message| problems.add(Diagnostic::at(node, message))).ok()
}
