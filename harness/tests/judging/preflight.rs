//! A wrong target file is reported in one sentence, before the first scenario.

use std::path::Path;

use crate::support::binary::{CommandResult, Emulate, events, file, paycheck, run, target_file};
use crate::support::raw::Raw;
use tempfile::tempdir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use wiremock::matchers::{any, basic_auth};
use wiremock::{Mock, MockServer, ResponseTemplate};

const PAID: &str =
    "title: A test payment\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n  - call: gateway.v1.create\n";

fn verify(folder: &Path, base: &str, merchant: (&str, &str), more: &[&str]) -> CommandResult {
    let script = file(folder, "gateway/script.yaml", PAID).display().to_string();
    let target = target_file(folder, base, merchant, "timeout: 5s\n").display().to_string();
    run(["verify", &script, "--target", &target].iter().chain(more))
}

async fn responding(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(response).mount(&server).await;
    server
}

#[test]
fn a_conforming_target_is_judged() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let log = folder.path().join("events").display().to_string();
    verify(folder.path(), &emulate.url, ("100001", "secret-100001"), &["--events", &log]).with_code(0);
    // What is sent before the first scenario is no part of what is judged.
    let run = events(Path::new(&log)).pop().unwrap();
    assert_eq!(run["requests"], 2);
}

#[test]
fn an_inbox_that_no_case_needs_may_be_taken() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let more = format!("timeout: 5s\nnotifications: {{ listen: '{}' }}\n", taken.local_addr().unwrap());
    let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), &more).display().to_string();
    let played = |name: &str, script: &str| run(["verify", &file(folder.path(), name, script).display().to_string(), "--target", &target]);
    let needless = played("gateway/needless.yaml", PAID).with_code(0);
    assert!(needless.err.contains("no case of this run waits for a notification"), "{}", needless.err);
    let waiting = played("gateway/waiting.yaml", &format!("{PAID}  - no-notification: {{ refId: nothing }}\n")).with_code(3);
    assert!(waiting.err.contains("the inbox can't listen on"), "{}", waiting.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_requests_is_no_other_server() {
    let folder = tempdir().unwrap();
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "0").set_body_raw("slow down", "text/html");
    let server = responding(limited).await;
    let judged = verify(folder.path(), &server.uri(), ("100001", "secret-100001"), &[]).with_code(2);
    assert!(judged.out.contains("too many requests"), "{}", judged.out);
}

/// What can't be read says nothing of the credentials: the scenarios judge it.
#[tokio::test(flavor = "multi_thread")]
async fn a_response_that_cannot_be_read_is_no_wrong_secret() {
    let folder = tempdir().unwrap();
    let server = MockServer::start().await;
    let paid = |id: &str| format!("{{\"code\": 0, \"message\": \"OK\", \"transId\": \"{id}\"}}null");
    let body = move |request: &wiremock::Request| {
        if request.url.path().starts_with("/v1.0/") {
            return ResponseTemplate::new(200).set_body_raw(
                "code=0&message=OK&transId=AB12&redirect=https%3A%2F%2Fpay.example%2FAB12",
                "application/x-www-form-urlencoded",
            );
        }
        let right = ["MTAwMDAxOnNlY3JldC0xMDAwMDE=", "MjAwMDAyOmFub3RoZXItc2VjcmV0LTU1Nzc="];
        let is_right = right.iter().any(|credentials| format!("{request:?}").contains(credentials));
        let body = if is_right { paid("AB12") } else { "{\"code\": 1400, \"message\": \"unauthorized\"}null".to_owned() };
        ResponseTemplate::new(200).set_body_raw(body, "application/json")
    };
    Mock::given(any()).respond_with(body).mount(&server).await;
    let script =
        file(folder.path(), "gateway/script.yaml", "title: t\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n");
    let target = target_file(folder.path(), &server.uri(), ("100001", "secret-100001"), "timeout: 5s\n").display().to_string();
    let ended = run(["verify", &script.display().to_string(), "--target", &target, "--api", "gateway"]);
    assert!(!ended.err.contains("wrong secret"), "{}", ended.err);
    ended.with_code(1);
}

#[test]
fn wrong_credentials_are_one_sentence() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let wrong = ("100001", "not-the-right-secret");
    let ended = verify(folder.path(), &emulate.url, wrong, &[]).with_code(3);
    assert!(ended.err.contains("refuses the credentials of `main` as it refuses a wrong secret"), "{}", ended.err);
    assert!(ended.err.contains("states `background-creation: false` under `settings`"), "{}", ended.err);
    assert!(ended.err.contains("\"code\":1400") || ended.err.contains("code=1400"), "{}", ended.err);
    assert!(ended.err.lines().count() == 1 && !ended.err.contains(wrong.1), "{}", ended.err);
    verify(folder.path(), &emulate.url, wrong, &["--no-preflight"]).with_code(1);
}

/// The second merchant may be unknown, which is refused otherwise than a wrong secret of the first one.
#[test]
fn wrong_credentials_of_the_other_merchant_are_one_sentence() {
    let folder = tempdir().unwrap();
    let world = "tolerant: false\nmerchants:\n  - { merchant: \"100001\" }\n  - { merchant: \"200002\" }\n";
    let world = file(folder.path(), "world.yaml", world).display().to_string();
    let emulate = Emulate::start(&["--world", &world]);
    let alone = "title: A test payment\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n";
    let both = format!("{alone}  - call: gateway.v2.create\n    as: other\n");
    let unknown = ("300003", "secret-300003");
    for (script, (other, secret), code) in [
        (both.as_str(), ("200002", "secret-200002"), 0),
        (&both, ("200002", "some-secret-77"), 3),
        (&both, unknown, 3),
        (alone, unknown, 0),
    ] {
        let script = file(folder.path(), "gateway/script.yaml", script).display().to_string();
        let text = format!(
            "title: t\nbase: {}\ncredentials:\n  main: {{ merchant: \"100001\", secret: secret-100001 }}\n  other: {{ merchant: \"{other}\", secret: {secret} }}\n",
            emulate.url
        );
        let target = file(folder.path(), "target.yaml", &text).display().to_string();
        let ended = run(["verify", &script, "--target", &target]);
        assert_eq!(
            ended.err.contains("refuses the credentials of `other` as it refuses a wrong secret"),
            code == 3,
            "{other}: {}",
            ended.err
        );
        ended.with_code(code);
    }
}

#[test]
fn wrong_credentials_are_one_sentence_for_every_command_that_tries_a_target() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_file(folder.path(), &emulate.url, ("100001", "not-the-right-secret"), "").display().to_string();
    let out = folder.path().join("found").display().to_string();
    let commands: [&[&str]; 2] =
        [&["fuzz", "--requests", "2", "-f", "gateway.v2.create"], &["explore", "--sequences", "1", "--api", "gateway", "--out", &out]];
    for command in commands {
        run(command.iter().chain(&["--target", &target])).with_code(3).complaining(&["refuses the credentials of `main`"]);
    }
    // Fuzzed all the same, only refusals were seen.
    let fuzzed = run(commands[0].iter().chain(&["--target", &target, "--no-preflight"])).with_code(2);
    assert!(fuzzed.out.contains("INCONCLUSIVE: no valid request succeeded"), "{}", fuzzed.out);
}

#[test]
fn an_unreachable_host_ends_the_run() {
    let folder = tempdir().unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ended = verify(folder.path(), &format!("http://{closed}"), ("1", "some-secret"), &[]).with_code(4);
    assert!(ended.err.contains(&format!("no server responds at http://{closed}/")), "{}", ended.err);
}

/// A server that answers a TLS handshake, and has a page for those who call it without TLS.
async fn tls_or_a_page(status: u16) -> Raw {
    Raw::start(move |mut stream, _| async move {
        let mut bytes = [0; 1024];
        let read = stream.read(&mut bytes).await.unwrap_or_default();
        let page = format!("HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<p>page</p>");
        let handshake = [22, 3, 3];
        let answer = if bytes[..read].starts_with(&[22]) { handshake.as_slice() } else { page.as_bytes() };
        let _ = stream.write_all(answer).await;
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_called_without_its_tls_is_one_sentence() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&["--tls", &folder.path().join("emulator.pem").display().to_string()]);
    let explaining = tls_or_a_page(400).await;
    for plain in [emulate.url.replace("https://", "http://"), explaining.url.to_string().trim_end_matches('/').to_owned()] {
        let ended = verify(folder.path(), &plain, ("100001", "secret-100001"), &[]).with_code(3);
        let says = format!("the server at {plain} speaks TLS: write https:// in the target file");
        assert!(ended.err.contains(&says) && ended.err.lines().count() == 1, "{}", ended.err);
        // A page at an assumed path proves nothing; a handshake does.
        let target = target_file(folder.path(), &plain, ("100001", "secret-100001"), "").display().to_string();
        run(["fuzz", "--requests", "2", "-f", "gateway.v2.create", "--target", &target]).with_code(3).complaining(&["speaks TLS"]);
    }
}

/// A port may take calls with TLS and without; that the path is wrong is not for want of TLS.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_calls_without_tls_too_is_not_taken_for_one_of_tls() {
    let folder = tempdir().unwrap();
    let server = tls_or_a_page(404).await;
    let ended = verify(folder.path(), server.url.to_string().trim_end_matches('/'), ("100001", "secret-100001"), &[]).with_code(3);
    assert!(ended.err.contains("the gateway API is not at the base URL"), "{}", ended.err);
}

#[test]
fn a_target_without_tls_that_is_called_with_it_is_one_sentence() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let ended = verify(folder.path(), &emulate.url.replace("http://", "https://"), ("100001", "secret-100001"), &[]).with_code(4);
    assert!(ended.err.contains("it does not speak TLS") && ended.err.lines().count() == 1, "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_server_at_the_base_url_is_one_sentence() {
    let folder = tempdir().unwrap();
    for status in [404, 200, 403, 501] {
        let page = ResponseTemplate::new(status).set_body_raw("<html>Welcome to our shop</html>", "text/html");
        let server = responding(page).await;
        let ended = verify(folder.path(), &server.uri(), ("1", "some-secret"), &[]).with_code(3);
        let got = format!("got HTTP {status}, text/html: <html>Welcome to our shop</html>");
        assert!(ended.err.contains("the gateway API is not at the base URL") && ended.err.contains(&got), "{}", ended.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_base_url_that_is_too_long_is_named() {
    let folder = tempdir().unwrap();
    let server = responding(ResponseTemplate::new(404)).await;
    let ended = verify(folder.path(), &format!("{}/v2.0", server.uri()), ("1", "some-secret"), &[]).with_code(3);
    assert!(ended.err.contains("(documented paths begin with `/v2.0`: the base URL may end before it)"), "{}", ended.err);
}

/// A target that fails is judged, and found to fail.
#[tokio::test(flavor = "multi_thread")]
async fn a_failing_target_is_no_wrong_target_file() {
    let folder = tempdir().unwrap();
    for response in [
        ResponseTemplate::new(500),
        ResponseTemplate::new(503).set_body_raw("<html>down</html>", "text/html"),
        ResponseTemplate::new(200),
        ResponseTemplate::new(200).set_body_raw("{\"code\":1500,\"message\":\"no\"}", "application/json").insert_header("x", "y"),
    ] {
        let server = responding(response).await;
        let ended = verify(folder.path(), &server.uri(), ("1", "some-secret"), &[]);
        assert!(ended.code == 1 || ended.err.contains("as it refuses a wrong secret"), "{}{}", ended.out, ended.err);
    }
}

/// A server that fails without a code of the API says nothing of the credentials: it is judged, with a note.
#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_fails_has_not_refused_the_credentials() {
    let folder = tempdir().unwrap();
    let server = responding(ResponseTemplate::new(500)).await;
    let ended = verify(folder.path(), &server.uri(), ("1", "some-secret"), &[]).with_code(1);
    assert!(ended.err.contains("the credentials of `main` and the path are right is not known"), "{}", ended.err);
}

/// Whether a day without transfers is an error is not documented, nor which fields one has.
#[tokio::test(flavor = "multi_thread")]
async fn a_day_without_transfers_may_be_a_404() {
    let folder = tempdir().unwrap();
    let script = "title: A day\nclauses: [transfers.list.call]\nsteps:\n  - call: transfers.list\n";
    let script = file(folder.path(), "transfers/script.yaml", script).display().to_string();
    for (body, is_there) in
        [("{\"code\":1400,\"message\":\"no transfers\"}", true), ("{\"code\":404,\"message\":\"HTTP 404 Not Found\"}", false)]
    {
        let server = responding(ResponseTemplate::new(404).set_body_raw(body, "application/json")).await;
        let credentials = "{ main: { merchant: \"1\", terminal: T1, terminal-secret: some-password } }";
        let target = file(folder.path(), "target.yaml", &format!("title: t\nbase: {}\ncredentials: {credentials}\n", server.uri()));
        let ended = run(["verify", &script, "--target", &target.display().to_string()]);
        assert_eq!(!ended.err.contains("the transfers API is not at the base URL"), is_there, "{}", ended.err);
    }
}

/// Its error may have neither code nor message. Where a wrong secret is refused otherwise, something is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_day_without_transfers_may_be_a_404_of_a_framework() {
    let folder = tempdir().unwrap();
    let script = "title: A day\nclauses: [transfers.list.call]\nsteps:\n  - call: transfers.list\n";
    let script = file(folder.path(), "transfers/script.yaml", script).display().to_string();
    let missing = ResponseTemplate::new(404).set_body_raw("{\"title\":\"Not Found\"}", "application/problem+json");
    let coded = ResponseTemplate::new(200).set_body_raw("{\"code\":1400,\"message\":\"unauthorized\"}", "application/json");
    for (wrong, is_there) in [(ResponseTemplate::new(401), true), (coded, true), (missing.clone(), false)] {
        let server = MockServer::start().await;
        Mock::given(basic_auth("T1", "some-password")).respond_with(missing.clone()).mount(&server).await;
        Mock::given(any()).respond_with(wrong).mount(&server).await;
        let credentials = "{ main: { merchant: \"1\", terminal: T1, terminal-secret: some-password } }";
        let target = file(folder.path(), "target.yaml", &format!("title: t\nbase: {}\ncredentials: {credentials}\n", server.uri()));
        let ended = run(["verify", &script, "--target", &target.display().to_string()]);
        assert_eq!(!ended.err.contains("the transfers API is not at the base URL"), is_there, "{}", ended.err);
    }
}

/// A server may have an error with a code for a path that it does not know.
#[tokio::test(flavor = "multi_thread")]
async fn a_404_with_a_code_says_nothing_of_the_credentials() {
    let folder = tempdir().unwrap();
    let missing = ResponseTemplate::new(404).set_body_raw("code=1400&message=nothing+here", "application/x-www-form-urlencoded");
    let server = responding(missing).await;
    let mut init = paycheck(["init", "--base", &server.uri(), "--merchant", "1", "--secret-env", "SHOP_SECRET"]);
    let init = init.current_dir(folder.path()).env("SHOP_SECRET", "some-secret").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&init.stdout), String::from_utf8_lossy(&init.stderr));
    assert!(init.status.success() && !out.contains("knows the credentials"), "{out}{err}");
    assert!(out.contains("whether the credentials of `main` and the path are right is not known"), "{out}");
}

/// A shop may have one version of the API only. What it has for a path that it does not know is no refusal of credentials.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_the_run_does_not_make_is_not_tried() {
    let folder = tempdir().unwrap();
    let script = "title: t\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n";
    let script = file(folder.path(), "gateway/script.yaml", script).display().to_string();
    let missing = ResponseTemplate::new(404).set_body_raw("{\"code\":1400,\"message\":\"not found\"}", "application/json");
    let server = responding(missing).await;
    let target = target_file(folder.path(), &server.uri(), ("1", "some-secret"), "").display().to_string();
    let ended = run(["verify", &script, "--target", &target]);
    assert!(!ended.err.contains("refuses the credentials"), "{}", ended.err);
    let asked = server.received_requests().await.unwrap();
    assert!(asked.iter().all(|request| request.url.path() == "/v2.0/payment.json") && !asked.is_empty(), "{asked:?}");
}

/// Callers of one terminal wait for each other, and the run says so before it begins.
#[test]
fn a_run_whose_cases_take_turns_says_so() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let script = "title: t\nclauses: [terminal.create.call]\nsteps:\n  - violations: terminal.create\n";
    let script = file(folder.path(), "terminal/script.yaml", script).display().to_string();
    let text = format!(
        "title: t\nbase: {}\ncredentials: {{ main: {{ merchant: \"100001\", terminal: T100001, terminal-secret: secret-T100001 }} }}\n",
        emulate.url
    );
    let target = file(folder.path(), "target.yaml", &text).display().to_string();
    for (jobs, is_told) in [("4", true), ("1", false)] {
        let ended = run(["verify", &script, "--target", &target, "--jobs", jobs]);
        assert_eq!(ended.err.contains("cases take turns, whatever `--jobs` says"), is_told, "{}{}", ended.err, ended.out);
    }
}

/// A call without a documented error shows a wrong password too.
#[test]
fn the_password_of_a_terminal_is_looked_at_as_well() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let script = "title: A terminal\nclauses: [terminal.state.call]\nsteps:\n  - call: terminal.state\n";
    let script = file(folder.path(), "terminal/script.yaml", script).display().to_string();
    for (password, code) in [("secret-T100001", 0), ("wrong-password", 3)] {
        let text = format!(
            "title: t\nbase: {}\ncredentials: {{ main: {{ merchant: \"100001\", terminal: T100001, terminal-secret: {password} }} }}\n",
            emulate.url
        );
        let target = file(folder.path(), "target.yaml", &text).display().to_string();
        run(["verify", &script, "--target", &target]).with_code(code);
    }
}

/// A shop is asked what it states that it allows; a secret that no such call sends is not tried, and the run says so.
#[test]
fn a_shop_that_creates_in_one_mode_only_is_judged() {
    let folder = tempdir().unwrap();
    let redirect = "title: A creation by redirect\nclauses: [gateway.create.redirect]\nsteps:\n  - call: gateway.v2.paymentRedirect\n    \
                    http: { status: { $one-of: [301, 302, 303, 307, 308] } }\n";
    let note = "note: the credentials of `main` are not tried by gateway.v1.create before the first scenario: it needs \
                `merchants.main.background-creation: true`; `settings` in the target file states false";
    for (mode, script, told) in [("background-creation", redirect, true), ("redirect-creation", PAID, false)] {
        let world = format!("tolerant: false\nmerchants:\n  - {{ merchant: \"100001\", {mode}: false }}\n");
        let world = file(folder.path(), &format!("{mode}.yaml"), &world).display().to_string();
        let emulate = Emulate::start(&["--world", &world]);
        let settings = format!("timeout: 5s\nsettings: {{ merchants: {{ main: {{ {mode}: false }} }} }}\n");
        let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), &settings).display().to_string();
        let script = file(folder.path(), "gateway/mode.yaml", script).display().to_string();
        let ended = run(["verify", &script, "--target", &target]).with_code(0);
        assert_eq!(ended.err.contains(note), told, "{}", ended.err);
    }
}
