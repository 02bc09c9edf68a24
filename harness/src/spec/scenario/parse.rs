//! Reading scripts strictly: operations, actions, fields, clauses and names in templates are all known
//! before the first request.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::matcher::{Matcher, template};
use super::step::{Answering, Call, HttpExpectation, InboxStep, Keep, Kept, NotificationStep, Step, Verb, ViolationsStep, WorldStep};
use super::template::Template;
use super::{Scenario, TableRow};
use crate::base::source::{Diagnostic, Entry, Fields, Kind, Node, Problems, Source};
use crate::base::values::duration;
use crate::spec::contract::{Contracts, Files, Operation};
use crate::spec::target::MAIN;

/// The verbs of a step.
const VERBS: [&str; 6] = ["call", "world", "notification", "no-notification", "inbox", "violations"];

/// Names that templates may always use.
const BUILT_IN: [&str; 4] = ["world", "credentials", "reference", "digits"];

/// Parses every script of a set; reports all mistakes of all scripts together.
pub fn parse_all(files: &Files, contracts: &Contracts) -> Result<Vec<Scenario>, Problems> {
    let mut problems = Problems::new();
    let scripts = files.matching(|path| path.ends_with(".yaml"));
    let scenarios: Vec<_> = scripts.filter_map(|(path, source)| script(path, source, contracts, &mut problems)).collect();
    problems.or(scenarios)
}

/// Parses one script; `path` is `api/name.yaml`.
pub fn parse(path: &str, source: &Arc<Source>, contracts: &Contracts) -> Result<Scenario, Problems> {
    let mut problems = Problems::new();
    match script(path, source, contracts, &mut problems) {
        Some(scenario) => problems.or(scenario),
        None => Err(problems),
    }
}

fn script(path: &str, source: &Arc<Source>, contracts: &Contracts, problems: &mut Problems) -> Option<Scenario> {
    let node = source.parse(problems)?;
    let mut fields = Fields::of(&node, "a scenario", problems)?;
    let title = fields.require_text("title", problems);
    let clauses = clauses(fields.take("clauses"), contracts, problems);
    let needs = fields.texts("needs", problems);
    let setting = setting(&mut fields, problems);
    let (cases, columns) = cases(&mut fields, problems);
    let mut reader = Reader { contracts, columns: &cases, known: columns, actions: BTreeSet::new(), repeated: false, problems };
    let steps_node = fields.require("steps", reader.problems);
    let items = steps_node.map(|n| (n, n.list()));
    if let Some((node, None)) = items {
        reader.problems.add(Diagnostic::at(node, "`steps` is a list"));
    }
    let steps: Vec<Step> = items.and_then(|(_, l)| l).unwrap_or_default().iter().filter_map(|item| reader.step(item)).collect();
    let capabilities = reader.actions;
    fields.finish(problems);
    if let (Some((node, Some(_))), true) = (items, steps.is_empty()) {
        problems.add(Diagnostic::at(node, "a scenario has at least one step"));
    }
    if let (Some((node, _)), true) = (items, !steps.is_empty() && steps.iter().all(|step| step.once)) {
        problems.add(Diagnostic::at(node, "all steps are played once; under load nothing would be repeated"));
    }
    // The folder on disk names the API, however deep the path was given from.
    let file = path.rsplit('/').next().unwrap_or(path);
    let folder = std::path::Path::new(&source.path).parent().and_then(|p| p.file_name()).map(|n| n.to_string_lossy());
    Some(Scenario {
        name: file.trim_end_matches(".yaml").to_owned(),
        api: folder.unwrap_or_default().into_owned(),
        path: source.path.clone(),
        title: title?,
        clauses,
        needs: needs.into_iter().chain(capabilities).collect::<BTreeSet<_>>().into_iter().collect(),
        setting,
        cases,
        steps,
    })
}

fn clauses(node: Option<&Node>, contracts: &Contracts, problems: &mut Problems) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    let items = node.list().unwrap_or(std::slice::from_ref(node));
    let ids = items.iter().filter_map(|item| {
        let id = item.text().unwrap_or_default();
        match contracts.clauses.get(id) {
            Some(clause) if clause.unchecked.is_some() => {
                problems.add(Diagnostic::at(item, format!("the clause `{id}` is declared as `unchecked`, but this checks it")));
                None
            }
            Some(_) => Some(id.to_owned()),
            None => {
                let problem = Diagnostic::at(item, format!("the clause `{id}` is not declared in contracts/clauses/"));
                problems.add(problem.names(id, contracts.clauses.keys().map(String::as_str)));
                None
            }
        }
    });
    ids.collect()
}

fn setting(fields: &mut Fields<'_>, problems: &mut Problems) -> Map<String, Value> {
    let entries = fields.map("setting", problems);
    entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect()
}

/// The table and its column names. Each case gets a unique name: its own, or its first columns.
fn cases(fields: &mut Fields<'_>, problems: &mut Problems) -> (Vec<TableRow>, BTreeSet<String>) {
    let mut names = BTreeSet::new();
    let mut columns: BTreeSet<String> = BUILT_IN.iter().map(|n| (*n).to_owned()).collect();
    let rows = fields.list("cases", problems);
    let mut cases = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(entries) = row.entries() else {
            problems.add(Diagnostic::at(row, "a case is a mapping of columns"));
            continue;
        };
        let values: Map<String, Value> = entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect();
        for taken in entries.iter().filter(|entry| BUILT_IN.contains(&entry.key.as_str())) {
            let message = format!("no column can be named `{}`: templates always have this name", taken.key);
            problems.add(Diagnostic::at(&taken.value, message));
        }
        if index == 0 {
            columns.extend(values.keys().cloned());
        }
        for missing in columns.iter().filter(|c| !BUILT_IN.contains(&c.as_str()) && !values.contains_key(*c)) {
            problems.add(Diagnostic::at(row, format!("this case has no column `{missing}`, as the first case has")));
        }
        let name = values.get("name").and_then(Value::as_str).map_or_else(|| summary(&values), str::to_owned);
        if !names.insert(name.clone()) {
            problems.add(Diagnostic::at(row, format!("two cases are named `{name}`")).help("give each case a `name`"));
        }
        cases.push(TableRow { name, values });
    }
    if cases.is_empty() {
        cases.push(TableRow::default());
    }
    (cases, columns)
}

/// A case's name from its columns: `price 100, curr CZK`.
fn summary(values: &Map<String, Value>) -> String {
    let part = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name} {text}"),
        other => format!("{name} {other}"),
    };
    values.iter().map(part).collect::<Vec<_>>().join(", ")
}

struct Reader<'r> {
    contracts: &'r Contracts,
    columns: &'r [TableRow],
    known: BTreeSet<String>,
    actions: BTreeSet<String>,
    /// A step was read that is not played only once.
    repeated: bool,
    problems: &'r mut Problems,
}

impl<'r> Reader<'r> {
    fn step(&mut self, node: &Node) -> Option<Step> {
        let mut fields = Fields::of(node, "a step", self.problems)?;
        let verbs: Vec<&Entry> = node.entries()?.iter().filter(|e| VERBS.contains(&e.key.as_str())).collect();
        let [verb] = verbs.as_slice() else {
            let near = node.entries()?.first().map_or("", |e| e.key.as_str());
            let problem = Diagnostic::at(node, "a step has exactly one of call, world, notification, no-notification, inbox, violations");
            self.problems.add(problem.names(near, VERBS));
            return None;
        };
        let clauses = clauses(fields.take("clause"), self.contracts, self.problems);
        let once = self.once(&mut fields, &verb.key);
        // What the merchant's endpoint answers is no expectation.
        let assumed = if verb.key == "inbox" { None } else { fields.text("assumed", self.problems) };
        let verb = match verb.key.as_str() {
            "call" => self.call(&mut fields).map(|call| Verb::Call(Box::new(call))),
            "world" => self.world(&mut fields).map(Verb::World),
            "notification" => self.notification(&mut fields).map(Verb::Notification),
            "no-notification" => Some(Verb::NoNotification(self.notification_fields(&mut fields, "no-notification"))),
            "inbox" => self.inbox(&mut fields).map(Verb::Inbox),
            _ => self.violations(&mut fields).map(Verb::Violations),
        };
        fields.finish(self.problems);
        let place = format!("{}:{}:{}", node.source.path, node.span.line, node.span.column);
        Some(Step { place, clauses, assumed, once, verb: verb? })
    }

    /// Whether the step is played once per user under load: such steps stand before all others.
    fn once(&mut self, fields: &mut Fields<'_>, verb: &str) -> bool {
        let node = fields.peek("once");
        let once = fields.flag("once", self.problems);
        if let (true, Some(node)) = (once, node) {
            if verb == "violations" {
                self.problems.add(Diagnostic::at(node, "`violations` becomes many cases; it can't be played once"));
            } else if self.repeated {
                let problem = Diagnostic::at(node, "a step that is played once stands after one that is repeated");
                self.problems.add(problem.help("steps with `once: true` come first"));
            }
        }
        self.repeated |= !once;
        once
    }

    fn call(&mut self, fields: &mut Fields<'_>) -> Option<Call> {
        let node = fields.require("call", self.problems)?;
        let operation = self.template(node)?;
        let operations = self.operations(node, &operation);
        let link = fields.take("at").and_then(|node| self.template(node));
        let example = self.example(fields, &operations);
        let requests: BTreeSet<String> = operations.iter().flat_map(|o| request_fields(o)).collect();
        let with = self.values(fields, "with", Some(&requests));
        let extra = self.values(fields, "extra", None);
        let mut query = self.values(fields, "query", None);
        let query_credentials = query.shift_remove("$credentials").map(|parts| strings(&parts)).unwrap_or_default();
        let without = self.removed(fields, &requests);
        let identity = fields.take("as").and_then(|n| self.template(n)).unwrap_or_else(|| Template::text(MAIN));
        let body = fields.take("body").and_then(|node| self.template(node));
        let media_type = fields.text("media-type", self.problems);
        let authorization = fields.take("authorization").and_then(|node| self.template(node));
        let token = fields.take("token").and_then(|node| self.template(node));
        let responses: BTreeSet<String> = operations.iter().flat_map(|o| response_fields(o, self.contracts)).collect();
        let expect = self.answer_matchers(fields, &responses);
        let http = self.http(fields);
        let until = self.matchers(fields, "until", &responses);
        let within = self.time(fields, "within");
        let prepares = fields.text("prepares", self.problems);
        let documented = fields.flag("documented", self.problems);
        let keep = self.keep(fields, &responses);
        Some(Call {
            operation,
            link,
            example,
            with,
            extra,
            query,
            query_credentials,
            without,
            identity,
            token,
            authorization,
            body,
            media_type,
            expect,
            http,
            keep,
            until,
            within,
            documented,
            prepares,
        })
    }

    /// The operations that the step may call: one, or one per case.
    fn operations(&mut self, node: &Node, name: &Template) -> Vec<&'r Operation> {
        let contracts = self.contracts;
        let names: BTreeSet<String> = match name.plain() {
            Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
            None => {
                let rows = self.columns.iter();
                rows.filter_map(|case| name.render(&case.values).ok()?.as_str().map(str::to_owned)).collect()
            }
        };
        let mut found = Vec::new();
        for name in names {
            match contracts.operations.get(&name) {
                Some(operation) => found.push(operation),
                None => {
                    let problem = Diagnostic::at(node, format!("there is no operation `{name}`"));
                    self.problems.add(problem.names(&name, contracts.operations.keys().map(String::as_str)));
                }
            }
        }
        found
    }

    fn example(&mut self, fields: &mut Fields<'_>, operations: &[&Operation]) -> Option<String> {
        let node = fields.take("example")?;
        let name = node.text().unwrap_or_default();
        for operation in operations.iter().filter(|o| !o.examples.contains_key(name)) {
            let problem = Diagnostic::at(node, format!("`{}` has no example `{name}`", operation.id));
            self.problems.add(problem.names(name, operation.examples.keys().map(String::as_str)));
        }
        Some(name.to_owned())
    }

    fn values(&mut self, fields: &mut Fields<'_>, key: &'static str, known: Option<&BTreeSet<String>>) -> IndexMap<String, Template> {
        let mut values = IndexMap::new();
        for entry in fields.map(key, self.problems) {
            if let Some(known) = known {
                self.must_be_known(entry, known, "the request has no field", "send it under `extra` if that is what you mean");
            }
            if let Some(value) = self.template(&entry.value) {
                values.insert(entry.key.clone(), value);
            }
        }
        values
    }

    fn must_be_known(&mut self, entry: &Entry, known: &BTreeSet<String>, what: &str, else_help: &str) {
        let name = entry.key.split('/').find(|part| !part.is_empty()).unwrap_or_default();
        if known.is_empty() || known.contains(name) || name.parse::<usize>().is_ok() {
            return;
        }
        let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("{what} `{name}`"));
        let near = crate::base::source::nearest(name, known.iter().map(String::as_str));
        self.problems.add(problem.help(near.map_or_else(|| else_help.to_owned(), |near| format!("did you mean `{near}`?"))));
    }

    fn removed(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> Vec<String> {
        let Some(node) = fields.take("without") else { return Vec::new() };
        let items = node.list().unwrap_or(std::slice::from_ref(node));
        let names = items.iter().filter_map(|item| {
            let name = item.text()?.to_owned();
            if !known.contains(&name) {
                let problem = Diagnostic::at(item, format!("the request has no field `{name}`"));
                self.problems.add(problem.names(&name, known.iter().map(String::as_str)));
            }
            Some(name)
        });
        names.collect()
    }

    fn matchers(&mut self, fields: &mut Fields<'_>, key: &'static str, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let mut matchers = IndexMap::new();
        for entry in fields.map(key, self.problems) {
            self.must_be_known(entry, known, "the response has no documented field", "see `paycheck contracts` for the fields");
            if let Some(matcher) = Matcher::parse(&entry.value, self.problems) {
                self.names_known(&entry.value, &matcher.names());
                matchers.insert(entry.key.clone(), matcher);
            }
        }
        matchers
    }

    /// What the response must be: its fields, or, for a list or one matcher, the whole under the empty name.
    fn answer_matchers(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let whole = fields.peek("expect").filter(|node| {
            let of_matcher = |entries: &[Entry]| entries.first().is_some_and(|entry| entry.key.starts_with('$'));
            node.list().is_some() || node.entries().is_some_and(of_matcher)
        });
        if whole.is_none() {
            return self.matchers(fields, "expect", known);
        }
        let Some(whole) = fields.take("expect") else { return IndexMap::new() };
        let matcher = Matcher::parse(whole, self.problems);
        matcher.iter().for_each(|matcher| self.names_known(whole, &matcher.names()));
        matcher.map(|matcher| (String::new(), matcher)).into_iter().collect()
    }

    fn http(&mut self, fields: &mut Fields<'_>) -> HttpExpectation {
        let mut expectation = HttpExpectation::default();
        let Some(mut http) = fields.take("http").and_then(|node| Fields::of(node, "http", self.problems)) else { return expectation };
        expectation.status = http.take("status").and_then(|node| Matcher::parse(node, self.problems));
        for entry in http.map("headers", self.problems) {
            if let Some(matcher) = Matcher::parse(&entry.value, self.problems) {
                expectation.headers.insert(entry.key.to_ascii_lowercase(), matcher);
            }
        }
        expectation.body = http.take("body").and_then(|node| Matcher::parse(node, self.problems));
        http.finish(self.problems);
        expectation
    }

    fn keep(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> Vec<Keep> {
        let mut kept = Vec::new();
        for entry in fields.map("keep", self.problems) {
            let Some(from) = self.kept(&entry.value, known) else { continue };
            self.known.insert(entry.key.clone());
            kept.push(Keep { name: entry.key.clone(), from });
        }
        kept
    }

    fn kept(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Kept> {
        if matches!(node.kind, Kind::Map(_)) {
            let mut fields = Fields::of(node, "what is kept", self.problems)?;
            let header = fields.require_text("header", self.problems);
            fields.finish(self.problems);
            return header.map(|name| Kept::Header(name.to_ascii_lowercase()));
        }
        let Some(place) = node.text() else {
            self.problems.add(Diagnostic::at(node, "what is kept is a field of the response, a JSON Pointer, or `{ header: NAME }`"));
            return None;
        };
        let pointer = if place.starts_with('/') { place.to_owned() } else { format!("/{place}") };
        let field = Entry { key: pointer.clone(), key_span: node.span, value: node.clone() };
        self.must_be_known(&field, known, "the response has no documented field", "see `paycheck contracts` for the fields");
        Some(Kept::Body(pointer))
    }

    fn world(&mut self, fields: &mut Fields<'_>) -> Option<WorldStep> {
        let node = fields.require("world", self.problems)?;
        let action = self.template(node)?;
        let with = self.values(fields, "with", None);
        let names: BTreeSet<String> = match action.plain() {
            Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
            None => self.columns.iter().filter_map(|c| action.render(&c.values).ok()?.as_str().map(str::to_owned)).collect(),
        };
        for name in names {
            self.action(node, &name, &with);
        }
        let expect = self.matchers(fields, "expect", &BTreeSet::new());
        let keep = self.keep(fields, &BTreeSet::new());
        Some(WorldStep { action, with, expect, keep })
    }

    fn action(&mut self, node: &Node, name: &str, with: &IndexMap<String, Template>) {
        let Some(action) = self.contracts.actions.get(name) else {
            let problem = Diagnostic::at(node, format!("there is no world action `{name}`"));
            self.problems.add(problem.names(name, self.contracts.actions.keys().map(String::as_str)));
            return;
        };
        self.actions.insert(action.capability().to_owned());
        for (parameter, _) in action.parameters.iter().filter(|(p, required)| **required && !with.contains_key(*p)) {
            self.problems.add(Diagnostic::at(node, format!("`{name}` needs `{parameter}` in `with`")));
        }
        for parameter in with.keys().filter(|p| !action.open && !action.parameters.contains_key(*p)) {
            let problem = Diagnostic::at(node, format!("`{name}` has no parameter `{parameter}`"));
            self.problems.add(problem.names(parameter, action.parameters.keys().map(String::as_str)));
        }
    }

    fn notification(&mut self, fields: &mut Fields<'_>) -> Option<NotificationStep> {
        let matchers = self.notification_fields(fields, "notification");
        let attempt = fields.take("attempt").and_then(|node| self.template(node));
        let within = self.time(fields, "within");
        let known = self.notified_fields();
        let keep = self.keep(fields, &known);
        Some(NotificationStep { fields: matchers, attempt, within, keep })
    }

    fn notification_fields(&mut self, fields: &mut Fields<'_>, key: &'static str) -> IndexMap<String, Matcher> {
        let known = self.notified_fields();
        self.matchers(fields, key, &known)
    }

    fn notified_fields(&self) -> BTreeSet<String> {
        self.contracts.notifications.values().flat_map(request_fields).collect()
    }

    fn inbox(&mut self, fields: &mut Fields<'_>) -> Option<InboxStep> {
        let mut inbox = fields.require("inbox", self.problems).and_then(|node| Fields::of(node, "inbox", self.problems))?;
        let responses = inbox.list("answers", self.problems).iter().filter_map(|node| self.answering(node)).collect();
        inbox.finish(self.problems);
        Some(InboxStep { responses })
    }

    fn answering(&mut self, node: &Node) -> Option<Answering> {
        if matches!(node.kind, Kind::Map(_)) {
            let mut fields = Fields::of(node, "a response", self.problems)?;
            let status = fields.require("status", self.problems).and_then(|n| self.template(n));
            let delay = self.time(&mut fields, "delay").unwrap_or_default();
            fields.finish(self.problems);
            return Some(Answering { status: status?, delay });
        }
        Some(Answering { status: self.template(node)?, delay: Duration::ZERO })
    }

    fn violations(&mut self, fields: &mut Fields<'_>) -> Option<ViolationsStep> {
        let node = fields.require("violations", self.problems)?;
        let name = node.text().unwrap_or_default().to_owned();
        let operations = self.operations(node, &Template::text(name.clone()));
        let example = self.example(fields, &operations);
        let requests: BTreeSet<String> = operations.iter().flat_map(|o| request_fields(o)).collect();
        let with = self.values(fields, "with", Some(&requests));
        let without = self.removed(fields, &requests);
        let (only, except) = (fields.texts("only", self.problems), fields.texts("except", self.problems));
        Some(ViolationsStep { operation: name, example, with, without, only, except })
    }

    fn time(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Duration> {
        fields.take(key).and_then(|node| duration(node, self.problems))
    }

    fn template(&mut self, node: &Node) -> Option<Template> {
        let template = template(node, self.problems)?;
        self.names_known(node, &template.names());
        Some(template)
    }

    fn names_known(&mut self, node: &Node, names: &BTreeSet<String>) {
        for name in names.iter().filter(|name| !self.known.contains(*name)) {
            let problem = Diagnostic::at(node, format!("nothing named `{name}` is known here"));
            self.problems.add(problem.names(name, self.known.iter().map(String::as_str)));
        }
    }
}

/// The texts of a plain list.
fn strings(template: &Template) -> Vec<String> {
    let items = template.plain().and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Every field a request may have: path parameters, body fields, what stands in examples.
pub(crate) fn request_fields(operation: &Operation) -> Vec<String> {
    let mut names: Vec<String> = operation.parameters().map(str::to_owned).collect();
    names.extend(operation.examples.values().flat_map(|e| e.keys().cloned()));
    if let Some(content) = &operation.request {
        property_names(&content.schema.expanded, &mut names);
    }
    names
}

/// Every field a response may have, with what it may echo of the creation.
fn response_fields(operation: &Operation, contracts: &Contracts) -> Vec<String> {
    let mut names = Vec::new();
    for content in operation.response.iter().chain(&operation.error_response) {
        property_names(&content.schema.expanded, &mut names);
    }
    let shown = operation.shows.as_ref().map(|shows| shows.about.resource.as_str());
    let creating = contracts.operations.values().filter(|o| o.creates.as_ref().map(|c| c.resource.as_str()) == shown && shown.is_some());
    names.extend(creating.flat_map(request_fields));
    names
}

fn property_names(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            for (key, below) in map {
                if key == "properties" {
                    names.extend(below.as_object().into_iter().flatten().map(|(name, _)| name.clone()));
                } else {
                    property_names(below, names);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| property_names(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
