//! A target that can't be reached ends every command with 4, whatever the reason: nothing was judged.

use std::net::TcpListener;

use tempfile::{TempDir, tempdir};

use crate::support::binary::{CommandResult, file, run};
use crate::support::raw::{Full, Raw};

const PROFILE: &str = "title: T\nkind: constant-arrival-rate\nrate: 20\nusers: 16\nfor: 5s\nconservation: off\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";

/// For the one that is not on this machine.
const ALLOWED: &str = "allow: { fuzz: true, production: true, load: { rate: 20, for: 60s } }\n";

/// One scenario alone.
const ONE: &str = " -f a-creation";

/// What is tried at every address.
fn commands(folder: &TempDir, selected: &str) -> Vec<Vec<String>> {
    let profile = file(folder.path(), "profile.yaml", PROFILE).display().to_string();
    let out = folder.path().join("out").display().to_string();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let lines = [
        format!("verify{selected} --no-preflight"),
        format!("mutate{selected} --no-preflight"),
        format!("explore --no-preflight --api gateway --out {out}"),
        "fuzz --no-preflight --api gateway --requests 5".to_owned(),
        format!("load {profile}"),
        format!("compare TARGET emulator{selected}"),
        "notify BASE/ --within 200ms --allow-remote".to_owned(),
        "load notification BASE/ --rate 50 --for 3s --within 200ms --allow-remote-rate 50".to_owned(),
    ];
    lines.iter().map(|line| words(line)).collect()
}

/// Runs a command on the target at a base URL.
async fn played(folder: &TempDir, command: &[String], base: &str) -> CommandResult {
    let text =
        format!("title: T\nbase: {base}\ntimeout: 500ms\ncredentials: {{ main: {{ merchant: \"100001\", secret: s-3c-r3t }} }}\n{ALLOWED}");
    let target = file(folder.path(), "target.yaml", &text).display().to_string();
    let named = command.iter().any(|word| word == "TARGET" || word.starts_with("BASE"));
    let words = command.iter().map(|word| word.replace("TARGET", &target).replace("BASE", base.trim_end_matches('/')));
    let option = ["--target".to_owned(), target.clone()].into_iter().filter(|_| !named);
    let arguments: Vec<String> = words.chain(option).collect();
    tokio::task::spawn_blocking(move || run(arguments)).await.unwrap()
}

async fn is_unreachable_for_all(base: &str, selected: &str) {
    let folder = tempdir().unwrap();
    for command in commands(&folder, selected) {
        let output = played(&folder, &command, base).await;
        assert_eq!(output.code, 4, "{command:?} on {base}:\n{}\n{}", output.out, output.err);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_connection_is_4_for_every_command() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    is_unreachable_for_all(&format!("http://{free}"), ONE).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_hangs_is_4_for_every_command() {
    let full = Full::start();
    is_unreachable_for_all(full.url.as_str(), ONE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tls_handshake_that_hangs_is_4_for_every_command() {
    let mute = mute().await;
    is_unreachable_for_all(&mute.url.as_str().replace("http://", "https://"), ONE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_name_is_4_for_every_command() {
    is_unreachable_for_all("https://there-is-no-such-host.invalid", ONE).await;
}

/// Accepts every connection, and never responds.
async fn mute() -> Raw {
    Raw::start(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await
}

/// Hundreds of cases would each wait for a response.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_never_responds_is_given_up_by_every_command() {
    let mute = mute().await;
    is_unreachable_for_all(mute.url.as_str(), " -f creation").await;
}
