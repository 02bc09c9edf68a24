//! The steps of a script.

use std::collections::BTreeSet;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::Value;

use super::names::{FieldNames, clauses};
use crate::base::source::{Diagnostic, Entry, Fields, Node, NodeKind, Problems};
use crate::base::values::duration;
use crate::spec::contract::{Authorization, Contracts, METHODS, Operation};
use crate::spec::scenario::TableRow;
use crate::spec::scenario::matcher::{Matcher, template};
use crate::spec::scenario::step::{
    Call, EndpointResponse, HttpExpectation, InboxStep, Keep, Kept, Login, NeededLayout, NotificationStep, Round, Step, StepVerb,
    ViolationsStep, WorldStep,
};
use crate::spec::scenario::template::Template;
use crate::spec::target::MAIN;

/// The verbs of a step.
const VERBS: [&str; 6] = ["call", "world", "notification", "no-notification", "inbox", "violations"];

/// How often steps may be repeated.
const TIMES: std::ops::RangeInclusive<u64> = 2..=1000;

/// The key of `extra` and `query` that names parts of the credentials.
const CREDENTIALS: &str = "$credentials";

/// Reads the steps of one script in order: what a step keeps is known to later ones.
pub(super) struct Reader<'r, 'c> {
    pub(super) contracts: &'c Contracts,
    pub(super) columns: &'r [TableRow],
    pub(super) field_names: &'r mut FieldNames<'c>,
    pub(super) known: BTreeSet<String>,
    pub(super) actions: BTreeSet<String>,
    /// Whether a step without `once` was read.
    pub(super) repeated: bool,
    pub(super) problems: &'r mut Problems,
}

impl<'c> Reader<'_, 'c> {
    /// Reads the steps of a list; those that are repeated are there once for each time.
    pub(super) fn steps(&mut self, items: &[Node]) -> Vec<Step> {
        let mut steps = Vec::new();
        for item in items {
            match item.entries().is_some_and(|entries| entries.iter().any(|entry| entry.key == "repeat")) {
                true => steps.extend(self.repeated_steps(item)),
                false => steps.extend(self.step(item)),
            }
        }
        steps
    }

    /// The steps of a `repeat`, in turn, as often as it says.
    fn repeated_steps(&mut self, node: &Node) -> Vec<Step> {
        let Some(mut fields) = Fields::from_node(node, "a repetition", self.problems) else { return Vec::new() };
        let times_node = fields.peek("repeat");
        let times = fields.integer("repeat", self.problems).unwrap_or(1);
        if let (false, Some(node)) = (TIMES.contains(&times), times_node) {
            self.problems.add(Diagnostic::at(node, format!("steps are repeated {} to {} times", TIMES.start(), TIMES.end())));
        }
        let within = self.time(&mut fields, "within");
        self.repeated = true;
        let items = fields.list("steps", self.problems);
        let steps = self.steps(items);
        fields.finish(self.problems);
        if steps.is_empty() || steps.iter().any(|step| matches!(step.verb, StepVerb::Violations(_))) {
            self.problems
                .add(Diagnostic::at(node, "a repetition has at least one step, and no `violations`, which become cases of their own"));
        }
        let times = usize::try_from(times.min(*TIMES.end())).unwrap_or_default();
        let of_round = |number| move |step: &Step| Step { round: within.map(|within| Round { number, within }), ..step.clone() };
        (0..times).flat_map(|number| steps.iter().map(of_round(number))).collect()
    }

    fn step(&mut self, node: &Node) -> Option<Step> {
        let mut fields = Fields::from_node(node, "a step", self.problems)?;
        let verbs: Vec<&Entry> = node.entries()?.iter().filter(|e| VERBS.contains(&e.key.as_str())).collect();
        let [verb] = verbs.as_slice() else {
            let near = node.entries()?.first().map_or("", |e| e.key.as_str());
            let problem = Diagnostic::at(node, "a step has exactly one of call, world, notification, no-notification, inbox, violations");
            self.problems.add(problem.names(near, VERBS));
            return None;
        };
        let clauses = clauses(fields.optional("clause"), self.contracts, self.problems);
        let once = self.once(&mut fields, &verb.key);
        // The response of the merchant's endpoint is no expectation.
        let assumed = if verb.key == "inbox" { None } else { fields.text("assumed", self.problems) };
        let layout = if verb.key == "call" { self.layout(&mut fields, assumed.is_some()) } else { None };
        let verb = match verb.key.as_str() {
            "call" => self.call(&mut fields).map(|call| StepVerb::Call(Box::new(call))),
            "world" => self.world(&mut fields).map(StepVerb::World),
            "notification" => self.notification(&mut fields).map(StepVerb::Notification),
            "no-notification" => Some(StepVerb::NoNotification(self.notification_fields(&mut fields, "no-notification"))),
            "inbox" => self.inbox(&mut fields).map(StepVerb::Inbox),
            _ => self.violations(&mut fields).map(StepVerb::Violations),
        };
        fields.finish(self.problems);
        Some(Step { place: node.place(), clauses, assumed, layout, once, round: None, verb: verb? })
    }

    /// The layout that an assumption is about, with the columns that the step expects something of.
    fn layout(&mut self, fields: &mut Fields<'_>, is_assumed: bool) -> Option<NeededLayout> {
        let name = fields.text("layout", self.problems)?;
        let node = fields.peek("layout")?;
        if !is_assumed {
            self.problems.add(Diagnostic::at(node, "`layout` says what an assumption is about: give `assumed` too"));
        }
        let Some(known) = self.contracts.layouts.get(&name) else {
            let problem = Diagnostic::at(node, format!("there is no layout `{name}`"));
            self.problems.add(problem.names(&name, self.contracts.layouts.keys().map(String::as_str)));
            return None;
        };
        let mut keys = Vec::new();
        fields.peek("expect").into_iter().for_each(|expected| collect_keys(expected, &mut keys));
        Some(NeededLayout { name, columns: known.columns.iter().filter(|column| keys.contains(&column.as_str())).cloned().collect() })
    }

    /// Whether the step is played once per user under load: such steps precede all others.
    fn once(&mut self, fields: &mut Fields<'_>, verb: &str) -> bool {
        let node = fields.peek("once");
        let once = fields.flag("once", self.problems);
        if let (true, Some(node)) = (once, node) {
            if verb == "violations" {
                self.problems.add(Diagnostic::at(node, "`violations` becomes many cases; it can't be played once"));
            } else if self.repeated {
                let problem = Diagnostic::at(node, "a step that is played once comes after one that is repeated");
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
        let link = self.optional_template(fields, "at");
        let example = self.example(fields, &operations);
        let requests = self.field_names.of_requests(&operations);
        let with = self.values(fields, "with", Some(&requests));
        let (extra, extra_credentials) = self.values_and_credentials(fields, "extra");
        let (query, query_credentials) = self.values_and_credentials(fields, "query");
        let without = self.removed(fields, &requests);
        let responses = self.field_names.of_responses(&operations);
        // In the order of the fields here, which is that of the messages.
        Some(Call {
            operation,
            link,
            example,
            with,
            extra,
            extra_credentials,
            query,
            query_credentials,
            without,
            identity: self.optional_template(fields, "as").unwrap_or_else(|| Template::text(MAIN)),
            body: self.optional_template(fields, "body"),
            media_type: fields.text("media-type", self.problems),
            plus_for_space: fields.flag("plus-for-space", self.problems),
            authorization: self.optional_template(fields, "authorization"),
            scheme: self.optional_template(fields, "scheme"),
            login: fields.optional("login").and_then(|node| self.login(node)),
            method: self.method(fields),
            token: self.optional_template(fields, "token"),
            expect: self.response_matchers(fields, &responses),
            http: self.http(fields),
            until: self.matchers(fields, "until", &responses),
            within: self.time(fields, "within"),
            prepares: fields.text("prepares", self.problems),
            documented: fields.flag("documented", self.problems),
            may_be_refused: fields.text("may-be-refused", self.problems),
            unless_stated: self.unless_stated(fields),
            keep: self.keep(fields, &responses),
        })
    }

    /// The setting that ends the excuse of a refusal.
    fn unless_stated(&mut self, fields: &mut Fields<'_>) -> Option<String> {
        let node = fields.optional("unless-stated")?;
        let name = node.text().unwrap_or_default();
        let known: Vec<&str> = self.contracts.settings.iter().map(|setting| setting.name.as_str()).collect();
        if !known.contains(&name) {
            self.problems.add(Diagnostic::at(node, format!("there is no setting `{name}`")).names(name, known));
        } else if fields.peek("may-be-refused").and_then(Node::text).is_none() {
            self.problems.add(Diagnostic::at(node, "`unless-stated` goes with `may-be-refused`"));
        }
        Some(name.to_owned())
    }

    /// The operations that the step may call: one, or one per case.
    fn operations(&mut self, node: &Node, name: &Template) -> Vec<&'c Operation> {
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

    /// The HTTP method that the step sends instead of the documented one.
    fn method(&mut self, fields: &mut Fields<'_>) -> Option<String> {
        let node = fields.optional("method")?;
        let name = node.text().unwrap_or_default();
        if !METHODS.contains(&name) {
            self.problems.add(Diagnostic::at(node, format!("`{name}` is no method of a request")).names(name, METHODS));
        }
        Some(name.to_owned())
    }

    /// The login that an operation asks for.
    fn login(&mut self, node: &Node) -> Option<Login> {
        let name = node.text().unwrap_or_default();
        let login = |operation: &Operation| match &operation.credentials.header {
            Authorization::Basic { username, password } => Some(Login { username: username.clone(), password: password.clone() }),
            Authorization::None | Authorization::Bearer(_) => None,
        };
        let found = self.contracts.operations.get(name).and_then(login);
        if found.is_none() {
            let known = self.contracts.operations.values().filter(|operation| login(operation).is_some());
            let problem = Diagnostic::at(node, format!("`{name}` is no operation with a login (HTTP Basic)"));
            self.problems.add(problem.names(name, known.map(|operation| operation.id.as_str())));
        }
        found
    }

    fn example(&mut self, fields: &mut Fields<'_>, operations: &[&Operation]) -> Option<String> {
        let node = fields.optional("example")?;
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

    /// Values, and the parts of the credentials that are sent beside them: `$credentials: [secret]`.
    fn values_and_credentials(&mut self, fields: &mut Fields<'_>, key: &'static str) -> (IndexMap<String, Template>, Vec<String>) {
        let node = fields.peek(key).and_then(Node::entries).into_iter().flatten().find(|entry| entry.key == CREDENTIALS);
        let parts = node.map(|entry| self.credential_parts(&entry.value)).unwrap_or_default();
        let mut values = self.values(fields, key, None);
        values.shift_remove(CREDENTIALS);
        (values, parts)
    }

    /// Parts of credentials. One that no call knows would never be sent, and every call without it is refused.
    fn credential_parts(&mut self, node: &Node) -> Vec<String> {
        let NodeKind::List(items) = &node.kind else {
            self.problems.add(Diagnostic::at(node, "`$credentials` takes a list of parts of the credentials").help("for example [secret]"));
            return Vec::new();
        };
        let known = &self.contracts.credential_parts;
        for item in items.iter().filter(|item| !item.text().is_some_and(|name| known.iter().any(|part| part == name))) {
            let problem = Diagnostic::at(item, "there is no such part of the credentials");
            self.problems.add(problem.names(item.text().unwrap_or_default(), known.iter().map(String::as_str)));
        }
        items.iter().filter_map(Node::text).map(str::to_owned).collect()
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
        let Some(node) = fields.optional("without") else { return Vec::new() };
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
            self.must_be_known(
                entry,
                known,
                "the response has no documented field",
                "`paycheck contracts OPERATION` names the schema of its response, `paycheck show contracts/schemas` lists them",
            );
            if let Some(matcher) = self.matcher(&entry.value) {
                matchers.insert(entry.key.clone(), matcher);
            }
        }
        matchers
    }

    /// The expectation of the response: its fields or, for a list or a single matcher, one entry with an empty name.
    fn response_matchers(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> IndexMap<String, Matcher> {
        let expected = fields.peek("expect").filter(|node| {
            let of_matcher = |entries: &[Entry]| entries.first().is_some_and(|entry| entry.key.starts_with('$'));
            node.list().is_some() || node.entries().is_some_and(of_matcher)
        });
        if expected.is_none() {
            return self.matchers(fields, "expect", known);
        }
        let Some(expected) = fields.optional("expect") else { return IndexMap::new() };
        self.matcher(expected).map(|matcher| (String::new(), matcher)).into_iter().collect()
    }

    /// A matcher whose names are all known here.
    fn matcher(&mut self, node: &Node) -> Option<Matcher> {
        let matcher = Matcher::parse(node, self.problems)?;
        self.names_known(node, &matcher.names());
        Some(matcher)
    }

    fn http(&mut self, fields: &mut Fields<'_>) -> HttpExpectation {
        let mut expectation = HttpExpectation::default();
        let Some(mut http) = fields.optional("http").and_then(|node| Fields::from_node(node, "http", self.problems)) else {
            return expectation;
        };
        expectation.status = http.optional("status").and_then(|node| self.matcher(node));
        for entry in http.map("headers", self.problems) {
            if let Some(matcher) = self.matcher(&entry.value) {
                expectation.headers.insert(entry.key.to_ascii_lowercase(), matcher);
            }
        }
        expectation.body = http.optional("body").and_then(|node| self.matcher(node));
        expectation.page = http.optional("page").and_then(|node| self.matcher(node));
        http.finish(self.problems);
        expectation
    }

    fn keep(&mut self, fields: &mut Fields<'_>, known: &BTreeSet<String>) -> Vec<Keep> {
        let mut kept = Vec::new();
        for entry in fields.map("keep", self.problems) {
            let Some((from, otherwise)) = self.kept_or(&entry.value, known) else { continue };
            self.known.insert(entry.key.clone());
            kept.push(Keep { name: entry.key.clone(), from, otherwise });
        }
        kept
    }

    /// What is kept, and what instead where the response has none.
    fn kept_or(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<(Kept, Option<Value>)> {
        if node.entries().is_none_or(|entries| entries.iter().all(|entry| entry.key != "otherwise")) {
            return Some((self.kept(node, known)?, None));
        }
        let mut fields = Fields::from_node(node, "what is kept", self.problems)?;
        let otherwise = fields.optional("otherwise").map(Node::to_json);
        let field = fields.require("field", self.problems);
        fields.finish(self.problems);
        Some((self.kept(field?, known)?, otherwise))
    }

    fn kept(&mut self, node: &Node, known: &BTreeSet<String>) -> Option<Kept> {
        if matches!(node.kind, NodeKind::Map(_)) {
            let mut fields = Fields::from_node(node, "what is kept", self.problems)?;
            if let Some(part) = fields.optional("http") {
                fields.finish(self.problems);
                return self.kept_of_http(part);
            }
            let header = fields.require_text("header", self.problems);
            fields.finish(self.problems);
            return header.map(|name| Kept::Header(name.to_ascii_lowercase()));
        }
        let Some(place) = node.text() else {
            self.problems.add(Diagnostic::at(
                node,
                "what is kept is a field of the response, a JSON Pointer, `{ field: NAME, otherwise: VALUE }`, `{ header: NAME }`, or `{ http: page }`",
            ));
            return None;
        };
        let pointer = if place.starts_with('/') { place.to_owned() } else { format!("/{place}") };
        let field = Entry { key: pointer.clone(), key_span: node.span, value: node.clone() };
        self.must_be_known(
            &field,
            known,
            "the response has no documented field",
            "`paycheck contracts OPERATION` names the schema of its response, `paycheck show contracts/schemas` lists them",
        );
        Some(Kept::Body(pointer))
    }

    fn kept_of_http(&mut self, part: &Node) -> Option<Kept> {
        let is_page = part.text() == Some("page");
        if !is_page {
            self.problems.add(Diagnostic::at(part, "what is kept of the HTTP response as a whole is its `page`"));
        }
        is_page.then_some(Kept::Page)
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
        let until_next = fields.flag("until-next", self.problems);
        let prepares = fields.text("prepares", self.problems);
        let restores = fields.flag("restores", self.problems);
        Some(WorldStep { action, with, until_next, expect, keep, prepares, restores })
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
        let unless = self.optional_template(fields, "unless");
        let attempt = self.optional_template(fields, "attempt");
        let within = self.time(fields, "within");
        let known = self.field_names.of_notifications();
        let keep = self.keep(fields, &known);
        Some(NotificationStep { fields: matchers, unless, attempt, within, keep })
    }

    fn notification_fields(&mut self, fields: &mut Fields<'_>, key: &'static str) -> IndexMap<String, Matcher> {
        let known = self.field_names.of_notifications();
        self.matchers(fields, key, &known)
    }

    fn inbox(&mut self, fields: &mut Fields<'_>) -> Option<InboxStep> {
        let mut inbox = fields.require("inbox", self.problems).and_then(|node| Fields::from_node(node, "inbox", self.problems))?;
        let responses = inbox.list("responses", self.problems).iter().filter_map(|node| self.endpoint_response(node)).collect();
        inbox.finish(self.problems);
        Some(InboxStep { responses })
    }

    fn endpoint_response(&mut self, node: &Node) -> Option<EndpointResponse> {
        if matches!(node.kind, NodeKind::Map(_)) {
            let mut fields = Fields::from_node(node, "a response", self.problems)?;
            let status = fields.require("status", self.problems).and_then(|n| self.template(n));
            let delay = self.time(&mut fields, "delay").unwrap_or_default();
            fields.finish(self.problems);
            return Some(EndpointResponse { status: status?, delay });
        }
        Some(EndpointResponse { status: self.template(node)?, delay: Duration::ZERO })
    }

    fn violations(&mut self, fields: &mut Fields<'_>) -> Option<ViolationsStep> {
        let node = fields.require("violations", self.problems)?;
        let name = node.text().unwrap_or_default().to_owned();
        let operations = self.operations(node, &Template::text(name.clone()));
        let example = self.example(fields, &operations);
        let requests = self.field_names.of_requests(&operations);
        let with = self.values(fields, "with", Some(&requests));
        let without = self.removed(fields, &requests);
        let (only, except) = (fields.texts("only", self.problems), fields.texts("except", self.problems));
        Some(ViolationsStep { operation: name, example, with, without, only, except })
    }

    fn time(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Duration> {
        fields.optional(key).and_then(|node| duration(node, self.problems))
    }

    fn optional_template(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Template> {
        fields.optional(key).and_then(|node| self.template(node))
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

/// Every key of every mapping in a node.
fn collect_keys<'n>(node: &'n Node, keys: &mut Vec<&'n str>) {
    for entry in node.entries().unwrap_or_default() {
        keys.push(&entry.key);
        collect_keys(&entry.value, keys);
    }
    node.list().unwrap_or_default().iter().for_each(|item| collect_keys(item, keys));
}
