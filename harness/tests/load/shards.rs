//! One load by several processes: together they are the load that one process would have been.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use crate::support::MAIN;
use crate::support::binary::{CommandResult, Emulate, Silent, emulated, ended, file, paycheck, run, target_file};
use harness::load::result::{Latency, LoadResult, LoadVerdict};
use harness::report::load as report;
use tempfile::{TempDir, tempdir};

const PARTS: u32 = 3;

/// 150 iterations; none is due near the end, so that a busy machine starts all of them. The last threshold passes for the whole load
/// and for no part.
const PROFILE: &str = "
title: Creations and journeys
kind: ramping-arrival-rate
start: 60
users: 12
stages: [{ rate: 60, for: 2s }, { rate: 0, for: 1s }, { rate: 0, for: 1s }]
mix:
  - { scenario: gateway/a-creation-is-answered-with-a-payment, case: v2.0, weight: 2 }
  - { scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid, case: v2.0 }
thresholds:
  - errors = 0
  - lost = 0
  - gateway.v2.status rate > 20
conservation: sampled 5
";

/// A load in three parts, and the same in one piece, all at the same time against one emulator.
struct Played {
    folder: TempDir,
    /// How each part ended, and the unsplit load last.
    ends: Vec<CommandResult>,
}

static PLAYED: LazyLock<Played> = LazyLock::new(|| {
    let folder = tempdir().unwrap();
    let emulator = Emulate::start(&[]);
    let target = target_file(folder.path(), &emulator.url, MAIN, &emulated(&emulator.url));
    let profile = file(folder.path(), "mixed.yaml", PROFILE);
    let play = |result: &Path, at: jiff::Timestamp, shard: &[&str]| {
        let mut command = paycheck([Path::new("load"), &profile, Path::new("--target"), &target, Path::new("--json"), result]);
        command.args(["--start-at", &at.to_string()]).args(shard);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // The time that a busy machine needs to get ready is unknown: if a part reports that it was not ready, all parts are started again
    // with twice the time.
    for lead in [4_u64, 8, 16, 32, 64] {
        let at = jiff::Timestamp::now() + Duration::from_secs(lead);
        let part = |part: u32| play(&folder.path().join(format!("part-{part}.json")), at, &["--shard", &format!("{part}/{PARTS}")]);
        let mut playing: Vec<Child> = (1..=PARTS).map(part).collect();
        playing.push(play(&folder.path().join("unsplit.json"), at, &[]));
        let ends: Vec<CommandResult> = playing.into_iter().map(ended).collect();
        if !ends.iter().any(came_late) {
            return Played { folder, ends };
        }
    }
    panic!("no part was ready within a minute");
});

/// Whether a part was not ready in time: it was refused, or began after the others.
fn came_late(ended: &CommandResult) -> bool {
    ended.err.contains("the other parts have begun without this one") || ended.out.contains("after `--start-at`")
}

impl Played {
    fn part(&self, part: u32) -> PathBuf {
        self.folder.path().join(format!("part-{part}.json"))
    }

    fn parts(&self) -> Vec<PathBuf> {
        (1..=PARTS).map(|part| self.part(part)).collect()
    }
}

fn read(path: &Path) -> LoadResult {
    report::read(&std::fs::read(path).unwrap(), "a test's").unwrap()
}

/// Merges results; the error is the command's output if that is refused.
fn merge(results: &[PathBuf]) -> Result<(LoadResult, CommandResult), CommandResult> {
    let folder = tempdir().unwrap();
    let json = folder.path().join("whole.json");
    let words = [PathBuf::from("load"), PathBuf::from("merge"), PathBuf::from("--json"), json.clone()];
    let ended = run(words.iter().chain(results));
    if ended.code == 3 { Err(ended) } else { Ok((read(&json), ended)) }
}

/// Whether the result reports the generator as the limit, as on a busy machine.
fn warns_of_the_machine(result: &LoadResult) -> bool {
    result.generator.limit.is_some()
}

fn requests(result: &LoadResult) -> BTreeMap<&str, u64> {
    result.operations.iter().map(|o| (o.operation.as_str(), o.requests)).collect()
}

fn iterations(result: &LoadResult) -> BTreeMap<&str, u64> {
    result.scenarios.iter().map(|s| (s.scenario.as_str(), s.passed + s.failed)).collect()
}

/// Every distribution by its name.
fn distributions(result: &LoadResult) -> BTreeMap<String, &Latency> {
    let operations =
        result.operations.iter().flat_map(|o| [(format!("{} r", o.operation), &o.response), (format!("{} s", o.operation), &o.service)]);
    let scenarios = result.scenarios.iter().map(|s| (s.scenario.clone(), &s.response));
    let lag = result.notifications.iter().map(|n| ("lag".to_owned(), &n.lag));
    operations.chain(scenarios).chain(lag).chain([("scheduling".to_owned(), &result.generator.scheduling)]).collect()
}

#[test]
fn parts_together_are_the_load_in_one_piece() {
    let (whole, _) = merge(&PLAYED.parts()).unwrap_or_else(|ended| panic!("{}", ended.err));
    let unsplit = read(&PLAYED.folder.path().join("unsplit.json"));
    let counts = |result: &LoadResult| result.arrivals.as_ref().map(|a| (a.intended, a.started, a.dropped));
    assert_eq!((counts(&whole), counts(&unsplit)), (Some((150, 150, 0)), Some((150, 150, 0))), "{}", PLAYED.ends[3].out);
    assert_eq!(iterations(&whole), iterations(&unsplit));
    assert_eq!(iterations(&whole).into_values().collect::<Vec<_>>(), [100, 50], "two of three create only");
    assert_eq!(requests(&whole), requests(&unsplit));
    let due = |result: &LoadResult| result.notifications.as_ref().map(|n| (n.expected, n.once + n.late, n.lost, n.duplicated));
    assert_eq!((due(&whole), due(&unsplit)), (Some((50, 50, 0, 0)), Some((50, 50, 0, 0))));
    assert_eq!((whole.shards.of, whole.shards.parts.as_slice()), (PARTS, [1, 2, 3].as_slice()));
    assert_eq!((whole.findings.as_slice(), unsplit.findings.as_slice()), ([].as_slice(), [].as_slice()));
}

#[test]
fn distributions_of_the_whole_are_the_sums_of_those_of_the_parts() {
    let (whole, _) = merge(&PLAYED.parts()).unwrap_or_else(|ended| panic!("{}", ended.err));
    let parts: Vec<LoadResult> = PLAYED.parts().iter().map(|path| read(path)).collect();
    let merged = distributions(&whole);
    assert!(merged.len() > 7, "{:?}", merged.keys());
    for (name, latency) in merged {
        let mut sum = harness::load::latency::histogram::<u64>();
        parts.iter().filter_map(|part| Some(distributions(part).get(&name)?.times().unwrap())).for_each(|times| sum.add(times).unwrap());
        assert_eq!(latency.times().unwrap(), sum, "{name}");
        assert_eq!(latency.count, sum.len(), "{name}");
    }
}

/// Thresholds are judged by the merge, never by a part.
#[test]
fn a_part_is_judged_by_what_was_found_in_it_and_the_whole_by_all() {
    for (part, ended) in (1..=PARTS).zip(&PLAYED.ends) {
        let limited = warns_of_the_machine(&read(&PLAYED.part(part)));
        assert_eq!(ended.code, if limited { 2 } else { 0 }, "{}\n{}", ended.out, ended.err);
        let says = format!("PASSED: nothing was found in part {part} of 3; `paycheck load merge` judges all of them together");
        assert!(limited || ended.out.contains(&says), "{}", ended.out);
        assert_eq!(read(&PLAYED.part(part)).thresholds[2].verdict, LoadVerdict::Failed, "a third of what is asked of all");
    }
    let (whole, ended) = merge(&PLAYED.parts()).unwrap_or_else(|ended| panic!("{}", ended.err));
    assert!(whole.thresholds.iter().all(|threshold| threshold.verdict == LoadVerdict::Passed), "{:?}", whole.thresholds);
    assert_eq!(ended.code, if warns_of_the_machine(&whole) { 2 } else { 0 }, "{}", ended.out);
}

#[test]
fn a_part_that_is_missing_is_named_and_nothing_is_proved() {
    let (whole, ended) = merge(&[PLAYED.part(3), PLAYED.part(1)]).unwrap_or_else(|ended| panic!("{}", ended.err));
    assert_eq!(whole.verdict, LoadVerdict::Inconclusive, "{:?}", whole.reasons);
    assert!(ended.out.contains("1 of 3 parts of the load is missing: 2"), "{}", ended.out);
    assert_eq!(ended.code, 2, "{}", ended.out);
}

#[test]
fn what_is_not_the_parts_of_one_load_is_refused() {
    let Err(twice) = merge(&[PLAYED.part(1), PLAYED.part(2), PLAYED.part(2)]) else { panic!("part 2 counted twice") };
    twice.with_code(3).complaining(&["part 2", "part-2.json"]);
    let other = read(&PLAYED.part(2));
    let other = LoadResult { profile: "another".to_owned(), ..other };
    let path = PLAYED.folder.path().join("of-another.json");
    std::fs::write(&path, report::write(&other).unwrap()).unwrap();
    let Err(mixed) = merge(&[PLAYED.part(1), path, PLAYED.part(3)]) else { panic!("two profiles were added up") };
    mixed.with_code(3).complaining(&["not of one load", "profile differs", "mixed and another", "of-another.json"]);
}

#[test]
fn what_can_not_be_a_part_is_refused_before_anything_is_sent() {
    // Not concurrently with others: the parts must start together.
    LazyLock::force(&PLAYED);
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, &emulated(&silent.url));
    let target = target.to_str().unwrap();
    let refused = |words: &[&str]| run([&["load", "--target", target], words].concat()).with_code(3);
    refused(&["capacity", "--shard", "1/2"]).complaining(&["capacity search", "run it unsplit"]);
    refused(&["device", "--shard", "1/21"]).complaining(&["the profile has 20", "at most 20"]);
    refused(&["journey", "--shard", "1/2", "--start-at", "2026-01-01T00:00:00Z"]).complaining(&["2026-01-01T00:00:00Z", "ago"]);
    refused(&["journey", "--shard", "3/2"]).complaining(&["--shard", "for example 2/3"]);
    assert!(!silent.was_visited(), "something was sent");
}

#[test]
fn an_interrupt_while_users_get_ready_reports_that_nothing_was_measured() {
    LazyLock::force(&PLAYED);
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, "timeout: 500ms\n");
    let words = ["load", "status-v2", "--start-at", "2200-01-01T00:00:00Z", "--target", target.to_str().unwrap()];
    let child = paycheck(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A process that connects is getting ready, and handles signals already.
    let visitor = silent.visited();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    ended(child).with_code(130).complaining(&["before the load began"]);
    drop(visitor);
}

/// The command of a service in `deploy/compose/compose.yaml`, with the files of a test.
fn composed(service: &str, files: &[(&str, String)]) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/compose/compose.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, after) = text.split_once(&format!("  {service}:\n")).unwrap();
    let line = after.lines().find_map(|line| line.trim().strip_prefix("command: [")?.strip_suffix(']')).unwrap();
    let words = line.split(", ").map(|word| word.trim_matches('"').to_owned());
    words.map(|word| files.iter().find(|(name, _)| word == *name).map_or(word.clone(), |(_, file)| file.clone())).collect()
}

#[test]
fn the_commands_for_docker_compose_play_and_merge() {
    LazyLock::force(&PLAYED);
    let folder = tempdir().unwrap();
    let text = |path: PathBuf| path.display().to_string();
    let deploy = |name: &str| text(Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/kubernetes").join(name));
    let mut files = vec![
        ("/run/paycheck/profile.yaml", deploy("profile.yaml")),
        ("/run/paycheck/target.yaml", deploy("target.yaml")),
        ("${START_AT:?when all parts begin}", "2200-01-01T00:00:00Z".to_owned()),
    ];
    for service in ["part-1", "part-2"] {
        let words = composed(service, &files);
        let played =
            paycheck(words.iter().map(String::as_str).chain(["--explain"])).env("PAYCHECK_SECRET", "no-secret-at-all").output().unwrap();
        assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
        assert!(words.contains(&format!("/results/{service}.json")), "{words:?}");
    }
    files.push(("/results/part-1.json", text(PLAYED.part(1))));
    files.push(("/results/part-2.json", text(PLAYED.part(2))));
    files.push(("/results/result.json", text(folder.path().join("result.json"))));
    files.push(("/results/report.html", text(folder.path().join("report.html"))));
    // One of three parts is missing.
    let merged = run(composed("merge", &files)).with_code(2);
    assert!(merged.out.contains("1 of 3 parts of the load is missing: 3"), "{}", merged.out);
    assert!(folder.path().join("report.html").exists() && read(&folder.path().join("result.json")).shards.parts == [1, 2]);
}
