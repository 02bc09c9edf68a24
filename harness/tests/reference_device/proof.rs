//! What is proved of each story: the device without a flaw passes, and each flaw is noticed by what the story asserts.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use harness::contract::{Clause, Contracts, Files};
use indexmap::IndexMap;

use super::app::Flaw;
use super::stage::Stage;

/// A line of the table: the clauses whose rule the story tells, and what it would notice.
pub struct Rule {
    pub story: &'static str,
    pub clauses: &'static [&'static str],
    pub flaws: &'static [Flaw],
}

/// Plays a story with a faultless device, then with each flaw.
pub async fn prove(story: impl AsyncFn(Stage), flaws: &[Flaw]) {
    story(Stage::open(None).await).await;
    for flaw in flaws {
        let played = AssertUnwindSafe(story(Stage::open(Some(*flaw)).await)).catch_unwind().await;
        let Err(panic) = played else { panic!("the flaw {flaw:?} goes unnoticed") };
        assert!(is_assertion(panic.as_ref()), "the flaw {flaw:?} was noticed by accident: {:?}", text(panic.as_ref()));
    }
}

/// A story notices a flaw by one of its assertions, not because something else broke on the way.
fn is_assertion(panic: &(dyn Any + Send)) -> bool {
    text(panic).starts_with("assertion ")
}

fn text(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<String>().map_or_else(|| panic.downcast_ref::<&str>().copied().unwrap_or_default(), String::as_str)
}

/// What the clause files say in the reason of a rule that is exercised here.
const HERE: &str = "harness/tests/reference_device.rs";

/// All clauses there are.
pub fn clauses() -> IndexMap<String, Clause> {
    Contracts::read(&Files::contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false))).clauses
}

/// Whether the clause files say so.
pub fn is_exercised_here(clause: &Clause) -> bool {
    clause.unchecked.as_ref().is_some_and(|reason| reason.contains(HERE))
}
