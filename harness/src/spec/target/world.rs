//! What carries out the actions of a target's world: an emulator, or a driver for each action.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

use super::base_url::url;
use crate::base::source::{Diagnostic, Fields, Node, Problems};
use crate::base::values::duration;
use crate::spec::contract::{Contracts, WorldAction};
use crate::spec::scenario::Template;

/// What carries out actions.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldKind {
    /// The emulator's control API at this base URL: every case gets a world of its own.
    Emulator(Url),
    /// One world for all cases, with drivers that the user provides.
    Drivers(Drivers),
}

/// The drivers of a target file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drivers {
    /// By action: `payer.pays`. An action without a driver skips the cases that need it.
    pub by_action: IndexMap<String, Driver>,
    /// The longest wait of a case in which only time has to pass.
    pub waits_up_to: Option<Duration>,
    /// How long the target may take to show what a driver did: a case goes on after that.
    pub shows_within: Option<Duration>,
}

/// What carries out one action.
#[derive(Clone, Debug, PartialEq)]
pub enum Driver {
    /// A program and its arguments. No shell is involved.
    Command(Vec<Template>),
    /// A request, for a target with an endpoint that simulates the payer.
    Http(Box<HttpDriver>),
    /// A person at the terminal.
    Ask,
}

/// A request that carries out an action.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpDriver {
    /// The method, POST unless stated.
    pub method: http::Method,
    /// An absolute URL.
    pub url: Template,
    /// User name and password of a Basic header.
    pub basic: Option<(Template, Template)>,
    /// Further headers.
    pub headers: Vec<(String, Template)>,
    /// The body.
    pub body: DriverBody,
    /// The expected fields of the response body, in addition to a status of 2xx.
    pub expect: Map<String, Value>,
}

/// The body of a driver's request.
#[derive(Clone, Debug, PartialEq)]
pub enum DriverBody {
    /// None.
    Empty,
    /// JSON.
    Json(Template),
    /// A form.
    Form(Vec<(String, Template)>),
}

/// The names that a driver's templates know besides the parameters of the action: base URLs by API, the credentials, the known
/// fields of the resource that the action is about, and all parameters of the action.
pub const DRIVER_NAMES: [&str; 4] = ["base", "credentials", ALL_PARAMETERS, KNOWN_FIELDS];

/// The name under which a template finds all parameters of the action.
pub const ALL_PARAMETERS: &str = "parameters";

/// The name under which a template finds what is known of the resource that the action is about.
pub const KNOWN_FIELDS: &str = "payment";

impl WorldKind {
    /// A world in which no action can be carried out.
    pub fn without_actions() -> Self {
        Self::Drivers(Drivers::default())
    }
}

impl Driver {
    /// Whether a parameter of the action reaches its driver. A person is shown all of them.
    pub fn passes_on(&self, parameter: &str) -> bool {
        let names = |template: &&Template| template.names().iter().any(|name| name == parameter || name == ALL_PARAMETERS);
        matches!(self, Self::Ask) || self.templates().iter().any(names)
    }

    fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Command(words) => words.iter().collect(),
            Self::Http(http) => http.templates(),
            Self::Ask => Vec::new(),
        }
    }
}

impl HttpDriver {
    fn templates(&self) -> Vec<&Template> {
        let body: Vec<&Template> = match &self.body {
            DriverBody::Empty => Vec::new(),
            DriverBody::Json(body) => vec![body],
            DriverBody::Form(fields) => fields.iter().map(|(_, value)| value).collect(),
        };
        let basic = self.basic.iter().flat_map(|(user, password)| [user, password]);
        [&self.url].into_iter().chain(basic).chain(self.headers.iter().map(|(_, value)| value)).chain(body).collect()
    }
}

/// Reads `world:`.
pub(super) fn read(node: Option<&Node>, contracts: &Contracts, problems: &mut Problems) -> WorldKind {
    let Some(mut fields) = node.and_then(|node| Fields::from_node(node, "world", problems)) else { return WorldKind::without_actions() };
    let emulator = fields.optional("emulator");
    let mut reader = Reader { contracts, drivers: Drivers::default(), first: None };
    for entry in fields.map("commands", problems) {
        reader.add(&entry.key, entry.key_span, &entry.value, command, problems);
    }
    for entry in fields.map("http", problems) {
        reader.add(&entry.key, entry.key_span, &entry.value, http_driver, problems);
    }
    if let Some(asked) = fields.optional("ask") {
        match asked.list() {
            Some(actions) => {
                for action in actions {
                    reader.add(action.text().unwrap_or_default(), action.span, action, |_, _| Some(Driver::Ask), problems);
                }
            }
            None => problems.add(Diagnostic::at(asked, "a list of actions that a person is asked for").help("for example [payer.pays]")),
        }
    }
    reader.drivers.waits_up_to = reader.time(fields.optional("waits-up-to"), problems);
    reader.drivers.shows_within = reader.time(fields.optional("shows-within"), problems);
    fields.finish(problems);
    let Some(emulator) = emulator else { return WorldKind::Drivers(reader.drivers) };
    if let Some(mixed) = reader.first {
        problems.add(mixed);
    }
    url(emulator, problems).map_or_else(WorldKind::without_actions, WorldKind::Emulator)
}

const EMULATOR_MOVES: &str = "`emulator` carries out every action already, in a world of each case's own; leave one of the two out";

/// Collects the drivers, and the mistakes in them.
struct Reader<'c> {
    contracts: &'c Contracts,
    drivers: Drivers,
    /// The mistake to report if an emulator is stated besides drivers.
    first: Option<Diagnostic>,
}

impl Reader<'_> {
    /// A time that only drivers need.
    fn time(&mut self, node: Option<&Node>, problems: &mut Problems) -> Option<Duration> {
        let node = node?;
        self.first.get_or_insert_with(|| Diagnostic::at(node, EMULATOR_MOVES));
        duration(node, problems)
    }

    fn add(
        &mut self,
        name: &str,
        span: crate::base::source::Span,
        node: &Node,
        read: impl Fn(&Node, &mut Problems) -> Option<Driver>,
        problems: &mut Problems,
    ) {
        self.first.get_or_insert_with(|| Diagnostic::new(&node.source, span, EMULATOR_MOVES.to_owned()));
        let Some(action) = self.contracts.actions.get(name) else {
            let problem = Diagnostic::new(&node.source, span, format!("there is no world action `{name}`"));
            return problems.add(problem.names(name, self.contracts.actions.keys().map(String::as_str)));
        };
        let Some(driver) = read(node, problems) else { return };
        check_names(&driver, action, node, problems);
        check_url(&driver, action, node, problems);
        if self.drivers.by_action.insert(name.to_owned(), driver).is_some() {
            problems.add(Diagnostic::new(&node.source, span, format!("`{name}` has two drivers; leave one of them out")));
        }
    }
}

/// Checks that every name in a template is known when the action is carried out.
fn check_names(driver: &Driver, action: &WorldAction, node: &Node, problems: &mut Problems) {
    if action.open {
        return;
    }
    let known: Vec<&str> = action.parameters.keys().map(String::as_str).chain(DRIVER_NAMES).collect();
    let unknown = driver.templates().into_iter().flat_map(Template::names).find(|name| !known.contains(&name.as_str()));
    if let Some(name) = unknown {
        let problem = Diagnostic::at(node, format!("`{}` has no parameter `{name}`", action.name));
        problems.add(problem.names(&name, known.iter().copied()));
    }
}

/// Checks that a URL holds no secret and is a URL whatever the parameters are.
fn check_url(driver: &Driver, action: &WorldAction, node: &Node, problems: &mut Problems) {
    let Driver::Http(http) = driver else { return };
    if http.url.names().contains("credentials") {
        return problems
            .add(Diagnostic::at(node, "credentials don't go into a URL, which is logged on its way; use `basic`, `form` or `json`"));
    }
    let placeholder = |name: &str| (name.to_owned(), Value::String("x".to_owned()));
    let mut variables: Map<String, Value> = action.parameters.keys().map(|name| placeholder(name)).collect();
    if http.url.names().iter().any(|name| name == "base" || name == KNOWN_FIELDS) {
        // The rest is known when the action is carried out.
        return;
    }
    variables.extend(http.url.names().iter().map(|name| placeholder(name)));
    let text = http.url.render(&variables).ok().and_then(|url| url.as_str().map(str::to_owned)).unwrap_or_default();
    if !Url::parse(&text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none())
    {
        let help = "for example https://shop.example/simulate, or \"{{ base.gateway }}/v2.0/simulation.json\"";
        problems.add(Diagnostic::at(node, format!("`{text}` is no URL of http:// or https:// without a user name")).help(help));
    }
}

fn template(node: &Node, problems: &mut Problems) -> Option<Template> {
    Template::parse(&node.to_json()).map_err(|error| problems.add(Diagnostic::at(node, error.to_string()))).ok()
}

fn command(node: &Node, problems: &mut Problems) -> Option<Driver> {
    let words: Option<&[Node]> = node.list().filter(|words| !words.is_empty() && words.iter().all(|word| word.text().is_some()));
    let Some(words) = words else {
        problems.add(Diagnostic::at(node, "a command is a list of words, the program first"));
        return None;
    };
    words.iter().map(|word| template(word, problems)).collect::<Option<_>>().map(Driver::Command)
}

fn http_driver(node: &Node, problems: &mut Problems) -> Option<Driver> {
    let mut fields = Fields::from_node(node, "a request that carries out an action", problems)?;
    let method = fields.optional("method").map_or(Some(http::Method::POST), |node| method(node, problems));
    let url = fields.require("url", problems).and_then(|node| template(node, problems));
    let basic = fields.optional("basic").and_then(|node| basic(node, problems));
    let headers = templates(&mut fields, "headers", problems);
    for entry in fields.map("headers", problems) {
        if http::HeaderName::try_from(entry.key.as_str()).is_err() {
            problems.add(Diagnostic::new(&entry.value.source, entry.key_span, format!("`{}` is no name of a header", entry.key)));
        }
    }
    let form = templates(&mut fields, "form", problems);
    let json = fields.optional("json");
    let expect = fields.optional("expect");
    fields.finish(problems);
    let body = match json {
        Some(json) if !form.is_empty() => {
            problems.add(Diagnostic::at(json, "a request has one body: `json` or `form`"));
            return None;
        }
        Some(json) => DriverBody::Json(template(json, problems)?),
        None if form.is_empty() => DriverBody::Empty,
        None => DriverBody::Form(form),
    };
    let expect = match expect.map(|node| (node, node.to_json())) {
        None => Map::new(),
        Some((_, Value::Object(expect))) => expect,
        Some((node, _)) => {
            problems.add(Diagnostic::at(node, "`expect` gives fields of the response their values, such as { code: 0 }"));
            return None;
        }
    };
    Some(Driver::Http(Box::new(HttpDriver { method: method?, url: url?, basic, headers, body, expect })))
}

fn method(node: &Node, problems: &mut Problems) -> Option<http::Method> {
    let method = node.text().filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase()));
    let method = method.and_then(|text| http::Method::from_bytes(text.as_bytes()).ok());
    if method.is_none() {
        problems.add(Diagnostic::at(node, "this is no method of HTTP").help("for example POST"));
    }
    method
}

fn basic(node: &Node, problems: &mut Problems) -> Option<(Template, Template)> {
    let mut fields = Fields::from_node(node, "the credentials of a Basic header", problems)?;
    let user = fields.require("user", problems).and_then(|node| template(node, problems));
    let password = fields.require("password", problems).and_then(|node| template(node, problems));
    fields.finish(problems);
    Some((user?, password?))
}

fn templates(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Vec<(String, Template)> {
    let entries = fields.map(key, problems);
    entries.iter().filter_map(|entry| Some((entry.key.clone(), template(&entry.value, problems)?))).collect()
}
