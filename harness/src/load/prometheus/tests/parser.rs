//! A strict parser of text format 0.0.4.

use std::collections::HashSet;

pub(super) struct Family {
    pub(super) name: String,
    kind: String,
    pub(super) samples: Vec<Sample>,
}

#[derive(Debug)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) labels: Vec<(String, String)>,
    pub(super) value: f64,
}

/// The families of a text.
pub(super) fn parse(text: &str) -> Vec<Family> {
    assert!(text.ends_with('\n'), "the last line must end too");
    let mut families: Vec<Family> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').unwrap();
            assert!(!help.is_empty() && is_name(name, ":"), "{line}");
            assert!(families.iter().all(|family| family.name != name), "{name} is there twice");
            let (typed, kind) = lines.next().unwrap().strip_prefix("# TYPE ").unwrap().split_once(' ').unwrap();
            assert_eq!(typed, name);
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{kind}");
            families.push(Family { name: name.to_owned(), kind: kind.to_owned(), samples: Vec::new() });
        } else {
            let family = families.last_mut().expect("a sample before its family");
            family.samples.push(sample(line));
        }
    }
    families.iter().for_each(check);
    families
}

fn is_name(name: &str, also: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_' || also.contains(c);
    name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(rest)
}

fn sample(line: &str) -> Sample {
    let end = line.find(['{', ' ']).expect("a name, then labels or a value");
    let (name, rest) = line.split_at(end);
    assert!(is_name(name, ":"), "{line}");
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest),
        None => (Vec::new(), rest),
    };
    let value = rest.strip_prefix(' ').expect("one space before the value");
    assert!(value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'), "{line}");
    Sample { name: name.to_owned(), labels, value: value.parse().unwrap() }
}

/// `a="b",c="d"} rest`
fn labels(mut text: &str) -> (Vec<(String, String)>, &str) {
    let mut labels = Vec::new();
    loop {
        let (name, rest) = text.split_once("=\"").expect("name=\"");
        assert!(is_name(name, "") && !name.starts_with("__"), "{name}");
        let (value, rest) = quoted(rest);
        labels.push((name.to_owned(), value));
        match rest.split_at(1) {
            (",", rest) => text = rest,
            ("}", rest) => return (labels, rest),
            _ => panic!("neither , nor }} at {rest}"),
        }
    }
}

fn quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &text[at + 1..]),
            '\\' => match chars.next().unwrap().1 {
                'n' => value.push('\n'),
                escaped @ ('\\' | '"') => value.push(escaped),
                other => panic!("\\{other} is no escape"),
            },
            c => value.push(c),
        }
    }
    panic!("no end of a label's value")
}

fn check(family: &Family) {
    let mut seen = HashSet::new();
    for sample in &family.samples {
        assert!(seen.insert(format!("{} {:?}", sample.name, sample.labels)), "{sample:?} is there twice");
    }
    assert_eq!(family.name.ends_with("_total"), family.kind == "counter", "{}", family.name);
    if family.kind == "histogram" {
        buckets(family);
    } else {
        assert!(family.samples.iter().all(|sample| sample.name == family.name));
    }
}

/// Bounds and counts rise, the last bucket is `+Inf` and holds the count.
fn buckets(family: &Family) {
    let (mut bound, mut count) = (f64::NEG_INFINITY, 0.0);
    for sample in &family.samples {
        match sample.name.strip_prefix(&family.name).unwrap() {
            "_bucket" => {
                let (name, le) = sample.labels.last().unwrap();
                let le: f64 = le.parse().unwrap();
                assert!(name == "le" && le > bound && sample.value >= count, "{sample:?}");
                (bound, count) = (le, sample.value);
            }
            "_sum" => assert!(bound.is_infinite(), "the buckets of {} end with +Inf", family.name),
            "_count" => {
                assert_eq!(sample.value, count, "{sample:?}");
                (bound, count) = (f64::NEG_INFINITY, 0.0);
            }
            other => panic!("{other} of a histogram"),
        }
    }
}
