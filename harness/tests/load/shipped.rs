//! Every profile in the binary, shortened and slowed down, runs against the emulator in the binary without an error.

use std::path::Path;

use futures::StreamExt;
use regex::{Captures, Regex};

use super::stage::{Stage, run, text};
use super::support::binary::file;

/// The profile shortened to about a second, at a tenth of the rate, with few users, and without thresholds that depend on the speed of
/// the machine.
fn shortened(profile: &str) -> String {
    let stages = profile.matches("for: ").count() as u64;
    let replaced = |text: &str, pattern: &str, to: &dyn Fn(&Captures<'_>) -> String| {
        Regex::new(pattern).unwrap().replace_all(text, |found: &Captures<'_>| to(found)).into_owned()
    };
    let time = format!("{}ms", 1200 / stages.max(1));
    let text = replaced(profile, r"(for|hold): \w+", &|found| format!("{}: {time}", &found[1]));
    let text = replaced(&text, r"warm-up: \w+", &|_| "warm-up: 100ms".to_owned());
    let text = replaced(&text, r"(rate|from|start|to): (\d+)\b", &|found| {
        format!("{}: {}", &found[1], (found[2].parse::<u64>().unwrap() / 10).clamp(1, 40))
    });
    let text = replaced(&text, r"users: \d+", &|_| "users: 8".to_owned());
    replaced(&text, r"(?m)^  - .*(p99|dropped|rate >=).*\n", &|_| String::new())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_shipped_profile_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../load");
    let mut profiles: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    profiles.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    profiles.sort();
    assert!(profiles.len() >= 12, "{profiles:?}");
    // They wait most of the time, so a few can run concurrently.
    futures::stream::iter(&profiles).for_each_concurrent(4, |path| passes(path)).await;
}

async fn passes(path: &Path) {
    let stage = Stage::at("http://127.0.0.1:9");
    let name = path.file_stem().unwrap().to_str().unwrap();
    let profile = file(&stage.path(""), &format!("{name}.yaml"), &shortened(&std::fs::read_to_string(path).unwrap()));
    let ended = run(vec!["load".to_owned(), text(&profile), "--json".to_owned(), text(&stage.path("result.json"))]).await;
    let loaded = stage.loaded(ended);
    // A soak of one second is too short to show a drift.
    loaded.ended_with(if name == "soak" { 2 } else { 0 });
    assert_eq!((loaded.result.profile.as_str(), loaded.all_errors()), (name, 0), "{:#?}", loaded.result.findings);
    assert!(loaded.requests() > 0 && loaded.result.findings.is_empty(), "{name}: {:#?}", loaded.result.findings);
    let passed: u64 = loaded.result.scenarios.iter().map(|scenario| scenario.passed).sum();
    assert!(passed > 0 && loaded.result.scenarios.iter().all(|scenario| scenario.failed == 0), "{name}");
    if let Some(notifications) = &loaded.result.notifications {
        assert_eq!((notifications.lost, notifications.duplicated, notifications.contradicting), (0, 0, 0), "{name}");
        assert_eq!(notifications.expected, notifications.once + notifications.late, "{name}");
    }
    if let Some(conservation) = &loaded.result.conservation {
        assert_eq!(conservation.held, conservation.examined, "{name}");
    }
}
