//! The index of all rules: each clause can be read alone, and found in its document by section and line.

use std::collections::BTreeMap;

use harness::spec::contract::{Clause, Contracts, Files};

/// The sections of the documents that hold rules: the line of the heading, and the name by which clauses call it.
const SECTIONS: [(&str, &[(usize, &str)]); 3] = [
    (
        "1-payment-gateway",
        &[
            (7, "What the service does"),
            (31, "Payment creation request"),
            (67, "Payment creation response"),
            (78, "Payment status record"),
            (109, "Other request records"),
            (139, "States and transitions"),
            (161, "Endpoints"),
            (183, "Outage record"),
            (197, "Gateway health record"),
            (206, "Authentication"),
            (214, "Events"),
            (265, "Errors"),
            (281, "Limits"),
            (306, "Versioning"),
            (312, ""),
        ],
    ),
    (
        "2-terminal-and-transfers",
        &[
            (5, "What the service does"),
            (19, "Terminal payment creation request"),
            (30, "Terminal payment status response"),
            (49, "Terminal refund"),
            (55, "Terminal status"),
            (59, "Batch closing response"),
            (70, "Transfer list item"),
            (80, "Transfer detail item"),
            (107, "Statement envelopes"),
            (112, "States and transitions"),
            (128, "Endpoints"),
            (151, "Authentication"),
            (156, "Events"),
            (160, "Errors"),
            (175, "Limits"),
            (189, "Versioning"),
            (192, ""),
        ],
    ),
    (
        "3-qr-and-device",
        &[
            (5, "What the service does"),
            (18, "Authentication request and response"),
            (27, "QR method list"),
            (42, "QR payment creation"),
            (57, "QR payment status"),
            (61, "Change of method response and extension response"),
            (67, "QR refund"),
            (71, "Device activation request"),
            (82, "Device token exchange response"),
            (95, "Device configuration"),
            (127, "Payment codes response"),
            (131, "Transaction upload (batch)"),
            (135, "States and transitions"),
            (165, "Endpoints"),
            (195, "Authentication"),
            (201, "Events"),
            (205, "Errors"),
            (229, "Limits"),
            (246, "Versioning"),
            (251, ""),
        ],
    ),
];

/// Every clause of every API.
fn clauses() -> Vec<Clause> {
    let contracts = Contracts::read(&Files::contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    contracts.clauses.into_values().collect()
}

/// The section that holds a line of a document; after its last line there is none.
fn section(document: &str, line: usize) -> Option<&'static str> {
    let (_, sections) = SECTIONS.iter().find(|(name, _)| *name == document)?;
    let (_, name) = sections.iter().rev().find(|(from, _)| *from <= line)?;
    (!name.is_empty()).then_some(*name)
}

#[test]
fn the_line_of_a_clause_lies_in_its_section() {
    let clauses = clauses();
    assert!(clauses.len() > 1_500, "{} clauses", clauses.len());
    let lost: Vec<_> = clauses
        .iter()
        .filter(|clause| clause.line.and_then(|line| section(&clause.document, line)) != Some(clause.section.as_str()))
        .map(|clause| format!("{} ({}, line {:?})", clause.id, clause.section, clause.line))
        .collect();
    assert!(lost.is_empty(), "not in their sections: {lost:#?}");
}

#[test]
fn no_two_clauses_have_the_same_text() {
    let clauses = clauses();
    let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for clause in &clauses {
        texts.entry(&clause.says).or_default().push(&clause.id);
    }
    texts.retain(|_, ids| ids.len() > 1);
    assert!(texts.is_empty(), "the same text: {texts:#?}");
}

#[test]
fn a_clause_is_a_whole_sentence_that_does_not_begin_with_a_bare_field() {
    let clauses = clauses();
    let bare: Vec<_> = clauses
        .iter()
        .filter(|clause| !clause.says.starts_with(|first: char| first.is_uppercase()) || !clause.says.ends_with('.'))
        .map(|clause| format!("{}: {}", clause.id, clause.says))
        .collect();
    assert!(bare.is_empty(), "to be read alone, they would name record and call: {bare:#?}");
}

#[test]
fn the_reason_why_a_clause_is_not_checked_is_a_whole_sentence() {
    let clauses = clauses();
    let reasons = clauses.iter().filter(|clause| clause.checked_by.is_none());
    let short: Vec<_> = reasons
        .filter(|clause| clause.unchecked.as_ref().is_some_and(|reason| reason.split_whitespace().count() < 8 || !reason.ends_with('.')))
        .map(|clause| format!("{}: {:?}", clause.id, clause.unchecked))
        .collect();
    assert!(short.is_empty(), "they don't say what would have to be visible: {short:#?}");
}
