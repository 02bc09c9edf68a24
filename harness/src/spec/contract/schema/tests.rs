use serde_json::json;

use super::*;
use crate::spec::contract::schema_walk::Applies;

fn schema() -> Arc<Schema> {
    let schema = json!({
        "x-clause": "r",
        "type": "object",
        "required": ["code"],
        "properties": {
            "code": { "type": "integer", "x-clause": "r.code", "x-clauses": { "required": "r.code.required" } },
            "price": { "type": "string", "pattern": "^[0-9]+$", "x-clause": "r.price", "x-clauses": { "pattern": "r.price.pattern" } },
            "curr": { "enum": ["CZK", "EUR"] },
            "note": { "type": "string", "x-clause": "r.note" }
        },
        "if": { "properties": { "code": { "const": 0 } } },
        "then": { "required": ["price"], "x-clauses": { "required": { "price": "r.price.on-success" } } }
    });
    Schema::compile("s.json".into(), schema, Vec::new()).unwrap()
}

fn clauses(instance: Value) -> Vec<(String, Option<String>)> {
    schema().faults(&instance).into_iter().map(|f| (f.instance, f.clause)).collect()
}

#[test]
fn of_a_cause_no_more_is_kept_than_is_reported_whatever_a_peer_sends() {
    let items =
        json!({ "type": "array", "items": { "type": "object", "required": ["code"], "properties": { "price": { "type": "string" } } } });
    let schema = Schema::compile("s.json".into(), items, Vec::new()).unwrap();
    let instance = Value::Array(vec![json!({ "price": 5 }); 50_000]);
    let faults = schema.faults(&instance);
    assert_eq!(faults.len(), 2 * (REPORTED_PER_CAUSE + 1), "two causes");
}

#[test]
fn a_fault_names_the_clause_of_its_keyword() {
    assert_eq!(clauses(json!({"code": 0, "price": "x"})), [("/price".into(), Some("r.price.pattern".into()))]);
    assert_eq!(clauses(json!({"code": 1, "price": 5})), [("/price".into(), Some("r.price".into()))]);
    assert_eq!(clauses(json!({"code": 1, "curr": "X"})), [("/curr".into(), Some("r".into()))]);
}

#[test]
fn a_sentence_has_no_pattern_in_it() {
    let fault = schema().faults(&json!({"code": 0, "price": "x"})).remove(0);
    assert_eq!((fault.message.as_str(), fault.expected), ("`price`: \"x\" does not have the expected form", json!("^[0-9]+$")));
}

#[test]
fn a_sentence_has_types_in_words_and_no_list() {
    let schema = json!({"properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}, "c": {"enum": ["X", "Y", "Z", "V"]}}});
    let faults = Schema::compile("s.json".into(), schema, Vec::new()).unwrap().faults(&json!({"a": 1, "b": "2", "c": "W"}));
    let sentences: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    let expected = ["`a`: 1 is not a text", "`b`: \"2\" is not a whole number or null", "`c`: \"W\" is not one of the documented values"];
    assert_eq!(sentences, expected);
    assert_eq!(faults[1].expected, "a whole number or null");
}

#[test]
fn a_sentence_about_an_item_or_the_whole_names_no_field() {
    let schema = json!({"properties": {"a": {"items": {"type": "string"}}}, "type": "object"});
    let schema = Schema::compile("s.json".into(), schema, Vec::new()).unwrap();
    let sentence = |instance: Value| schema.faults(&instance).remove(0).message;
    assert_eq!(sentence(json!({"a": ["x", 1]})), "1 is not a text");
    assert_eq!(sentence(json!([])), "[] is not an object");
}

#[test]
fn an_absent_field_names_the_clause_of_its_being_required() {
    assert_eq!(clauses(json!({"code": 0})), [("/price".into(), Some("r.price.on-success".into()))]);
    assert_eq!(clauses(json!({"price": "1"}))[0], ("/code".into(), Some("r.code.required".into())));
}

#[test]
fn a_field_required_on_success_may_be_empty_in_a_form_that_refuses() {
    let read = |text: &str| {
        let (mut fields, _) = crate::wire::exchange::decode_form(text.as_bytes()).unwrap();
        schema().read_form(&mut fields);
        Value::Object(fields)
    };
    assert_eq!(read("code=1&price="), json!({"code": 1}));
    assert_eq!(read("code=0&price="), json!({"code": 0, "price": ""}), "then it is judged as it was sent");
}

#[test]
fn clauses_of_fields_that_may_be_absent_are_told_from_the_others() {
    let schema = schema();
    let divided = schema.divided_clauses();
    assert_eq!(divided.optional, ["r.note"].into());
    assert!(["r", "r.code", "r.price.pattern"].iter().all(|clause| divided.others.contains(clause)), "{divided:?}");
}

#[test]
fn only_what_was_there_is_held() {
    let mut held = schema().held(&json!({"code": 1}));
    held.sort();
    assert_eq!(held, ["r", "r.code", "r.code.required"]);
    assert!(schema().held(&json!({"code": 0, "price": "1"})).contains(&"r.price.pattern".to_owned()));
}

#[test]
fn every_applicator_is_known_to_what_a_schema_is_asked() {
    for by in &schema_walk::APPLICATORS {
        let carrier = json!({"x-clause": "c", "x-assumed": "a", "x-free": "f", "required": ["b"]});
        let (schema, value, pointer) = schema_walk::holding(by, &carrier, &json!({"b": 1}));
        let schema = Schema::compile("s.json".into(), schema, Vec::new()).unwrap();
        let (always, asked) = (by.applies == Applies::Always, by.applies == Applies::Asked);
        assert_eq!(schema.clause_at(pointer).is_some(), always, "{}", by.keyword);
        assert_eq!(schema.assumed_at(pointer).is_some(), always, "{}", by.keyword);
        assert_eq!(schema.allowance_at(pointer).is_some(), !asked, "{}", by.keyword);
        assert_eq!(schema.held(&value).contains(&"c".to_owned()), !asked && by.applies != Applies::Decoded, "{}", by.keyword);
        assert_eq!(schema.requires("b"), by.part != Part::Field, "{}", by.keyword);
    }
}
