//! The target file. `docs/target.example.yaml` is its manual.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};
use url::Url;

use super::base_url::{is_base, url};
use super::{
    Allow, AllowedLoad, Credential, GiveUp, HttpChoice, MAIN, Notifications, OWN_PART, Target, layouts, own_calls, settings, world,
};
use crate::base::source::{Diagnostic, Entry, Fields, MAX_FILE_BYTES, Node, NodeKind, Problems, Source, Span, nearest, read_bytes};
use crate::base::values::duration;
use crate::spec::contract::Contracts;

/// A lookup outside the file: in the environment, or of a file that holds a secret.
pub type Lookup<'l> = &'l dyn Fn(&str) -> Option<String>;

/// Reads a target file; secrets come from the process environment.
pub fn read(path: &Path, contracts: &Contracts) -> Result<Target, Problems> {
    let mut problems = Problems::new();
    match Source::read(path, &mut problems) {
        Some(source) => parse(&source, contracts, &|name| std::env::var(name).ok()),
        None => Err(problems),
    }
}

/// Reads a target from a source, with the environment handed in.
pub fn parse(source: &Arc<Source>, contracts: &Contracts, environment: Lookup<'_>) -> Result<Target, Problems> {
    let mut problems = Problems::new();
    let Some(node) = source.parse(&mut problems) else { return Err(problems.without_lines()) };
    let mut problems = problems.without_lines();
    let shown = Source::new(source.path.clone(), starred(&source.text, secret_spans(&node)));
    let node = node.drawn_on(&shown);
    match target(&node, contracts, environment, &mut problems) {
        Some(target) => problems.or(target),
        None => Err(problems),
    }
}

/// Reads a file that holds one credential: the parts of an identity, as in a target file.
pub fn read_credential(path: &Path, contracts: &Contracts) -> Result<Credential, Problems> {
    let mut problems = Problems::new();
    let Some(source) = Source::read(path, &mut problems) else { return Err(problems) };
    let parsed = source.parse(&mut problems);
    let mut problems = problems.without_lines();
    let Some(node) = parsed else { return Err(problems) };
    let shown = starred(&source.text, leaves(&node).into_iter().map(|leaf| leaf.span).collect());
    let node = node.drawn_on(&Source::new(source.path.clone(), shown));
    let credential = credential(&node, contracts, &|name| std::env::var(name).ok(), &mut problems);
    problems.or(credential)
}

/// The keys of a target file whose values are no secrets.
pub(super) const PUBLIC: [&str; 16] = [
    "layouts",
    "reach",
    "settings",
    "title",
    "base",
    "paths",
    "assert-assumed",
    "notifications",
    "world",
    "http",
    "timeout",
    "poll-every",
    "poll-within",
    "give-up",
    "certificate",
    "allow",
];

/// The parts of the file that may hold a secret: credentials (also under a misspelt key), and anything before an `@` in a text
/// (user name and password of a URL). A file that is no mapping has no keys to decide by.
fn secret_spans(node: &Node) -> Vec<Span> {
    if node.entries().is_none() {
        return leaves(node).into_iter().map(|leaf| leaf.span).collect();
    }
    let entries = node.entries().unwrap_or_default();
    let private = entries.iter().filter(|e| !PUBLIC.contains(&e.key.as_str())).flat_map(|entry| leaves(&entry.value));
    let credentials: Vec<_> = private.chain(entry(entries, "world").into_iter().flat_map(literals_of_drivers)).collect();
    let urls = leaves(node).into_iter().filter(|leaf| leaf.text().is_some_and(|text| text.contains('@')));
    credentials.into_iter().chain(urls).map(|leaf| leaf.span).collect()
}

/// What drivers send or are called with, but for the addresses and the templates: a secret may be written there as it is.
fn literals_of_drivers(world: &Node) -> Vec<&Node> {
    let drivers = |kind| entry(world.entries().unwrap_or_default(), kind).and_then(Node::entries).unwrap_or_default().iter();
    let sent = drivers("http").flat_map(|driver| driver.value.entries().unwrap_or_default());
    let sent = sent.filter(|part| !["url", "method"].contains(&part.key.as_str())).flat_map(|part| leaves(&part.value));
    let words = drivers("commands").flat_map(|driver| leaves(&driver.value));
    sent.chain(words).filter(|leaf| leaf.text().is_none_or(|text| !text.contains("{{"))).collect()
}

fn entry<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Node> {
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

fn leaves(node: &Node) -> Vec<&Node> {
    match &node.kind {
        // The name of a variable or of a file is no secret.
        NodeKind::Map(entries) => entries.iter().filter(|e| e.key != "env" && e.key != "file").flat_map(|e| leaves(&e.value)).collect(),
        NodeKind::List(items) => items.iter().flat_map(leaves).collect(),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => vec![node],
    }
}

/// The text with the characters of these spans replaced, so that positions stay the same.
fn starred(text: &str, mut spans: Vec<Span>) -> String {
    spans.sort_by_key(|span| span.start);
    let mut spans = spans.into_iter().peekable();
    let mut end = 0;
    let star = |(index, character): (usize, char)| {
        while let Some(span) = spans.next_if(|span| span.start <= index) {
            end = end.max(span.end);
        }
        if index < end && character != '\n' { '*' } else { character }
    };
    text.chars().enumerate().map(star).collect()
}

fn target(node: &Node, contracts: &Contracts, environment: Lookup<'_>, problems: &mut Problems) -> Option<Target> {
    let mut fields = Fields::from_node(node, "a target file", problems)?;
    let title = fields.require_text("title", problems);
    let bases = bases(&mut fields, contracts, problems);
    let credentials = fields.map("credentials", problems);
    let variables = credentials.iter().map(|e| (e.key.clone(), variables(&e.value))).collect();
    let credentials = identities(credentials, contracts, environment, problems);
    let settings = {
        let identities: Vec<&str> = credentials.keys().map(String::as_str).collect();
        settings::read(fields.optional("settings"), &identities, contracts, problems)
    };
    let (paths, methods) = own_calls::paths(&mut fields, contracts, problems);
    let examples = own_calls::examples(&mut fields, contracts, problems);
    let layouts = layouts::read(&mut fields, contracts, problems);
    // In the order of the fields here, which is that of the messages.
    let target = Target {
        title: title.unwrap_or_default(),
        bases,
        credentials,
        variables,
        settings,
        paths,
        methods,
        examples,
        layouts,
        assert_assumed: fields.flag("assert-assumed", problems),
        notifications: notifications(fields.optional("notifications"), environment, problems),
        world: world::read(fields.optional("world"), contracts, problems),
        http: fields.optional("http").and_then(|node| HttpChoice::read(node, problems)).unwrap_or_default(),
        timeout: time(&mut fields, "timeout", Duration::from_secs(30), problems),
        poll_every: time(&mut fields, "poll-every", Duration::from_secs(2), problems),
        poll_within: time(&mut fields, "poll-within", Duration::from_secs(120), problems),
        give_up: GiveUp::read(fields.optional("give-up"), problems),
        certificate: certificate(&mut fields, problems),
        allow: allow(fields.optional("allow"), problems),
        reach: fields.optional("reach").and_then(|node| reach(node, contracts, problems)),
    };
    fields.finish(problems);
    Some(target)
}

fn bases(fields: &mut Fields<'_>, contracts: &Contracts, problems: &mut Problems) -> IndexMap<String, Url> {
    let Some(node) = fields.require("base", problems) else { return IndexMap::new() };
    if node.text().is_some() {
        return url(node, problems).map(|url| ("default".to_owned(), url)).into_iter().collect();
    }
    let Some(entries) = node.entries() else {
        problems.add(Diagnostic::at(node, "`base` is a URL, or a mapping of APIs to URLs").help("for example https://pay1.example.com"));
        return IndexMap::new();
    };
    let apis: IndexSet<&str> = contracts.operations.values().map(|o| o.api.as_str()).chain(["default"]).collect();
    let bases = entries.iter().filter_map(|entry| {
        if !apis.contains(entry.key.as_str()) {
            let problem = Diagnostic::new(
                &node.source,
                entry.key_span,
                format!("there is no API `{}`; there are {}", entry.key, Vec::from_iter(apis.iter().copied()).join(", ")),
            );
            problems.add(problem.names(&entry.key, apis.iter().copied()));
        }
        Some((entry.key.clone(), url(&entry.value, problems)?))
    });
    bases.collect()
}

fn identities(entries: &[Entry], contracts: &Contracts, environment: Lookup<'_>, problems: &mut Problems) -> IndexMap<String, Credential> {
    if !entries.iter().any(|entry| entry.key == MAIN)
        && let Some(near) = entries.iter().find(|entry| nearest(&entry.key, [MAIN]).is_some())
    {
        let message = format!("no call is made as `{}`, and all are made as `{MAIN}`", near.key);
        problems.add(Diagnostic::new(&near.value.source, near.key_span, message).names(&near.key, [MAIN]));
    }
    entries.iter().map(|entry| (entry.key.clone(), credential(&entry.value, contracts, environment, problems))).collect()
}

/// The parts of one identity. Those that calls send are known; a part that only the templates of drivers use begins with `x-`.
fn credential(node: &Node, contracts: &Contracts, environment: Lookup<'_>, problems: &mut Problems) -> Credential {
    let mut credential = Credential::new();
    if node.entries().is_none() && node.kind != NodeKind::Null {
        problems.add(Diagnostic::at(node, "an identity is a mapping of its parts").help("for example { secret: { env: SECRET } }"));
    }
    for entry in node.entries().unwrap_or_default() {
        if !contracts.credential_parts.contains(&entry.key) && !entry.key.starts_with(OWN_PART) {
            let message = format!("no call sends `{}`; a part of your own begins with `{OWN_PART}`", entry.key);
            let problem = Diagnostic::new(&entry.value.source, entry.key_span, message);
            problems.add(problem.names(&entry.key, contracts.credential_parts.iter().map(String::as_str)));
        }
        if let Some(value) = part(&entry.value, environment, problems) {
            credential.insert(entry.key.clone(), value);
        }
    }
    credential
}

/// The environment variables that parts of a credential come from.
fn variables(node: &Node) -> IndexMap<String, String> {
    let entries = node.entries().unwrap_or_default().iter();
    let name = |part: &Node| part.entries()?.iter().find(|e| e.key == "env")?.value.text().map(str::to_owned);
    entries.filter_map(|e| Some((e.key.clone(), name(&e.value)?))).collect()
}

/// One part of a credential: `{env: NAME}`, `{file: PATH}` or the value itself.
fn part(node: &Node, environment: Lookup<'_>, problems: &mut Problems) -> Option<String> {
    if let Some(text) = node.text() {
        return Some(text.to_owned());
    }
    if !matches!(node.kind, NodeKind::Map(_)) {
        problems.add(Diagnostic::at(node, "a part of a credential is a text in quotes, `{ env: NAME }` or `{ file: PATH }`"));
        return None;
    }
    let mut fields = Fields::from_node(node, "a part of a credential", problems)?;
    let (env, file) = (fields.text("env", problems), fields.text("file", problems));
    fields.finish(problems);
    let found = match (&env, &file) {
        (Some(name), None) => match environment(name) {
            Some(value) if value.is_empty() => Err(format!("the environment variable {name} is set and empty")),
            value => value.ok_or_else(|| format!("the environment variable {name} is not set")),
        },
        (None, Some(path)) => {
            let bytes = read_bytes(&beside(node, path), MAX_FILE_BYTES)
                .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "is not UTF-8".into()));
            bytes.map_err(|why| format!("{path} {why}")).map(|text| text.trim_end().to_owned())
        }
        (Some(_), Some(_)) | (None, None) => Err("give either `env: NAME` or `file: PATH`".to_owned()),
    };
    found.map_err(|message| problems.add(Diagnostic::at(node, message))).ok()
}

fn notifications(node: Option<&Node>, environment: Lookup<'_>, problems: &mut Problems) -> Notifications {
    let mut settings = Notifications { listen: None, public: None, within: Duration::from_secs(30) };
    let Some(mut fields) = node.and_then(|node| Fields::from_node(node, "notifications", problems)) else { return settings };
    if let Some(listen) = fields.optional("listen") {
        match listen.text().unwrap_or_default().parse() {
            Ok(address) => settings.listen = Some(address),
            Err(_) => problems.add(Diagnostic::at(listen, "an address is IP:PORT").help("for example 127.0.0.1:9080")),
        }
    }
    settings.public = fields.optional("public").and_then(|node| public(node, environment, problems));
    settings.within = time(&mut fields, "within", settings.within, problems);
    fields.finish(problems);
    settings
}

/// A URL, or `{env: NAME}`: if a load is split over machines, each has a URL of its own.
fn public(node: &Node, environment: Lookup<'_>, problems: &mut Problems) -> Option<Url> {
    if !matches!(node.kind, NodeKind::Map(_)) {
        return url(node, problems);
    }
    let mut fields = Fields::from_node(node, "a public URL", problems)?;
    let name = fields.require_text("env", problems);
    fields.finish(problems);
    let name = name?;
    let Some(text) = environment(&name) else {
        problems.add(Diagnostic::at(node, format!("the environment variable {name} is not set")));
        return None;
    };
    let found = Url::parse(&text).ok().filter(is_base);
    if found.is_none() {
        problems.add(Diagnostic::at(node, format!("the environment variable {name} holds no URL like http://10.0.0.7:9080")));
    }
    found
}

fn time(fields: &mut Fields<'_>, key: &'static str, default: Duration, problems: &mut Problems) -> Duration {
    let Some(node) = fields.optional(key) else { return default };
    duration(node, problems).unwrap_or(default)
}

fn certificate(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Vec<u8>> {
    let path = fields.text("certificate", problems)?;
    let node = fields.peek("certificate")?;
    let read = read_bytes(&beside(node, &path), MAX_FILE_BYTES);
    read.map_err(|why| problems.add(Diagnostic::at(node, format!("the certificate {path} {why}")))).ok()
}

/// The clauses of a file at a path beside the target file. Its mistakes are reported at their places in it.
fn reach(node: &Node, contracts: &Contracts, problems: &mut Problems) -> Option<BTreeSet<String>> {
    let Some(name) = node.text() else {
        problems.add(Diagnostic::at(node, "the path of a file that `paycheck coverage --target FILE --write` has written"));
        return None;
    };
    let source = Source::read(&beside(node, name), problems)?;
    let parsed = source.parse(problems)?;
    let mut fields = Fields::from_node(&parsed, "a reach", problems)?;
    let mut clauses = BTreeSet::new();
    for clause in fields.list("clauses", problems) {
        let id = clause.text().unwrap_or_default();
        if contracts.clauses.contains_key(id) {
            clauses.insert(id.to_owned());
        } else {
            let problem = Diagnostic::at(clause, format!("there is no clause `{id}`"));
            problems.add(problem.names(id, contracts.clauses.keys().map(String::as_str)));
        }
    }
    fields.finish(problems);
    Some(clauses)
}

/// A path that a file names is meant from the folder of that file.
fn beside(node: &Node, path: &str) -> PathBuf {
    Path::new(node.source.path.as_str()).parent().unwrap_or(Path::new("")).join(path)
}

fn allowed_load(node: &Node, problems: &mut Problems) -> Option<AllowedLoad> {
    let mut fields = Fields::from_node(node, "the load that is allowed", problems)?;
    let rate = fields.require("rate", problems).and_then(|node| positive(node, problems));
    let duration = fields.require("for", problems).and_then(|node| duration(node, problems));
    fields.finish(problems);
    Some(AllowedLoad { rate: rate?, duration: duration? })
}

fn positive(node: &Node, problems: &mut Problems) -> Option<f64> {
    let number = node.to_json().as_f64().filter(|number| *number > 0.0);
    if number.is_none() {
        problems.add(Diagnostic::at(node, "a rate is a number of iterations a second, above 0"));
    }
    number
}

fn allow(node: Option<&Node>, problems: &mut Problems) -> Allow {
    let Some(mut fields) = node.and_then(|node| Fields::from_node(node, "allow", problems)) else { return Allow::default() };
    let allow = Allow {
        production: fields.flag("production", problems),
        control: fields.flag("control", problems),
        faults: fields.flag("faults", problems),
        fuzz: fields.flag("fuzz", problems),
        load: fields.optional("load").and_then(|node| allowed_load(node, problems)),
    };
    fields.finish(problems);
    allow
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_request_of_the_target_s_own_stands_for_the_contract_s() {
        let contracts = Contracts::shipped();
        let read = |text: &str| parse(&Source::new("target.yaml", text), &contracts, &|_| None);
        let own = "title: t\nbase: http://x.invalid\nexamples:\n  device.closings: { day: 1 }\n  gateway.v2.capturePreauth: { sum: 2 }\n";
        let target = read(own).unwrap();
        let example = |id: &str| Value::Object(target.example(&contracts, contracts.operations.get(id).unwrap(), MAIN));
        assert_eq!(example("device.closings"), serde_json::json!({"day": 1}));
        assert_eq!(example("gateway.v2.capturePreauth"), serde_json::json!({"sum": 2, "transId": "AB12-CD34-EF56"}));
        assert_eq!(example("device.logs"), Value::Object(contracts.operations.get("device.logs").unwrap().example()));
        let wrong = "title: t\nbase: http://x.invalid\nexamples: { device.closing: { a: 1 }, device.logs: 7755331 }\n";
        let error = read(wrong).unwrap_err().render(false);
        assert!(
            error.contains("device.closings") && error.contains("a mapping of the request's fields") && !error.contains("7755331"),
            "{error}"
        );
    }

    #[test]
    fn a_method_stands_before_a_path_where_the_documents_show_none() {
        let contracts = Contracts::shipped();
        let read = |paths: &str| {
            let text = format!("title: t\nbase: http://shop.invalid\npaths:\n  {paths}\n");
            parse(&Source::new("target.yaml", text), &contracts, &|_| None).map_err(|problems| problems.render(false))
        };
        let change = contracts.operations.get("qr.change-method").unwrap();
        let stated = read("qr.change-method: PUT /pos/{transId}/bank").unwrap();
        assert_eq!((stated.method(change), stated.paths.get("qr.change-method").unwrap().as_str()), ("PUT", "/pos/{transId}/bank"));
        assert_eq!(read("qr.change-method: /pos/{transId}/bank").unwrap().method(change), "POST");
        assert!(read("qr.create: POST /pos/payment").is_ok(), "it is the documented one");
        let mistake = |paths: &str| read(paths).unwrap_err();
        assert!(mistake("qr.create: PUT /pos/payment").contains("the documents show the method of qr.create: POST"));
        assert!(mistake("qr.change-method: FETCH /pos/{transId}/bank").contains("`FETCH` is no method before a path"));
        assert!(mistake("qr.change-method: PUT /pos/bank").contains("the path needs its parameter `{transId}`"));
    }

    #[test]
    fn a_misspelt_part_of_a_credential_is_a_mistake_at_its_place() {
        let contracts = Contracts::shipped();
        let read = |credentials: &str| {
            let text = format!("title: t\nbase: http://x.invalid\ncredentials:\n  {credentials}\n");
            parse(&Source::new("target.yaml", text), &contracts, &|_| None).map_err(|problems| problems.to_string())
        };
        for (wrong, expected) in [
            (
                "main: { merchant: '1', secert: s }",
                "4:26: no call sends `secert`; a part of your own begins with `x-` (did you mean `secret`?)",
            ),
            (
                "main: { qr-passwort: s }",
                "4:11: no call sends `qr-passwort`; a part of your own begins with `x-` (did you mean `qr-password`?)",
            ),
            ("mian: { merchant: '1' }", "4:3: no call is made as `mian`, and all are made as `main` (did you mean `main`?)"),
        ] {
            let error = read(wrong).unwrap_err();
            assert!(error.contains(expected), "{wrong}: {error}");
        }
        let own = read("main: { merchant: '1', x-portal-password: s }\n  third: { merchant: '3' }").unwrap();
        assert_eq!(own.credentials["main"]["x-portal-password"], "s");
    }

    #[test]
    fn what_can_t_be_read_is_a_mistake_at_its_place() {
        let contracts = Contracts::shipped();
        for (text, expected) in [
            ("base: 8080", "2:7: `base` is a URL, or a mapping of APIs to URLs"),
            ("base: [http://x.invalid]", "2:7: `base` is a URL, or a mapping of APIs to URLs"),
            ("base: http://x.invalid\ncredentials: { main: secret }", "3:22: an identity is a mapping of its parts"),
            ("base: http://x.invalid\ncredentials: { main: [secret] }", "3:22: an identity is a mapping of its parts"),
            ("base: http://x.invalid\npaths: { gateway.v2.status: 5 }", "3:29: a path is a text"),
            ("base: http://x.invalid\ncertificate: /no/such/file", "3:14: the certificate /no/such/file"),
            (
                "base: http://x.invalid\nworld: { http: { payer.pays: { url: 'http://x.invalid', headers: { a: b, 'c d': e } } } }",
                "3:74: `c d` is no name of a header",
            ),
            (
                "base: http://x.invalid\nworld: { http: { payer.pays: { url: 'http://x.invalid', expect: 5 } } }",
                "3:65: `expect` gives fields",
            ),
        ] {
            let error = parse(&Source::new("target.yaml", format!("title: t\n{text}\n")), &contracts, &|_| None).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn what_may_be_a_secret_is_not_shown_whatever_the_mistake() {
        let contracts = Contracts::shipped();
        for text in [
            "Zq7-secret",
            "- Zq7-secret",
            "|\n  title: t\n  secret: Zq7-secret",
            "title: t\ncredentials: Zq7-secret",
            "title: t\ncredentials:\n  secret Zq7-secret",
            "title: t\ncredentials: { main: Zq7-secret }",
            "title: t\ncredentials: { main: { secret: [Zq7-secret] } }",
            "title: t\ncredential: { main: { secret: Zq7-secret } }",
            "title: t\nworld: { http: { payer.pays: { url: 'http://x.invalid', basic: { user: a, pasword: Zq7-secret } } } }",
            "title: t\nworld: { http: { payer.pays: { url: 'http://x.invalid', headers: { 'x y': Zq7-secret } } } }",
            "title: t\nworld: { commands: { payer.pay: [pay, --password, Zq7-secret] } }",
        ] {
            let error = parse(&Source::new("target.yaml", text), &contracts, &|_| None).unwrap_err().render(false);
            assert!(error.contains("target.yaml") && !error.contains("Zq7"), "{text}: {error}");
        }
        let number = parse(&Source::new("target.yaml", "title: t\ncredentials: 7755331"), &contracts, &|_| None).unwrap_err();
        assert!(!number.render(false).contains("7755331"), "{}", number.render(false));
    }
}
