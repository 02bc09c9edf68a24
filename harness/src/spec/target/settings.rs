//! What the file of a live target states of the shop: `settings`, in the shape of a scenario's `setting`.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::base::skip::SkipReason;
use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};
use crate::spec::contract::{CLOCK, Contracts, MERCHANTS, REAL_CLOCK, Setting, setting_values};

/// Stated settings by their path: `merchants.main.qr-test`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(IndexMap<String, Value>);

impl Settings {
    /// The value that the file states at a path.
    pub(super) fn stated(&self, path: &str) -> Option<&Value> {
        self.0.get(path)
    }

    /// Whether the file states nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the file states that a flag is set, or what a list has, for the merchant of an identity or for all. A case that needs
    /// what a stated list lacks is not played.
    pub fn has(&self, setting: &str, identity: &str) -> bool {
        let stated = self.stated(&format!("{MERCHANTS}.{identity}.{setting}")).or_else(|| self.stated(setting));
        matches!(stated, Some(Value::Bool(true) | Value::Array(_)))
    }

    /// How long a notification that was not acknowledged waits at most for its repetition, if the file states that.
    pub fn longest_retry(&self, contracts: &Contracts) -> Option<Duration> {
        let of_setting = |known: &Setting| self.stated(&known.name)?.get(known.repeats_within.as_ref()?)?.as_u64();
        contracts.settings.iter().find_map(of_setting).map(Duration::from_secs)
    }

    /// Whether the file states that a flag of a merchant is not set.
    pub fn has_not(&self, setting: &str, identity: &str) -> bool {
        self.stated(&format!("{MERCHANTS}.{identity}.{setting}")) == Some(&Value::Bool(false))
    }

    /// The reasons to skip a scenario with this setting: each value that the target file does not state. Of those in `as_stated` any
    /// value will do. `is_moved` says whether a driver moves the clock.
    pub fn lacks(&self, contracts: &Contracts, setting: &Map<String, Value>, as_stated: &[String], is_moved: bool) -> Vec<SkipReason> {
        let asked = setting_values(setting);
        let mut reasons = Vec::new();
        if let Some(only) = self.only(contracts)
            && !asked.iter().any(|(path, _)| path == only)
        {
            let stated = self.stated(only).map(Value::to_string).unwrap_or_default();
            return vec![SkipReason::OtherShop { setting: only.to_owned(), stated }];
        }
        for (path, value) in asked {
            // True of a live target whose time nothing moves.
            if path == CLOCK && value == REAL_CLOCK {
                if let Some(clock) = contracts.clock().filter(|_| is_moved) {
                    reasons.push(SkipReason::Other(format!("needs a clock that nothing moves, and `{}` has a driver", clock.name)));
                }
                continue;
            }
            let Some(known) = contracts.settings.iter().find(|known| names(known, &path)) else {
                let setting = format!("{path}: {}", plain(value));
                return vec![SkipReason::EmulatorOnly { setting }];
            };
            let stated = self.0.get(&path);
            if stated.is_some_and(|stated| !known.is_word(stated)) && as_stated.contains(&path) {
                continue;
            }
            if !known.can_be(value) {
                return vec![SkipReason::EmulatorOnly { setting: format!("{path}: {}", plain(value)) }];
            }
            if stated.or(known.unstated.as_ref()) != Some(value) {
                let stated = stated.map(Value::to_string);
                reasons.push(SkipReason::OtherSetting { setting: format!("{path}: {}", plain(value)), stated });
            }
        }
        reasons
    }
}

impl Settings {
    /// The first value that a merchant certainly does not have, of the settings that make it a shop of another kind: those of which
    /// something is taken for granted where the target file states nothing.
    pub fn contradicts(&self, contracts: &Contracts, setting: &Map<String, Value>) -> Option<SkipReason> {
        setting_values(setting).into_iter().filter(|(path, _)| path.starts_with(MERCHANTS)).find_map(|(path, value)| {
            let known = contracts.settings.iter().find(|known| names(known, &path))?;
            let (granted, stated) = (known.unstated.as_ref()?, self.stated(&path));
            let differs = stated.unwrap_or(granted) != value;
            let setting = format!("{path}: {}", plain(value));
            differs.then(|| SkipReason::OtherSetting { setting, stated: stated.map(Value::to_string) })
        })
    }

    /// The stated setting that leaves only the cases about it, if there is one.
    pub fn only<'c>(&self, contracts: &'c Contracts) -> Option<&'c str> {
        let only = contracts.settings.iter().find(|known| known.only && self.stated(&known.name).is_some());
        only.map(|known| known.name.as_str())
    }

    /// Of the settings of a whole world, those that the target file states.
    pub fn stated_among(&self, setting: &Map<String, Value>) -> Value {
        setting.keys().filter_map(|name| Some((name.clone(), self.stated(name)?.clone()))).collect::<Map<_, _>>().into()
    }

    /// The setting of a scenario as its templates read it: with the values that the target file states in place of its own.
    pub fn laid_over(&self, setting: &Map<String, Value>) -> Value {
        let mut read = Value::Object(setting.clone());
        for (path, _) in setting_values(setting) {
            let place = path.split('.').try_fold(&mut read, |within, key| within.get_mut(key));
            if let Some((place, stated)) = place.zip(self.stated(&path)) {
                *place = stated.clone();
            }
        }
        read
    }
}

/// Whether a path is that of a setting: its name, or `merchants.IDENTITY.NAME`.
fn names(known: &Setting, path: &str) -> bool {
    match (known.of_merchant, path.split('.').collect::<Vec<_>>().as_slice()) {
        (false, [name]) => *name == known.name,
        (true, [first, _, name]) => *first == MERCHANTS && *name == known.name,
        _ => false,
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads `settings:`; `identities` are those that the file has credentials of.
pub(super) fn read(node: Option<&Node>, identities: &[&str], contracts: &Contracts, problems: &mut Problems) -> Settings {
    let mut reader = Reader { contracts, problems, settings: Settings::default() };
    for entry in node.map(|node| reader.entries(node, "`settings`")).unwrap_or_default() {
        if entry.key == MERCHANTS {
            reader.merchants(&entry.value, identities);
        } else {
            reader.setting(entry, None);
        }
    }
    reader.settings
}

struct Reader<'r> {
    contracts: &'r Contracts,
    problems: &'r mut Problems,
    settings: Settings,
}

impl Reader<'_> {
    /// The entries of a mapping; none of anything else, which is reported.
    fn entries<'n>(&mut self, node: &'n Node, what: &'static str) -> &'n [Entry] {
        Fields::from_node(node, what, self.problems).and_then(|_| node.entries()).unwrap_or_default()
    }

    fn merchants(&mut self, node: &Node, identities: &[&str]) {
        for merchant in self.entries(node, "the settings of merchants") {
            if !identities.contains(&merchant.key.as_str()) {
                let message = format!("`credentials` has no `{}`", merchant.key);
                let problem = Diagnostic::new(&merchant.value.source, merchant.key_span, message);
                self.problems.add(problem.names(&merchant.key, identities.iter().copied()));
            }
            for own in self.entries(&merchant.value, "the settings of a merchant") {
                self.setting(own, Some(&merchant.key));
            }
        }
    }

    /// Reads one setting, of the target or of a merchant.
    fn setting(&mut self, entry: &Entry, merchant: Option<&str>) {
        let (name, node) = (entry.key.as_str(), &entry.value);
        let candidates = || self.contracts.settings.iter().filter(|known| known.of_merchant == merchant.is_some());
        let Some(known) = candidates().find(|known| known.name == name) else {
            let whose = if merchant.is_some() { "a merchant" } else { "a target" };
            let problem = Diagnostic::new(&node.source, entry.key_span, format!("{whose} has no setting `{name}`"));
            let problem = problem.names(name, candidates().map(|known| known.name.as_str()));
            return self.problems.add(problem);
        };
        if known.check(node, self.problems) {
            let path = merchant.map_or_else(|| name.to_owned(), |merchant| format!("{MERCHANTS}.{merchant}.{name}"));
            self.settings.0.insert(path, node.to_json());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Source;
    use crate::spec::target::parse;

    fn stated(settings: &str) -> Result<Settings, String> {
        let text = format!("title: t\nbase: http://x.invalid\ncredentials: {{ main: {{ merchant: '1' }} }}\nsettings: {settings}\n");
        let target = parse(&Source::new("target.yaml", text), &Contracts::shipped(), &|_| None);
        target.map(|target| target.settings).map_err(|problems| problems.to_string())
    }

    #[test]
    fn a_flag_is_there_where_it_is_stated_as_true_of_the_merchant() {
        let settings = stated("{ merchants: { main: { redirect-creation: true, background-creation: false } } }").unwrap();
        assert!(settings.has("redirect-creation", "main") && !settings.has("redirect-creation", "other"));
        assert!(!settings.has("background-creation", "main"));
    }

    #[test]
    fn what_a_list_has_is_there_where_the_list_is_stated() {
        let settings = stated("{ merchants: { main: { qr-methods: [BANK_CZ_T_OTHER] } } }").unwrap();
        assert!(settings.has("qr-methods", "main") && !settings.has("qr-methods", "other"));
    }

    #[test]
    fn a_schedule_of_repetitions_is_known_where_it_is_stated() {
        let longest = |settings: &str| stated(settings).unwrap().longest_retry(&Contracts::shipped());
        assert_eq!(longest("{ retry: { first-seconds: 60, max-seconds: 3600 } }"), Some(Duration::from_secs(3600)));
        assert_eq!(longest("{ qr-token-seconds: 60 }"), None);
    }

    fn lacks(settings: &str, setting: Value) -> Vec<String> {
        let stated = stated(settings).unwrap();
        stated
            .lacks(&Contracts::shipped(), setting.as_object().unwrap(), &["qr-token-seconds".to_owned()], false)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_scenario_is_played_where_what_it_needs_is_stated() {
        let production = serde_json::json!({ "merchants": { "main": { "qr-test": false } } });
        assert_eq!(lacks("{ merchants: { main: { qr-test: false } } }", production.clone()), Vec::<String>::new());
        let unstated = "needs `merchants.main.qr-test: false`, which `settings` in the target file does not state";
        assert_eq!(lacks("{}", production.clone()), [unstated]);
        let other = "needs `merchants.main.qr-test: false`; `settings` in the target file states true";
        assert_eq!(lacks("{ merchants: { main: { qr-test: true } } }", production), [other]);
    }

    #[test]
    fn a_terminal_of_which_nothing_is_stated_is_a_test_one() {
        let test = serde_json::json!({ "merchants": { "main": { "qr-test": true } } });
        assert_eq!(lacks("{}", test.clone()), Vec::<String>::new());
        assert_eq!(lacks("{ merchants: { main: { qr-test: false } } }", test).len(), 1);
    }

    #[test]
    fn a_setting_without_something_taken_for_granted_contradicts_nothing() {
        let contradicts = |settings: &str, setting: Value| {
            stated(settings).unwrap().contradicts(&Contracts::shipped(), setting.as_object().unwrap()).map(|reason| reason.to_string())
        };
        let production = serde_json::json!({ "qr-expiration-seconds": 900, "merchants": { "main": { "qr-test": false } } });
        assert_eq!(contradicts("{ merchants: { main: { qr-test: false } } }", production.clone()), None);
        assert!(contradicts("{}", production.clone()).unwrap().ends_with("does not state"));
        assert!(contradicts("{ merchants: { main: { qr-test: true } } }", production).unwrap().ends_with("states true"));
        let secure = serde_json::json!({ "merchants": { "main": { "3ds": true } } });
        assert_eq!(contradicts("{ merchants: { main: { 3ds: false } } }", secure), None, "the shop is of the same kind");
    }

    #[test]
    fn each_missing_setting_is_a_reason_and_what_no_file_states_needs_an_emulator() {
        let two = serde_json::json!({ "qr-expiration-seconds": 900, "merchants": { "main": { "qr-test": false } } });
        assert_eq!(lacks("{}", two).len(), 2);
        let start = serde_json::json!({ "start": "2026-03-01T10:00:00Z", "qr-token-seconds": 60 });
        let retry = serde_json::json!({ "retry": { "first-seconds": 1, "max-seconds": 1, "attempts": 20 } });
        let sooner = "only an emulator is judged by this: it needs `retry: {\"first-seconds\":1,\"max-seconds\":1,\"attempts\":20}`";
        assert_eq!(lacks("{ retry: { first-seconds: 1, max-seconds: 1 } }", retry), [sooner], "no file states the attempts");
        let needs = "only an emulator is judged by this: it needs a clock that can be set (`start: 2026-03-01T10:00:00Z`)";
        assert_eq!(lacks("{}", start), [needs]);
    }

    #[test]
    fn a_shop_that_takes_no_calls_from_here_plays_only_the_cases_about_that() {
        let addresses = "{ allowed-addresses: [192.0.2.7] }";
        assert_eq!(
            lacks(addresses, serde_json::json!({})),
            ["does not apply to a shop with `allowed-addresses: [\"192.0.2.7\"]`, which the target file states"]
        );
        let as_stated = ["allowed-addresses".to_owned()];
        let asked = serde_json::json!({ "allowed-addresses": ["192.0.2.1"] });
        assert_eq!(stated(addresses).unwrap().lacks(&Contracts::shipped(), asked.as_object().unwrap(), &as_stated, false), []);
    }

    #[test]
    fn any_value_will_do_of_a_setting_that_is_read_as_stated() {
        let life = serde_json::json!({ "qr-token-seconds": 600 });
        assert_eq!(lacks("{ qr-token-seconds: 300 }", life.clone()), Vec::<String>::new());
        assert_eq!(lacks("{}", life.clone()).len(), 1);
        let read = stated("{ qr-token-seconds: 300 }").unwrap().laid_over(life.as_object().unwrap());
        assert_eq!(read, serde_json::json!({ "qr-token-seconds": 300 }));
        let accounts = serde_json::json!({ "merchants": { "main": { "accounts": ["a", "b"], "3ds": true } } });
        let read = stated("{ merchants: { main: { accounts: [one] } } }").unwrap().laid_over(accounts.as_object().unwrap());
        assert_eq!(read, serde_json::json!({ "merchants": { "main": { "accounts": ["one"], "3ds": true } } }));
    }

    #[test]
    fn a_word_of_a_setting_stands_for_no_other_value() {
        let deducted = serde_json::json!({ "merchants": { "main": { "fee": "150" } } });
        let lacks = |settings: &str| {
            let as_stated = ["merchants.main.fee".to_owned()];
            stated(settings).unwrap().lacks(&Contracts::shipped(), deducted.as_object().unwrap(), &as_stated, false).len()
        };
        assert_eq!(lacks("{ merchants: { main: { fee: '250' } } }"), 0);
        assert_eq!(lacks("{ merchants: { main: { fee: unknown } } }"), 1);
    }

    #[test]
    fn a_clock_that_has_a_driver_is_not_the_real_one() {
        let real = serde_json::json!({ "clock": "real" });
        let settings = stated("{}").unwrap();
        assert_eq!(settings.lacks(&Contracts::shipped(), real.as_object().unwrap(), &[], false), []);
        assert_eq!(settings.lacks(&Contracts::shipped(), real.as_object().unwrap(), &[], true).len(), 1);
    }

    #[test]
    fn a_wrong_setting_is_reported_at_its_place() {
        for (wrong, message) in [
            ("{ merchants: { main: { qr-test: maybe } } }", "4:43: `qr-test` is true or false, but this is "),
            ("{ merchants: { main: { qr-tset: true } } }", "4:34: a merchant has no setting `qr-tset` (did you mean `qr-test`?)"),
            ("{ merchants: { mian: { qr-test: true } } }", "4:26: `credentials` has no `mian` (did you mean `main`?)"),
            ("{ qr-test: true }", "4:13: a target has no setting `qr-test`"),
            ("{ qr-expiration-seconds: 0 }", "is a whole number above 0"),
            ("{ qr-token-seconds: 10m }", "is a whole number above 0"),
            ("{ merchants: { main: { country: 7 } } }", "`country` is a text"),
            ("{ merchants: { main: { currencies: CZK } } }", "4:46: `currencies` is a list of different texts, at least one, but this is "),
            ("{ merchants: { main: { currencies: [] } } }", "`currencies` is a list of different texts, at least one"),
            ("{ merchants: { main: { methods: [ALL, ALL] } } }", "`methods` is a list of different texts, at least one"),
            ("{ merchants: { main: { currencies: [CZK, EURO] } } }", "4:52: `EURO` is none of the currencies (did you mean `EUR`?)"),
            ("{ merchants: { main: { countries: [cz] } } }", "4:46: `cz` is none of the countries (did you mean `CZ`?)"),
            ("{ retry: 60 }", "4:20: `retry` is a mapping of first-seconds, max-seconds, but this is "),
            ("{ retry: { first-seconds: 60 } }", "4:20: `retry` needs its `max-seconds`"),
            ("{ retry: { first-seconds: 60, max-seconds: never } }", "`max-seconds` is a whole number above 0"),
            (
                "{ retry: { first-seconds: 60, max-seconds: 60, max-second: 1 } }",
                "`retry` has no `max-second` (did you mean `max-seconds`?)",
            ),
            ("{ allowed-addresses: 192.0.2.1 }", "`allowed-addresses` is a list of different texts"),
            ("{ merchants: [main] }", "the settings of merchants is a mapping"),
            ("production", "`settings` is a mapping"),
        ] {
            let problems = stated(wrong).unwrap_err();
            assert!(problems.contains(message), "{wrong}: {problems}");
        }
    }
}
