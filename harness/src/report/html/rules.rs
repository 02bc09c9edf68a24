//! What was proved, by API and clause.

use indexmap::IndexMap;
use serde::Serialize;

use crate::base::text::{clean, counted};
use crate::engine::event::{Counts, Standing};
use crate::engine::outcome::{Proof, ProvedClause, wall_time};

#[derive(Default, Serialize)]
pub(super) struct Api {
    name: String,
    /// The number of clauses by standing: its class, the number, its word.
    counts: Vec<(&'static str, usize, String)>,
    cases: String,
    clauses: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    says: String,
    section: String,
    tone: &'static str,
    word: &'static str,
    why: String,
}

/// The APIs in the order of the contracts, each with its clauses, failed ones first.
pub(super) fn apis(proof: &Proof) -> Vec<Api> {
    let mut by_api: IndexMap<&str, Vec<&ProvedClause>> = IndexMap::new();
    for clause in &proof.clauses {
        by_api.entry(clause.rule.api()).or_default().push(clause);
    }
    by_api.into_iter().map(|(name, clauses)| api(name, &clauses, proof)).collect()
}

fn api(name: &str, clauses: &[&ProvedClause], proof: &Proof) -> Api {
    let mut rows: Vec<Row> = clauses.iter().map(|clause| row(clause)).collect();
    let mut counts = Vec::new();
    for (tone, word) in ORDER {
        let count = rows.iter().filter(|row| row.word == word).count();
        counts.extend((count > 0).then(|| (tone, count, word.to_owned())));
    }
    rows.sort_by_key(|row| ORDER.iter().position(|(_, word)| *word == row.word));
    let cases = proof.apis.get(name).map(|of| format!("{}, {} of work", cases(of.counts), wall_time(of.elapsed))).unwrap_or_default();
    Api { name: name.to_owned(), counts, cases, clauses: rows }
}

/// The standings of a clause, the most important first.
const ORDER: [(&str, &str); 8] = [
    ("bad", "failed"),
    ("doubtful", "known"),
    ("doubtful", "untouched"),
    ("doubtful", "skipped"),
    ("soft", "in passing"),
    ("soft", "injected"),
    ("good", "passed"),
    ("soft", "not checkable"),
];

fn row(clause: &ProvedClause) -> Row {
    let why = match &clause.standing {
        Standing::Passed { times, injected, in_passing } => cases_passed(*times, *injected, *in_passing),
        Standing::Injected { times, in_passing } => cases_passed(*times, times.saturating_sub(*in_passing), *in_passing),
        Standing::InPassing { times } => cases_passed(*times, 0, *times),
        Standing::Failed { times } | Standing::Known { times } => counted(*times, "case"),
        Standing::Skipped { reason } => reason.to_string(),
        Standing::Unchecked { reason } => reason.clone(),
        Standing::Untouched => String::new(),
    };
    let word = clause.standing.word();
    let tone = ORDER.iter().find(|(_, other)| *other == word).map_or("soft", |(tone, _)| *tone);
    let rule = &clause.rule;
    Row { id: rule.id.clone(), says: rule.says.clone(), section: rule.section.clone(), tone, word, why: clean(&why) }
}

/// The number of cases in which a clause passed.
fn cases_passed(times: usize, injected: usize, in_passing: usize) -> String {
    let mut why = counted(times, "case");
    if injected > 0 {
        why.push_str(&format!(", {injected} with a placed fault"));
    }
    if in_passing > 0 {
        why.push_str(&format!(", {in_passing} in passing"));
    }
    why
}

fn cases(counts: Counts) -> String {
    let Counts { passed, failed, skipped, not_judged } = counts;
    format!(
        "{}: {passed} passed, {failed} failed, {skipped} skipped, {not_judged} not judged",
        counted(passed + failed + skipped + not_judged, "case")
    )
}
