//! SIGINT, SIGTERM and SIGHUP: the first ends every command with a report, the second at once; both with 130.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tempfile::{TempDir, tempdir};

use crate::support::binary::{CommandResult, ended, file, paycheck, run};
use crate::support::raw::Raw;

const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];
/// How long a report may take.
const LIMIT: Duration = Duration::from_secs(5);

/// The limit on a machine that is busy: with the time that a command which only prints takes now, many times over.
fn limit() -> Duration {
    let began = Instant::now();
    run(["exit-codes"]).with_code(0);
    LIMIT + began.elapsed() * 10
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
}

/// Accepts every connection, counts requests, and never responds.
async fn silent() -> Raw {
    Raw::start(|mut stream, requests| async move {
        crate::support::raw::hear(&mut stream).await;
        requests.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<()>().await;
    })
    .await
}

fn target(folder: &TempDir, server: &Raw) -> String {
    let text =
        format!("title: silent\nbase: {}\ntimeout: 60s\ncredentials: {{ main: {{ merchant: \"100001\", secret: s-1 }} }}\n", server.url);
    file(folder.path(), "target.yaml", &text).display().to_string()
}

/// Runs a command until the server has a request of it, sends signals, and waits for its end.
async fn signalled(server: &Raw, arguments: Vec<String>, signals: &[&str]) -> CommandResult {
    let before = server.counted.load(Ordering::SeqCst);
    let mut child = paycheck(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.counted.load(Ordering::SeqCst) == before {
        if child.try_wait().unwrap().is_some() {
            return ended(child);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let sent = Instant::now();
    signals.iter().for_each(|signal| send(&child, signal));
    let output = tokio::task::spawn_blocking(move || ended(child)).await.unwrap();
    let took = sent.elapsed();
    assert!(took < limit(), "{arguments:?} took {took:?} after {signals:?}");
    output
}

/// A load that begins a call, which gets no response.
fn profile(folder: &TempDir) -> String {
    let text = "title: T\nkind: constant-users\nusers: 2\nfor: 10m\nconservation: off\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
    file(folder.path(), "profile.yaml", text).display().to_string()
}

fn texts(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_that_sends_ends_with_a_report() {
    let server = silent().await;
    let folder = tempdir().unwrap();
    let target = target(&folder, &server);
    let url = server.url.to_string();
    let profile = profile(&folder);
    let commands: &[&[&str]] = &[
        &["verify", "--target", &target, "--no-preflight", "-f", "a-creation"],
        &["verify", "--target", &target, "-f", "a-creation"],
        &["mutate", "--target", &target, "--no-preflight", "-f", "a-creation"],
        &["compare", &target, "emulator", "-f", "a-creation"],
        &["coverage", "--run", "--target", &target, "--no-preflight"],
        &["fuzz", "--target", &target],
        &["explore", "--target", &target],
        &["notify", &url],
        &["load", "notification", &url, "--rate", "20", "--for", "1m"],
        &["load", &profile, "--target", &target],
        &["load", &profile, "--target", &target],
        &["load", &profile, "--target", &target],
    ];
    for (index, command) in commands.iter().enumerate() {
        let signal = SIGNALS[index % SIGNALS.len()];
        let mut arguments = texts(command);
        let junit = folder.path().join(format!("{index}.xml"));
        if ["verify", "mutate", "compare", "notify"].contains(&command[0]) {
            arguments.extend(["--junit".to_owned(), junit.display().to_string()]);
        }
        let output = signalled(&server, arguments.clone(), &[signal]).await;
        assert_eq!(output.code, 130, "{arguments:?}: {}{}", output.out, output.err);
        if arguments.contains(&"--junit".to_owned()) {
            let report = std::fs::read_to_string(&junit).unwrap();
            assert!(report.contains("</testsuites>"), "{arguments:?}: {report}");
        }
    }
}

/// The report goes to a pipe that no process reads, so only a second signal can end the command.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_ends_at_once() {
    let server = silent().await;
    let folder = tempdir().unwrap();
    let (target, profile) = (target(&folder, &server), profile(&folder));
    let pipe = folder.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Two of one kind may arrive as one.
    for signals in [["INT", "TERM"], ["TERM", "HUP"], ["HUP", "INT"]] {
        let verify: &[&str] = &["verify", "--no-preflight", "-f", "a-creation", "--target", &target, "--junit", &pipe];
        let load: &[&str] = &["load", &profile, "--target", &target, "--html", &pipe];
        for command in [verify, load] {
            let output = signalled(&server, texts(command), &signals).await;
            assert_eq!(output.code, 130, "{command:?} after {signals:?}: {}{}", output.out, output.err);
            assert!(output.err.contains("ended at once"), "{command:?} after {signals:?}: {}", output.err);
        }
    }
}

/// A recording is mutated without any call: the log says when that begins.
#[test]
fn a_signal_ends_mutating_with_a_report() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    // A recording that takes far longer to mutate than a busy machine takes to deliver a signal.
    run(["verify", "--api", "gateway", "--tape", &at("run.tape")]).with_code(0);
    let mut child = paycheck(["mutate", "--tape", &at("run.tape"), "--junit", &at("mutate.xml")])
        .env("PAYCHECK_LOG", "harness::modes::mutate=debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(log.any(|line| line.contains("mutants are tried")));
    let sent = Instant::now();
    send(&child, "TERM");
    let output = ended(child).with_code(130);
    let took = sent.elapsed();
    assert!(took < limit(), "{took:?}: {}", output.out);
    assert!(output.out.contains(" mutants were tried"), "{}", output.out);
    assert!(std::fs::read_to_string(at("mutate.xml")).unwrap().contains("</testsuites>"));
}

#[test]
fn a_command_that_plays_nothing_ends_at_once() {
    for signal in SIGNALS {
        let mut command = paycheck(["qr", "-"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until_it_hears(&child);
        send(&child, signal);
        let output = ended_with_open_input(child);
        assert_eq!(output.code, 130, "{signal}: {}{}", output.out, output.err);
    }
}

/// The kernel shows which signals a process handles.
fn wait_until_it_hears(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let hears = |text: String| {
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(|mask| u64::from_str_radix(mask.trim(), 16).unwrap());
        caught.is_some_and(|mask| mask & 0b100_0000_0000_0011 == 0b100_0000_0000_0011)
    };
    while !std::fs::read_to_string(&status).is_ok_and(hears) {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The input stays open until the process has ended.
fn ended_with_open_input(mut child: Child) -> CommandResult {
    let input = child.stdin.take();
    let output = ended(child);
    drop(input);
    output
}
