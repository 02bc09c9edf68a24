//! Every notification is judged by the contract of the API version that created its resource.

use super::{Judgement, about, schema_finding};
use crate::base::place::{Message, Place};
use crate::base::verdict::Finding;
use crate::judge::record::{Record, identifier};
use crate::spec::contract::{Contracts, NotificationRules, Operation};
use crate::wire::exchange::{Decoded, Exchange, mark_of};
use crate::wire::expression::text_of;

/// The value of a non-secret part of an identity's credential, by identity and part.
pub type Whose<'w> = &'w dyn Fn(&str, &str) -> Option<String>;

/// Judges one notification: it can be read, is about a created resource, has the format of the version that created it, conforms
/// to its schema and carries the right credentials.
pub fn notification(contracts: &Contracts, operation: &Operation, exchange: &Exchange, record: &Record, whose: Whose<'_>) -> Judgement {
    let findings = notification_findings(contracts, operation, exchange, record, whose);
    let rules = operation.notification.as_ref().filter(|_| findings.is_empty());
    Judgement { held: rules.map(|rules| held(operation, rules, exchange)).unwrap_or_default(), findings }
}

/// The violations of a notification, without the clauses that passed, which take longer to determine.
pub fn notification_findings(
    contracts: &Contracts,
    operation: &Operation,
    exchange: &Exchange,
    record: &Record,
    whose: Whose<'_>,
) -> Vec<Finding> {
    let created = creation(contracts, operation, exchange, record);
    Notified { contracts, operation, exchange, created, whose }.findings()
}

/// Whether a notification has no violation. `created` is the call that has created its resource, by operation and identity.
pub fn is_sound_notification(
    contracts: &Contracts,
    operation: &Operation,
    exchange: &Exchange,
    created: (&str, &str),
    whose: Whose<'_>,
) -> bool {
    Notified { contracts, operation, exchange, created: Some(created), whose }.findings().is_empty()
}

/// The call that has created the resource of a notification, by operation and identity.
fn creation<'r>(contracts: &'r Contracts, operation: &Operation, exchange: &Exchange, record: &'r Record) -> Option<(&'r str, &'r str)> {
    let about = operation.shows.as_ref().map(|shows| &shows.about)?;
    let id = identifier(about, exchange)?;
    let (creation, creating) = record.creation(contracts, &about.resource, &id, exchange.request.body.value())?;
    Some((creating.id.as_str(), creation.identity.as_str()))
}

/// A notification, and what is known of its resource.
struct Notified<'n> {
    contracts: &'n Contracts,
    operation: &'n Operation,
    exchange: &'n Exchange,
    /// The call that has created the resource, by operation and identity.
    created: Option<(&'n str, &'n str)>,
    whose: Whose<'n>,
}

impl Notified<'_> {
    fn findings(&self) -> Vec<Finding> {
        let Some(rules) = &self.operation.notification else { return Vec::new() };
        match &self.exchange.request.body.decoded {
            Decoded::Value(..) => self.of_readable(rules),
            Decoded::Unreadable(fault) => {
                let message = format!("the notification can't be read: {}", fault.message);
                vec![self.about_call(message).at(fault.at(Message::Notification))]
            }
            Decoded::Empty => vec![self.about_call("the notification has no body").at(Place::body(Message::Notification))],
            Decoded::Opaque => vec![self.of_another_media_type()],
        }
    }

    /// A finding about the notification as a call.
    fn about_call(&self, message: impl Into<String>) -> Finding {
        about(self.exchange, &self.operation.clause, message)
    }

    fn of_another_media_type(&self) -> Finding {
        let got = self.exchange.request.header("content-type").unwrap_or("nothing");
        let documented = self.operation.request.as_ref().map(|content| content.media_type.as_str()).unwrap_or_default();
        let message = format!("the notification's media type is `{got}`, documented is `{documented}`");
        self.about_call(message).at(Place::header(Message::Notification, "content-type")).compare(documented, got)
    }

    fn of_readable(&self, rules: &NotificationRules) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.method().into_iter().collect();
        findings.extend(self.spelling());
        findings.extend(self.schema());
        findings.extend(self.resource(rules));
        findings
    }

    fn method(&self) -> Option<Finding> {
        let (came_by, documented) = (&self.exchange.request.method, self.operation.method.as_str());
        let message = || format!("the notification came by {came_by}, documented is {documented}");
        (came_by != documented).then(|| self.about_call(message()).compare(documented, came_by.as_str()))
    }

    fn spelling(&self) -> Vec<Finding> {
        let Decoded::Value(_, faults) = &self.exchange.request.body.decoded else { return Vec::new() };
        faults.iter().map(|fault| self.about_call(fault.message.clone()).at(fault.at(Message::Notification))).collect()
    }

    fn schema(&self) -> Vec<Finding> {
        let content = self.operation.request.as_ref().zip(self.exchange.request.body.value());
        let faults = content.map(|(content, value)| content.schema.faults(value)).unwrap_or_default();
        faults.into_iter().map(|fault| schema_finding(self.exchange, self.operation, Message::Notification, fault)).collect()
    }

    /// Checks that its resource was created here, through the interface that notifies in this format, and by the same merchant.
    fn resource(&self, rules: &NotificationRules) -> Vec<Finding> {
        let Some((creating, identity)) = self.created else { return self.unknown(rules).into_iter().collect() };
        let mut findings = Vec::new();
        if !rules.created_by.iter().any(|by| by == creating) {
            let message = format!("created by {creating}, notified in the format of {}", rules.created_by.join(" and "));
            let place = Place::header(Message::Notification, "content-type");
            findings.push(about(self.exchange, &rules.format_clause, message).at(place));
        }
        findings.extend(self.query(rules, identity));
        findings.extend(self.credentials(identity));
        findings
    }

    /// Checks that the merchant's secret, known by its mark, is not in the query of the address.
    fn query(&self, rules: &NotificationRules, identity: &str) -> Option<Finding> {
        let clause = rules.not_in_query.as_ref()?;
        let (_, query) = self.exchange.request.url.split_once('?')?;
        let message = "the merchant's secret is in the query of the address, where logs keep it";
        query.contains(&mark_of(identity)).then(|| about(self.exchange, clause, message).at(Place::Whole(Message::Notification)))
    }

    /// Without an identifier the schema has already reported what is missing.
    fn unknown(&self, rules: &NotificationRules) -> Option<Finding> {
        let id = self.operation.shows.as_ref().and_then(|shows| identifier(&shows.about, self.exchange))?;
        let message = format!("a notification about {id}, which was not created here");
        Some(about(self.exchange, &rules.unknown, message).at(Place::body(Message::Notification)))
    }

    /// Checks that the credentials in the notification are those of the merchant that created the resource. Secrets are compared by
    /// their marks.
    fn credentials(&self, identity: &str) -> Vec<Finding> {
        let (Some(body), Some(content)) = (self.exchange.request.body.value(), &self.operation.request) else { return Vec::new() };
        let mut findings = Vec::new();
        for (field, part) in &self.operation.credentials.fields {
            let is_secret = self.contracts.secret_parts.contains(part);
            let expected = if is_secret { Some(mark_of(identity)) } else { (self.whose)(identity, part) };
            // The schema judges an absent field.
            let got = body.get(field).and_then(text_of);
            if let (Some(expected), Some(got)) = (expected, got)
                && expected != got
            {
                let clause = content.schema.clause_of(&format!("/properties/{field}"), "type");
                let clause = clause.unwrap_or_else(|| self.operation.clause.clone());
                let message = format!("`{field}` is not that of the merchant that created the resource");
                findings.push(about(self.exchange, &clause, message).at(Place::field(Message::Notification, field)).compare(expected, got));
            }
        }
        findings
    }
}

fn held(operation: &Operation, rules: &NotificationRules, exchange: &Exchange) -> Vec<String> {
    let mut held = vec![operation.clause.clone(), rules.format_clause.clone(), rules.unknown.clone()];
    held.extend(rules.not_in_query.clone());
    if let (Some(content), Some(value)) = (&operation.request, exchange.request.body.value()) {
        held.extend(content.schema.held(value));
    }
    held
}

#[cfg(test)]
mod tests {
    use super::super::testing::{contracts, named, order, push, record};
    use super::*;
    use crate::wire::exchange::{Body, BodyFault};
    use serde_json::{Value, json};

    fn judged(exchange: &Exchange) -> Judgement {
        let contracts = contracts();
        let operation = contracts.notifications.get("shop.push").unwrap();
        notification(&contracts, operation, exchange, &record([order(), exchange.clone()]), &|_, _| Some("the key".to_owned()))
    }

    fn pushed(change: impl FnOnce(&mut Value)) -> Judgement {
        let mut body = json!({"number": "N1", "state": "SENT", "key": "the key"});
        change(&mut body);
        judged(&push(body))
    }

    #[test]
    fn a_documented_notification_holds() {
        let judgement = pushed(|_| {});
        assert_eq!(named(&judgement), Vec::<String>::new());
        assert!(judgement.held.contains(&"shop.push.key".to_owned()));
    }

    #[test]
    fn each_mistake_names_its_clause() {
        assert_eq!(named(&pushed(|body| body["key"] = json!("another"))), ["shop.push.key"]);
        assert_eq!(named(&pushed(|body| _ = body.as_object_mut().unwrap().remove("key"))), ["shop.push.key"]);
        assert_eq!(named(&pushed(|body| body["number"] = json!("N2"))), ["shop.push.known"]);
        assert_eq!(named(&pushed(|body| _ = body.as_object_mut().unwrap().remove("state"))), ["shop.push.call"]);
    }

    #[test]
    fn a_secret_in_the_query_of_the_address_is_found() {
        let addressed = |query: &str| {
            let mut exchange = push(json!({"number": "N1", "state": "SENT", "key": "the key"}));
            exchange.request.url = format!("http://inbox/push{query}");
            named(&judged(&exchange))
        };
        assert_eq!(addressed("?number=N1"), Vec::<String>::new());
        assert_eq!(addressed("?key=***main***"), ["shop.push.quiet"]);
    }

    #[test]
    fn what_cannot_be_read_is_found() {
        let fault = BodyFault::at_byte(0, "not JSON");
        for decoded in [Decoded::Empty, Decoded::Opaque, Decoded::Unreadable(fault.clone())] {
            let mut exchange = push(json!({}));
            exchange.request.body = Body { decoded, ..Body::default() };
            assert_eq!(named(&judged(&exchange)), ["shop.push.call"]);
        }
        let mut repeated = push(json!({"number": "N1", "state": "SENT", "key": "the key"}));
        if let Decoded::Value(_, faults) = &mut repeated.request.body.decoded {
            faults.push(fault);
        }
        assert_eq!(named(&judged(&repeated)), ["shop.push.call"]);
    }

    #[test]
    fn another_method_is_found() {
        let mut exchange = push(json!({"number": "N1", "state": "SENT", "key": "the key"}));
        exchange.request.method = "PUT".to_owned();
        assert_eq!(named(&judged(&exchange)), ["shop.push.call"]);
    }
}
