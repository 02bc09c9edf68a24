//! HTTP/1.1 and HTTP/2: the same is played, judged and reported, and a target that does not speak what is asked for is told so.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::support::MAIN;
use crate::support::binary::{Emulate, emulated, run, target_file};

/// The transcript of a paid payment, without the address of its target, and the versions that the calls of its HAR were sent by.
fn played(folder: &Path, url: &str, more: &str) -> (String, BTreeSet<String>) {
    let target = target_file(folder, url, MAIN, &format!("{}{more}", emulated(url))).display().to_string();
    let [har, transcripts] = ["calls.har", "transcripts"].map(|name| folder.join(name).display().to_string());
    let arguments = ["--har", &har, "--transcripts", &transcripts, "--filter", "a-paid-payment-is-notified-and-reads-as-paid"];
    run(["verify", "--target", &target].iter().chain(&arguments)).with_code(0);
    let transcript = folder.join("transcripts/gateway/a-paid-payment-is-notified-and-reads-as-paid.txt");
    let har: Value = serde_json::from_str(&std::fs::read_to_string(har).unwrap()).unwrap();
    let calls = har["log"]["entries"].as_array().unwrap().iter().filter(|entry| entry["request"]["url"].as_str().unwrap().starts_with(url));
    let versions =
        calls.flat_map(|entry| [&entry["request"], &entry["response"]]).map(|side| side["httpVersion"].as_str().unwrap().to_owned());
    let versions = versions.collect();
    (std::fs::read_to_string(transcript).unwrap().replace(url, "[target]"), versions)
}

#[test]
fn the_same_is_played_over_either_version() {
    let folder = tempdir().unwrap();
    let certificate = folder.path().join("emulator.pem").display().to_string();
    let (plain, encrypted) = (Emulate::start(&[]), Emulate::start(&["--tls", &certificate]));
    let trusted = format!("certificate: {certificate}\n");
    let (expected, versions) = played(folder.path(), &plain.url, "");
    assert_eq!(versions, BTreeSet::from(["HTTP/1.1".to_owned()]), "without TLS nothing else is asked for");
    for (url, http, version) in [
        (&plain.url, "http: 2\n", "HTTP/2"),
        (&encrypted.url, "", "HTTP/2"),
        (&encrypted.url, "http: auto\n", "HTTP/2"),
        (&encrypted.url, "http: 1\n", "HTTP/1.1"),
        (&encrypted.url, "http: 2\n", "HTTP/2"),
    ] {
        let trusted = if url.starts_with("https") { trusted.as_str() } else { "" };
        let (transcript, versions) = played(folder.path(), url, &format!("{http}{trusted}"));
        assert_eq!(versions, BTreeSet::from([version.to_owned()]), "{url} {http}");
        assert_eq!(transcript, expected, "{url} {http}");
    }
}

#[test]
fn a_target_that_does_not_speak_what_is_asked_for_is_an_error_that_says_what_to_do() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            assert!(stream.read(&mut [0; 64]).unwrap() > 0);
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
    });
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), &url, MAIN, "http: 2\n").display().to_string();
    run(["verify", "--target", &target]).with_code(3).complaining(&["does not speak HTTP/2 without TLS", "`http: auto`"]);
    let target = target_file(folder.path(), &url, MAIN, "http: 1.1\n").display().to_string();
    run(["verify", "--target", &target]).with_code(3).complaining(&["target.yaml:7:7", "`http` is auto, 1 or 2"]);
}
