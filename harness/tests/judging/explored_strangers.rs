//! Exploration of strangers: what the documents leave to a target is in the models too.

use std::sync::Arc;

use emulator::{Config, Emulator, FreedomSettings};
use harness::engine::runner::Context;
use harness::modes::explore::{Exploration, ExplorationLimits, explore, heading, outcome, read_all};
use harness::spec::contract::Files;

use crate::strangers::{FOR_VERIFY_ALONE, Stranger, TOGETHER, alternatives_of, none_is_flagged};
use crate::support::{contracts, target};

const LIMITS: ExplorationLimits = ExplorationLimits { sequences: 30, deadline: None, max_steps: 20, jobs: 8, max_failures: 1 };

/// Explores an emulator with some freedoms by the models of one API.
async fn explored(api: &str, freedoms: FreedomSettings) -> Vec<Exploration> {
    let emulator = Emulator::start(Config { freedoms: Some(freedoms), ..Config::default() }).await.unwrap();
    let mut target = target(&emulator.base_url().parse().unwrap());
    target.assert_assumed = false;
    let context = Arc::new(Context::start(contracts(), target, Vec::new(), 1).await.unwrap());
    let models = read_all(&Files::contracts(), &contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let mut explorations = Vec::new();
    for model in models.into_iter().filter(|model| model.api.starts_with(api)) {
        explorations.push(explore(&context, &Arc::new(model), LIMITS, |_| (), std::future::pending()).await);
    }
    emulator.stop().await;
    explorations
}

/// What was found although nothing is wrong, and why an exploration ended early.
fn alarms(name: &str, exploration: &Exploration) -> Vec<String> {
    let found = exploration.counterexamples.iter().map(|found| {
        let divergence = &found.divergence;
        format!("{name}: {}: {} (expected {}, got {})", divergence.clause(), divergence.message, divergence.expected, divergence.got)
    });
    found.chain(exploration.error.iter().map(|error| format!("{name}: {error}"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_is_flagged() {
    for api in ["gateway", "terminal", "qr", "device"] {
        let alarms = |stranger: Stranger| async move {
            let explorations = explored(api, stranger.freedoms).await;
            assert!(!explorations.is_empty(), "no model of {api}");
            explorations.iter().flat_map(|exploration| alarms(&stranger.name, exploration)).collect()
        };
        let strangers = alternatives_of(api, TOGETHER).into_iter().filter(|stranger| stranger.name != FOR_VERIFY_ALONE).collect();
        none_is_flagged(strangers, alarms).await;
    }
}

/// A call that is elsewhere is left out, and the others are explored.
#[tokio::test]
async fn what_is_not_at_its_assumed_path_is_left_out() {
    let explorations = explored("terminal", FreedomSettings::parse("terminal.paths=elsewhere").unwrap()).await;
    let [terminal] = explorations.as_slice() else { panic!("{} models", explorations.len()) };
    assert_eq!(alarms("elsewhere", terminal), Vec::<String>::new());
    assert!(terminal.sequences > 0 && terminal.steps > 100, "{} sequences, {} steps", terminal.sequences, terminal.steps);
    let left_out: Vec<_> = terminal.unavailable.iter().collect();
    assert!(
        matches!(left_out.as_slice(), [(action, reason)] if *action == "refund" && reason.contains("is at its assumed path")),
        "{left_out:?}"
    );
    let outcome = outcome(&contracts(), heading("elsewhere", 1, 1), &explorations, &[], None, false);
    let line = outcome.figures.iter().find(|figure| figure.text.starts_with("refund: ")).unwrap_or_else(|| panic!("{:?}", outcome.figures));
    assert!(line.text.contains("is at its assumed path"), "{}", line.text);
    assert_eq!(outcome.missing, Vec::new(), "what was explored was proved");
}
