//! The JSON Schema of a target file, for completion in editors. [`super::file`] reads it; a test keeps the two consistent.

use serde_json::{Map, Value, json};

use super::{GiveUp, HttpChoice, OWN_PART, layouts};
use crate::spec::contract::{Contracts, MERCHANTS, Setting, SettingKind};

/// The schema of a target file: its names of APIs, operations, actions and parts of credentials are those of the contracts.
pub fn schema(contracts: &Contracts) -> Value {
    let mut apis: Vec<&str> = contracts.operations.values().map(|operation| operation.api.as_str()).chain(["default"]).collect();
    apis.dedup();
    let operations: Vec<&String> = contracts.operations.keys().collect();
    let actions: Vec<&String> = contracts.actions.keys().collect();
    let time = json!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h)$", "examples": ["250ms", "30s", "5m"] });
    let url = json!({ "type": "string", "pattern": "^https?://" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "target",
        "description": "A target file: what is judged, and what it may receive.",
        "type": "object",
        "additionalProperties": false,
        "required": ["title", "base"],
        "properties": {
            "title": { "type": "string", "description": "Its name in reports." },
            "base": {
                "description": "Where the APIs are: one URL for all, or one per API.",
                "oneOf": [url, { "type": "object", "propertyNames": { "enum": apis }, "additionalProperties": url }],
            },
            "credentials": {
                "description": "Credentials by identity. `main` is used unless a step asks for another; `other` is a second merchant.",
                "type": "object",
                "additionalProperties": credential(contracts),
            },
            "paths": {
                "description": "Paths that the documents do not show, by operation; with a method before them where it is not shown either: `PUT /path`.",
                "type": "object",
                "propertyNames": { "enum": operations },
                "additionalProperties": { "type": "string" },
            },
            "examples": {
                "description": "Requests of the target's own, by operation, where the documents do not show their fields.",
                "type": "object",
                "propertyNames": { "enum": operations },
                "additionalProperties": { "type": "object" },
            },
            "layouts": layouts::schema(contracts),
            "settings": settings(contracts),
            "assert-assumed": { "type": "boolean", "description": "Whether what is only assumed counts as a finding too." },
            "notifications": notifications(&url, &time),
            "world": world(&actions, &url, &time),
            "http": HttpChoice::schema(),
            "timeout": time,
            "poll-every": time,
            "poll-within": time,
            "give-up": GiveUp::schema(),
            "certificate": { "type": "string", "description": "A file with a certificate (PEM) to trust besides the system's." },
            "reach": { "type": "string", "description": "A file that `paycheck coverage --target FILE --write` has written." },
            "allow": allow(&time),
        },
    })
}

/// The key `notifications`.
fn notifications(url: &Value, time: &Value) -> Value {
    json!({
        "description": "The merchant's endpoint that receives notifications.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "listen": { "type": "string", "description": "The address that it listens on.", "examples": ["127.0.0.1:9080"] },
            "public": { "description": "What the target reaches it by.", "oneOf": [url, variable()] },
            "within": time,
        },
    })
}

/// The key `world`.
fn world(actions: &[&String], url: &Value, time: &Value) -> Value {
    let template = json!({ "type": "object", "additionalProperties": true });
    json!({
        "description": "Who carries out what happens outside the API.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "emulator": url,
            "commands": {
                "type": "object",
                "propertyNames": { "enum": actions },
                "additionalProperties": { "type": "array", "minItems": 1, "items": { "type": "string" } },
            },
            "http": { "type": "object", "propertyNames": { "enum": actions }, "additionalProperties": driver(&template) },
            "ask": { "type": "array", "items": { "enum": actions } },
            "waits-up-to": time,
            "shows-within": time,
        },
    })
}

/// The key `allow`.
fn allow(time: &Value) -> Value {
    json!({
        "description": "What is refused against anything but this machine unless it is opened here.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "production": { "type": "boolean", "description": "Payments without test: true." },
            "control": { "type": "boolean", "description": "An emulator's control API." },
            "faults": { "type": "boolean", "description": "World actions that break something on purpose." },
            "fuzz": { "type": "boolean", "description": "Broken requests." },
            "load": {
                "type": "object",
                "additionalProperties": false,
                "required": ["rate", "for"],
                "properties": { "rate": { "type": "number", "exclusiveMinimum": 0 }, "for": time },
            },
        },
    })
}

/// One identity.
fn credential(contracts: &Contracts) -> Value {
    let part = json!({
        "oneOf": [
            { "type": "string" },
            variable(),
            { "type": "object", "additionalProperties": false, "required": ["file"], "properties": { "file": { "type": "string" } } },
        ],
    });
    let parts = contracts.credential_parts.iter().map(|name| (name.clone(), part.clone()));
    json!({
        "type": "object",
        "properties": Value::Object(parts.collect()),
        "patternProperties": { format!("^{OWN_PART}"): part },
        "additionalProperties": false,
    })
}

/// What the shop is set to.
fn settings(contracts: &Contracts) -> Value {
    let of = |of_merchant: bool| -> Map<String, Value> {
        let known = contracts.settings.iter().filter(|setting| setting.of_merchant == of_merchant);
        known.map(|setting| (setting.name.clone(), one_setting(setting))).collect()
    };
    let merchant = json!({ "type": "object", "additionalProperties": false, "properties": of(true) });
    let mut properties = of(false);
    properties.insert(MERCHANTS.to_owned(), json!({ "type": "object", "additionalProperties": merchant }));
    json!({
        "description": "What the shop is set to; cases that need something else are skipped.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn one_setting(setting: &Setting) -> Value {
    let (kind, says) = (setting.kind.name(), &setting.says);
    match setting.kind {
        SettingKind::Boolean => json!({ "type": kind, "description": says }),
        SettingKind::Integer => json!({ "type": kind, "description": says, "minimum": 1 }),
        SettingKind::String => json!({ "type": kind, "description": says, "minLength": 1 }),
        SettingKind::List => {
            let item = if setting.open {
                json!({ "type": "string", "minLength": 1, "examples": setting.values })
            } else {
                json!({ "enum": setting.values })
            };
            json!({ "type": kind, "description": says, "minItems": 1, "uniqueItems": true, "items": item })
        }
        SettingKind::Mapping => {
            let number = json!({ "type": "integer", "minimum": 1 });
            let parts: Map<String, Value> = setting.parts.iter().map(|part| (part.clone(), number.clone())).collect();
            json!({ "type": kind, "description": says, "required": setting.parts, "additionalProperties": false, "properties": parts })
        }
    }
}

fn variable() -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": ["env"], "properties": { "env": { "type": "string" } } })
}

/// A request that carries out an action.
fn driver(templates: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["url"],
        "properties": {
            "method": { "type": "string", "pattern": "^[A-Z]+$" },
            "url": { "type": "string" },
            "basic": {
                "type": "object",
                "additionalProperties": false,
                "required": ["user", "password"],
                "properties": { "user": { "type": "string" }, "password": { "type": "string" } },
            },
            "headers": templates,
            "form": templates,
            "json": true,
            "expect": { "type": "object" },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::asked::{asked_by, keys_of};
    use crate::base::source::{Problems, Source};
    use crate::spec::target::file::PUBLIC;
    use crate::spec::target::parse;

    /// Each of these is valid for both, or a mistake for both.
    const FILES: [(&str, bool); 32] = [
        ("title: t\nbase: http://x.invalid\n", true),
        ("base: http://x.invalid\n", false),
        ("title: t\nbase: x.invalid\n", false),
        ("title: t\nbase: { gateway: http://x.invalid, default: http://y.invalid }\n", true),
        ("title: t\nbase: { gatway: http://x.invalid }\n", false),
        ("title: t\nbase: http://x.invalid\ntimeout: 5\n", false),
        ("title: t\nbase: http://x.invalid\ntimeout: 5s\npoll-every: 5ms\n", true),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: { merchant: '1', secret: { env: S }, x-own: a } }\n", true),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: { merchnt: '1' } }\n", false),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: { merchant: 1 } }\n", false),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: { secret: { evn: S } } }\n", false),
        ("title: t\nbase: http://x.invalid\nworld: { ask: [payer.pays], http: { payer.cancels: { url: 'http://x.invalid/' } } }\n", true),
        ("title: t\nbase: http://x.invalid\nworld: { ask: [payer.payz] }\n", false),
        ("title: t\nbase: http://x.invalid\nworld: { http: { payer.pays: { adress: 'http://x.invalid/' } } }\n", false),
        ("title: t\nbase: http://x.invalid\nsettings: { qr-token-seconds: 900 }\n", true),
        ("title: t\nbase: http://x.invalid\nsettings: { qr-token-seconds: 0 }\n", false),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { merchants: { main: { qr-test: false } } }\n", true),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { merchants: { main: { qr-test: 0 } } }\n", false),
        ("title: t\nbase: http://x.invalid\ngive-up: { operation: 2, all: 10 }\n", true),
        ("title: t\nbase: http://x.invalid\ngive-up: { operation: 0 }\n", false),
        ("title: t\nbase: http://x.invalid\ngive-up: { al: 10 }\n", false),
        ("title: t\nbase: http://x.invalid\nhttp: auto\n", true),
        ("title: t\nbase: http://x.invalid\nhttp: 1\n", true),
        ("title: t\nbase: http://x.invalid\nhttp: 2\n", true),
        ("title: t\nbase: http://x.invalid\nhttp: 3\n", false),
        ("title: t\nbase: http://x.invalid\nhttp: h2\n", false),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { merchants: { main: { currencies: [CZK] } } }\n", true),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { merchants: { main: { currencies: [KC] } } }\n", false),
        ("title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { merchants: { main: { qr-methods: [OURS] } } }\n", true),
        ("title: t\nbase: http://x.invalid\nallow: { load: { rate: 5, for: 60s }, fuzz: true }\n", true),
        ("title: t\nbase: http://x.invalid\nallow: { load: { rate: 0, for: 60s } }\n", false),
        ("title: t\nbase: http://x.invalid\nnotifications: { listen: '127.0.0.1:0', public: { env: S }, within: 5s }\n", true),
    ];

    #[test]
    fn it_takes_what_the_reader_takes_and_refuses_what_it_refuses() {
        let contracts = Contracts::shipped();
        let schema = schema(&contracts);
        assert_eq!(jsonschema::meta::validate(&schema).err().map(|error| error.to_string()), None);
        let validator = jsonschema::validator_for(&schema).unwrap();
        for (text, valid) in FILES {
            let source = Source::new("target.yaml", text);
            let read = parse(&source, &contracts, &|_| Some("http://s.invalid".to_owned()));
            let value = source.parse(&mut Problems::new()).unwrap().to_json();
            assert_eq!((validator.is_valid(&value), read.is_ok()), (valid, valid), "{text}{:?}", read.err());
        }
    }

    /// A file with everything in it that has keys of its own.
    const WHOLE: &str = "
title: t
base: http://x.invalid
notifications: { public: { env: S } }
world: { http: { payer.pays: { url: 'http://x.invalid/', basic: { user: u, password: p } } } }
give-up: {}
allow: { load: { rate: 1, for: 1s } }
";

    #[test]
    fn it_has_the_keys_that_the_reader_asks_for() {
        let contracts = Contracts::shipped();
        let schema = schema(&contracts);
        let source = Source::new("target.yaml", WHOLE);
        let read = || parse(&source, &contracts, &|_| Some("http://s.invalid".to_owned())).map(drop).unwrap_or_else(|p| panic!("{p}"));
        let asked: Vec<_> = asked_by(read);
        let (keys, driver, variable) = (&schema["properties"], "/world/properties/http/additionalProperties", variable());
        let described = [
            ("a target file", keys_of(&schema)),
            ("notifications", keys_of(&keys["notifications"])),
            ("a public URL", keys_of(&variable)),
            ("world", keys_of(&keys["world"])),
            ("a request that carries out an action", keys_of(keys.pointer(driver).unwrap())),
            ("the credentials of a Basic header", keys_of(keys.pointer(&format!("{driver}/properties/basic")).unwrap())),
            ("a limit of calls without a response", keys_of(&keys["give-up"])),
            ("the load that is allowed", keys_of(&keys["allow"]["properties"]["load"])),
            ("allow", keys_of(&keys["allow"])),
        ];
        for (what, described) in &described {
            let read = asked.iter().find(|(read, _)| read == what).map(|(_, keys)| keys);
            assert_eq!(read, Some(described), "{what}");
        }
        assert_eq!(asked.len(), described.len(), "{asked:?}");
    }

    #[test]
    fn what_is_no_secret_is_a_key() {
        let schema = schema(&Contracts::shipped());
        let unknown: Vec<_> = PUBLIC.iter().filter(|key| !keys_of(&schema).contains(*key)).collect();
        assert_eq!(unknown, Vec::<&&str>::new());
    }

    #[test]
    fn every_key_of_the_example_is_described() {
        let contracts = Contracts::shipped();
        let example = include_str!("../../../../docs/target.example.yaml");
        let value = Source::new("target.yaml", example).parse(&mut Problems::new()).unwrap().to_json();
        let validator = jsonschema::validator_for(&schema(&contracts)).unwrap();
        let faults: Vec<_> = validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert_eq!(faults, Vec::<String>::new());
    }
}
