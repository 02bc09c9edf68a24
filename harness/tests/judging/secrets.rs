//! A secret is in no byte of what a run leaves behind, whatever the target does with it.

use std::path::Path;

use crate::support::binary::{CommandResult, emulated, ended, file, paycheck, run, target_file};
use crate::support::emulator;
use crate::support::proxy::{Message, ObservedRequest, Proxy, Tamper};
use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use http::HeaderValue;
use tempfile::{TempDir, tempdir};

const MERCHANT: &str = "100001";

/// Characters that forms, JSON, XML and URLs escape; its beginning survives all of them.
const SECRET: &str = "s3cr/t+ž \"x\" <&>%41\\";
const BEGINNING: &str = "s3cr";

/// Fails, so that its exchanges and its curl are shown.
const WRONG: &str = "title: Fails\nclauses: [gateway.payment.created]\ncases:\n  - { name: v1.0, create: gateway.v1.create, status: \
                     gateway.v1.status }\n  - { name: v2.0, create: gateway.v2.create, status: gateway.v2.status }\nsteps:\n  - call: \
                     '{{ create }}'\n    keep: { payment: transId }\n  - world: payer.pays\n    with: { transId: '{{ payment }}' }\n  - \
                     notification: { transId: '{{ payment }}' }\n  - call: '{{ status }}'\n    with: { transId: '{{ payment }}' }\n    \
                     expect: { status: CANCELLED }\n    clause: gateway.payment.created\n";

/// Every spelling to look for.
fn spellings() -> Vec<String> {
    let pair = format!("{MERCHANT}:{SECRET}");
    let mut found = vec![BEGINNING.to_owned()];
    for text in [SECRET, pair.as_str()] {
        for alphabet in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
            found.push(alphabet.encode(text));
        }
    }
    found
}

/// Where spellings stand in these bytes, with what is around them.
fn leaks(name: &str, bytes: &[u8]) -> Vec<String> {
    let search = AhoCorasick::new(spellings()).unwrap();
    let found = search.find_iter(bytes).map(|found| {
        let around = &bytes[found.start().saturating_sub(120)..(found.start() + 60).min(bytes.len())];
        format!("{name}: {}", String::from_utf8_lossy(around))
    });
    found.collect()
}

fn leaks_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(leaks_below(&path));
        } else {
            found.extend(leaks(&path.display().to_string(), &std::fs::read(&path).unwrap()));
        }
    }
    found
}

/// Runs through a proxy that tampers, writes everything that can be written, and looks for the secret.
async fn leaks_of(tamper: Tamper, log: &str, what: &[&str]) -> (Vec<String>, CommandResult) {
    let emulator = emulator().await;
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let (inputs, outputs) = (tempdir().unwrap(), tempdir().unwrap());
    let url = proxy.url().to_string();
    let base = url.trim_end_matches('/');
    let target = target_file(inputs.path(), base, (MERCHANT, SECRET), &emulated(base));
    let fails = file(inputs.path(), "gateway/fails.yaml", WRONG);
    let out = |name: &str| outputs.path().join(name).display().to_string();
    let mut command = paycheck(["verify", "--verbose", "--all-exchanges", "--target", &target.display().to_string()]);
    command.args(["--junit", &out("junit.xml"), "--events", &out("events.ndjson"), "--transcripts", &out("transcripts")]);
    for format in harness::report::formats::FORMATS.iter().filter(|format| format.name != "junit") {
        command.args([format!("--{}", format.name), out(format.name)]);
    }
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", out("summary.md"));
    command.args(if what.is_empty() { vec![fails.display().to_string()] } else { what.iter().map(|w| (*w).to_owned()).collect() });
    command.env("PAYCHECK_LOG", log).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let ended = tokio::task::spawn_blocking(move || ended(child)).await.unwrap();
    assert!(outputs.path().join("junit.xml").exists() && outputs.path().join("transcripts").exists(), "{}{}", ended.out, ended.err);
    let mut found = leaks_below(outputs.path());
    found.extend(leaks("standard output", ended.out.as_bytes()));
    found.extend(leaks("standard error", ended.err.as_bytes()));
    (found, ended)
}

fn none(found: &[String]) {
    assert!(found.is_empty(), "{} leaks:\n{}", found.len(), found.iter().take(12).cloned().collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_search_finds_what_it_is_to_find() {
    let texts = [SECRET.to_owned(), serde_json::json!({ "a": SECRET }).to_string(), STANDARD.encode(format!("{MERCHANT}:{SECRET}"))];
    for text in texts {
        assert!(!leaks("here", format!("before {text} after").as_bytes()).is_empty(), "{text}");
    }
    assert!(leaks("here", b"***main***").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_when_everything_holds() {
    let (found, ended) = leaks_of(Tamper::default(), "warn", &["--filter", "gateway"]).await;
    assert!(ended.out.contains("0 failed"), "{}", ended.out);
    none(&found);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_when_something_fails() {
    let (found, ended) = leaks_of(Tamper::default(), "warn", &[]).await;
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    none(&found);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_in_the_log_of_everything() {
    let (found, ended) = leaks_of(Tamper::default(), "trace", &[]).await;
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    none(&found);
}

/// Repeats the secret wherever a careless server might.
fn echo(asked: &ObservedRequest<'_>, message: &mut Message) {
    let secret = asked.credentials.1.clone();
    let mut escaped = String::new();
    harness::wire::exchange::escape(&secret, &mut escaped);
    message.set("message", format!("wrong secret {secret} or {}", STANDARD.encode(&secret)));
    message.set("debug", serde_json::json!({ "header": STANDARD.encode(format!("{}:{secret}", asked.credentials.0)) }).to_string());
    message.set(&format!("key {secret}"), "x");
    let value = HeaderValue::from_bytes(format!("you said {secret}").as_bytes()).unwrap();
    message.headers.insert("x-echo", value);
    message.headers.insert("x-echo-escaped", HeaderValue::from_str(&escaped.to_ascii_lowercase()).unwrap());
    message.headers.append("set-cookie", HeaderValue::from_str(&format!("s={escaped}")).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_when_the_target_repeats_it() {
    let tamper = Tamper { response: Some(echo), ..Tamper::default() };
    let (found, _) = leaks_of(tamper, "warn", &["--filter", "a-p"]).await;
    none(&found);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_when_it_is_the_evidence() {
    fn misplace(asked: &ObservedRequest<'_>, message: &mut Message) {
        let secret = asked.credentials.1.clone();
        match asked.operation {
            "gateway.v1.status" => message.header("content-type", "text/plain"),
            "gateway.v2.status" => {
                message.set("status", secret.clone());
                message.set("price", secret.clone());
            }
            "gateway.v2.cancel" => message.raw(format!("{{ \"code\": 0, {secret}")),
            "gateway.v1.refund" | "gateway.v2.refund" => message.set("code", secret.clone()),
            _ => {}
        }
        echo(asked, message);
    }
    let tamper = Tamper { response: Some(misplace), ..Tamper::default() };
    let (found, ended) = leaks_of(tamper, "warn", &["--filter", "a-p"]).await;
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    none(&found);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_when_the_target_repeats_a_whole_request() {
    fn repeat(asked: &ObservedRequest<'_>, message: &mut Message) {
        message.set("message", format!("bad request: {}", crate::support::proxy::form(&asked.fields)));
    }
    let tamper = Tamper { response: Some(repeat), ..Tamper::default() };
    none(&leaks_of(tamper, "warn", &["--filter", "a-p"]).await.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_when_the_target_forgets_to_escape_it() {
    fn forget(asked: &ObservedRequest<'_>, message: &mut Message) {
        message.raw(format!("code=0&message=your+secret+is+{}", asked.credentials.1));
    }
    let tamper = Tamper {
        response: Some(|asked, message| {
            if asked.is("v1.cancel") {
                forget(asked, message)
            }
        }),
        ..Tamper::default()
    };
    none(&leaks_of(tamper, "warn", &["--filter", "cancel"]).await.0);
}

fn mistaken(text: &str) -> (TempDir, CommandResult) {
    let folder = tempdir().unwrap();
    let target = file(folder.path(), "target.yaml", text);
    let ended = run(["verify", "--target", &target.display().to_string()]).with_code(3);
    (folder, ended)
}

#[test]
fn not_in_the_mistakes_of_a_target_file() {
    let secret = serde_json::Value::from(SECRET);
    let texts = [
        format!("title: T\nbase: http://127.0.0.1:1\ncredentials: {{ main: {{ merchant: {{ enf: X }}, secret: {secret} }} }}\n"),
        format!("title: T\nbase: \"http://100001:s3cr@127.0.0.1:1\"\ncredentials: {{}}\nmore: {secret}\n"),
        "title: T\nbase: \"http://:s3cr@127.0.0.1:1\"\ncredentials: {}\n".to_owned(),
        format!("title: T\nbase: http://127.0.0.1:1\ncredentials:\n  main: {{ merchant: \"1\", secret: {secret}\n"),
    ];
    let found: Vec<String> = texts.iter().flat_map(|text| leaks("standard error", mistaken(text).1.err.as_bytes())).collect();
    none(&found);
}
