//! `x-tells`: what an answer tells about a thing that other answers tell about too.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::expression::{Expression, text_of};
use super::operation::When;
use super::reading::Reading;
use crate::exchange::Exchange;
use crate::source::{Diagnostic, Fields, Node, Problems};

/// What one kind of answer tells about one kind of thing.
#[derive(Clone, Debug)]
pub struct Tell {
    /// `transferred-payment`: answers that tell about the same thing use the same word.
    pub thing: String,
    /// The lists of which each item tells about a thing of its own; none = the answer does.
    each: Option<Vec<String>>,
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
    Item(String),
    Exchange(Expression),
}

#[derive(Clone, Debug)]
struct Fact {
    place: Place,
    reading: Reading,
    /// Values that tell nothing: `unknown`.
    unless: Vec<String>,
}

/// One thing as one answer tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What identifies it.
    pub id: String,
    /// Where in the answer, as a JSON Pointer.
    pub pointer: String,
    /// Its facts, each as a text that is the same for the same value.
    pub facts: Vec<(String, String)>,
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

    /// Everything that an exchange tells.
    pub fn told(&self, exchange: &Exchange) -> Vec<Told> {
        let Some(body) = exchange.answered().filter(|_| self.when.holds(&exchange.request)) else { return Vec::new() };
        let Some(parts) = &self.each else { return self.one(exchange, body, "").into_iter().collect() };
        let mut told = Vec::new();
        items(body, parts, "", &mut |pointer, item| told.extend(self.one(exchange, item, pointer)));
        told
    }

    fn one(&self, exchange: &Exchange, item: &Value, pointer: &str) -> Option<Told> {
        let wanted = |(field, values): (&String, &Value)| {
            let value = item.get(field).unwrap_or(&Value::Null);
            values.as_array().map_or(values == value, |list| list.contains(value))
        };
        if !self.only.iter().all(wanted) {
            return None;
        }
        let parts = self.id.values().map(|place| place.value(exchange, item).and_then(text_of).filter(|text| !text.is_empty()));
        let id = parts.collect::<Option<Vec<_>>>()?.join(", ");
        let facts = self.facts.iter().filter_map(|(name, fact)| Some((name.clone(), fact.told(exchange, item)?))).collect();
        Some(Told { id, pointer: pointer.to_owned(), facts })
    }
}

impl Fact {
    fn told(&self, exchange: &Exchange, item: &Value) -> Option<String> {
        let value = self.place.value(exchange, item)?;
        if text_of(value).is_some_and(|text| self.unless.contains(&text)) {
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
        Some(Self::Item(if text.starts_with('/') { text.to_owned() } else { format!("/{}", super::within::escaped(text)) }))
    }

    fn value<'v>(&self, exchange: &'v Exchange, item: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Item(pointer) => item.pointer(pointer),
            Self::Exchange(expression) => expression.value(exchange),
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

/// The lists that `$response.body#/entries/*/rows` names: the pointers between the stars.
fn lists(node: &Node, problems: &mut Problems) -> Option<Vec<String>> {
    let Expression::ResponseBody(pointer) = expression(node, problems)? else {
        problems.add(Diagnostic::at(node, "`each` is a list in the answer: `$response.body#/POINTER`, `*` for every item on the way"));
        return None;
    };
    Some(pointer.split("/*").map(str::to_owned).collect())
}

/// Calls `at` for every item of the lists at the end of the way.
fn items<'v>(value: &'v Value, parts: &[String], pointer: &str, at: &mut impl FnMut(&str, &'v Value)) {
    let Some((first, rest)) = parts.split_first() else { return at(pointer, value) };
    let list = value.pointer(first).and_then(Value::as_array);
    for (index, item) in list.into_iter().flatten().enumerate() {
        items(item, rest, &format!("{pointer}{first}/{index}"), at);
    }
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
