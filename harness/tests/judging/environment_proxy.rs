//! A proxy that the environment names: announced, used for every call to another machine, and for none to this one.

use std::process::Stdio;
use std::sync::atomic::Ordering;

use tempfile::{TempDir, tempdir};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::binary::{CommandResult, ended, file, paycheck};
use crate::support::raw::{Raw, hear, ok};

const REFUSAL: &[u8] = br#"{"code":1500,"message":"unexpected error"}"#;

/// Responds to everything; where a tunnel is asked for, to what comes through it.
async fn responding() -> Raw {
    Raw::start(|mut stream, _| async move {
        let mut heard = hear(&mut stream).await;
        while !heard.is_empty() {
            let is_tunnel = heard.starts_with(b"CONNECT ");
            let response = if is_tunnel { b"HTTP/1.1 200 OK\r\n\r\n".to_vec() } else { ok("content-type: application/json", REFUSAL) };
            let _ = stream.write_all(&response).await;
            heard = hear(&mut stream).await;
        }
    })
    .await
}

/// Verifies, fuzzes and loads the target at a base URL while the environment names a proxy.
async fn played(folder: &TempDir, base: &str, proxy: &Raw) -> Vec<(String, CommandResult)> {
    let target = target_at(folder, base);
    let profile = "title: T\nkind: constant-arrival-rate\nrate: 10\nusers: 1\nfor: 500ms\nconservation: off\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
    let profile = file(folder.path(), "profile.yaml", profile).display().to_string();
    let commands = [
        "verify -f a-creation --no-preflight".to_owned(),
        "fuzz -f gateway.v2.create --requests 3 --no-preflight".to_owned(),
        format!("load {profile}"),
    ];
    let mut ends = Vec::new();
    for command in commands {
        let ended = behind(proxy, &command, &target).await;
        ends.push((command, ended));
    }
    ends
}

/// A target file for a base URL.
fn target_at(folder: &TempDir, base: &str) -> String {
    let text = format!(
        "title: T\nbase: {base}\ntimeout: 5s\ncredentials: {{ main: {{ merchant: \"100001\", secret: a-proper-secret-51c9 }} }}\n\
         allow: {{ fuzz: true, production: true, load: {{ rate: 10, for: 60s }} }}\n"
    );
    file(folder.path(), "target.yaml", &text).display().to_string()
}

/// How a command ends while the environment names a proxy.
async fn behind(proxy: &Raw, command: &str, target: &str) -> CommandResult {
    let proxy = proxy.url.as_str().trim_end_matches('/');
    let mut call = paycheck(command.split(' '));
    call.args(["--target", target]).stdout(Stdio::piped()).stderr(Stdio::piped());
    call.env("HTTP_PROXY", proxy).env("http_proxy", proxy).env_remove("NO_PROXY").env_remove("no_proxy");
    let child = call.spawn().unwrap();
    tokio::task::spawn_blocking(move || ended(child)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_announces_the_proxy_and_sends_all_through_it() {
    let folder = tempdir().unwrap();
    let proxy = responding().await;
    // The name is known to the proxy alone: whatever is sent past it gets no response.
    for (command, output) in played(&folder, "http://shop.invalid", &proxy).await {
        let note = format!("note: all calls go through the proxy {} that", proxy.url.authority());
        assert!(output.err.contains(&note), "{command}: {}", output.err);
        assert!([1, 2].contains(&output.code), "{command}: {}\n{}\n{}", output.code, output.out, output.err);
        assert!(!output.out.contains("can't be reached"), "{command}: {}", output.out);
        // Lines are wrapped between words.
        let printed = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!command.starts_with("fuzz") || printed.contains(" 0 without a response"), "{command}: {}", output.out);
    }
    assert!(proxy.connections.load(Ordering::SeqCst) > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_to_this_machine_takes_the_way_through_the_proxy() {
    let folder = tempdir().unwrap();
    let (proxy, direct) = (responding().await, responding().await);
    for (command, output) in played(&folder, direct.url.as_str().trim_end_matches('/'), &proxy).await {
        assert!(!output.err.contains("proxy"), "{command}: {}", output.err);
        assert!([1, 2].contains(&output.code), "{command}: {}\n{}\n{}", output.code, output.out, output.err);
    }
    assert_eq!(proxy.connections.load(Ordering::SeqCst), 0);
    assert!(direct.connections.load(Ordering::SeqCst) > 0);
}

/// A proxy to a server of TLS, which has a page for those who call it without.
async fn to_a_server_of_tls() -> Raw {
    Raw::start(|mut stream, _| async move {
        if !hear(&mut stream).await.starts_with(b"CONNECT ") {
            let _ = stream.write_all(b"HTTP/1.1 400 X\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<p>page</p>").await;
            return;
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        if stream.read_u8().await.is_ok_and(|first| first == 22) {
            let _ = stream.write_all(&[22, 3, 3]).await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whether_a_server_speaks_tls_is_asked_through_the_proxy() {
    let (folder, proxy) = (tempdir().unwrap(), to_a_server_of_tls().await);
    let ended = behind(&proxy, "verify -f a-creation", &target_at(&folder, "http://shop.invalid")).await.with_code(3);
    assert!(ended.err.contains("the server at http://shop.invalid speaks TLS"), "{}", ended.err);
}
