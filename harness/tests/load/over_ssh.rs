//! `deploy/ssh/load.sh`: a load from two hosts, where `ssh HOST COMMAND` is `sh -c COMMAND` on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::MAIN;
use crate::support::binary::{Emulate, emulated, file, target_file};
use harness::report::load as report;
use tempfile::{TempDir, tempdir};

const PROFILE: &str = "
title: It's played elsewhere
kind: ramping-arrival-rate
start: 20
users: 4
stages: [{ rate: 20, for: 1s }, { rate: 0, for: 1s }, { rate: 0, for: 1s }]
mix: [{ scenario: gateway/a-creation-is-answered-with-a-payment, case: v2.0 }]
thresholds: [errors = 0]
";

/// Two hosts, and the files of a load on them.
struct Hosts {
    folder: TempDir,
    profile: PathBuf,
    ssh: PathBuf,
}

/// The exit code and the output of the script.
struct Ended {
    code: Option<i32>,
    said: String,
}

impl Hosts {
    fn new() -> Self {
        let folder = tempdir().unwrap();
        let profile = file(folder.path(), "mine.yaml", PROFILE);
        let ssh = file(folder.path(), "ssh.sh", "echo \"$1\" >>\"$(dirname \"$0\")/hosts\"\nexec sh -c \"$2\"\n");
        Self { folder, profile, ssh }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Calls the script; `results` is a folder's name.
    fn load(&self, target: &Path, results: &str, lead: u32) -> Ended {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/ssh/load.sh");
        let mut command = Command::new("sh");
        command.arg(script).args([&self.profile, target]).args(["one.example.com", "two.example.com"]);
        command.env("SSH", format!("sh {}", self.ssh.display())).env("PAYCHECK", env!("CARGO_BIN_EXE_paycheck"));
        let ended = command.env("LEAD", lead.to_string()).env("RESULTS", self.path(results)).output().unwrap();
        let said = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        Ended { code: ended.status.code(), said }
    }

    /// Whether a part was not ready in time, which depends on the machine.
    fn came_late(&self, results: &str) -> bool {
        let log = |part: u32| std::fs::read_to_string(self.path(results).join(format!("part-{part}.log"))).unwrap();
        [1, 2].map(log).iter().any(|log| log.contains("have begun without this one") || log.contains("after `--start-at`"))
    }
}

#[test]
fn hosts_play_a_part_each_and_the_merge_is_the_whole() {
    let hosts = Hosts::new();
    let emulator = Emulate::start(&[]);
    let target = target_file(hosts.folder.path(), &emulator.url, MAIN, &emulated(&emulator.url));
    let tried = [3, 6, 12, 24, 48].map(|lead| (lead, format!("results-{lead}")));
    let (ended, results) = tried
        .into_iter()
        .map(|(lead, results)| (hosts.load(&target, &results, lead), results))
        .find(|(_, results)| !hosts.came_late(results))
        .expect("no part was ready within a minute");
    let whole = report::read(&std::fs::read(hosts.path(&results).join("result.json")).unwrap(), "whole").unwrap();
    assert_eq!((whole.shards.of, whole.shards.parts.as_slice()), (2, [1, 2].as_slice()));
    assert_eq!(whole.arrivals.map(|arrivals| (arrivals.intended, arrivals.started)), Some((30, 30)), "{}", ended.said);
    assert_eq!(ended.code, Some(if whole.generator.limit.is_some() { 2 } else { 0 }), "{}", ended.said);
    assert!(hosts.path(&results).join("report.html").exists());
    let called = std::fs::read_to_string(hosts.path("hosts")).unwrap();
    assert!(["one.example.com", "two.example.com"].iter().all(|host| called.lines().any(|line| line == *host)), "{called}");
    let again = hosts.load(&target, &results, 3);
    assert_eq!(again.code, Some(3), "{}", again.said);
    assert!(again.said.contains("holds results already"), "{}", again.said);
}

#[test]
fn a_load_that_no_host_can_play_ends_as_its_parts_do() {
    let hosts = Hosts::new();
    let target = file(hosts.folder.path(), "target.yaml", "title: no target\nbase: nowhere\n");
    let ended = hosts.load(&target, "results", 60);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    assert!(
        ended.said.contains("part 2 has no result (exit code 3)") && ended.said.contains("1 mistake; nothing was sent"),
        "{}",
        ended.said
    );
    let missing = hosts.load(Path::new("no-such-file.yaml"), "others", 60);
    assert_eq!((missing.code, missing.said.as_str()), (Some(3), "no-such-file.yaml can't be read\n"));
}
