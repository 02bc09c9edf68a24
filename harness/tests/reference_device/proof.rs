//! Proves each story: a device without flaws passes, and an assertion of the story detects each flaw.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use harness::spec::contract::{Clause, Contracts, Files};
use indexmap::IndexMap;

use super::app::Flaw;
use super::stage::Stage;

/// A line of the table: the clauses that the story covers, and the flaws that it detects.
pub struct Rule {
    pub story: &'static str,
    pub clauses: &'static [&'static str],
    pub flaws: &'static [Flaw],
}

/// Runs a story with a device without flaws, then with each flaw.
pub async fn prove(story: impl AsyncFn(Stage), flaws: &[Flaw]) {
    story(Stage::open(None).await).await;
    for flaw in flaws {
        let played = AssertUnwindSafe(story(Stage::open(Some(*flaw)).await)).catch_unwind().await;
        let Err(panic) = played else { panic!("the flaw {flaw:?} goes unnoticed") };
        assert!(is_assertion(panic.as_ref()), "the flaw {flaw:?} was noticed by accident: {:?}", text(panic.as_ref()));
    }
}

/// A story must detect a flaw by one of its assertions, not by another panic.
fn is_assertion(panic: &(dyn Any + Send)) -> bool {
    text(panic).starts_with("assertion ")
}

fn text(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<String>().map_or_else(|| panic.downcast_ref::<&str>().copied().unwrap_or_default(), String::as_str)
}

/// The text in the reason of a clause that is covered here.
const HERE: &str = "harness/tests/reference_device.rs";

/// Every clause.
pub fn clauses() -> IndexMap<String, Clause> {
    Contracts::read(&Files::contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false))).clauses
}

/// Whether the reason of a clause names this test.
pub fn is_exercised_here(clause: &Clause) -> bool {
    clause.unchecked.as_ref().is_some_and(|reason| reason.contains(HERE))
}
