//! What a shop offers: the stated settings that list the values a field of a request may have, such as currencies.

use serde_json::{Map, Value};

use super::settings::Settings;
use super::{MAIN, NOBODY, OTHER, OTHERS_SECRET, impersonated};
use crate::base::skip::SkipReason;
use crate::spec::contract::{Contracts, MERCHANTS, Operation, Setting};

/// What the merchant of an identity offers.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'t> {
    settings: &'t Settings,
    contracts: &'t Contracts,
    identity: &'t str,
    /// The setting that a scenario asks for: it knows what such a shop lacks.
    own: Option<&'t Map<String, Value>>,
}

/// A setting that the target file states.
struct Stated<'t> {
    setting: &'t Setting,
    value: &'t Value,
    /// Whether it states it of the main merchant alone, and nothing of the one who calls.
    is_of_main: bool,
}

impl<'t> Offer<'t> {
    /// The offer of the merchant as which a call is made. One that sends wrong credentials, or none, is the main one.
    pub fn new(settings: &'t Settings, contracts: &'t Contracts, identity: &'t str) -> Self {
        let merchant = if [NOBODY, OTHERS_SECRET].contains(&identity) { MAIN } else { impersonated(identity).unwrap_or(identity) };
        Self { settings, contracts, identity: merchant, own: None }
    }

    /// The offer, but for what a scenario states itself.
    pub fn of_scenario(self, setting: &'t Map<String, Value>) -> Self {
        Self { own: Some(setting), ..self }
    }

    /// The first of the values that a call or an action asks for and that the shop does not have. A value that no shop has (an
    /// unknown currency) is none of these.
    pub fn lacks(&self, asked_by: &str, fields: &Map<String, Value>) -> Option<SkipReason> {
        self.forbids(asked_by, fields).or_else(|| {
            self.lists().find_map(|stated| {
                let asked = stated.setting.fields_of(asked_by).find_map(|field| stated.lacks(fields.get(field)))?.to_owned();
                Some(if stated.is_of_main {
                    SkipReason::StatedForMainOnly { setting: format!("{}: {asked}", self.path(stated.setting)) }
                } else {
                    SkipReason::NotOffered { setting: self.path(stated.setting), value: asked, offered: stated.values().join(", ") }
                })
            })
        })
    }

    /// The flag that a call needs, if the target file states that it is not set.
    fn forbids(&self, call: &str, fields: &Map<String, Value>) -> Option<SkipReason> {
        let needed = self.stated().find(|stated| *stated.value == Value::Bool(false) && stated.setting.is_needed_by(call, fields))?;
        let setting = format!("{}: true", self.path(needed.setting));
        Some(if needed.is_of_main {
            SkipReason::StatedForMainOnly { setting }
        } else {
            SkipReason::OtherSetting { setting, stated: Some("false".to_owned()) }
        })
    }

    /// An example of an operation with what this shop has in place of what it does not have: the values of the first example that
    /// fits. Where none fits, the example stays as it is.
    pub fn fit(&self, operation: &Operation, example: Map<String, Value>) -> Map<String, Value> {
        if self.lists().all(|stated| stated.is_of_main) || self.lacks(&operation.id, &example).is_none() {
            return example;
        }
        let all = std::iter::once(&example).chain(operation.examples.values());
        let fitting =
            all.map(|example| self.with_own_values(operation, example)).find(|fitting| self.lacks(&operation.id, fitting).is_none());
        let Some(fitting) = fitting else { return example };
        let listed = |field: &String| self.contracts.settings.iter().any(|setting| setting.goes_with(&operation.id, field));
        let mut fitted = example;
        fitted.extend(fitting.into_iter().filter(|(field, _)| listed(field)));
        fitted
    }

    /// An example with a value of the shop in place of each that only looks like it: another identifier with the same beginning.
    fn with_own_values(&self, operation: &Operation, example: &Map<String, Value>) -> Map<String, Value> {
        let mut own = example.clone();
        for stated in self.lists().filter(|stated| stated.setting.open) {
            for field in stated.setting.fields_of(&operation.id) {
                let Some(missing) = stated.lacks(own.get(field)) else { continue };
                let kind = missing.rsplit_once('_').map_or(missing, |(kind, _)| kind);
                if let Some(alike) =
                    stated.values().into_iter().find(|value| value.strip_prefix(kind).is_some_and(|rest| rest.starts_with('_')))
                {
                    own.insert(field.to_owned(), Value::from(alike));
                }
            }
        }
        own
    }

    fn lists(&self) -> impl Iterator<Item = Stated<'t>> {
        self.stated().filter(|stated| stated.value.is_array())
    }

    /// The settings that the file states, and the scenario does not. What is stated of the main merchant alone may be true of the
    /// other one, too.
    fn stated(&self) -> impl Iterator<Item = Stated<'t>> {
        let Self { settings, contracts, identity, .. } = *self;
        let foreign = contracts.settings.iter().filter(|setting| !settings.is_empty() && !self.is_own(setting));
        foreign.filter_map(move |setting| {
            let own = settings.stated(&path(setting, identity)).map(|value| Stated { setting, value, is_of_main: false });
            let of_main = || settings.stated(&path(setting, MAIN)).filter(|_| identity == OTHER);
            own.or_else(|| of_main().map(|value| Stated { setting, value, is_of_main: true }))
        })
    }

    fn is_own(&self, setting: &Setting) -> bool {
        let own = self.own.and_then(|own| {
            if setting.of_merchant { own.get(MERCHANTS)?.get(self.identity)?.get(&setting.name) } else { own.get(&setting.name) }
        });
        own.is_some()
    }

    fn path(&self, setting: &Setting) -> String {
        path(setting, self.identity)
    }
}

/// Where the file states a setting of an identity.
fn path(setting: &Setting, identity: &str) -> String {
    if setting.of_merchant { format!("{MERCHANTS}.{identity}.{}", setting.name) } else { setting.name.clone() }
}

impl<'t> Stated<'t> {
    fn values(&self) -> Vec<&'t str> {
        self.value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The value that a field asks for, if shops have it and this one has not. A field may name several.
    fn lacks(&self, field: Option<&Value>) -> Option<&'t str> {
        let asked = match field {
            Some(Value::String(text)) => text.as_str(),
            Some(_) => return None,
            None => self.setting.absent.as_deref()?,
        };
        let known = asked.split(|c: char| !c.is_alphanumeric() && c != '_').filter_map(|word| self.setting.known(word));
        let values = self.values();
        known.into_iter().find(|value| !values.contains(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Source;
    use crate::spec::target::{Target, parse};
    use serde_json::json;

    fn shop(contracts: &Contracts, main: &str) -> Target {
        let text = format!(
            "title: t\nbase: http://x.invalid\ncredentials: {{ main: {{ merchant: '1' }}, other: {{ merchant: '2' }} }}\n\
             settings: {{ merchants: {{ main: {main} }} }}\n"
        );
        parse(&Source::new("target.yaml", text), contracts, &|_| None).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
    }

    fn lacks(main: &str, identity: &str, operation: &str, fields: &Value) -> Option<String> {
        let contracts = Contracts::shipped();
        let target = shop(&contracts, main);
        let reason = Offer::new(&target.settings, &contracts, identity).lacks(operation, fields.as_object().unwrap());
        reason.map(|reason| reason.to_string())
    }

    #[test]
    fn what_the_shop_does_not_have_is_named_with_what_it_has() {
        let (euros, crowns) = (json!({ "curr": "EUR", "country": "SK" }), json!({ "curr": "CZK", "country": "CZ" }));
        let reason = "needs EUR; `merchants.main.currencies` in the target file states CZK, PLN";
        assert_eq!(lacks("{ currencies: [CZK, PLN] }", "main", "gateway.v1.create", &euros).as_deref(), Some(reason));
        assert_eq!(lacks("{ currencies: [CZK, PLN] }", "wrong-secret", "gateway.v2.create", &euros).as_deref(), Some(reason));
        for (main, identity, operation, fields) in [
            ("{ currencies: [CZK, PLN] }", "main", "gateway.v1.create", &crowns),
            ("{ currencies: [CZK, PLN] }", "main", "gateway.v1.refund", &euros),
            ("{ qr-test: true }", "main", "gateway.v1.create", &euros),
        ] {
            assert_eq!(lacks(main, identity, operation, fields), None, "{main}");
        }
    }

    #[test]
    fn what_is_stated_of_the_main_merchant_alone_is_not_known_of_the_other() {
        let (euros, crowns) = (json!({ "curr": "EUR", "country": "SK" }), json!({ "curr": "CZK", "country": "CZ" }));
        let reason = "needs `merchants.other.currencies: EUR`; `settings` in the target file states this setting for `main` only, with another value";
        assert_eq!(lacks("{ currencies: [CZK, PLN] }", "other", "gateway.v1.create", &euros).as_deref(), Some(reason));
        assert_eq!(lacks("{ currencies: [CZK, PLN] }", "other", "gateway.v1.create", &crowns), None);
        assert_eq!(lacks("{ currencies: [EUR] }, other: { currencies: [CZK] }", "other", "gateway.v1.create", &crowns), None);
        let reason = "needs `merchants.other.redirect-creation: true`";
        let without = lacks("{ redirect-creation: false }", "other", "gateway.v2.paymentRedirect", &crowns).unwrap();
        assert!(without.starts_with(reason), "{without}");
    }

    #[test]
    fn what_no_shop_has_is_sent() {
        for fields in [json!({ "curr": "ABC" }), json!({ "curr": 203 }), json!({ "curr": null }), json!({})] {
            assert_eq!(lacks("{ currencies: [CZK] }", "main", "gateway.v1.create", &fields), None, "{fields}");
        }
        assert_eq!(lacks("{ methods: [CARD_ALL] }", "main", "gateway.v1.create", &json!({ "method": "NO_SUCH_METHOD" })), None);
        assert_eq!(lacks("{ methods: [CARD_ALL] }", "main", "gateway.v1.create", &json!({ "method": "ALL" })), None);
    }

    #[test]
    fn a_mode_of_creation_that_the_shop_does_not_allow_is_not_asked_for() {
        let background = json!({ "prepareOnly": true });
        let reason = "needs `merchants.main.background-creation: true`; `settings` in the target file states false";
        let (redirect_only, background_only) = ("{ background-creation: false }", "{ redirect-creation: false }");
        assert_eq!(lacks(redirect_only, "main", "gateway.v1.create", &background).as_deref(), Some(reason));
        assert_eq!(lacks(redirect_only, "main", "gateway.v2.create", &json!({})).as_deref(), Some(reason));
        assert_eq!(lacks(redirect_only, "main", "gateway.v1.create", &json!({})), None);
        assert_eq!(lacks(background_only, "main", "gateway.v1.create", &background), None);
        assert!(lacks(background_only, "main", "gateway.v1.create", &json!({})).is_some());
        assert!(lacks(background_only, "main", "gateway.v2.paymentRedirect", &json!({})).is_some());
    }

    #[test]
    fn a_scenario_about_such_a_shop_is_played() {
        let contracts = Contracts::shipped();
        let target = shop(&contracts, "{ background-creation: false, currencies: [CZK] }");
        let own = json!({ "merchants": { "main": { "background-creation": false } } });
        let offer = Offer::new(&target.settings, &contracts, "main").of_scenario(own.as_object().unwrap());
        let lacks = |fields: Value| offer.lacks("gateway.v1.create", fields.as_object().unwrap());
        assert_eq!(lacks(json!({ "prepareOnly": true, "curr": "CZK" })), None);
        assert!(lacks(json!({ "prepareOnly": true, "curr": "EUR" })).is_some());
    }

    #[test]
    fn a_country_that_is_left_out_is_the_default() {
        let reason = lacks("{ countries: [SK] }", "main", "gateway.v1.create", &json!({ "curr": "EUR" }));
        assert_eq!(reason.as_deref(), Some("needs CZ; `merchants.main.countries` in the target file states SK"));
    }

    #[test]
    fn an_expression_and_an_action_ask_for_each_method_they_name() {
        let reason = "needs BANK_ALL; `merchants.main.methods` in the target file states CARD_ALL";
        let both = json!({ "method": "CARD_ALL+BANK_ALL" });
        assert_eq!(lacks("{ methods: [CARD_ALL] }", "main", "gateway.v1.create", &both).as_deref(), Some(reason));
        assert!(lacks("{ methods: [CARD_ALL] }", "main", "payer.pays", &json!({ "method": "BANK_CZ_RB" })).is_some());
    }

    fn example(main: &str, operation: &str) -> Value {
        let contracts = Contracts::shipped();
        let target = shop(&contracts, main);
        target.example(&contracts, contracts.operations.get(operation).unwrap(), "main").into()
    }

    #[test]
    fn an_example_has_what_the_shop_has() {
        let euros = example("{ currencies: [PLN, EUR], countries: [SK] }", "gateway.v1.create");
        assert_eq!([&euros["curr"], &euros["country"], &euros["price"]], [&json!("EUR"), &json!("SK"), &json!(10000)]);
        let shown = example("{ currencies: [EUR, CZK] }", "gateway.v1.create");
        assert_eq!(shown["curr"], "CZK");
        // No example is in euros from Germany.
        assert_eq!(example("{ currencies: [EUR], countries: [DE] }", "gateway.v1.create")["curr"], "CZK");
        assert_eq!(example("{ currencies: [EUR] }", "terminal.create")["curr"], "EUR");
    }

    #[test]
    fn a_method_of_the_shop_stands_for_another_of_its_kind() {
        let own = example("{ qr-methods: [BANK_EUR_T_OTHER, BANK_CZ_T_KB] }", "qr.create");
        assert_eq!([&own["currency"], &own["method"]], [&json!("CZK"), &json!("BANK_CZ_T_KB")]);
        let euros = example("{ qr-methods: [BANK_SK_T_OTHER] }", "qr.create");
        assert_eq!([&euros["currency"], &euros["method"], &euros["amount"]], [&json!("EUR"), &json!("BANK_SK_T_OTHER"), &json!(5000)]);
    }
}
