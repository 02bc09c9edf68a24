//! A person at the terminal carries out an action: pays with a card, scans a QR code.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::super::WorldError;
use crate::base::values::amount_text;
use crate::spec::contract::{ShownField, ShownKind, WorldAction};
use crate::wire::expression::text_of;

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The action: `payer.pays`.
    pub action: String,
    /// The action in a sentence.
    pub says: String,
    /// The facts about it, by name: the amount, the URL of the page, the parameters of the action.
    pub facts: Vec<(String, String)>,
    /// The text of a QR code to be drawn.
    pub qr: Option<String>,
}

/// The person who is asked. One question is asked at a time; other cases continue meanwhile.
pub trait Person: Send + Sync {
    /// Asks, and waits until it is done. The error is the reason why it cannot be done.
    fn ask(&self, question: Question) -> BoxFuture<'_, Result<(), String>>;
}

/// Asks for an action.
pub(super) async fn ask(person: &dyn Person, question: Question) -> Result<Value, WorldError> {
    let action = question.action.clone();
    person.ask(question).await.map_err(|why| WorldError::Declined(format!("`{action}` could not be done: {why}")))?;
    Ok(Value::Object(Map::new()))
}

impl Question {
    /// The question for an action: what the vocabulary shows of its resource, as far as the known fields have it, and its parameters.
    pub(super) fn new(action: &WorldAction, with: &Map<String, Value>, shown: &[ShownField], fields: &Map<String, Value>) -> Self {
        let known = |name: &str| fields.get(name).and_then(text_of).filter(|text| !text.is_empty());
        let facts = shown.iter().filter_map(|shown| Some((shown.label.clone(), fact(shown, known)?)));
        let parameters = with.iter().filter_map(|(name, value)| Some((name.clone(), text_of(value)?)));
        let drawn = |kind: &ShownKind| shown.iter().filter(|shown| shown.kind == *kind).find_map(|shown| known(&shown.field));
        Self {
            action: action.name.clone(),
            says: action.says.clone(),
            facts: facts.chain(parameters).collect(),
            qr: drawn(&ShownKind::Qr).or_else(|| drawn(&ShownKind::Link)),
        }
    }
}

/// What is written of a field; a QR code is drawn instead.
fn fact(shown: &ShownField, known: impl Fn(&str) -> Option<String>) -> Option<String> {
    let value = known(&shown.field)?;
    match &shown.kind {
        ShownKind::Qr => None,
        ShownKind::Text | ShownKind::Link => Some(value),
        ShownKind::Amount { currency } => {
            let amount = amount_text(value.parse().ok()?);
            let currency = currency.as_deref().and_then(known);
            Some(currency.map_or_else(|| amount.clone(), |currency| format!("{amount} {currency}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::contract::Contracts;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn asked(kind: &str, with: Value, fields: Value) -> Question {
        let contracts = Contracts::shipped();
        Question::new(&contracts.actions["payer.pays"], &map(with), &contracts.resources[kind].shown, &map(fields))
    }

    fn facts(question: &Question) -> Vec<(&str, &str)> {
        question.facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    #[test]
    fn a_question_says_what_how_much_and_where() {
        let created = json!({"price": "12300", "curr": "CZK", "redirect": "https://shop.example/pay?id=1", "label": ""});
        let asked = asked("payment", json!({"transId": "AB12"}), created);
        assert_eq!(facts(&asked), [("amount", "123.00 CZK"), ("page", "https://shop.example/pay?id=1"), ("transId", "AB12")]);
        assert_eq!(asked.qr.as_deref(), Some("https://shop.example/pay?id=1"));
    }

    #[test]
    fn a_code_of_its_own_is_drawn_and_not_written() {
        let asked = asked("qr-payment", json!({}), json!({"amount": 500, "currency": "EUR", "paymentData": "SPD*1.0"}));
        assert_eq!((facts(&asked), asked.qr.as_deref()), (vec![("amount", "5.00 EUR")], Some("SPD*1.0")));
    }

    #[test]
    fn nothing_is_shown_of_an_unknown_resource() {
        assert_eq!(asked("payment", json!({}), json!({})).facts, []);
    }
}
