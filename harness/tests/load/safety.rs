//! Load is sent to this machine only, unless the target file allows an amount for another one.

use super::stage::Stage;
use super::support::binary::Silent;

/// An address reserved for documentation: no host has it, and nothing may be sent to it.
const ELSEWHERE: &str = "http://192.0.2.1:81";

fn open(rate: u32, duration: &str) -> String {
    format!("kind: constant-arrival-rate\nrate: {rate}\nusers: 2\nfor: {duration}\nmix: [{{ scenario: ./gateway/creation.yaml }}]\n")
}

const CLOSED: &str = "kind: constant-users\nusers: 1\nfor: 1s\nmix: [{ scenario: ./gateway/creation.yaml }]\n";

#[tokio::test(flavor = "multi_thread")]
async fn load_on_another_machine_is_refused_with_the_line_that_opens_it() {
    let stage = Stage::at(ELSEWHERE);
    for profile in [&open(1, "1s"), CLOSED] {
        stage.refused(profile, &[]).await.with_code(3).complaining(&["not on this machine", "allow: { load: { rate: …, for: … } }"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_than_the_target_file_allows() {
    let stage = Stage::with(ELSEWHERE, "allow: { load: { rate: 1, for: 1s } }\n");
    stage.refused(&open(2, "1s"), &[]).await.with_code(3).complaining(&["2 iterations a second", "allows 1"]);
    stage.refused(&open(1, "2s"), &[]).await.with_code(3).complaining(&["2s", "allows 1s"]);
    stage.refused(CLOSED, &[]).await.with_code(3).complaining(&["`constant-users` has no highest rate"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emulator_elsewhere_is_elsewhere_too() {
    let stage = Stage::with("http://127.0.0.1:9", &format!("world: {{ emulator: \"{ELSEWHERE}\" }}\n"));
    stage.refused(&open(1, "1s"), &[]).await.with_code(3).complaining(&["not on this machine"]);
}

/// The fast path and the slow one look at the bytes too: this machine under an address that is no loopback address.
#[tokio::test(flavor = "multi_thread")]
async fn no_payment_but_a_test_is_created_elsewhere_under_load() {
    let server = Silent::start();
    let stage = Stage::with(&server.url.replace("127.0.0.1", "0.0.0.0"), "allow: { load: { rate: 10, for: 1m } }\ntimeout: 1s\n");
    let create = |more: &str| {
        format!("title: One creation\nclauses: [gateway.create.test.default]\nsteps:\n  - call: gateway.v2.create\n    {more}\n")
    };
    for more in ["body: '{\"price\": 100}'", "query: { test: 'false' }", "with: { test: false }"] {
        stage.script("creation", &create(more));
        let refused = stage.refused(&open(5, "1s"), &[]).await.with_code(3);
        assert!(refused.err.contains("allow: { production: true }"), "{}", refused.err);
    }
    assert!(!server.was_visited());
}
