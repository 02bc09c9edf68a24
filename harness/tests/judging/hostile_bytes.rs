//! What a terminal obeys reaches none from a target, in whatever command, and no report either.

use std::path::Path;

use tempfile::{TempDir, tempdir};

use crate::support::binary::{CommandResult, file, run};
use crate::support::raw::Raw;

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
