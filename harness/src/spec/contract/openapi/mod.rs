//! A thin, strict reader of our OpenAPI 3.1 files that keeps source positions. It reads what the engine needs; an independent
//! library checks in the tests that the files are valid OpenAPI.

mod keywords;

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::allowance::Allowance;
use super::expand::Expansion;
use super::fact_rule::FactRule;
use super::id::api_of;
use super::list_rules::ListsByItem;
use super::open_value::OpenValue;
use super::operation::{Authorization, Code, Content, Credentials, NotificationRules, Operation, PathTemplate, Token};
use super::parsed_files::ParsedFiles;
use super::schema::Schema;
use super::success::Success;
use super::when::When;
use crate::base::source::{Diagnostic, Entry, Fields, Node, Problems};
use crate::wire::exchange::{Coding, MAX_BODY_BYTES};
use crate::wire::expression::text_of;
use crate::wire::format::FileFormat;

/// What one OpenAPI file holds.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// Whether a merchant has one device that every caller of the API changes.
    pub(super) one_at_a_time: bool,
    pub(super) operations: Vec<Operation>,
    pub(super) notifications: Vec<Operation>,
}

/// Named examples of a request.
type Examples = IndexMap<String, Map<String, Value>>;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];

/// Reads one file; `path` is its path within the contracts.
pub(super) fn read(files: &ParsedFiles<'_>, path: &str, root: &Node, problems: &mut Problems) -> Description {
    let mut description = Description::default();
    let Some(mut file) = Fields::from_node(root, "an OpenAPI file", problems) else { return description };
    for key in ["openapi", "info", "jsonSchemaDialect", "servers", "tags", "externalDocs"] {
        let _ = file.optional(key);
    }
    let success = success(&mut file, problems);
    description.one_at_a_time = file.flag("x-one-at-a-time", problems);
    let limited = file.text("x-limited", problems);
    let allowances = allowances(&mut file, problems);
    let security = file.optional("security").map(Node::to_json);
    let schemes = file.optional("components").map_or_else(IndexMap::new, |node| schemes(node, problems));
    let mut reader = Reader { files, path, schemes, security, success, limited, allowances, problems };
    for item in file.map("paths", reader.problems) {
        description.operations.extend(reader.path_item(item));
    }
    for item in file.map("webhooks", reader.problems) {
        let mut operations = reader.path_item(item);
        operations.iter_mut().for_each(|operation| operation.path = PathTemplate::default());
        description.notifications.append(&mut operations);
    }
    file.finish(problems);
    description
}

/// What the documents leave open to the target.
fn allowances(fields: &mut Fields<'_>, problems: &mut Problems) -> Vec<Allowance> {
    fields.list("x-free", problems).iter().filter_map(|node| Allowance::read(node, problems)).collect()
}

/// How the responses of the API show success.
fn success(file: &mut Fields<'_>, problems: &mut Problems) -> Success {
    let value = file.optional("x-success").and_then(|node| {
        let value = node.to_json().as_i64();
        if value.is_none() {
            problems.add(Diagnostic::at(node, "the code of success is an integer"));
        }
        value
    });
    match (file.text("x-code-field", problems), value) {
        (Some(field), Some(value)) => Success::Code { field, value },
        (Some(field), None) => Success::RefusalCode { field },
        (None, _) => Success::Status,
    }
}

/// Security schemes by name: the parts of a credential in a Basic header, or the source of the token in a Bearer header.
fn schemes(components: &Node, problems: &mut Problems) -> IndexMap<String, Authorization> {
    let Some(mut fields) = Fields::from_node(components, "components", problems) else { return IndexMap::new() };
    let mut schemes = IndexMap::new();
    for entry in fields.map("securitySchemes", problems) {
        let Some(mut scheme) = Fields::from_node(&entry.value, "a security scheme", problems) else { continue };
        for key in ["type", "scheme", "description", "bearerFormat"] {
            let _ = scheme.optional(key);
        }
        if let Some(mut parts) = scheme.optional("x-credentials").and_then(|node| Fields::from_node(node, "x-credentials", problems)) {
            let username = parts.require_text("username", problems).unwrap_or_default();
            let password = parts.require_text("password", problems).unwrap_or_default();
            parts.finish(problems);
            schemes.insert(entry.key.clone(), Authorization::Basic { username, password });
        }
        if let Some(mut token) = scheme.optional("x-token").and_then(|node| Fields::from_node(node, "x-token", problems)) {
            let operation = token.require_text("operation", problems).unwrap_or_default();
            let field = token.require_text("field", problems).unwrap_or_default();
            let expiry = token.text("expiry", problems);
            let lasting = token.flag("lasting", problems);
            token.finish(problems);
            schemes.insert(entry.key.clone(), Authorization::Bearer(Token { operation, field, expiry, lasting }));
        }
        scheme.finish(problems);
    }
    for key in ["schemas", "parameters", "responses", "headers", "examples"] {
        let _ = fields.optional(key);
    }
    fields.finish(problems);
    schemes
}

/// The documented parameters of an operation.
#[derive(Default)]
struct Parameters {
    examples: Map<String, Value>,
    query: Vec<String>,
}

/// The documented responses of an operation.
#[derive(Default)]
struct Responses {
    response: Vec<Content>,
    error_response: Vec<Content>,
    unavailable: Vec<Content>,
    redirect: Option<When>,
    empty: bool,
    no_content: bool,
}

/// What OpenAPI itself says of an operation: its form over HTTP.
struct HttpForm {
    id: String,
    method: String,
    template: PathTemplate,
    query: Vec<String>,
    request: Option<Content>,
    examples: Examples,
    credentials: Credentials,
    responses: Responses,
    codes: IndexMap<String, Code>,
    other_code: Option<String>,
}

struct Reader<'r> {
    files: &'r ParsedFiles<'r>,
    path: &'r str,
    schemes: IndexMap<String, Authorization>,
    security: Option<Value>,
    success: Success,
    /// The code of a refusal because of too many requests.
    limited: Option<String>,
    /// What the documents leave open in every response and notification of the API.
    allowances: Vec<Allowance>,
    problems: &'r mut Problems,
}

impl Reader<'_> {
    fn allowances(&mut self, fields: &mut Fields<'_>) -> Vec<Allowance> {
        let own = allowances(fields, self.problems);
        own.into_iter().chain(self.allowances.iter().cloned()).collect()
    }

    fn path_item(&mut self, item: &Entry) -> Vec<Operation> {
        let mut operations = Vec::new();
        let Some(mut fields) = Fields::from_node(&item.value, "a path", self.problems) else { return operations };
        for key in ["summary", "description", "servers"] {
            let _ = fields.optional(key);
        }
        let shared = fields.list("parameters", self.problems);
        for method in METHODS {
            if let Some(node) = fields.optional(method) {
                operations.extend(self.operation(&item.key, method, node, shared));
            }
        }
        fields.finish(self.problems);
        operations
    }

    fn operation(&mut self, path: &str, method: &str, node: &Node, shared: &[Node]) -> Option<Operation> {
        let mut fields = Fields::from_node(node, "an operation", self.problems)?;
        for key in ["description", "tags", "externalDocs", "deprecated"] {
            let _ = fields.optional(key);
        }
        let id = fields.require_text("operationId", self.problems)?;
        let parameters = [shared, fields.list("parameters", self.problems)].concat();
        let template = PathTemplate::new(path);
        let Parameters { examples: from_parameters, query } = self.parameters(&template, &parameters);
        let (request, mut examples) = self.request(&id, &mut fields);
        let credentials = self.credentials(&mut fields);
        add_parameters(&mut examples, &from_parameters, &credentials);
        let responses = self.responses(&mut fields);
        let (codes, other_code) = self.codes(&mut fields);
        let form = HttpForm {
            id,
            method: method.to_ascii_uppercase(),
            template,
            query,
            request,
            examples,
            credentials,
            responses,
            codes,
            other_code,
        };
        let operation = self.with_rules(form, &mut fields);
        fields.finish(self.problems);
        Some(operation)
    }

    /// Adds the rules of the `x-` keywords.
    fn with_rules(&mut self, form: HttpForm, fields: &mut Fields<'_>) -> Operation {
        let HttpForm { id, method, template, query, request, examples, credentials, responses, codes, other_code } = form;
        // A call without documented codes has none in its responses.
        let success = if codes.is_empty() && matches!(self.success, Success::Code { .. }) { Success::Status } else { self.success.clone() };
        Operation {
            api: api_of(&id).to_owned(),
            id,
            method,
            path: template,
            summary: fields.text("summary", self.problems).unwrap_or_default(),
            clause: fields.require_text("x-clause", self.problems).unwrap_or_default(),
            assumed: fields.text("x-assumed", self.problems),
            preflight: fields.flag("x-preflight", self.problems),
            credentials,
            query,
            success,
            request,
            examples,
            response: responses.response,
            error_response: responses.error_response,
            empty_response: responses.empty,
            unavailable: responses.unavailable,
            no_content: responses.no_content,
            redirect: responses.redirect,
            codes,
            codes_assumed: fields.text("x-codes-assumed", self.problems),
            other_code,
            creates: fields.optional("x-creates").and_then(|n| keywords::about(n, &[], self.problems)),
            acts_on: fields.optional("x-acts-on").and_then(|n| keywords::about(n, &[], self.problems)),
            shows: fields.optional("x-shows").and_then(|n| keywords::shows(n, self.problems)),
            pending: self.values(fields, "x-pending"),
            busy: fields.optional("x-busy").and_then(|n| text_of(&n.to_json())),
            limited: self.limited.clone(),
            echoes: fields.list("x-echoes", self.problems).iter().filter_map(|n| keywords::echo(n, self.problems)).collect(),
            allowances: self.allowances(fields),
            fact_rules: fields.list("x-facts", self.problems).iter().filter_map(|n| FactRule::read(n, self.problems)).collect(),
            refusal: fields.optional("x-refusal").and_then(|n| keywords::refusal(n, self.problems)),
            safe_when: self.values(fields, "x-safe-when"),
            open_values: fields.list("x-open-values", self.problems).iter().filter_map(|n| OpenValue::read(n, self.problems)).collect(),
            rejected: fields.text("x-rejected", self.problems),
            largest: fields.optional("x-largest").and_then(|n| keywords::size(n, self.problems)).unwrap_or(MAX_BODY_BYTES),
            notification: self.notification(fields),
        }
    }

    /// Values by the name of their field.
    fn values(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Map<String, Value> {
        fields.map(key, self.problems).iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect()
    }

    /// Checks that declared path parameters occur in the path.
    fn parameters(&mut self, template: &PathTemplate, parameters: &[Node]) -> Parameters {
        let mut found = Parameters::default();
        for node in parameters {
            let Some(mut fields) = Fields::from_node(node, "a parameter", self.problems) else { continue };
            let name = fields.require_text("name", self.problems).unwrap_or_default();
            let place = fields.require_text("in", self.problems).unwrap_or_default();
            for key in ["description", "required", "schema", "style", "x-clause", "x-clauses", "x-assumed"] {
                let _ = fields.optional(key);
            }
            if let Some(example) = fields.optional("example") {
                found.examples.insert(name.clone(), example.to_json());
            }
            fields.finish(self.problems);
            if place == "path" && !template.parameters().any(|p| p == name) {
                self.problems.add(Diagnostic::at(node, format!("the path has no parameter `{name}`")).names(&name, template.parameters()));
            }
            if place == "query" {
                found.query.push(name);
            }
        }
        found
    }

    fn request(&mut self, id: &str, fields: &mut Fields<'_>) -> (Option<Content>, Examples) {
        let none = (None, IndexMap::new());
        let Some(node) = fields.optional("requestBody") else { return none };
        let Some(mut body) = Fields::from_node(node, "a request body", self.problems) else { return none };
        let _ = (body.optional("required"), body.optional("description"));
        let contents = self.contents(&mut body);
        body.finish(self.problems);
        if contents.len() > 1 {
            self.problems.add(Diagnostic::at(node, format!("`{id}` has several media types; one is sent")));
        }
        contents.into_iter().next().map_or(none, |(content, examples)| (Some(content), examples))
    }

    fn responses(&mut self, fields: &mut Fields<'_>) -> Responses {
        let mut found = Responses::default();
        let Some(node) = fields.optional("responses") else { return found };
        let Some(mut responses) = Fields::from_node(node, "responses", self.problems) else { return found };
        if let Some(mut redirect) = responses.optional("3XX").and_then(|n| Fields::from_node(n, "a redirect", self.problems)) {
            let _ = (redirect.optional("description"), redirect.optional("headers"));
            found.redirect = Some(When::read(&mut redirect, "x-when", self.problems));
            redirect.finish(self.problems);
        }
        if let Some(mut empty) = responses.optional("204").and_then(|n| Fields::from_node(n, "a response without content", self.problems)) {
            let _ = empty.optional("description");
            found.no_content = true;
            empty.finish(self.problems);
        }
        for key in ["2XX", "503", "default"] {
            let Some(mut response) = responses.optional(key).and_then(|n| Fields::from_node(n, "a response", self.problems)) else {
                continue;
            };
            let _ = (response.optional("description"), response.optional("headers"));
            found.empty |= key == "2XX" && response.peek("content").is_none();
            let contents = self.contents(&mut response).into_iter().map(|(content, _)| content);
            match key {
                "2XX" => found.response.extend(contents),
                "503" => found.unavailable.extend(contents),
                _ => found.error_response.extend(contents),
            }
            response.finish(self.problems);
        }
        responses.finish(self.problems);
        found
    }

    fn contents(&mut self, body: &mut Fields<'_>) -> Vec<(Content, Examples)> {
        let mut contents = Vec::new();
        for entry in body.map("content", self.problems) {
            let Some(mut media) = Fields::from_node(&entry.value, "a media type", self.problems) else { continue };
            let coding = Coding::from_media_type(&entry.key);
            let format = media.optional("x-format").and_then(|node| self.format(node));
            let assumed = media.text("x-assumed", self.problems);
            let _ = media.optional("description");
            let schema = match media.optional("schema") {
                Some(node) => self.schema(node),
                // A page for people has no schema.
                None if coding == Coding::Other => Schema::compile(entry.key.clone(), Value::Bool(true), Vec::new()).ok(),
                None => {
                    self.problems.add(Diagnostic::at(&entry.value, "a form or JSON body needs a `schema`"));
                    None
                }
            };
            let when = When::read(&mut media, "x-when", self.problems);
            let examples = media.map("examples", self.problems).iter();
            let examples = examples.filter_map(|e| Some((e.key.clone(), e.value.get("value")?.to_json().as_object()?.clone()))).collect();
            media.finish(self.problems);
            if let Some(schema) = schema {
                let lists = Arc::new(ListsByItem::new(Arc::clone(&schema)));
                contents.push((Content { media_type: entry.key.clone(), coding, format, schema, lists, when, assumed }, examples));
            }
        }
        contents
    }

    fn format(&mut self, node: &Node) -> Option<FileFormat> {
        FileFormat::parse(&node.to_json()).map_err(|error| self.problems.add(Diagnostic::at(node, error.to_string()))).ok()
    }

    fn schema(&mut self, node: &Node) -> Option<Arc<Schema>> {
        let (expanded, origins) = Expansion::expand(self.files, self.path, node, self.problems);
        let name = origins
            .iter()
            .find(|(at, _)| at.is_empty())
            .map_or_else(|| format!("{}:{}", self.path, node.span.line), |(_, origin)| origin.trim_end_matches('#').to_owned());
        match Schema::compile(name, expanded, origins) {
            Ok(schema) => Some(schema),
            Err(error) => {
                self.problems.add(Diagnostic::at(node, format!("this schema can't be compiled: {error}")));
                None
            }
        }
    }

    fn credentials(&mut self, fields: &mut Fields<'_>) -> Credentials {
        let own = fields.optional("security").map(Node::to_json);
        let parts = fields.map("x-credentials", self.problems).iter();
        let parts: IndexMap<_, _> = parts.filter_map(|e| Some((e.key.clone(), e.value.text()?.to_owned()))).collect();
        // Credentials in fields replace the API's header, unless the call asks for both.
        let security = if parts.is_empty() { own.or_else(|| self.security.clone()) } else { own };
        let wanted = security.as_ref().and_then(Value::as_array).and_then(|list| list.first()?.as_object()?.keys().next().cloned());
        let header = wanted.and_then(|name| self.schemes.get(&name).cloned()).unwrap_or_default();
        Credentials { fields: parts, header }
    }

    fn codes(&mut self, fields: &mut Fields<'_>) -> (IndexMap<String, Code>, Option<String>) {
        let mut codes = IndexMap::new();
        for entry in fields.map("x-codes", self.problems) {
            let Some(mut code) = Fields::from_node(&entry.value, "a code", self.problems) else { continue };
            let means = code.require_text("means", self.problems).unwrap_or_default();
            let clause = code.require_text("clause", self.problems).unwrap_or_default();
            code.finish(self.problems);
            codes.insert(entry.key.clone(), Code { means, clause });
        }
        (codes, fields.text("x-other-code", self.problems))
    }

    fn notification(&mut self, fields: &mut Fields<'_>) -> Option<NotificationRules> {
        let created_by = fields.texts("x-created-by", self.problems);
        let acknowledged = fields.list("x-acknowledged-by", self.problems);
        let mut clause =
            |key| if created_by.is_empty() { fields.text(key, self.problems) } else { fields.require_text(key, self.problems) };
        let (format_clause, unknown) = (clause("x-format-clause"), clause("x-unknown"));
        let missing = fields.text("x-missing", self.problems);
        let not_in_query = fields.text("x-not-in-query", self.problems);
        let agrees_with = fields.optional("x-agrees-with").and_then(|node| keywords::agreement(node, self.problems));
        let merchant = fields.optional("x-merchant").and_then(|node| keywords::merchant(node, self.problems));
        if created_by.is_empty() {
            return None;
        }
        let status = |node: &Node| node.to_json().as_u64().and_then(|n| u16::try_from(n).ok());
        Some(NotificationRules {
            created_by,
            acknowledged_by: acknowledged.iter().filter_map(status).collect(),
            format_clause: format_clause?,
            unknown: unknown?,
            missing,
            not_in_query,
            agrees_with,
            merchant,
        })
    }
}

/// Completes the examples of a request with those of its parameters. Credentials are left out: another target has another merchant.
fn add_parameters(examples: &mut Examples, parameters: &Map<String, Value>, credentials: &Credentials) {
    if examples.is_empty() {
        examples.insert("default".to_owned(), Map::new());
    }
    for example in examples.values_mut() {
        for (name, value) in parameters.iter().filter(|(name, _)| !credentials.fields.contains_key(*name)) {
            example.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}
