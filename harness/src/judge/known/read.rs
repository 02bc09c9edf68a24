//! Reads the file strictly: every mistake is reported at its place before the first request.

use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;

use super::{Known, KnownFinding};
use crate::base::source::{Diagnostic, Fields, Node, Problems, Source};
use crate::base::wildcard::Wildcard;
use crate::spec::contract::Contracts;

/// Reads a file from disk.
pub fn read(path: &Path, contracts: &Contracts) -> Result<Known, Problems> {
    let mut problems = Problems::new();
    match Source::read(path, &mut problems) {
        Some(source) => parse(&source, contracts),
        None => Err(problems),
    }
}

/// Reads a file from a source. Returns all mistakes of the file.
pub fn parse(source: &Arc<Source>, contracts: &Contracts) -> Result<Known, Problems> {
    let mut problems = Problems::new();
    let entries = entries(source, contracts, &mut problems);
    problems.or(Known { path: source.path.clone(), entries })
}

fn entries(source: &Arc<Source>, contracts: &Contracts, problems: &mut Problems) -> Vec<KnownFinding> {
    let Some(node) = source.parse(problems) else { return Vec::new() };
    let Some(mut fields) = Fields::from_node(&node, "a file of known findings", problems) else { return Vec::new() };
    let listed = fields.require("known", problems).is_some();
    let items = if listed { fields.list("known", problems) } else { &[] };
    let mut entries: Vec<KnownFinding> = Vec::new();
    for item in items {
        let Some(entry) = entry(item, contracts, problems) else { continue };
        if let Some(first) = entries.iter().find(|other| other.describe() == entry.describe()) {
            problems.add(Diagnostic::at(item, format!("the same finding is accepted at {} already", first.place)));
        }
        entries.push(entry);
    }
    fields.finish(problems);
    entries
}

fn entry(node: &Node, contracts: &Contracts, problems: &mut Problems) -> Option<KnownFinding> {
    let mut fields = Fields::from_node(node, "a known finding", problems)?;
    let clause = fields.require("clause", problems).and_then(|node| clause(node, contracts, problems));
    let operation = fields.optional("operation").and_then(|node| operation(node, contracts, problems));
    let at = fields.optional("at").and_then(|node| words(node, "at", problems)).map(Wildcard::new);
    let case = fields.optional("case").and_then(|node| words(node, "case", problems)).map(Wildcard::new);
    let owner = fields.require("owner", problems).and_then(|node| words(node, "owner", problems));
    let reason = fields.require("reason", problems).and_then(|node| words(node, "reason", problems));
    let expires = fields.require("expires", problems).and_then(|node| day(node, problems));
    fields.finish(problems);
    let place = node.place();
    Some(KnownFinding { clause: clause?, operation, at, case, owner: owner?, reason: reason?, expires: expires?, place })
}

fn clause(node: &Node, contracts: &Contracts, problems: &mut Problems) -> Option<String> {
    let id = words(node, "clause", problems)?;
    if contracts.clauses.contains_key(&id) {
        return Some(id);
    }
    problems.add(Diagnostic::at(node, format!("there is no clause `{id}`")).names(&id, contracts.clauses.keys().map(String::as_str)));
    None
}

/// A call, a notification, or an action of the world: a finding may be about any of them.
fn operation(node: &Node, contracts: &Contracts, problems: &mut Problems) -> Option<String> {
    let id = words(node, "operation", problems)?;
    if contracts.operation(&id).is_some() || contracts.actions.contains_key(&id) {
        return Some(id);
    }
    let names = contracts.operations.keys().chain(contracts.notifications.keys()).chain(contracts.actions.keys());
    problems.add(Diagnostic::at(node, format!("there is no operation `{id}`")).names(&id, names.map(String::as_str)));
    None
}

fn words(node: &Node, key: &str, problems: &mut Problems) -> Option<String> {
    match node.text().map(str::trim) {
        Some(text) if !text.is_empty() => Some(text.to_owned()),
        Some(_) => {
            problems.add(Diagnostic::at(node, format!("`{key}` is empty")));
            None
        }
        None => {
            problems.add(Diagnostic::at(node, format!("`{key}` is a text, but this is {}", node.describe())));
            None
        }
    }
}

fn day(node: &Node, problems: &mut Problems) -> Option<Date> {
    let day = node.text().filter(|text| text.len() == "2026-12-31".len()).and_then(|text| text.parse().ok());
    if day.is_none() {
        let problem = Diagnostic::at(node, format!("`expires` is a day, but this is {}", node.describe()));
        problems.add(problem.help("write the last day on which the finding is accepted, for example 2026-12-31"));
    }
    day
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Known, Problems> {
        parse(&Source::new("known-findings.yaml", text), &Contracts::shipped())
    }

    #[test]
    fn an_entry_is_read_with_everything_that_it_says() {
        let known = parsed(
            "known:\n  - clause: gateway.status.price.type\n    operation: gateway.v2.status\n    at: response body /price\n    \
             case: refund\n    owner: Jana\n    reason: fixed in 4.2\n    expires: 2026-12-31\n",
        );
        let known = known.unwrap_or_else(|problems| panic!("{problems}"));
        let entry = known.entries.first().unwrap();
        assert_eq!(entry.describe(), "gateway.status.price.type, gateway.v2.status, response body /price, refund");
        assert_eq!((entry.owner.as_str(), entry.reason.as_str(), entry.expires.to_string()), ("Jana", "fixed in 4.2", "2026-12-31".into()));
        assert_eq!(entry.place.as_str(), "known-findings.yaml:2:5");
        assert_eq!(parsed("known: []\n").unwrap().entries, []);
    }

    #[test]
    fn all_mistakes_are_reported_together_each_at_its_place() {
        let text = "\
knwon: []
known:
  - clause: gateway.status.price.tpye
    operation: gateway.v2.staus
    owner: ''
    reason: [a]
    expires: 31. 12. 2026
  - { clause: gateway.status.price.type, reason: r, expires: 2026-02-30, until: 1 }
  - { clause: gateway.status.code.type, owner: o, reason: r, expires: 2026-12-31 }
  - { clause: gateway.status.code.type, owner: p, reason: s, expires: 2027-12-31 }
  - none
";
        insta::assert_snapshot!(parsed(text).unwrap_err().to_string());
    }

    #[test]
    fn a_file_without_a_list_is_refused() {
        for (text, message) in
            [("known: 1\n", "`known` is a list"), ("{}\n", "needs `known`"), ("- 1\n", "is a mapping"), ("known:\n", "needs `known`")]
        {
            assert!(parsed(text).unwrap_err().to_string().contains(message), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_file_holds_it_is_read_or_refused(text in "(known:\n( {0,4}(- )?[a-z]{0,8}:? ?[\\[\\{'0-9a-z.-]{0,12}\n){0,6})|.{0,80}") {
            if let Err(problems) = parsed(&text) {
                proptest::prop_assert!(problems.to_string().starts_with("known-findings.yaml"));
            }
        }
    }
}
