//! Violations generated from a request schema: both sides of each documented bound, the absence of each required field, and a
//! violating value for each type, enumeration, pattern and length.
//!
//! Every candidate is validated against the schema itself: one to be accepted must conform, one to be refused must not, and one
//! that equals a valid request on the wire is dropped.

use serde_json::{Map, Value, json};

use super::operation::{Content, Operation};
use super::schema::Schema;
use super::schema_walk::{self, Applies, Part};
use super::success::code_texts;
use crate::wire::exchange::Coding;
use crate::wire::expression::text_of;

/// One request that differs from a valid one in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The change of the request: `price: above its maximum 100000000 (EUR)`. Unique per operation.
    pub name: String,
    /// The field it is about.
    pub field: String,
    /// The clause it probes.
    pub clause: Option<String>,
    /// The named example it starts from; none = the first one.
    pub example: Option<String>,
    /// Values laid over the example.
    pub set: Map<String, Value>,
    /// Fields removed.
    pub remove: Vec<String>,
    /// The expected outcome.
    pub expected: Expected,
    /// Why the documents leave the outcome open, if they do.
    pub assumed: Option<String>,
}

/// The expected outcome of a generated request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is at the bound or otherwise documented as valid: success.
    Accepted,
    /// One of these codes; if empty, any documented code but success.
    Refused(Vec<String>),
}

/// All violations of an operation's request, in the order of the schema.
pub fn violations(operation: &Operation) -> Vec<Violation> {
    let Some(content) = &operation.request else { return Vec::new() };
    let mut generator = Generator { operation, content, schema: &content.schema, found: Vec::new() };
    generator.walk("", &content.schema.expanded, &Circumstance::default());
    generator.found
}

/// The condition under which a part of the schema applies, by examples of the operation.
#[derive(Clone, Default)]
struct Circumstance {
    example: Option<String>,
}

struct Generator<'g> {
    operation: &'g Operation,
    content: &'g Content,
    schema: &'g Schema,
    found: Vec<Violation>,
}

impl Generator<'_> {
    fn walk(&mut self, at: &str, schema: &Value, when: &Circumstance) {
        self.absences(at, schema, when);
        self.absence_of_all(at, schema, when);
        for sub in schema_walk::subschemas(schema) {
            let here = sub.pointer(at);
            match (sub.by.part, sub.by.applies) {
                (Part::Field, _) => self.property(&Property { at: here, field: sub.name, schema: sub.schema }, when),
                (Part::Same, Applies::Always) => self.walk(&here, sub.schema, when),
                (Part::Same, Applies::AfterIf(holds)) => {
                    let condition = schema.get("if");
                    if let Some(inner) = condition.and_then(|condition| self.circumstance(condition, sub.schema, holds)) {
                        self.walk(&here, sub.schema, &inner);
                    }
                }
                // Violations change top-level fields; a rule for only some values is no violation by itself.
                (Part::Same, Applies::WhereItHolds | Applies::Asked | Applies::Decoded)
                | (Part::OtherField | Part::ItemAt | Part::Item | Part::SomeItem, _) => {}
            }
        }
    }

    /// The first example in which the condition holds (or doesn't).
    fn circumstance(&self, condition: &Value, branch: &Value, holds: bool) -> Option<Circumstance> {
        let named = branch.get("x-circumstance").and_then(|c| c.get("example")).and_then(Value::as_str);
        if let Some(name) = named {
            return Some(Circumstance { example: Some(name.to_owned()) });
        }
        let validator = jsonschema::draft202012::new(condition).ok()?;
        let fits = |example: &Map<String, Value>| validator.is_valid(&Value::Object(example.clone())) == holds;
        let found = self.operation.examples.iter().find(|(_, example)| fits(example));
        found.map(|(name, _)| Circumstance { example: Some(name.clone()) })
    }

    fn absences(&mut self, at: &str, schema: &Value, when: &Circumstance) {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            let property = schema.get("properties").and_then(|p| p.get(name));
            if is_not_refused(schema, "required") || property.is_some_and(|p| is_not_refused(p, "required")) {
                continue;
            }
            let codes = property.and_then(|p| codes_of(p, "required")).or_else(|| codes_of(schema, "required"));
            self.offer(Violation {
                name: format!("{name}: absent{}", circumstance_of(when)),
                field: name.to_owned(),
                clause: self.schema.clause_of_absence(at, name),
                example: when.example.clone(),
                set: Map::new(),
                remove: vec![name.to_owned()],
                expected: Expected::Refused(codes.unwrap_or_default()),
                assumed: None,
            });
        }
    }

    /// `anyOf` of `required`s: at least one of the fields must be there, so none of them is a violation.
    fn absence_of_all(&mut self, at: &str, schema: &Value, when: &Circumstance) {
        let branches = schema.get("anyOf").and_then(Value::as_array);
        let names: Vec<String> = branches.into_iter().flatten().flat_map(|b| strings(b.get("required"))).collect();
        if names.is_empty() || is_not_refused(schema, "anyOf") {
            return;
        }
        self.offer(Violation {
            name: format!("{}: none of them{}", names.join(", "), circumstance_of(when)),
            field: names.first().cloned().unwrap_or_default(),
            clause: self.schema.clause_of(at, "anyOf"),
            example: when.example.clone(),
            set: Map::new(),
            remove: names,
            expected: Expected::Refused(codes_of(schema, "anyOf").unwrap_or_default()),
            assumed: None,
        });
    }

    fn property(&mut self, property: &Property<'_>, when: &Circumstance) {
        self.bounds(property, when);
        self.multiple(property, when);
        self.lengths(property, when);
        self.kind(property, when);
        self.named_values(property, when);
        self.listed_violations(property, when);
    }

    fn bounds(&mut self, property: &Property<'_>, when: &Circumstance) {
        let step = property.integer("multipleOf").unwrap_or(1);
        let sides = [("minimum", "its minimum", -step), ("maximum", "its maximum", step)];
        for (keyword, words, past) in sides {
            let Some(bound) = property.integer(keyword) else { continue };
            self.set(property, keyword, when, format!("at {words} {bound}"), bound.into(), true);
            let side = if past < 0 { "below" } else { "above" };
            self.set(property, keyword, when, format!("{side} {words} {bound}"), (bound + past).into(), false);
        }
        for (keyword, words, past) in [("exclusiveMinimum", "just above", 1), ("exclusiveMaximum", "just below", -1)] {
            let Some(bound) = property.integer(keyword) else { continue };
            self.set(property, keyword, when, format!("{words} {bound}"), (bound + past).into(), true);
            self.set(property, keyword, when, format!("at the excluded {bound}"), bound.into(), false);
        }
    }

    /// A value inside the bounds that is no multiple.
    fn multiple(&mut self, property: &Property<'_>, when: &Circumstance) {
        let Some(step) = property.integer("multipleOf").filter(|step| *step > 1) else { return };
        let base = property.integer("minimum").unwrap_or(step);
        self.set(property, "multipleOf", when, format!("not a multiple of {step}"), (base + step + 1).into(), false);
    }

    /// Lengths count characters, so the texts use characters of two bytes.
    fn lengths(&mut self, property: &Property<'_>, when: &Circumstance) {
        let text = |length: i64| Value::String("ž".repeat(usize::try_from(length).unwrap_or(0)));
        if let Some(most) = property.integer("maxLength") {
            self.set(property, "maxLength", when, format!("of {}", characters(most)), text(most), true);
            self.set(property, "maxLength", when, format!("longer than {}", characters(most)), text(most + 1), false);
        }
        if let Some(least) = property.integer("minLength").filter(|least| *least > 0) {
            self.set(property, "minLength", when, format!("of {}", characters(least)), text(least), true);
            // An optional field sent empty counts as absent, which is no violation.
            if least > 1 || self.schema.requires(property.field) {
                self.set(property, "minLength", when, format!("shorter than {}", characters(least)), text(least - 1), false);
            }
        }
    }

    /// Values that no reading of the wire could take for the type.
    fn kind(&mut self, property: &Property<'_>, when: &Circumstance) {
        let values: &[(&str, Value)] = match property.schema.get("type").and_then(Value::as_str) {
            Some("integer") => &[("not a number", json!("abc")), ("not a whole number", json!(1000.5))],
            Some("number") => &[("not a number", json!("abc"))],
            Some("boolean") => &[("neither true nor false", json!("maybe"))],
            Some("string") if self.content.coding == Coding::Json => &[("a mapping instead of a text", json!({"not": "a text"}))],
            _ => &[],
        };
        for (words, value) in values {
            self.set(property, "type", when, (*words).to_owned(), value.clone(), false);
        }
    }

    /// Expects every value of an enumeration, and every further example that needs no other change, to be accepted.
    fn named_values(&mut self, property: &Property<'_>, when: &Circumstance) {
        for keyword in ["enum", "examples"] {
            for value in property.schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                let clause_keyword = if keyword == "examples" { "pattern" } else { keyword };
                self.set(property, clause_keyword, when, format!("the valid {}", shown(value)), value.clone(), true);
            }
        }
    }

    fn listed_violations(&mut self, property: &Property<'_>, when: &Circumstance) {
        for listed in property.schema.get("x-violations").and_then(Value::as_array).into_iter().flatten() {
            let Some(value) = listed.get("value") else { continue };
            let text = |name| listed.get(name).and_then(Value::as_str).map(str::to_owned);
            let words = text("name").unwrap_or_else(|| format!("the invalid {}", shown(value)));
            let clause = text("clause").or_else(|| self.schema.clause_of(&property.at, "pattern"));
            let codes = listed.get("codes").map(codes_in).or_else(|| codes_of(property.schema, "pattern")).unwrap_or_default();
            let violation = property.violation(when, &words, value.clone(), clause, Expected::Refused(codes));
            self.offer(Violation { assumed: text("x-assumed"), ..violation });
        }
    }

    fn set(&mut self, property: &Property<'_>, keyword: &str, when: &Circumstance, words: String, value: Value, accepted: bool) {
        if !accepted && is_not_refused(property.schema, keyword) {
            return;
        }
        let expected =
            if accepted { Expected::Accepted } else { Expected::Refused(codes_of(property.schema, keyword).unwrap_or_default()) };
        self.offer(property.violation(when, &words, value, self.schema.clause_of(&property.at, keyword), expected));
    }

    /// Keeps a candidate that passes the validation described above.
    fn offer(&mut self, mut violation: Violation) {
        if violation.assumed.is_none() && self.may_be_unknown(&violation) {
            violation.assumed = self.schema.expanded.get("x-assumed").and_then(Value::as_str).map(str::to_owned);
        }
        let (valid, changed) = (self.body(&violation, false), self.body(&violation, true));
        let conforms = self.schema.accepts(&Value::Object(self.as_read(&changed)));
        let means_it = match violation.expected {
            Expected::Accepted => conforms,
            // The broken rule of a listed violation may be beyond the schema.
            Expected::Refused(_) => !conforms || !violation.set.is_empty(),
        };
        let differs = wire(&valid) != wire(&changed);
        let repeated = self.found.iter().any(|other| other.name == violation.name || same_request(other, &violation));
        let useful = differs || violation.expected == Expected::Accepted;
        if means_it && useful && !repeated {
            self.found.push(violation);
        }
    }

    /// Whether a violation is about an optional field: where the documents do not show the record, a server may have no such field and
    /// pass over what is sent.
    fn may_be_unknown(&self, violation: &Violation) -> bool {
        matches!(violation.expected, Expected::Refused(_)) && violation.remove.is_empty() && !self.schema.requires(&violation.field)
    }

    /// The body as it would be sent, credentials filled in.
    fn body(&self, violation: &Violation, changed: bool) -> Map<String, Value> {
        let named = violation.example.as_ref().and_then(|name| self.operation.examples.get(name)).cloned();
        let mut body = named.unwrap_or_else(|| self.operation.example());
        let credentials = self.operation.credentials.in_body(self.operation);
        for (field, _) in credentials {
            body.entry(field.clone()).or_insert_with(|| json!("credential"));
        }
        for parameter in self.operation.parameters() {
            body.remove(parameter);
        }
        if changed {
            body.extend(violation.set.clone());
            body.retain(|field, _| !violation.remove.contains(field));
        }
        body
    }

    /// The body as the schema reads it: forms are texts that are converted back.
    fn as_read(&self, body: &Map<String, Value>) -> Map<String, Value> {
        if self.content.coding != Coding::Form {
            return body.clone();
        }
        let mut texts = body.iter().filter_map(|(k, v)| Some((k.clone(), Value::String(text_of(v)?)))).collect();
        self.schema.coercion.apply(&mut texts);
        texts
    }
}

/// One property of the schema.
struct Property<'p> {
    at: String,
    field: &'p str,
    schema: &'p Value,
}

impl Property<'_> {
    fn integer(&self, keyword: &str) -> Option<i64> {
        self.schema.get(keyword).and_then(Value::as_i64)
    }

    /// A request with this value.
    fn violation(&self, when: &Circumstance, words: &str, value: Value, clause: Option<String>, expected: Expected) -> Violation {
        Violation {
            name: format!("{}: {words}{}", self.field, circumstance_of(when)),
            field: self.field.to_owned(),
            clause,
            example: when.example.clone(),
            set: Map::from_iter([(self.field.to_owned(), value)]),
            remove: Vec::new(),
            expected,
            assumed: None,
        }
    }
}

/// The distinguishable content of a body on the wire: the text of every scalar, the structure of the rest.
fn wire(body: &Map<String, Value>) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = body.iter().map(|(k, v)| (k.clone(), text_of(v).unwrap_or_else(|| v.to_string()))).collect();
    pairs.sort();
    pairs
}

fn same_request(a: &Violation, b: &Violation) -> bool {
    (&a.example, &a.set, &a.remove) == (&b.example, &b.set, &b.remove)
}

fn circumstance_of(when: &Circumstance) -> String {
    when.example.as_ref().map(|name| format!(" ({name})")).unwrap_or_default()
}

fn is_not_refused(schema: &Value, keyword: &str) -> bool {
    schema.get("x-not-refused").is_some_and(|reasons| reasons.get(keyword).is_some())
}

fn codes_of(schema: &Value, keyword: &str) -> Option<Vec<String>> {
    schema.get("x-refused-with").and_then(|codes| codes.get(keyword)).map(codes_in)
}

fn codes_in(listed: &Value) -> Vec<String> {
    code_texts(listed.as_array().into_iter().flatten())
}

fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn characters(length: i64) -> String {
    if length == 1 { "1 character".to_owned() } else { format!("{length} characters") }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "empty text".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Contracts, Files};
    use super::*;

    fn generated(coding: &str, properties: &str, rest: &str, examples: &str) -> Vec<(String, String, String)> {
        let clauses = "document: d\nclauses:\n  a: { section: s, says: x }\n  b: { section: s, says: x }\n";
        let api = format!(
            "openapi: 3.1.0\npaths:\n  /x:\n    post:\n      operationId: x.make\n      x-clause: a\n      requestBody:\n        content:\n          {coding}:\n            \
             schema: {{ type: object, x-clause: a, properties: {properties}{rest} }}\n            examples: {examples}\n"
        );
        let contracts = Contracts::read(&Files::from_texts([("clauses/a.yaml", clauses), ("x.openapi.yaml", &api)]));
        let contracts = contracts.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let described = |v: Violation| {
            let expected = match v.expected {
                Expected::Accepted => "accepted".to_owned(),
                Expected::Refused(codes) => format!("refused [{}]", codes.join(", ")),
            };
            (v.name, expected, v.clause.unwrap_or_default())
        };
        violations(contracts.operations.get("x.make").unwrap()).into_iter().map(described).collect()
    }

    fn row(name: &str, expected: &str, clause: &str) -> (String, String, String) {
        (name.to_owned(), expected.to_owned(), clause.to_owned())
    }

    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";

    #[test]
    fn a_bound_gives_its_two_sides() {
        let found = generated(
            JSON,
            "{ n: { maximum: 5, x-clauses: { maximum: b }, x-refused-with: { maximum: [7] } } }",
            "",
            "{ e: { value: { n: 1 } } }",
        );
        assert_eq!(found, [row("n: at its maximum 5", "accepted", "b"), row("n: above its maximum 5", "refused [7]", "b")]);
    }

    #[test]
    fn a_required_field_gives_its_absence() {
        let found =
            generated(JSON, "{ n: { x-clause: b, x-refused-with: { required: [3] } } }", ", required: [n]", "{ e: { value: { n: 1 } } }");
        assert_eq!(found, [row("n: absent", "refused [3]", "b")]);
    }

    #[test]
    fn lengths_count_characters() {
        let found = generated(FORM, "{ t: { maxLength: 2 } }", "", "{ e: { value: { t: a } } }");
        assert_eq!(found, [row("t: of 2 characters", "accepted", "a"), row("t: longer than 2 characters", "refused []", "a")]);
    }

    #[test]
    fn a_text_in_a_form_has_no_wrong_type_and_a_number_has() {
        assert_eq!(generated(FORM, "{ t: { type: string } }", "", "{ e: { value: { t: a } } }"), []);
        let found = generated(FORM, "{ n: { type: integer } }", "", "{ e: { value: { n: 1 } } }");
        assert_eq!(found.iter().map(|(name, _, _)| name.as_str()).collect::<Vec<_>>(), ["n: not a number", "n: not a whole number"]);
        assert_eq!(generated(JSON, "{ t: { type: string } }", "", "{ e: { value: { t: a } } }").len(), 1);
    }

    #[test]
    fn a_condition_is_met_by_the_example_in_which_it_holds() {
        let rest = ", allOf: [{ if: { properties: { c: { const: B } }, required: [c] }, then: { properties: { n: { maximum: 9, x-clause: b } } } }]";
        let found = generated(JSON, "{ n: {}, c: {} }", rest, "{ one: { value: { n: 1, c: A } }, two: { value: { n: 1, c: B } } }");
        assert_eq!(found, [row("n: at its maximum 9 (two)", "accepted", "b"), row("n: above its maximum 9 (two)", "refused []", "b")]);
    }

    #[test]
    fn at_least_one_of_several_gives_none_of_them() {
        let rest = ", anyOf: [{ required: [m] }, { required: [n] }]";
        let found = generated(JSON, "{ m: {}, n: {} }", rest, "{ e: { value: { m: 1, n: 1 } } }");
        assert_eq!(found, [row("m, n: none of them", "refused []", "a")]);
    }

    #[test]
    fn values_of_an_enumeration_are_accepted_and_listed_violations_refused() {
        let found = generated(
            JSON,
            "{ c: { enum: [A, B], x-violations: [{ value: Z, clause: b, codes: [4] }] } }",
            "",
            "{ e: { value: { c: A } } }",
        );
        assert_eq!(
            found,
            [row("c: the valid A", "accepted", "a"), row("c: the valid B", "accepted", "a"), row("c: the invalid Z", "refused [4]", "b")]
        );
    }

    #[test]
    fn an_optional_field_of_a_record_that_is_not_shown_may_be_unknown() {
        let api = "openapi: 3.1.0\npaths: { /x: { post: { operationId: x.make, x-clause: a, requestBody: { content: { application/json: { \
             schema: { type: object, x-assumed: not shown, required: [m], properties: { m: { type: string }, n: { type: string } } }, \
             examples: { e: { value: { m: a, n: b } } } } } } } } }\n";
        let clauses = "document: d\nclauses: { a: { section: s, says: x } }\n";
        let contracts = Contracts::read(&Files::from_texts([("clauses/a.yaml", clauses), ("x.openapi.yaml", api)]));
        let contracts = contracts.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let found = violations(contracts.operations.get("x.make").unwrap());
        let found: Vec<_> = found.iter().map(|violation| (violation.name.as_str(), violation.assumed.as_deref())).collect();
        let (m, n) = ("m: a mapping instead of a text", "n: a mapping instead of a text");
        assert_eq!(found, [("m: absent", None), (m, None), (n, Some("not shown"))]);
    }

    #[test]
    fn what_the_documents_do_not_refuse_is_no_violation() {
        let found = generated(JSON, "{ n: { maximum: 5, x-not-refused: { maximum: because } } }", "", "{ e: { value: { n: 1 } } }");
        assert_eq!(found, [row("n: at its maximum 5", "accepted", "a")]);
        let optional = generated(FORM, "{ t: { minLength: 1 } }", "", "{ e: { value: { t: a } } }");
        assert_eq!(optional, [row("t: of 1 character", "accepted", "a")]);
    }
}
