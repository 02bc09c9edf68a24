//! What a step expects and no documented message can have: a misspelt state, a number in place of a text, a code that is not listed.
//!
//! Matchers and templates are left alone, and so is every step that expects what is not documented.

use serde_json::Value;

use crate::base::pointer;
use crate::base::source::{Diagnostic, Entry, Fields, Node, NodeKind, Problems, nearest};
use crate::base::text::list_first;
use crate::spec::contract::{Content, Contracts, Exclusion, Operation, Wanted};
use crate::spec::scenario::template::has_template;
use crate::wire::exchange::Coding;
use crate::wire::expression::text_of;

/// The keys of a step that expects what is not documented, or says itself what is.
const BEYOND_THE_CONTRACT: [&str; 4] = ["assumed", "documented", "at", "method"];

/// The most values that a message lists: beside a near one, and where none is near.
const LISTED_BESIDE_A_NEAR_ONE: usize = 6;
const LISTED: usize = 24;

/// A message as the documents describe it, of which a step expects something.
pub(super) struct ExpectedMessage<'c> {
    /// `gateway.v2.status`.
    name: &'c str,
    /// Its bodies, one of which it has.
    contents: Vec<&'c Content>,
    /// The operation whose codes it may have.
    operation: Option<&'c Operation>,
}

impl<'c> ExpectedMessage<'c> {
    /// The responses to a call; none if the step expects what is not documented.
    pub(super) fn responses(step: &Fields<'_>, operations: &[&'c Operation]) -> Vec<Self> {
        if is_beyond_the_contract(step) {
            return Vec::new();
        }
        operations.iter().copied().map(|operation| Self::response(step, operation)).collect()
    }

    /// A notification of any kind; none if the step expects what is not documented.
    pub(super) fn notifications(step: &Fields<'_>, contracts: &'c Contracts) -> Vec<Self> {
        if is_beyond_the_contract(step) {
            return Vec::new();
        }
        let contents = contracts.notifications.values().filter_map(|notification| notification.request.as_ref()).collect();
        vec![Self { name: "a notification", contents, operation: None }]
    }

    fn response(step: &Fields<'_>, operation: &'c Operation) -> Self {
        let errors: &'c [Content] = if is_2xx(step, operation) { &[] } else { &operation.error_response };
        let contents = operation.response.iter().chain(&operation.unavailable).chain(errors);
        // A page for people has no fields.
        Self { name: &operation.id, contents: contents.filter(|content| !is_page(content)).collect(), operation: Some(operation) }
    }

    /// The mistake in what is expected at a JSON Pointer, if it is never there. Parts of a list or a mapping are not looked at.
    fn mistake(&self, pointer: &str, expected: &Node) -> Option<Diagnostic> {
        let value = expected.to_json();
        let wanted = wanted(expected, &value)?;
        let place = self.place(pointer);
        Some(match self.exclusion(pointer, wanted)? {
            Exclusion::Others { values, types } => {
                // Among texts none needs its quotes.
                let is_bare = types.is_empty() && wanted.is_text() && values.iter().all(Value::is_string);
                let names: Vec<String> = values.iter().map(|value| spelled(value, is_bare)).collect();
                let near = self.other_spelling(pointer, wanted).or_else(|| near(wanted, &names));
                let most = if near.is_some() { LISTED_BESIDE_A_NEAR_ONE } else { LISTED };
                let message = format!("{place} is never {}: {}", shown(wanted, is_bare), instead(&names, &types, most));
                let problem = Diagnostic::at(expected, message);
                match near {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem,
                }
            }
            Exclusion::NoField { name, known } => {
                Diagnostic::at(expected, format!("{place} is never there")).names(&name, known.iter().map(String::as_str))
            }
            Exclusion::NotHeld { types } => {
                Diagnostic::at(expected, format!("{place} is never there: {} has no fields", types.join(" or ")))
            }
        })
    }

    /// Why no documented message has this at a JSON Pointer, if none has.
    fn exclusion(&self, pointer: &str, wanted: Wanted<'_>) -> Option<Exclusion> {
        let of_content = |content: &&Content| match &content.assumed {
            Some(_) => None,
            None => content.schema.exclusion(pointer, wanted),
        };
        Exclusion::by_all(self.contents.iter().map(of_content)).or_else(|| self.unlisted_code(pointer, wanted))
    }

    /// The codes of the operation, if what is expected is none of them.
    fn unlisted_code(&self, pointer: &str, wanted: Wanted<'_>) -> Option<Exclusion> {
        let (operation, Wanted::Scalar(value)) = (self.operation?, wanted) else { return None };
        let is_code = operation.success.field().is_some_and(|field| pointer::is_field(pointer, field));
        let is_complete = operation.other_code.is_some() && operation.codes_assumed.is_none();
        let code = text_of(value).filter(|_| is_code && is_complete)?;
        let is_success = operation.success.value().is_some_and(|success| success.to_string() == code);
        if is_success || operation.codes.contains_key(&code) {
            return None;
        }
        let values = operation.codes.keys().map(|code| operation.success.code_value(code)).collect();
        Some(Exclusion::Others { values, types: Vec::new() })
    }

    /// The value as a text or without its quotes, if the message may have that.
    fn other_spelling(&self, pointer: &str, wanted: Wanted<'_>) -> Option<String> {
        let Wanted::Scalar(value) = wanted else { return None };
        let other = match value {
            Value::Bool(_) | Value::Number(_) => Value::String(value.to_string()),
            Value::String(text) => serde_json::from_str::<Value>(text).ok().filter(|read| read.is_number() || read.is_boolean())?,
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        self.exclusion(pointer, Wanted::Scalar(&other)).is_none().then(|| other.to_string())
    }

    /// A place in the message, in a sentence.
    fn place(&self, pointer: &str) -> String {
        match pointer.strip_prefix('/') {
            None => format!("the body of {}", self.name),
            Some(field) if !field.contains('/') => format!("`{}` of {}", pointer::unescaped(field), self.name),
            Some(_) => format!("`{pointer}` of {}", self.name),
        }
    }
}

/// Reports what can never hold of what a step expects at a JSON Pointer and below it. If a step calls several operations, each case
/// calls one of them, so that each has to allow it.
pub(super) fn report(messages: &[ExpectedMessage<'_>], pointer: &str, expected: &Node, problems: &mut Problems) {
    if let Some(mistake) = messages.iter().find_map(|message| message.mistake(pointer, expected)) {
        problems.add(mistake);
        return;
    }
    match &expected.kind {
        NodeKind::Map(entries) if !is_matcher(entries) => {
            for entry in entries {
                report(messages, &pointer::field(pointer, &entry.key), &entry.value, problems);
            }
        }
        NodeKind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                report(messages, &pointer::item(pointer, index), item, problems);
            }
        }
        NodeKind::Map(_) | NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => {}
    }
}

fn is_beyond_the_contract(step: &Fields<'_>) -> bool {
    BEYOND_THE_CONTRACT.iter().any(|key| step.peek(key).is_some())
}

/// Whether the step expects an HTTP status of success, so that the response is none of those of an error.
fn is_2xx(step: &Fields<'_>, operation: &Operation) -> bool {
    match step.peek("http").and_then(|http| http.get("status")).map(|status| &status.kind) {
        Some(NodeKind::Number(status)) => status.as_u64().is_some_and(|status| (200..300).contains(&status)),
        Some(NodeKind::Map(entries)) => entries.iter().any(|entry| entry.key == "$success"),
        Some(NodeKind::Null | NodeKind::Bool(_) | NodeKind::Text(_) | NodeKind::List(_)) => false,
        // The status that a code goes with is not always documented.
        None if operation.success.value().is_some() => false,
        None => operation.success.field().is_none_or(|field| step.peek("expect").is_none_or(|expected| expected.get(field).is_none())),
    }
}

fn is_page(content: &Content) -> bool {
    content.coding == Coding::Other && content.format.is_none() && !content.is_any()
}

/// What has to be at the place of a node; none if that can't be said before the step runs.
fn wanted<'v>(node: &Node, value: &'v Value) -> Option<Wanted<'v>> {
    match &node.kind {
        NodeKind::Map(entries) => mapping(entries),
        NodeKind::List(_) => Some(Wanted::List),
        NodeKind::Text(text) if has_template(text) => None,
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => Some(Wanted::Scalar(value)),
    }
}

/// What has to be where some fields are expected. Items of a list are expected by their numbers.
fn mapping(entries: &[Entry]) -> Option<Wanted<'static>> {
    let mut names = entries.iter().filter(|entry| !is_matcher(entries) && must_be_there(&entry.value)).map(|entry| &entry.key).peekable();
    names.peek()?;
    Some(if names.all(|name| pointer::is_index(name)) { Wanted::MappingOrList } else { Wanted::Mapping })
}

/// Whether what a node expects needs a value to be there: a matcher may hold without one.
fn must_be_there(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Map(entries) => mapping(entries).is_some(),
        NodeKind::List(_) | NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => true,
    }
}

fn is_matcher(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.key.starts_with('$'))
}

/// What is expected, in a message.
fn shown(wanted: Wanted<'_>, is_bare: bool) -> String {
    match wanted {
        Wanted::Scalar(value) => format!("`{}`", spelled(value, is_bare)),
        Wanted::List => "a list".to_owned(),
        Wanted::Mapping | Wanted::MappingOrList => "a mapping".to_owned(),
    }
}

/// A value as JSON, or a text without its quotes.
fn spelled(value: &Value, is_bare: bool) -> String {
    value.as_str().filter(|_| is_bare).map_or_else(|| value.to_string(), str::to_owned)
}

/// The name that is most similar to what is expected, if one is.
fn near(wanted: Wanted<'_>, names: &[String]) -> Option<String> {
    let Wanted::Scalar(Value::String(text)) = wanted else { return None };
    nearest(text, names.iter().map(String::as_str)).map(str::to_owned)
}

/// What is there instead.
fn instead(names: &[String], types: &[&str], most: usize) -> String {
    let one_of = match names {
        [] => None,
        [only] if types.is_empty() => Some(format!("it is always {only}")),
        _ => Some(format!("one of {}", list_first(names, most))),
    };
    let of_a_type = (!types.is_empty()).then(|| format!("it is {}", types.join(" or ")));
    one_of.into_iter().chain(of_a_type).collect::<Vec<_>>().join(", or ")
}

#[cfg(test)]
mod tests {
    use crate::base::source::Source;
    use crate::spec::contract::{Contracts, Files};
    use crate::spec::scenario::parse;

    const CLAUSES: &str = "document: shop\nclauses:\n  shop.call: { section: s, line: 1, says: x }\n";

    const CODES: &str = "
openapi: 3.1.0
x-code-field: code
x-success: 0
paths:
  /order:
    get:
      operationId: shop.order
      x-clause: shop.call
      x-codes: { '0': { means: OK, clause: shop.call }, '9': { means: sold out, clause: shop.call } }
      x-other-code: shop.call
      responses:
        2XX:
          content:
            application/json:
              schema:
                type: object
                properties:
                  code: { type: integer }
                  state: { type: string, enum: [OPEN, SENT, GONE] }
                  kind: { const: order }
                  price: { type: string }
                  open: { type: string, x-free: not shown }
                  note: { anyOf: [{ enum: [A] }, { type: 'null' }] }
                  payer: { type: object, properties: { name: { type: string }, phone: {} }, additionalProperties: false }
                  rows: { type: array, items: { type: object, properties: { size: { type: integer } } } }
            text/html: { description: a page }
  /either:
    get:
      operationId: shop.either
      x-clause: shop.call
      x-codes: { '0': { means: OK, clause: shop.call } }
      responses:
        2XX: { content: { application/json: { schema: { properties: { state: { enum: [OPEN] }, size: { type: integer } } } } } }
        default: { content: { application/json: { schema: { properties: { state: { enum: [LOST] } } } } } }
  /assumed:
    get:
      operationId: shop.assumed
      x-clause: shop.call
      x-codes-assumed: The codes are not shown.
      x-codes: { '0': { means: OK, clause: shop.call } }
      x-other-code: shop.call
      responses:
        2XX: { content: { application/json: { schema: { properties: { code: {}, state: { x-assumed: not shown, enum: [OPEN] } } } } } }
webhooks:
  push:
    post:
      operationId: shop.push
      x-clause: shop.call
      x-created-by: [shop.order]
      x-acknowledged-by: [200]
      x-format-clause: shop.call
      x-unknown: shop.call
      requestBody: { content: { application/json: { schema: { properties: { state: { enum: [SENT, GONE] } } } } } }
";

    const STATUS: &str = "
openapi: 3.1.0
paths:
  /record:
    get:
      operationId: shop.record
      x-clause: shop.call
      responses:
        2XX: { content: { application/json: { schema: { properties: { state: { enum: [OPEN] } } } } } }
        default: { content: { application/json: { schema: { properties: { message: { type: string } } } } } }
";

    /// What is wrong with the steps of a script.
    fn mistakes(steps: &str) -> Vec<String> {
        let files = [("clauses/shop.yaml", CLAUSES), ("shop.openapi.yaml", CODES), ("status.openapi.yaml", STATUS)];
        let contracts = Contracts::read(&Files::from_texts(files)).unwrap_or_else(|problems| panic!("{problems}"));
        let source = Source::new("s.yaml", format!("title: T\n{steps}"));
        match parse("shop/s.yaml", &source, &contracts) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
        }
    }

    /// What is wrong with a call of an operation.
    fn mistakes_of(operation: &str, keys: &str) -> Vec<String> {
        mistakes(&format!("steps:\n  - call: {operation}\n    {keys}\n"))
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let mistake = "s.yaml:4:22: `state` of shop.order is never `OPNE`: one of OPEN, SENT, GONE (did you mean `OPEN`?)";
        assert_eq!(mistakes_of("shop.order", "expect: { state: OPNE }"), [mistake]);
    }

    #[test]
    fn every_reason_is_a_sentence() {
        for (expected, mistake) in [
            ("{ state: WHAT }", "`state` of shop.order is never `WHAT`: one of OPEN, SENT, GONE"),
            ("{ kind: odrer }", "`kind` of shop.order is never `odrer`: it is always order (did you mean `order`?)"),
            ("{ note: B }", "`note` of shop.order is never `\"B\"`: one of \"A\", or it is null"),
            ("{ code: x }", "`code` of shop.order is never `\"x\"`: it is a whole number"),
            ("{ code: '9' }", "`code` of shop.order is never `\"9\"`: it is a whole number (did you mean `9`?)"),
            ("{ code: 4711 }", "`code` of shop.order is never `4711`: one of 0, 9"),
            ("{ price: 100 }", "`price` of shop.order is never `100`: it is a text (did you mean `\"100\"`?)"),
            ("{ price: ~ }", "`price` of shop.order is never `null`: it is a text"),
            ("{ price: [] }", "`price` of shop.order is never a list: it is a text"),
            ("{ price: { low: 1, high: 2 } }", "`price` of shop.order is never a mapping: it is a text"),
            ("{ /price/low: 1 }", "`/price/low` of shop.order is never there: a text has no fields"),
            ("{ payer: { nam: Jan } }", "`/payer/nam` of shop.order is never there (did you mean `name`?)"),
            ("{ payer: { name: 1, phone: 2 } }", "`/payer/name` of shop.order is never `1`: it is a text (did you mean `\"1\"`?)"),
            ("{ rows: [{ size: 1 }, { size: big }] }", "`/rows/1/size` of shop.order is never `\"big\"`: it is a whole number"),
            ("{ /rows/0/size: true }", "`/rows/0/size` of shop.order is never `true`: it is a whole number"),
            ("[1]", "the body of shop.order is never a list: it is an object"),
        ] {
            let found = mistakes_of("shop.order", &format!("expect: {expected}"));
            assert!(matches!(found.as_slice(), [only] if only.ends_with(&format!(": {mistake}"))), "{expected}: {found:#?}");
        }
    }

    #[test]
    fn what_may_hold_is_no_mistake() {
        for expected in [
            "{ code: 0, state: SENT, kind: order, price: '100', note: ~, payer: { name: Jan, phone: 1 }, rows: [{ size: 1, more: 2 }] }",
            "{ rows: { 0: { size: 1 } }, /rows/1/size: 2 }",
            "{ open: 1 }",
            "{ price: {}, state: { $not: WHAT }, kind: { $one-of: [a, b] }, code: { $pattern: x }, payer: { nam: { $absent: true } } }",
            "{ price: { low: { $absent: true } }, state: '{{ reference }}', code: '{{ 4711 }}', rows: [{ $any: true }] }",
            "{ $contains: 1 }",
        ] {
            assert_eq!(mistakes_of("shop.order", &format!("expect: {expected}")), Vec::<String>::new(), "{expected}");
        }
        assert_eq!(mistakes_of("shop.assumed", "expect: { code: 4711, state: WHAT }"), Vec::<String>::new());
    }

    #[test]
    fn a_step_that_expects_what_is_not_documented_is_left_alone() {
        for key in ["assumed: The document shows no other state.", "documented: true", "at: 'http://shop.invalid/'", "method: POST"] {
            assert_eq!(mistakes_of("shop.order", &format!("{key}\n    expect: {{ state: WHAT }}")), Vec::<String>::new(), "{key}");
        }
    }

    #[test]
    fn an_unknown_name_is_reported_once() {
        let found = mistakes_of("shop.order", "expect: { stat: { a: 1 }, stated: WHAT }");
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found.iter().all(|mistake| mistake.contains("the response has no documented field")), "{found:#?}");
    }

    #[test]
    fn every_documented_response_counts_unless_success_is_expected() {
        let either = mistakes_of("shop.either", "expect: { state: WHAT, size: big }");
        assert_eq!(either, ["s.yaml:4:22: `state` of shop.either is never `WHAT`: one of OPEN, LOST"]);
        let is_mistake = |keys: &str| !mistakes_of("shop.record", &format!("{keys}\n    expect: {{ state: WHAT }}")).is_empty();
        for success in ["without: []", "http: { status: 201 }", "http: { status: { $success: true } }"] {
            assert!(is_mistake(success), "{success}");
        }
        for other in ["http: { status: 404 }", "http: { status: { $refusal: true } }", "http: { status: '{{ 200 }}' }"] {
            assert!(!is_mistake(other), "{other}");
        }
    }

    #[test]
    fn each_operation_of_a_table_and_every_expectation_is_looked_at() {
        let table = "cases: [{ name: a, call: shop.assumed }, { name: b, call: shop.order }]\nsteps:\n  - call: '{{ call }}'\n    until: ";
        assert_eq!(mistakes(&format!("{table}{{ state: SENT }}\n")), Vec::<String>::new());
        let found = mistakes(&format!("{table}{{ state: WHAT }}\n"));
        assert_eq!(found, ["s.yaml:5:21: `state` of shop.order is never `WHAT`: one of OPEN, SENT, GONE"]);
        let found = mistakes("steps:\n  - notification: { state: OPEN }\n");
        assert_eq!(found, ["s.yaml:3:28: `state` of a notification is never `OPEN`: one of SENT, GONE"]);
        assert_eq!(mistakes("steps:\n  - no-notification: { state: OPEN }\n"), Vec::<String>::new());
    }
}
