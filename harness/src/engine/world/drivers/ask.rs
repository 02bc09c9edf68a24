//! A person at the terminal carries out an action: pays with a card, scans a QR code.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::super::WorldError;
use crate::base::values::amount_text;
use crate::spec::contract::WorldAction;
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
pub(super) async fn ask(
    person: &dyn Person,
    action: &WorldAction,
    with: &Map<String, Value>,
    payment: &Map<String, Value>,
) -> Result<Value, WorldError> {
    let declined = |why: String| WorldError::Declined(format!("`{}` could not be done: {why}", action.name));
    person.ask(question(action, with, payment)).await.map_err(declined)?;
    Ok(Value::Object(Map::new()))
}

fn question(action: &WorldAction, with: &Map<String, Value>, payment: &Map<String, Value>) -> Question {
    let known = |name: &str| payment.get(name).and_then(text_of).filter(|text| !text.is_empty());
    let price = known("price").or_else(|| known("amount"));
    let curr = known("curr").or_else(|| known("currency")).unwrap_or_default();
    let amount = price.and_then(|minor| minor.parse().ok()).map(|minor| format!("{} {curr}", amount_text(minor)));
    let shown = [("amount", amount), ("page", known("redirect")), ("label", known("label"))];
    let facts = shown.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.trim_end().to_owned())));
    let parameters = with.iter().filter_map(|(name, value)| Some((name.clone(), text_of(value)?)));
    Question {
        action: action.name.clone(),
        says: action.says.clone(),
        facts: facts.chain(parameters).collect(),
        qr: known("paymentData").or_else(|| known("redirect")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_question_says_what_how_much_and_where() {
        let action = WorldAction {
            name: "payer.pays".to_owned(),
            says: "The payer completes the payment.".to_owned(),
            ..WorldAction::default()
        };
        let payment = map(json!({"price": "12300", "curr": "CZK", "redirect": "https://shop.example/pay?id=1", "label": ""}));
        let asked = question(&action, &map(json!({"transId": "AB12"})), &payment);
        let facts: Vec<_> = asked.facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(facts, [("amount", "123.00 CZK"), ("page", "https://shop.example/pay?id=1"), ("transId", "AB12")]);
        assert_eq!(asked.qr.as_deref(), Some("https://shop.example/pay?id=1"));
        assert_eq!(question(&action, &Map::new(), &Map::new()).facts, []);
    }
}
