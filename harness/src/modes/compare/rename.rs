//! Names that differ between two targets: identifiers, tokens, addresses. A consistent renaming is no difference.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::text::replaced;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::{Direction, Exchange};
use crate::wire::expression::{RuntimeExpression, text_of};

/// Shorter texts count as names only if the contract says so.
const SURELY_ITSELF: usize = 6;

/// Names on A and the names of the same things on B, one to one.
#[derive(Debug, Default)]
pub(super) struct Renames {
    forward: HashMap<String, String>,
    backward: HashMap<String, String>,
    /// The long names, for occurrences within texts; the longest first once all are known.
    within: Vec<(String, String)>,
}

impl Renames {
    /// Learns the names from pairs of exchanges, in their order.
    pub(super) fn learn(contracts: &Contracts, pairs: &[(&Exchange, &Exchange)]) -> Self {
        let mut renames = Self::default();
        for (a, b) in pairs {
            let Some(operation) = contracts.operation(&a.operation) else { continue };
            if let (Some(a), Some(b)) = (base(operation, a), base(operation, b)) {
                renames.note(a, b);
            }
            renames.learn_sent(a, b);
            renames.learn_identifiers(operation, a, b);
        }
        renames.within.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        renames
    }

    /// Both sides play the same script, so requests differ only where they repeat a response.
    fn learn_sent(&mut self, a: &Exchange, b: &Exchange) {
        if a.direction == Direction::Notification {
            return;
        }
        let (a, b) = (&a.request, &b.request);
        for (a, b) in [(&a.path, &b.path), (&a.query, &b.query)] {
            a.iter().for_each(|(name, value)| b.get(name).into_iter().for_each(|other| self.learn_texts(value, other)));
        }
        if let (Some(a), Some(b)) = (a.body.value(), b.body.value()) {
            self.learn_texts(a, b);
        }
    }

    fn learn_texts(&mut self, a: &Value, b: &Value) {
        match (a, b) {
            (Value::String(a), Value::String(b)) => self.note(a, b),
            (Value::Object(a), Value::Object(b)) => {
                a.iter().for_each(|(name, value)| b.get(name).into_iter().for_each(|other| self.learn_texts(value, other)));
            }
            (Value::Array(a), Value::Array(b)) => a.iter().zip(b).for_each(|(a, b)| self.learn_texts(a, b)),
            _ => {}
        }
    }

    /// Learns the identifiers that the contract declares.
    fn learn_identifiers(&mut self, operation: &Operation, a: &Exchange, b: &Exchange) {
        for place in identifiers(operation) {
            if let (Some(a), Some(b)) = (place.text(a), place.text(b)) {
                self.note(&a, &b);
            }
        }
        for (place, rule) in operation.fact_rules.iter().enumerate() {
            for (a, b) in rule.fact_tables(place, a).iter().zip(rule.fact_tables(place, b).iter()) {
                if a.subjects().count() == b.subjects().count() {
                    a.subjects().zip(b.subjects()).for_each(|(a, b)| self.note(&a.id(), &b.id()));
                }
            }
        }
    }

    /// The first name of a thing counts; a later contradiction will show as a difference.
    fn note(&mut self, a: &str, b: &str) {
        if a == b || a.is_empty() || b.is_empty() || self.forward.contains_key(a) || self.backward.contains_key(b) {
            return;
        }
        self.forward.insert(a.to_owned(), b.to_owned());
        self.backward.insert(b.to_owned(), a.to_owned());
        if is_itself(a) && is_itself(b) {
            self.within.push((a.to_owned(), b.to_owned()));
        }
    }

    /// Whether a scalar of A equals one of B, renamed.
    pub(super) fn same(&self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::String(a), Value::String(b)) => self.same_text(a, b),
            (Value::Number(a), Value::Number(b)) => self.same_text(&a.to_string(), &b.to_string()),
            _ => a == b,
        }
    }

    /// Whether a text of A equals one of B, renamed. A thing with another name on B differs from one with the same name there.
    /// Short texts are too ambiguous to be recognised inside others.
    pub(super) fn same_text(&self, a: &str, b: &str) -> bool {
        match self.forward.get(a).filter(|name| is_itself(a) && is_itself(name)) {
            Some(name) => name == b,
            // The name of another thing on B is not the name of this one.
            None if self.backward.get(b).is_some_and(|name| is_itself(name) && is_itself(b)) => false,
            None => a == b || replaced(a, &self.within) == b,
        }
    }

    /// Whether these are the names of one thing, however short.
    pub(super) fn are_names_of_one(&self, a: &Value, b: &Value) -> bool {
        text_of(a).zip(text_of(b)).is_some_and(|(a, b)| self.forward.get(&a) == Some(&b))
    }
}

/// Whether a text is long enough to have the same meaning everywhere.
fn is_itself(text: &str) -> bool {
    text.chars().count() >= SURELY_ITSELF
}

/// The places of identifiers in a response or a notification.
pub(super) fn identifiers(operation: &Operation) -> impl Iterator<Item = &RuntimeExpression> {
    let shown = operation.shows.iter().map(|shows| &shows.about);
    operation.creates.iter().chain(&operation.acts_on).chain(shown).map(|about| &about.id)
}

/// The base address of an API: the beginning of a call's URL.
fn base<'e>(operation: &Operation, exchange: &'e Exchange) -> Option<&'e str> {
    if exchange.direction == Direction::Notification {
        return None;
    }
    let path = operation.path.fill(&exchange.request.path);
    let url = exchange.request.url.split('?').next()?;
    url.strip_suffix(path.as_str()).filter(|_| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{contracts, order, read_of};
    use super::*;
    use serde_json::json;

    fn learned(pairs: &[(Exchange, Exchange)]) -> Renames {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a, b)).collect();
        Renames::learn(&contracts(), &pairs)
    }

    #[test]
    fn what_is_always_called_otherwise_is_the_same() {
        let renames = learned(&[(order("AB12-CD34"), order("ZZ99-YY88"))]);
        assert!(renames.same(&json!("AB12-CD34"), &json!("ZZ99-YY88")));
        assert!(renames.same_text("see http://shop/AB12-CD34?x", "see http://shop/ZZ99-YY88?x"));
        assert!(!renames.same_text("see AB12-CD345", "see ZZ99-YY885"), "only whole words");
        assert!(!renames.same(&json!("AB12-CD34"), &json!("AB12-CD34")), "on B this is something else");
        assert!(!renames.same(&json!("AB12-CD34"), &json!("QQ77-QQ77")));
    }

    #[test]
    fn one_name_stands_for_one_thing() {
        let renames = learned(&[(order("AB12-CD34"), order("ZZ99-YY88")), (order("EF56-GH78"), order("ZZ99-YY88"))]);
        assert!(!renames.same(&json!("EF56-GH78"), &json!("ZZ99-YY88")), "B calls two things alike");
        let renames = learned(&[(order("AB12-CD34"), order("ZZ99-YY88")), (order("AB12-CD34"), order("XX55-WW44"))]);
        assert!(!renames.same(&json!("AB12-CD34"), &json!("XX55-WW44")), "B calls one thing in two ways");
    }

    #[test]
    fn a_short_name_is_one_only_where_it_is_asked_for() {
        let renames = learned(&[(order("1"), order("2"))]);
        assert!(!renames.same(&json!("1"), &json!("2")) && renames.same(&json!("1"), &json!("1")));
        assert!(renames.are_names_of_one(&json!("1"), &json!(2)) && !renames.are_names_of_one(&json!("1"), &json!("3")));
    }

    #[test]
    fn the_address_of_an_api_is_a_name_too() {
        let at = |base: &str| {
            let mut exchange = read_of("N1", json!({"code": 0}));
            exchange.request.url = format!("{base}/order/N1?x=1");
            exchange
        };
        let renames = learned(&[(at("http://a:1/w/red"), at("https://shop.example"))]);
        assert!(renames.same_text("http://a:1/w/red/N1", "https://shop.example/N1"));
    }
}
