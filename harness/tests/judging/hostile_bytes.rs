//! What a terminal obeys reaches none from a target, in whatever command, and no report either.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tempfile::{TempDir, tempdir};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::support::binary::{CommandResult, ended, file, run};
use crate::support::raw::{Raw, hear};

/// Sets a title, clears the screen, turns the text around, starts a line of its own, as JSON spells it.
const SPELLED: &str =
    "{\"code\":\"\\u001b]0;owned\\u0007\",\"message\":\"\\u001b[2J\\u001b[1;1HPASSED\\r\\n\\u009b31m\\u202e\",\"\\u001b[8mkey\":1}";
/// The same as it is, which is no JSON.
const RAW: &str = "{\"code\":\"\u{1b}]0;owned\u{7}\",\"message\":\"\u{1b}[2J\u{1b}[1;1HPASSED\r\u{9b}31m\u{202e}\",\"\u{1b}[8mkey\":1}";

fn response(body: &str) -> String {
    format!(
        "HTTP/1.1 200 \u{1b}[31mOK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// What of these bytes a terminal would obey.
fn obeyed(name: &str, bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_obeyed = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
    let (at, found) = text.char_indices().find(|(_, c)| is_obeyed(*c))?;
    let around: String = text[at..].chars().take(60).collect();
    Some(format!("{name}: {found:?} in {around:?}"))
}

fn obeyed_below(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => obeyed_below(&path),
        false => obeyed(&path.display().to_string(), &std::fs::read(&path).unwrap()).into_iter().collect(),
    });
    found.collect()
}

async fn played(arguments: Vec<String>) -> CommandResult {
    tokio::task::spawn_blocking(move || run(arguments)).await.unwrap()
}

/// Runs every command that shows what a target says, and returns what of it would be obeyed.
async fn passed_on(body: &str) -> Vec<String> {
    let server = Raw::saying(response(body)).await;
    let (inputs, outputs): (TempDir, TempDir) = (tempdir().unwrap(), tempdir().unwrap());
    let text = format!("title: hostile\nbase: {}\ncredentials: {{ main: {{ merchant: \"100001\", secret: s-3c-r3t }} }}\n", server.url);
    let target = file(inputs.path(), "target.yaml", &text).display().to_string();
    let profile = "title: hostile\nkind: constant-users\nusers: 1\nfor: 300ms\nconservation: off\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
    let profile = file(inputs.path(), "profile.yaml", profile).display().to_string();
    let out = |name: &str| outputs.path().join(name).display().to_string();
    let (junit, events, tape, transcripts, page) =
        (out("junit.xml"), out("events.ndjson"), out("run.tape"), out("transcripts"), out("load.html"));
    let (compared, explored, fuzzed, result) = (out("compare.json"), out("explored"), out("fuzzed"), out("load.json"));
    let (html, ctrf, sarif, har, markdown) = (out("v.html"), out("v.ctrf"), out("v.sarif"), out("v.har"), out("v.md"));
    let reports = ["--html", &html, "--ctrf", &ctrf, "--sarif", &sarif, "--har", &har, "--markdown", &markdown];
    let commands: [Vec<&str>; 7] = [
        ["verify", "-f", "a-creation", "--no-preflight"].into_iter().chain(reports).collect(),
        vec![
            "verify",
            "-f",
            "a-creation",
            "--no-preflight",
            "--verbose",
            "--all-exchanges",
            "--junit",
            &junit,
            "--events",
            &events,
            "--tape",
            &tape,
            "--transcripts",
            &transcripts,
        ],
        vec!["verify", "-f", "a-creation"],
        vec!["explore", "--sequences", "2", "--steps", "3", "--out", &explored],
        vec!["fuzz", "--requests", "20", "--out", &fuzzed],
        vec!["load", &profile, "--html", &page, "--json", &result],
        vec!["mutate", "-f", "a-creation", "--no-preflight"],
    ];
    let mut found = Vec::new();
    for command in commands {
        let arguments = command.iter().map(|word| (*word).to_owned()).chain(["--target".to_owned(), target.clone()]);
        let output = played(arguments.collect()).await;
        found.extend(obeyed(&format!("standard output of {command:?}"), output.out.as_bytes()));
        found.extend(obeyed(&format!("standard error of {command:?}"), output.err.as_bytes()));
        assert!([1, 2, 4].contains(&output.code), "{command:?}: {}\n{}\n{}", output.code, output.out, output.err);
    }
    let url = server.url.as_str();
    let (n, l) = (["n.html", "n.junit", "n.har", "n.md", "n.events"].map(&out), ["l.json", "l.html", "l.hlog"].map(&out));
    let merchant: [&[&str]; 2] = [
        &["notify", url, "-v", "-f", "valid", "--html", &n[0], "--junit", &n[1], "--har", &n[2], "--markdown", &n[3], "--events", &n[4]],
        &["load", "notification", url, "--rate", "10", "--for", "300ms", "--json", &l[0], "--html", &l[1], "--hlog", &l[2]],
    ];
    for command in merchant {
        let output = played(command.iter().map(|word| (*word).to_owned()).collect()).await;
        found.extend(obeyed(&format!("standard output of {command:?}"), output.out.as_bytes()));
        found.extend(obeyed(&format!("standard error of {command:?}"), output.err.as_bytes()));
        assert!([0, 1, 2].contains(&output.code), "{command:?}: {}\n{}\n{}", output.code, output.out, output.err);
    }
    let output = played(["compare", &target, "emulator", "-f", "a-creation", "--json", &compared].map(str::to_owned).to_vec()).await;
    found.extend(obeyed("standard output of compare", output.out.as_bytes()));
    found.extend(obeyed("standard error of compare", output.err.as_bytes()));
    assert!(std::fs::read_dir(outputs.path()).unwrap().next().is_some(), "there are files to look into");
    found.extend(obeyed_below(outputs.path()));
    found
}

#[test]
fn the_search_finds_what_it_is_to_find() {
    for text in ["\u{1b}[2J", "a\rb", "\u{9b}1m", "\u{202e}", "\u{7}"] {
        assert!(obeyed("text", text.as_bytes()).is_some(), "{text:?}");
    }
    assert_eq!(obeyed("text", "a line\n\tand žluťoučký another\n".as_bytes()), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_passes_on_what_a_target_spells() {
    let found = passed_on(SPELLED).await;
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_passes_on_what_a_target_sends_raw() {
    let found = passed_on(RAW).await;
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The beginning of a response whose body is JSON.
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// What a server sends over and over, after a beginning, until nobody reads it.
type Endless = (&'static str, &'static str, String);

/// Responses without an end, by name: what they begin with, and what follows for ever.
fn endless() -> [Endless; 4] {
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    [
        ("chunks without end", "transfer-encoding: chunked\r\n\r\n", chunk),
        ("bytes without end", "\r\n", "x".repeat(0x10000)),
        ("a head without end", "", format!("x-a: {}\r\n", "y".repeat(0x10000))),
        ("headers without end", "", "x: y\r\n".repeat(1000)),
    ]
}

/// Responses that end, but not as one ends, by name; after the first line and the content type.
fn broken() -> [(&'static str, Vec<u8>); 10] {
    let whole = |body: &[u8]| [format!("content-length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    [
        ("a broken chunk", b"transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n".to_vec()),
        ("a chunk of all there is", b"transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nhello\r\n".to_vec()),
        ("less than its length", b"content-length: 100\r\n\r\n{}".to_vec()),
        ("two lengths", b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}".to_vec()),
        ("a length below zero", b"content-length: -2\r\n\r\n{}".to_vec()),
        ("a length beyond all", b"content-length: 18446744073709551615\r\n\r\n{}".to_vec()),
        ("bytes that are no text", whole(b"{\"code\":\"\xff\xfe\xc0\x80\"}")),
        ("a deep body", whole(&b"[".repeat(300_000))),
        ("an early close", b"content-le".to_vec()),
        ("another protocol", b"\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00".to_vec()),
    ]
}

/// Bytes that are no response to a request: another protocol, a redirect to itself, one that comes before it is asked for.
const STRANGE: [(&str, &[u8], bool); 4] = [
    ("HTTP/2", b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64", false),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\xff\xfe\x00\r\n\r\n", true),
    ("a redirect to itself", b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", false),
    ("a response before its request", b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", true),
];

async fn closed(mut stream: TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
}

/// A server for each kind of response that is none, by name.
async fn hostile() -> Vec<(&'static str, Raw)> {
    let mut servers = Vec::new();
    for (name, beginning, piece) in endless() {
        let head = format!("{HEAD}{beginning}");
        let server = Raw::start(move |mut stream, _| {
            let (head, piece) = (head.clone(), piece.clone());
            async move {
                hear(&mut stream).await;
                let _ = stream.write_all(head.as_bytes()).await;
                while stream.write_all(piece.as_bytes()).await.is_ok() {}
            }
        });
        servers.push((name, server.await));
    }
    for (name, beginning) in [("a head byte by byte", "x-a: "), ("a body byte by byte", "content-length: 1000000\r\n\r\n")] {
        let server = Raw::start(move |mut stream, _| async move {
            hear(&mut stream).await;
            let _ = stream.write_all(format!("{HEAD}{beginning}").as_bytes()).await;
            while stream.write_all(b"y").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        servers.push((name, server.await));
    }
    for (name, rest) in broken() {
        servers.push((name, Raw::saying([HEAD.as_bytes(), &rest].concat()).await));
    }
    for (name, bytes, is_unasked) in STRANGE {
        let server = Raw::start(move |mut stream, _| async move {
            if is_unasked {
                let _ = stream.write_all(bytes).await;
                hear(&mut stream).await;
            } else {
                hear(&mut stream).await;
                closed(stream, bytes).await;
            }
        });
        servers.push((name, server.await));
    }
    servers
}

/// Runs a command that may not take more memory than this.
async fn bounded(arguments: Vec<String>) -> CommandResult {
    let mut command = std::process::Command::new("bash");
    command.args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_paycheck")]).args(arguments);
    let child = command.env("NO_COLOR", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    tokio::task::spawn_blocking(move || ended(child)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_that_is_none_ends_every_command_in_its_time_with_a_documented_code() {
    let inputs = tempdir().unwrap();
    let profile = "title: hostile\nkind: constant-users\nusers: 1\nfor: 300ms\nconservation: off\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
    let profile = file(inputs.path(), "profile.yaml", profile).display().to_string();
    for (index, (name, server)) in hostile().await.into_iter().enumerate() {
        let url = server.url.as_str();
        let text =
            format!("title: hostile\nbase: {url}\ntimeout: 500ms\ncredentials: {{ main: {{ merchant: \"100001\", secret: s-3c-r3t }} }}\n");
        let target = file(inputs.path(), &format!("{index}.yaml"), &text).display().to_string();
        let commands: [&[&str]; 4] = [
            &["notify", url, "-f", "valid", "--within", "500ms"],
            &["load", "notification", url, "--rate", "10", "--for", "300ms", "--within", "500ms"],
            &["compare", &target, "emulator", "-f", "a-creation-is-answered-with-a-payment"],
            &["load", &profile, "--target", &target],
        ];
        let played = commands.map(|command| bounded(command.iter().map(|word| (*word).to_owned()).collect()));
        let played = futures::future::join_all(played).await;
        for (command, output) in commands.iter().zip(played) {
            let words = command.iter().take(2).copied().collect::<Vec<_>>().join(" ");
            // What a merchant's endpoint says in a body is its own affair; its status acknowledges.
            let is_acknowledged =
                ["bytes that are no text", "a deep body", "another protocol", "a response before its request"].contains(&name);
            let least = i32::from(!(is_acknowledged && words.contains("noti")));
            assert!((least..=4).contains(&output.code), "{name}, {words}: {}\n{}\n{}", output.code, output.out, output.err);
            assert!(!output.out.contains("PASSED") || least == 0, "{name}, {words}: {}", output.out);
        }
    }
}
