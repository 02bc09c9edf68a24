//! Reports as their readers take them: files, standard output, GitHub, and a shell that repeats what they print.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::MAIN;
use crate::support::binary::{Emulate, ended, events, file, paycheck, run};
use harness::report::formats::FORMATS;
use serde_json::Value;
use tempfile::tempdir;

/// A script with a wrong expectation.
const WRONG: &str = "title: A payment is born paid\nclauses: [gateway.payment.created]\nsteps:\n  - call: gateway.v2.create\n    \
                     keep: { payment: transId }\n  - call: gateway.v2.status\n    with: { transId: '{{ payment }}' }\n    \
                     expect: { status: PAID }\n    clause: gateway.payment.created\n";

/// Calls whose code is none that is expected, with texts that shells, forms and JSON escape. No document lists the code, so that only a
/// template can ask for it.
const CREATES: &str = "title: Creates\nclauses: [gateway.create.code.0]\ncases:\n  - { name: v1.0, call: gateway.v1.create }\n  - { name: \
                       v2.0, call: gateway.v2.create }\nsteps:\n  - call: '{{ call }}'\n    with: { label: 'it''s \"ž\" \\ & %41' }\n    expect: \
                       { code: '{{ 4711 }}' }\n";
const READS: &str = "title: Reads\nclauses: [gateway.status.code.0]\ncases:\n  - { name: v1.0, call: gateway.v1.status }\n  - { name: v2.0, \
                     call: gateway.v2.status }\nsteps:\n  - call: '{{ call }}'\n    with: { transId: AAAA-BBBB-CCCC }\n    expect: { code: \
                     '{{ 4711 }}' }\n";
const REFUSED: &str = "title: Refused\nclauses: [gateway.create.code.0]\nsteps:\n  - call: gateway.v2.create\n    as: wrong-secret\n    \
                       expect: { code: '{{ 4711 }}' }\n";

/// A secret that shells, forms and Basic headers escape.
const SECRET: &str = "it's a \"$ecret\" & %41 +ž\\n";

fn path(path: &Path) -> String {
    path.display().to_string()
}

/// What the shell makes of a command line of a report.
fn shell(line: &str) -> String {
    let ended = Command::new("sh").args(["-c", line]).env("SHOP_SECRET", SECRET).stderr(Stdio::null()).output().unwrap();
    String::from_utf8(ended.stdout).unwrap()
}

fn has_curl() -> bool {
    let is_there = Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_ok();
    assert!(is_there || std::env::var("CI").as_deref() != Ok("true"), "curl is not installed");
    is_there
}

#[test]
fn every_printed_command_runs_as_it_is_printed() {
    if !has_curl() {
        return;
    }
    let folder = tempdir().unwrap();
    let world = format!("merchants:\n  - merchant: \"{}\"\n    secret: {}\n", MAIN.0, serde_json::json!(SECRET));
    let emulate = Emulate::start(&["--world", &path(&file(folder.path(), "world.yaml", &world))]);
    let target = format!(
        "title: under test\nbase: {}\ncredentials:\n  main: {{ merchant: \"{}\", secret: {{ env: SHOP_SECRET }} }}\n",
        emulate.url, MAIN.0
    );
    let target = file(folder.path(), "target.yaml", &target);
    for (name, text) in [("creates", CREATES), ("reads", READS), ("refused", REFUSED)] {
        file(folder.path(), &format!("gateway/{name}.yaml"), text);
    }
    let (log, scripts) = (folder.path().join("events.ndjson"), folder.path().join("gateway"));
    let mut command = paycheck(["verify", &path(&scripts), "--target", &path(&target), "--events", &path(&log)]);
    let child = command.env("SHOP_SECRET", SECRET).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ended = ended(child).with_code(1);
    let mut lines = 0;
    for finding in events(&log).iter().filter_map(|event| event["findings"].as_array()).flatten() {
        let (Some(line), Some(code)) = (finding["curl"].as_str(), finding["got"].as_i64().filter(|_| finding["expected"] == 4711)) else {
            continue;
        };
        let answer = shell(line);
        let codes = [format!("\"code\":{code},"), format!("code={code}&"), format!("\"code\":\"{code}\""), format!("\"code\":{code}}}")];
        assert!(codes.iter().any(|code| answer.contains(code.as_str())), "{line}\n{answer}\nhas not code {code}");
        assert!(!line.contains(SECRET), "{line}");
        assert_eq!(line.contains("\"$SHOP_SECRET\""), !line.contains("not-the-secret"), "{line}");
        lines += 1;
    }
    assert_eq!(lines, 5, "{}", ended.out);
    assert!(ended.out.contains("\"$SHOP_SECRET\"") && !ended.out.contains(SECRET), "{}", ended.out);
}

/// A call of each other API with an HTTP status that nobody returns; those of QR payments and devices are sent with tokens.
const CALLS: &str = "title: Calls\nclauses: [gateway.status.code.0]\ncases:\n  - { name: a, call: terminal.state }\n  - { name: b, call: \
                     transfers.list }\n  - { name: c, call: status.health }\n  - { name: d, call: qr.auth-ping }\n  - { name: e, call: qr.methods \
                     }\n  - { name: f, call: device.config }\n  - { name: g, call: device.ping }\nsteps:\n  - call: '{{ call }}'\n    http: { \
                     status: 299 }\n";

#[test]
fn a_printed_command_fetches_the_token_that_it_needs() {
    if !has_curl() {
        return;
    }
    let folder = tempdir().unwrap();
    let parts = ["secret", "terminal-secret", "qr-password", "device-password"];
    let secret = |part: &str| format!("{SECRET} {part}");
    let variable = |part: &str| part.replace('-', "_").to_uppercase();
    let own = parts.map(|part| format!("    {part}: {}\n", serde_json::json!(secret(part)))).concat();
    let world = format!("merchants:\n  - merchant: \"{}\"\n{own}", MAIN.0);
    let emulate = Emulate::start(&["--world", &path(&file(folder.path(), "world.yaml", &world))]);
    let own = parts.map(|part| format!("    {part}: {{ env: {} }}\n", variable(part))).concat();
    let others = "    terminal: T100001\n    qr-user: qr-100001\n    mid: M100001\n    qr-terminal: Q100001\n    device-user: \
                  device-100001\n    serial: SN100001\n    activation-code: AC100001\n";
    let target = format!("title: under test\nbase: {}\ncredentials:\n  main:\n    merchant: \"{}\"\n{own}{others}", emulate.url, MAIN.0);
    let target = file(folder.path(), "target.yaml", &target);
    let (script, log) = (file(folder.path(), "gateway/calls.yaml", CALLS), folder.path().join("events.ndjson"));
    let variables: Vec<(String, String)> = parts.iter().map(|part| (variable(part), secret(part))).collect();
    let mut command = paycheck(["verify", &path(&script), "--target", &path(&target), "--events", &path(&log), "--jobs", "1"]);
    command.envs(variables.clone()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ended = ended(command.spawn().unwrap()).with_code(1);
    let mut called = Vec::new();
    for finding in events(&log).iter().filter_map(|event| event["findings"].as_array()).flatten() {
        let Some(line) = finding["curl"].as_str().filter(|_| finding["expected"] == 299) else { continue };
        let output = Command::new("sh").args(["-c", line]).envs(variables.clone()).stderr(Stdio::null()).output().unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {} ", finding["got"])), "{line}\n{answer}\nhas not status {}", finding["got"]);
        assert_ne!(finding["got"], 401, "{line}");
        called.push(finding["operation"].as_str().unwrap().to_owned());
    }
    let all = ["terminal.state", "transfers.list", "status.health", "qr.auth-ping", "qr.methods", "device.config", "device.ping"];
    assert_eq!(called, all, "{}", ended.out);
    assert!(ended.out.contains("PAYCHECK_TOKEN_1=\"$(curl -s ") && !ended.out.contains(SECRET), "{}", ended.out);
}

#[test]
fn every_format_is_a_file_and_any_of_them_standard_output() {
    let folder = tempdir().unwrap();
    let script = path(&file(folder.path(), "gateway/born-paid.yaml", WRONG));
    let named = |format: &str| folder.path().join("reports").join(format);
    let mut arguments = vec!["verify".to_owned(), script.clone()];
    arguments.extend(FORMATS.iter().flat_map(|format| [format!("--{}", format.name), path(&named(format.name))]));
    let screen = run(&arguments).with_code(1).out;
    for format in FORMATS {
        let piped = run(["verify", &script, &format!("--{}", format.name), "-"]).with_code(1);
        assert!(screen.contains(&format!("{}: {}", format.label, path(&named(format.name)))), "{screen}");
        assert_eq!(format.name == "html", piped.out.starts_with("<!doctype html>"), "{}", format.name);
        assert!(piped.err.contains("FAILED: ") && !piped.out.contains("\nFAILED: "), "{}", format.name);
        // The page says how long things took.
        if format.name != "html" {
            assert_eq!(piped.out, std::fs::read_to_string(named(format.name)).unwrap(), "{}", format.name);
        }
    }
    let both = run(["verify", &script, "--junit", "-", "--sarif", "-"]).with_code(3);
    assert!(both.err.contains("would be written twice"), "{}", both.err);
}

#[test]
fn github_gets_annotations_where_it_runs_the_command() {
    let folder = tempdir().unwrap();
    let script = path(&file(folder.path(), "gateway/born-paid.yaml", WRONG));
    let summary = folder.path().join("summary.md");
    let mut command = paycheck(["verify", &script]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let printed = ended(command.spawn().unwrap()).with_code(1);
    let place = format!("::error file={script},line=6,col=5,title=gateway.payment.created::");
    assert!(printed.err.contains(&place), "{}", printed.err);
    assert!(std::fs::read_to_string(summary).unwrap().starts_with("# FAILED: "));
}

#[test]
fn a_finding_on_the_screen_is_a_bug_report() {
    let folder = tempdir().unwrap();
    let script = path(&file(folder.path(), "gateway/born-paid.yaml", WRONG));
    let screen = run(["verify", &script]).with_code(1).out;
    for part in
        ["  rule      ", "1-payment-gateway", "  request   GET ", "  response  HTTP 200", "\"status\":\"PENDING\"", "  again     curl "]
    {
        assert!(screen.contains(part), "`{part}` is not in:\n{screen}");
    }
    assert!(!screen.contains('…') && screen.lines().all(|line| line.trim_end() == line), "{screen}");
}

#[test]
fn an_archive_holds_every_exchange_of_the_run() {
    let folder = tempdir().unwrap();
    let (har, log) = (folder.path().join("run.har"), folder.path().join("events.ndjson"));
    run(["verify", "--filter", "a-paid-payment-is-notified-and-reads-as-paid", "--har", &path(&har), "--events", &path(&log)]).with_code(0);
    let archive: Value = serde_json::from_str(&std::fs::read_to_string(har).unwrap()).unwrap();
    let entries = archive["log"]["entries"].as_array().unwrap();
    let ended = events(&log).pop().unwrap();
    assert_eq!(entries.len() as u64, ended["requests"].as_u64().unwrap() + ended["notifications"].as_u64().unwrap());
    let times: Vec<_> = entries.iter().map(|entry| entry["startedDateTime"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "readers sort entries by their time");
}
