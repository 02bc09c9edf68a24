use super::read::NAMES;
use super::*;
use crate::base::source::{Problems, Source};
use crate::wire::exchange::{Decoded, Omitted};
use serde_json::json;

fn mismatches(matcher: &str, value: Value) -> Vec<String> {
    let mut problems = Problems::new();
    let node = Source::new("m.yaml", matcher).parse(&mut problems).unwrap();
    let matcher = Matcher::parse(&node, &mut problems).unwrap();
    problems.or(()).unwrap();
    let variables = json!({"limit": 10}).as_object().cloned().unwrap();
    let found = matcher.mismatches("", Some(&value), &Given::uncut(&variables)).unwrap();
    found.into_iter().map(|m| format!("{}: {} not {}", m.pointer, m.got, m.expected)).collect()
}

#[test]
fn every_matcher_is_told_in_words() {
    // Those of an HTTP status are described as texts.
    for name in NAMES.iter().filter(|name| !["$success", "$refusal"].contains(name)) {
        let told = |value: Value| crate::base::expected::in_words(&json!({ *name: value }));
        assert!(!told(json!(["a"])).contains('$') || !told(json!("a")).contains('$'), "{name}: {}", told(json!("a")));
    }
}

#[test]
fn each_alternative_is_described_once() {
    assert_eq!(mismatches("{a: {$one-of: [10, '{{ limit }}', 11]}}", json!({"a": 1})), ["/a: 1 not {\"$one-of\":[10,11]}"]);
}

#[test]
fn each_matcher_holds_and_fails() {
    for (matcher, good, bad) in [
        ("5", json!(5), json!("5")),
        ("{$not: 5}", json!("5"), json!(5)),
        ("{$not: {$contains: a}}", json!(["b"]), json!(["a", "b"])),
        ("{a: {$one-of: [null, {$absent: true}]}}", json!({"b": 1}), json!({"a": 1})),
        ("{$one-of: [1, a]}", json!("a"), json!("b")),
        ("{$pattern: '^[0-9]+$'}", json!(123), json!("12x")),
        ("{$greater-than: '{{ limit }}'}", json!("11"), json!(10)),
        ("{$less-than: 10}", json!(9.5), json!("x")),
        ("{$at-least: 10}", json!(10), json!(9)),
        ("{$at-least: 0}", json!("0.5"), json!("Infinity")),
        ("{$at-least: -5}", json!("-5"), json!("-1e9")),
        ("{$at-most: 10}", json!("10"), json!(11)),
        ("{$near: '2026-03-01T10:00:00Z'}", json!("2026-03-01T11:15+01:00"), json!("2026-03-01T11:00:00Z")),
        ("5", json!(5.0), json!(5.5)),
        ("{$amount: '12,50'}", json!("12,5000"), json!("12,5001")),
        ("{$length: 2}", json!("žř"), json!(["a"])),
        ("{$length: '{{ limit - 9 }}'}", json!(["a"]), json!([])),
        ("{$success: true}", json!(204), json!(302)),
        ("{$refusal: true}", json!(404), json!(200)),
        ("{$contains: b}", json!("abc"), json!(["a"])),
        ("{$lacks: {id: 1}}", json!([{"id": 2}]), json!([{"id": 2}, {"id": 1}])),
        ("{a: {$somewhere: {$contains: order-1}}}", json!({"a": [{"b": "x;order-1;y"}]}), json!({"a": [{"b": "order-2"}], "c": "order-1"})),
        ("{$somewhere: order-1}", json!([{"order-1": null}]), json!([{"order-12": null}])),
        ("{a: {$optional: 1}}", json!({"b": 1}), json!({"a": 2})),
        ("{a: {$unsigned: {$contains: {b: 4}}}}", json!({"a": [{"b": -4, "c": "-1"}]}), json!({"a": [{"b": "-4"}]})),
        ("{$contains: {id: 1}}", json!([{"id": 1, "x": 2}]), json!([{"id": 2}])),
        ("{a: {$any: true}, b: {$absent: true}}", json!({"a": null, "c": 1}), json!({"b": 1})),
        ("[1, {a: 2}]", json!([1, {"a": 2, "b": 3}]), json!([1])),
    ] {
        assert_eq!(mismatches(matcher, good.clone()), Vec::<String>::new(), "{matcher} on {good}");
        assert!(!mismatches(matcher, bad.clone()).is_empty(), "{matcher} on {bad}");
    }
}

#[test]
fn nothing_unknown_is_claimed_about_a_cut_list() {
    let list = Rest { pointer: "/rows".into(), kept: 2, length: 5, faults: Vec::new(), sums: Vec::new(), fact_tables: Vec::new() };
    let decoded = Decoded::Value(json!({"rows": [{"id": 1}, {"id": 2}], "name": "x"}), Vec::new());
    let body = Body { decoded, omitted: Omitted::if_any(vec![list], None), ..Body::default() };
    let variables = Variables::new();
    let holds = |matcher: &str| {
        let mut problems = Problems::new();
        let node = Source::new("m.yaml", matcher).parse(&mut problems).unwrap();
        let matcher = Matcher::parse(&node, &mut problems).unwrap();
        let found = matcher.mismatches("", body.value(), &Given::with(&variables, &body));
        found.map(|found| found.is_empty())
    };
    for (matcher, known) in [
        ("{rows: {$length: 5}}", Some(true)),
        ("{rows: {$length: 2}}", Some(false)),
        ("{rows: {$contains: {id: 2}}}", Some(true)),
        ("{rows: {$contains: {id: 3}}}", None),
        ("{rows: {$not: {$contains: {id: 3}}}}", None),
        ("{rows: {$lacks: {id: 2}}}", Some(false)),
        ("{rows: {$lacks: {id: 3}}}", None),
        ("{$somewhere: 2}", Some(true)),
        ("{$somewhere: 3}", None),
        ("{$somewhere: x}", Some(true)),
        ("{rows: {1: {id: 2}}}", Some(true)),
        ("{rows: {4: {$absent: true}}}", None),
        ("{rows: {5: {$absent: true}}}", Some(true)),
        ("{rows: [{id: 1}, {id: 2}]}", Some(false)),
        ("{rows: [1, 2, 3, 4, 5]}", None),
        ("{rows: {$unsigned: {$contains: {id: 2}}}}", None),
        ("{rows: {$any: true}, name: x}", Some(true)),
    ] {
        assert_eq!(holds(matcher).ok(), known, "{matcher}");
    }
    assert_eq!(holds("{rows: {$contains: {id: 3}}}").unwrap_err().to_string(), "only the first 2 of the 5 items of `/rows` are kept");
    assert_eq!(body.value_at("/rows/1/id").unwrap(), Some(&json!(2)));
    assert!(body.value_at("/rows/4/id").is_err());
    assert_eq!(body.value_at("/rows/5/id").unwrap(), None);
}

#[test]
fn a_mismatch_says_where() {
    assert_eq!(mismatches("{a: [{b: 1}]}", json!({"a": [{"b": "1"}]})), ["/a/0/b: \"1\" not 1"]);
}

#[test]
fn an_unknown_matcher_gets_the_nearest_name() {
    let mut problems = Problems::new();
    let node = Source::new("m.yaml", "{$one_of: [1]}").parse(&mut problems).unwrap();
    assert!(Matcher::parse(&node, &mut problems).is_none());
    assert!(problems.to_string().contains("did you mean `$one-of`?"));
}

fn mistake(matcher: &str) -> String {
    let mut problems = Problems::new();
    let node = Source::new("m.yaml", matcher).parse(&mut problems).unwrap();
    Matcher::parse(&node, &mut problems);
    problems.to_string()
}

#[test]
fn a_matcher_takes_no_value_that_it_would_not_look_at() {
    for (matcher, expected) in [
        ("{$pattern: 5}", "1:12: `$pattern` takes a text"),
        ("{$pattern: [a]}", "1:12: `$pattern` takes a text"),
        ("{$pattern: }", "`$pattern` takes a text"),
        ("{$absent: false}", "1:11: `$absent` takes only `true`"),
        ("{$any: 1}", "1:8: `$any` takes only `true`"),
        ("{$success: 'true'}", "1:12: `$success` takes only `true`"),
        ("{$refusal: [true]}", "1:12: `$refusal` takes only `true`"),
    ] {
        assert!(mistake(matcher).contains(expected), "{matcher}: {}", mistake(matcher));
    }
}

#[test]
fn a_time_that_is_not_known_decides_nothing() {
    let mut problems = Problems::new();
    let node = Source::new("m.yaml", "{$not: {$near: '{{ kept.time }}'}}").parse(&mut problems).unwrap();
    let matcher = Matcher::parse(&node, &mut problems).unwrap();
    assert!(matcher.mismatches("", Some(&json!("2026-03-01T10:00:00Z")), &Given::uncut(&Variables::new())).is_err());
}
