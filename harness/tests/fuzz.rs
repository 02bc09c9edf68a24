//! Fuzzing, seen from both sides: the emulator stands it, planted breaks are found and shrunk to what shows them, and
//! no server takes our time or our memory. It measures the memory of the processes that it starts, so it is a program of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use harness::base::interrupt::Interrupt;
use harness::engine::runner::Context;
use harness::modes::fuzz::{FuzzCause, OperationReport, Options, run};
use support::binary::{self, Silent, credentials, file, target_file};
use support::raw::{Raw, hear};
use support::{MAIN, bare_target, contracts, scenarios};
use tempfile::tempdir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const CREATE: &str = "gateway.v2.create";
const CREATED: &str = r#"{"code":0,"message":"OK","transId":"AB12-CD34-EF56","redirect":"https://pay.example.com/AB12-CD34-EF56"}"#;
const REFUSED: &str = r#"{"code":1400,"message":"bad request"}"#;

/// Fuzzes one operation of a server.
async fn fuzz_at(server: &Raw, operation: &str, changes: &[&str], requests: usize) -> OperationReport {
    let mut target = bare_target(&server.url);
    target.timeout = Duration::from_millis(400);
    let context = Context::start(contracts(), target, Vec::new(), 1).await.unwrap_or_else(|error| panic!("{error:?}"));
    let changes = changes.iter().map(|change| (*change).to_owned()).collect();
    let options =
        Options { operations: vec![operation.to_owned()], changes, requests, duration: None, jobs: 4, seed: 1, tally: Arc::default() };
    let mut reports = run(Arc::new(context), scenarios(), &options, &Interrupt::default()).await.unwrap().reports;
    reports.remove(0)
}

/// A request as it came: head, body.
async fn heard(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let (mut all, mut buffer) = (Vec::new(), [0; 65_536]);
    loop {
        if let Some(head) = all.windows(4).position(|window| window == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&all[..head]).into_owned();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok()).unwrap_or(0);
            let whole = if text.contains("chunked") { all.ends_with(b"0\r\n\r\n") } else { all.len() >= head + 4 + length };
            if whole {
                return (text, all[head + 4..].to_vec());
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return (String::from_utf8_lossy(&all).into_owned(), Vec::new()),
            Ok(read) => all.extend_from_slice(&buffer[..read]),
        }
    }
}

/// What a server makes of a request.
enum Said {
    Json(&'static str),
    Status(u16),
    Page,
    Injected,
    Cut,
    Silence,
}

/// What the documents say of numbers and lengths, as far as it is fuzzed.
fn within_bounds(json: &serde_json::Value) -> bool {
    let price = json["price"].as_u64().is_some_and(|price| (100..=100_000_000).contains(&price));
    price && json["label"].as_str().is_none_or(|label| label.chars().count() <= 16)
}

/// A server that creates payments from JSON that is one, and otherwise does as the test asks.
async fn shop(response: fn(&str, &[u8]) -> Option<Said>) -> Raw {
    Raw::start(move |mut stream, _| async move {
        let (head, body) = heard(&mut stream).await;
        let json = serde_json::from_slice::<serde_json::Value>(&body).ok().filter(|value| value.is_object());
        let usual = match json {
            _ if !head.starts_with("POST /v2.0/payment.json HTTP/1.1") => Said::Status(404),
            Some(json) if within_bounds(&json) => Said::Json(CREATED),
            Some(_) => Said::Json(REFUSED),
            None => Said::Status(400),
        };
        let (status, more, body) = match response(&head, &body).unwrap_or(usual) {
            Said::Json(json) => (200, "Content-Type: application/json\r\n", json),
            Said::Status(status) => (status, "", ""),
            Said::Page => (200, "Content-Type: text/html\r\n", "<h1>hello</h1>"),
            Said::Injected => (200, "Content-Type: application/json\r\nX-Injected: yes\r\n", CREATED),
            Said::Cut => return,
            Said::Silence => return std::future::pending().await,
        };
        let text = format!("HTTP/1.1 {status} X\r\n{more}Content-Length: {}\r\n\r\n{body}", body.len());
        let _ = stream.write_all(text.as_bytes()).await;
        let _ = stream.shutdown().await;
    })
    .await
}

fn cause<'r>(report: &'r OperationReport, says: &str) -> &'r FuzzCause {
    let found = report.causes.iter().find(|cause| cause.finding.message.contains(says));
    found.unwrap_or_else(|| panic!("nothing says `{says}`: {report:#?}"))
}

fn contains(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}

#[tokio::test]
async fn a_server_that_keeps_to_its_documents_is_left_in_peace() {
    let server = shop(|_, _| None).await;
    let report = fuzz_at(&server, CREATE, &[], 150).await;
    assert!(report.causes.is_empty(), "{:#?}", report.causes);
    assert!(report.accepted && report.counts.sent == 150 && report.counts.accepted > 10 && report.counts.by_http > 10, "{report:?}");
}

#[tokio::test]
async fn a_failure_of_the_target_is_shrunk_to_the_one_change_that_shows_it() {
    // Only two things together make it fail, so that it is found among several changes.
    let server = shop(|head, body| (head.contains("gzip") && contains(body, b"null")).then_some(Said::Status(500))).await;
    let report = fuzz_at(&server, CREATE, &["gzip", "is null"], 150).await;
    let cause = cause(&report, "the target failed: HTTP 500");
    assert_eq!(cause.finding.clause(), "gateway.v2.create.call");
    assert!(cause.again && cause.edits.len() == 2, "{:?}", cause.edits);
    assert!(cause.edits.iter().any(|edit| edit.contains("gzip")) && cause.edits.iter().any(|edit| edit.contains("null")), "{cause:?}");
}

#[tokio::test]
async fn sizes_are_shrunk_too() {
    let server = shop(|_, body| (body.len() > 3_000 && contains(body, b"\"label\":\"aaa")).then_some(Said::Status(503))).await;
    let report = fuzz_at(&server, CREATE, &["/label is a text of"], 6).await;
    assert_eq!(cause(&report, "HTTP 503").edits, ["/label is a text of 4096 letters"]);
}

#[tokio::test]
async fn a_success_that_is_not_documented_is_found() {
    let server = shop(|_, body| contains(body, b"\\ud800\"").then_some(Said::Page)).await;
    let report = fuzz_at(&server, CREATE, &["ud800"], 20).await;
    assert_eq!(cause(&report, "documented is `application/json`").edits.len(), 1);
}

#[tokio::test]
async fn a_header_made_of_what_was_sent_is_found() {
    let server = shop(|head, _| head.contains("%0d%0a").then_some(Said::Injected)).await;
    let report = fuzz_at(&server, CREATE, &["%0d%0a"], 10).await;
    assert_eq!(
        cause(&report, "has become a header").finding.at.as_ref().map(ToString::to_string).as_deref(),
        Some("response header x-injected")
    );
}

#[tokio::test]
async fn a_value_beyond_its_bound_must_not_be_accepted() {
    let server = shop(|head, body| {
        let json: serde_json::Value = serde_json::from_slice(body).ok()?;
        (head.starts_with("POST /v2.0/payment.json HTTP") && json.is_object()).then_some(Said::Json(CREATED))
    })
    .await;
    let report = fuzz_at(&server, CREATE, &["/price is"], 90).await;
    let cause = cause(&report, "accepted, although");
    assert!(cause.finding.clause().starts_with("gateway.create.price"), "{cause:?}");
}

/// The redirect creation may show its error page under any HTTP status.
#[tokio::test]
async fn a_page_for_people_accepts_nothing() {
    let server = shop(|_, _| Some(Said::Page)).await;
    let report = fuzz_at(&server, "gateway.v2.paymentRedirect", &["/price is"], 90).await;
    assert!(report.counts.sent > 0, "{report:?}");
    assert!(!report.causes.iter().any(|cause| cause.finding.message.contains("accepted, although")), "{report:#?}");
}

#[tokio::test]
async fn a_connection_that_is_cut_is_found() {
    let server = shop(|head, _| head.contains("TRACE").then_some(Said::Cut)).await;
    let report = fuzz_at(&server, CREATE, &["TRACE"], 1).await;
    assert_eq!(cause(&report, "the connection ended").edits, ["the method is TRACE"]);
}

#[tokio::test]
async fn a_target_that_falls_silent_is_not_waited_for_again_and_again() {
    let server = shop(|_, body| (!contains(body, b"Beach ball")).then_some(Said::Silence)).await;
    let report = fuzz_at(&server, CREATE, &["/label is"], 20).await;
    cause(&report, "no response in time");
    assert!(report.stopped.is_some() && report.counts.silent == 5, "{report:?}");
}

#[tokio::test]
async fn a_target_that_is_not_well_afterwards_is_found() {
    static BROKEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let server = shop(|_, body| {
        if contains(body, b"__proto__") {
            BROKEN.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        BROKEN.load(std::sync::atomic::Ordering::SeqCst).then_some(Said::Page)
    })
    .await;
    let report = fuzz_at(&server, CREATE, &["__proto__"], 1).await;
    cause(&report, "documented is `application/json`");
}

#[tokio::test]
async fn what_a_documented_code_calls_its_own_failure_is_counted_and_no_finding() {
    let own = r#"{"errorCode":"INTERNAL_ERROR","message":"back off"}"#;
    let server = Raw::start(move |mut stream, _| async move {
        hear(&mut stream).await;
        let text = format!("HTTP/1.1 500 X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{own}", own.len());
        let _ = stream.write_all(text.as_bytes()).await;
    })
    .await;
    let report = fuzz_at(&server, "device.authenticate", &[], 40).await;
    assert!(report.counts.own > 20, "{report:?}");
    assert!(!report.causes.iter().any(|cause| cause.finding.message.contains("the target failed")), "{report:#?}");
}

/// More than 4 MiB is not read here; what the contract says of the size is what makes it a finding or none.
#[tokio::test]
async fn a_large_response_is_a_finding_unless_it_may_be_large() {
    let large = || {
        Raw::saying(
            [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n", vec![b' '; 5_000_000].as_slice()]
                .concat(),
        )
    };
    let may = fuzz_at(&large().await, "transfers.csvDay", &["accept"], 2).await;
    assert!(may.causes.is_empty() && may.skipped.as_deref().is_some_and(|why| why.contains("not read whole")), "{may:#?}");
    let may_not = fuzz_at(&large().await, CREATE, &["accept"], 2).await;
    cause(&may_not, "larger than any documented");
}

#[tokio::test]
async fn what_is_found_can_be_sent_again_and_holds_no_secret() {
    let server = shop(|_, body| contains(body, b"__proto__").then_some(Said::Status(500))).await;
    let report = fuzz_at(&server, CREATE, &["__proto__"], 1).await;
    let cause = cause(&report, "HTTP 500");
    let named = |end: &str| cause.files.iter().find(|(name, _)| name.ends_with(end)).map(|(_, bytes)| bytes).unwrap();
    let (line, body) = (String::from_utf8(named(".sh").clone()).unwrap(), named(".body"));
    assert!(line.contains("--data-binary '@gateway.v2.create-1.body'") && line.contains("--path-as-is"), "{line}");
    assert!(contains(body, b"__proto__"));
    for (name, bytes) in &cause.files {
        assert!(!contains(bytes, MAIN.1.as_bytes()), "{name} holds the secret");
    }
    let folder = tempdir().unwrap();
    let script = file(folder.path(), "gateway/again.yaml", std::str::from_utf8(named(".yaml")).unwrap());
    let target = target_file(folder.path(), server.url.as_str(), MAIN, "");
    let path = |path: &std::path::Path| path.display().to_string();
    let (script, target) = (path(&script), path(&target));
    let ended = tokio::task::spawn_blocking(move || binary::run(["verify", &script, "--target", &target])).await.unwrap().with_code(1);
    assert!(ended.out.contains("500"), "{}", ended.out);
}

#[test]
fn the_emulator_survives_and_the_same_seed_reports_the_same() {
    let run = |jobs: &str| binary::run(["fuzz", "--api", "gateway", "--requests", "8", "--jobs", jobs]).with_code(0);
    let (one, many) = (run("3"), run("60"));
    assert!(one.out.contains("nothing found"), "{}", one.out);
    assert_eq!(one.out, many.out);
}

#[test]
fn elsewhere_only_what_the_target_file_opens_is_fuzzed() {
    let folder = tempdir().unwrap();
    let target = |more: &str| target_file(folder.path(), "http://192.0.2.1", MAIN, more).display().to_string();
    let closed = binary::run(["fuzz", "--target", &target(""), "--filter", CREATE]).with_code(2);
    // Lines are wrapped between words.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&closed.out).contains("allow: { fuzz: true }"), "{}", closed.out);
    let half = binary::run(["fuzz", "--target", &target("allow: { fuzz: true }\n"), "--filter", CREATE]).with_code(2);
    assert!(words(&half.out).contains("production: true"), "{}", half.out);
}

#[test]
fn mistakes_in_arguments_and_a_target_that_is_not_there_have_exit_codes_of_their_own() {
    binary::run(["fuzz", "--api", "gatway"]).with_code(3).complaining(&["did you mean `gateway`?"]);
    binary::run(["fuzz", "--filter", "no such call"]).with_code(3).complaining(&["no operation's name contains"]);
    let folder = tempdir().unwrap();
    let unreachable = Silent::start().url;
    let target = target_file(folder.path(), &unreachable, MAIN, "").display().to_string();
    binary::run(["fuzz", "--target", &target, "--filter", CREATE]).with_code(4).complaining(&["no server responds"]);
    assert!(credentials(MAIN.0, MAIN.1).is_object());
}

/// What a server is called, what is found, how its response begins, and what it then says without an end.
type Hostile = (&'static str, &'static str, &'static [u8], &'static [u8]);

/// Servers that want our time or our memory.
fn hostile() -> Vec<Hostile> {
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let chunked: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let long: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n";
    vec![
        ("a body without end", "larger than any documented", chunked, b"10\r\nxxxxxxxxxxxxxxxx\r\n"),
        ("a body of 100 MB", "larger than any documented", long, b"xxxxxxxxxxxxxxxx"),
        ("headers without end", "the connection ended", HEAD, b"X-More: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n"),
        ("one header without end", "the connection ended", b"HTTP/1.1 200 OK\r\nX-More: ", b"xxxxxxxxxxxxxxxx"),
        ("provisional answers without end", "no response in time", b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        ("garbage", "the connection ended", b"\0\xff\xfe not HTTP at all\r\n\r\n", b"\0"),
        ("a status line that is none", "the connection ended", b"HTTP/1.1 two hundred\r\n\r\n", b""),
        ("a gzip bomb", "", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 24\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03", b""),
        ("two lengths", "", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 99999999\r\n\r\n", b"x"),
    ]
}

#[tokio::test]
async fn no_server_takes_our_time_or_our_memory() {
    let fuzzed = hostile().into_iter().map(|server| withstands(server, "fuzz", CREATE));
    // `verify` has its own way of sending; what has an end is thrown at it in misbehaving_servers.rs.
    let endless = hostile().into_iter().filter(|(name, ..)| name.ends_with("without end"));
    let verified = endless.map(|server| withstands(server, "verify", "create-in-v2-holds-its-limits / label"));
    let calls = fuzzed.map(FutureExt::boxed).chain(verified.map(FutureExt::boxed));
    // As many as there are processors, so that none of them waits for the others.
    futures::stream::iter(calls).buffer_unordered(2).collect::<()>().await;
    let most = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    assert!(most < 256 * 1024, "the largest of our processes took {most} KiB");
}

/// A command ends with a finding, or without a response; one that never ends is killed by who runs it.
async fn withstands((name, says, beginning, again): Hostile, command: &'static str, filter: &'static str) {
    let server = Raw::start(move |mut stream, _| async move {
        hear(&mut stream).await;
        let piece = again.repeat(4_096);
        let _ = stream.write_all(beginning).await;
        while !again.is_empty() && stream.write_all(&piece).await.is_ok() {}
    })
    .await;
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), server.url.as_str(), MAIN, "timeout: 500ms\n").display().to_string();
    let call = move || binary::run([command, "--target", &target, "--filter", filter]);
    // To `verify`, a server that only ever says that it is at work has not responded.
    let code = if command == "verify" && says == "no response in time" { 4 } else { 1 };
    let ended = tokio::task::spawn_blocking(call).await.unwrap().with_code(code);
    // Lines are wrapped between words; a busy machine may not come to the limit of size before that of time.
    let printed = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let late = ["no response in time", "operation timed out"].iter().any(|words| printed.contains(words));
    let in_time = says.starts_with("larger") && late;
    assert!(in_time || printed.contains(says), "{name}, {command}: `{says}` is not in\n{}", ended.out);
}
