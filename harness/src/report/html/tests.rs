use std::sync::Arc;

use super::*;
use crate::base::place::{Message, Place};
use crate::base::skip::SkipReason;
use crate::engine::event::{OpenReason, Standing};
use crate::engine::outcome::{Heading, Verb};
use crate::report::rendering::written;
use crate::report::sample::{self, HOSTILE, Run, call, finding};

/// The style and the drawings have tests of their own.
macro_rules! assert_page {
    ($page:expr) => {
        insta::with_settings!({filters => vec![
            (r"(?s)<style>.*?</style>", "<style>…</style>"),
            (r"(?s)(<svg[^>]*>).*?</svg>", "$1…</svg>"),
            (r"\b\d+\.\d+\.\d+\b", "[version]"),
        ]}, { insta::assert_snapshot!($page) });
    };
}

fn html(run: &Run) -> String {
    written("html", run, false)
}

#[test]
fn every_verdict_and_every_kind_of_proof() {
    assert_page!(html(&sample::everything()));
}

#[test]
fn nothing_ran() {
    assert_page!(html(&sample::run()));
}

#[test]
fn a_command_that_plays_no_cases_has_a_page_too() {
    let outcome = Outcome { pass: "nothing differs".to_owned(), ..Outcome::new(Heading::new(Verb::Compare, "a against b")) };
    let page = page(&outcome).unwrap();
    assert!(page.contains("ALIKE") && page.contains("nothing differs") && !page.contains("<section"), "{page}");
}

#[test]
fn it_opens_anywhere() {
    let page = html(&sample::everything());
    for foreign in [
        "<script",
        "javascript:",
        "onload",
        "http-equiv=\"refresh\"",
        "<link",
        "<img",
        " src=",
        "url(",
        "@import",
        "<iframe",
        "<form",
        "<base",
    ] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let mut links = page.split("href=\"").skip(1);
    assert!(links.all(|link| link.starts_with('#')), "a link leads out of the page");
}

#[test]
fn what_a_target_sends_is_text() {
    let page = html(&sample::everything());
    assert!(page.contains("&lt;script&gt;alert(1)&lt;"), "{page}");
    assert!(!page.contains("<script") && page.matches("</style>").count() == 1);
    assert!(!page.contains(['\u{1b}', '\u{202e}']), "a reader's eye obeys what a target sends");
    assert_eq!(HOSTILE.matches("</pre>").count(), 1, "the text breaks out of what holds it, if nothing stops it");
    assert_eq!(page.matches("<pre>").count(), page.matches("</pre>").count());
}

#[test]
fn a_thousand_findings_fit() {
    let mut run = sample::run().with_contracts();
    let body = "<\"&příliš>".repeat(200);
    for number in 0..1_200 {
        let mut found = finding(&format!("gateway.clause.{number}")).compare(body.as_str(), body.as_str());
        found.message.clone_from(&body);
        run = run.failed(&format!("case-{number}"), vec![found]).record(vec![call(0, "/v1.0/create", &body, &body)]);
    }
    let page = html(&run);
    assert!(page.len() < 5 * 1024 * 1024, "{} bytes", page.len());
    assert_eq!(page.matches("<article").count(), 1_000);
    assert!(page.contains("200 more causes, left out here"), "what is left out is said");
}

#[test]
fn a_thousand_findings_fit_beside_all_clauses_if_every_text_is_as_long_as_it_may_be() {
    let mut run = sample::run().with_shipped_contracts();
    let body = "<\"&příliš>".repeat(200);
    let clauses: Vec<String> = run.clauses().map(str::to_owned).collect();
    for id in &clauses {
        run = run.clause(
            id,
            Standing::Skipped {
                reason: OpenReason::Skipped(SkipReason::Other("needs an action that the target does not have".to_owned())),
            },
        );
    }
    for (number, id) in clauses.iter().take(1_200).enumerate() {
        let mut found = finding(id).compare(body.as_str(), body.as_str()).at(Place::field(Message::Response, &body));
        found.message.clone_from(&body);
        found.contract = Some(body.clone());
        found.curl = Some(body.clone());
        run = run.failed(&format!("case-{number}"), vec![found]).record(vec![call(0, "/v1.0/create", &body, &body)]);
    }
    let page = html(&run);
    assert_eq!(page.matches("<article").count(), 1_000);
    assert!(page.len() < 5 * 1024 * 1024, "{} bytes", page.len());
}

#[test]
fn a_drawing_shows_each_transition_and_what_was_taken() {
    let outcome = sample::everything().outcome();
    let table = outcome.proof.unwrap().tables.into_iter().next().unwrap();
    insta::assert_snapshot!(diagram::svg(&table).replace("><", ">\n<"));
}

#[test]
fn no_name_breaks_out_of_a_drawing() {
    let mut table = sample::everything().outcome().proof.unwrap().tables.into_iter().next().unwrap();
    table.states.push(HOSTILE.to_owned());
    table.resource = HOSTILE.to_owned();
    let drawn = diagram::svg(&table);
    assert!(!drawn.contains("<script") && drawn.matches("</svg>").count() == 1, "{drawn}");
}

#[test]
fn the_value_of_another_message_stands_beside_the_messages() {
    let mut outcome = sample::everything().outcome();
    outcome.causes[0].evidence.as_mut().unwrap().messages.push(sample::value_sent());
    let page = page(&outcome).unwrap();
    assert!(page.contains("sent in</p>\n<pre>POST ") && page.contains("create: price = 10000</pre>"), "{page}");
}

#[test]
fn a_finding_without_an_exchange_has_no_messages() {
    let run = sample::run().failed("a", vec![finding("x")]).record(vec![Arc::clone(&call(7, "/other", "", ""))]);
    assert!(!html(&run).contains("class=\"messages\""));
}
