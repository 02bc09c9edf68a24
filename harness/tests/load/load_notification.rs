//! `paycheck load notification` against the sample merchant, which asks the gateway for the status and hands over goods.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use crate::support::binary::{Emulate, file, paycheck, run};
use crate::support::contracts;
use crate::support::merchant::{Flaw, Merchant};
use harness::engine::push::Gateway;
use harness::load::profile::{Killswitch, NotificationDeadlines};
use harness::load::push::{self, PushOptions};
use harness::load::result::{Early, ErrorKind, LoadResult, LoadVerdict};
use harness::load::run_loop::RunProgress;
use harness::load::schedule::Schedule;
use harness::load::shard::Shard;
use harness::spec::target::Credential;

const MINE: (&str, &str) = ("100001", "secret-of-the-shop-77aa");

/// 100 pushes within a second, a third of them twice; and how often goods were handed over. The load is over when all of them have
/// ended, however busy the machine is.
async fn loaded(flaw: Flaw, formats: &[&str]) -> (LoadResult, BTreeMap<String, u64>) {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(flaw, MINE, folder.path()).await;
    let credential = Credential::from([("merchant".to_owned(), MINE.0.to_owned()), ("secret".to_owned(), MINE.1.to_owned())]);
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let contracts = contracts();
    let gateway = Gateway::start_keeping(Arc::clone(&contracts), here, &credential, 7, Some(10_000)).await.unwrap();
    merchant.use_gateway(&gateway.base_url());
    let options = PushOptions {
        endpoint: merchant.url.clone(),
        within: Duration::from_secs(10),
        connections: 8,
        duplicates: 0.3,
        formats: formats.iter().map(|id| (*id).to_owned()).collect(),
        duration: Duration::from_secs(60),
        deadlines: NotificationDeadlines { late: Duration::from_secs(10), ..NotificationDeadlines::default() },
        thresholds: Vec::new(),
        killswitch: Killswitch { errors: 1.0, after: 1 },
        seed: 7,
        shard: Shard::WHOLE,
        start_at: None,
    };
    let schedule = Schedule::constant(100.0, Duration::from_secs(1));
    let ended =
        push::run(&contracts, &gateway, &options, schedule, std::future::pending(), &mut |_: &RunProgress<'_>| Ok(())).await.unwrap();
    gateway.stop().await;
    let orders = serde_json::from_slice(&std::fs::read(&merchant.orders).unwrap_or_else(|_| b"{}".to_vec())).unwrap();
    (ended.result, orders)
}

#[tokio::test]
async fn a_merchant_that_asks_back_gets_the_truth_and_hands_goods_over_once() {
    let (result, orders) = loaded(Flaw::None, &[]).await;
    assert_eq!(result.findings, []);
    let notifications = result.notifications.unwrap();
    assert_eq!((notifications.once, notifications.lost), (notifications.expected, 0));
    assert!(result.scenarios.iter().filter(|s| s.scenario.ends_with("(again)")).all(|s| s.passed > 5), "{:?}", result.scenarios);
    assert!(orders.len() > 10, "the paid ones of all: {}", orders.len());
    assert!(orders.values().all(|times| *times == 1), "{orders:?}");
}

#[tokio::test]
async fn a_response_that_is_no_acknowledgement_is_found_in_the_requested_format() {
    let (result, _) = loaded(Flaw::Responds203, &["gateway.v2.notification"]).await;
    let [v2] = result.operations.as_slice() else { panic!("{:?}", result.operations) };
    assert_eq!((v2.operation.as_str(), v2.errors.get(&ErrorKind::Contract)), ("gateway.v2.notification", Some(&100)));
    assert_eq!(result.verdict, LoadVerdict::Failed);
    let [cause] = result.findings.as_slice() else { panic!("{:?}", result.findings) };
    assert_eq!((cause.count, cause.message.as_str()), (100, "the response to a documented notification is 203"));
    assert_eq!(cause.clauses, ["gateway.notification.acknowledgement"]);
    let notifications = result.notifications.unwrap();
    assert_eq!((notifications.expected, notifications.lost), (100, 100), "what was never acknowledged has no duplicate");
}

#[test]
fn contradictory_options_are_refused_before_anything_is_sent() {
    let load = |arguments: &[&str]| run([&["load", "notification"], arguments].concat()).with_code(3);
    load(&["http://10.0.0.1/n"]).complaining(&["not on this machine", "--allow-remote-rate"]);
    load(&["http://10.0.0.1/n", "--allow-remote-rate", "10"]).complaining(&["`--rate 50` is more than `--allow-remote-rate 10`"]);
    load(&["http://10.0.0.1/n", "--allow-remote-rate", "50", "--for", "11m"]).complaining(&["at most 10m"]);
    load(&["ftp://127.0.0.1/n"]).complaining(&["http:// or https://"]);
    load(&["http://127.0.0.1/n", "--format", "v3"]).complaining(&["no notification `v3`", "gateway.v1.notification"]);
    load(&["http://127.0.0.1/n", "--threshold", "p99 < soon"]).complaining(&["p99 < soon"]);
    for wrong in [["--rate", "0"], ["--rate", "NaN"], ["--users", "0"], ["--duplicates", "101%"], ["--for", "0s"]] {
        load(&["http://127.0.0.1/n", wrong[0], wrong[1]]).complaining(&[wrong[0]]);
    }
}

#[test]
fn a_refused_connection_has_an_exit_code_of_its_own() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/n", listener.local_addr().unwrap());
    drop(listener);
    run(["load", "notification", &endpoint, "--rate", "20", "--for", "200ms", "--format", "v2"]).with_code(4);
}

/// A load on a merchant that acknowledges everything has a live page and every output.
#[tokio::test(flavor = "multi_thread")]
async fn it_is_watched_and_written_like_any_load() {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(Flaw::None, MINE, folder.path()).await;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (json, hlog, k6) = (path("result.json"), path("intervals.hlog"), path("k6.json"));
    let call = ["load", "notification", merchant.url.as_str(), "--rate", "40", "--for", "500ms", "--duplicates", "0%"];
    let written = ["--dashboard", "127.0.0.1:0", "--json", &json, "--hlog", &hlog, "--k6-summary", &k6];
    let words: Vec<String> = call.iter().chain(&written).map(|word| (*word).to_owned()).collect();
    let ended = tokio::task::spawn_blocking(|| run(words)).await.unwrap();
    assert!(ended.err.contains("live page: http://127.0.0.1:"), "{}", ended.err);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let result: LoadResult = serde_json::from_str(&read(&json)).unwrap();
    let calls: u64 = result.operations.iter().map(|operation| operation.requests).sum();
    assert_eq!(result.iterations.started, calls, "each push is one call");
    assert!(read(&hlog).lines().any(|line| line.starts_with("Tag=gateway.v2.notification,")), "{}", read(&hlog));
    let k6: serde_json::Value = serde_json::from_str(&read(&k6)).unwrap();
    assert_eq!(k6["metrics"]["http_reqs"]["count"], calls);
    let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.ends_with(".partial")).collect::<Vec<_>>(), Vec::<String>::new());
}

/// A process that is killed leaves the result so far, which can be merged.
#[tokio::test(flavor = "multi_thread")]
async fn a_load_that_is_killed_leaves_what_it_had_measured() {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(Flaw::None, MINE, folder.path()).await;
    let [json, hlog] = ["result.json", "intervals.hlog"].map(|name| folder.path().join(name).display().to_string());
    let call = ["load", "notification", merchant.url.as_str(), "--rate", "20", "--for", "10m", "--duplicates", "0%"];
    let written = ["--json", &json, "--hlog", &hlog];
    let mut child = paycheck(call.iter().chain(&written)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Two seconds of it: the second one replaced the first.
    while partial_of(folder.path()).is_none_or(|(_, result)| result.timeline.len() < 2) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its time");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!Path::new(&json).exists() && !Path::new(&hlog).exists());
    let (left, result) = partial_of(folder.path()).unwrap();
    assert_eq!(result.ended_early, Some(Early::Unfinished), "{:?}", result.reasons);
    assert!(result.operations.iter().any(|operation| operation.requests > 0), "{:?}", result.operations);
    let merged = tokio::task::spawn_blocking(move || run(["load", "merge", &left])).await.unwrap();
    assert!(merged.out.contains("was stopped before the run ended"), "{}", merged.out);
}

/// The partial result in a folder, with its path.
fn partial_of(folder: &Path) -> Option<(String, LoadResult)> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().display().to_string());
    let path = paths.into_iter().find(|path| path.contains("result.json.") && path.ends_with(".partial"))?;
    Some((path.clone(), serde_json::from_slice(&std::fs::read(path).ok()?).ok()?))
}

/// Both parts send notifications about payments of one emulator. They run one after the other, because each counts only its own pushes.
#[tokio::test(flavor = "multi_thread")]
async fn parts_share_a_gateway_and_their_merge_is_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let merchant = Merchant::start(Flaw::None, MINE, folder.path()).await;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let world = file(folder.path(), "world.yaml", &format!("merchants: [{{ merchant: '{}', secret: '{}' }}]\n", MINE.0, MINE.1));
    let mine = file(folder.path(), "credentials.yaml", &format!("merchant: '{}'\nsecret: '{}'\n", MINE.0, MINE.1));
    let emulator = Emulate::start(&["--world", world.to_str().unwrap()]);
    merchant.use_gateway(&emulator.url);
    let endpoint = merchant.url.to_string();
    let words = move |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
    let load = words(&["load", "notification", &endpoint, "--rate", "40", "--for", "1s", "--duplicates", "0%", "--late", "30s"]);
    let shared =
        words(&["--emulator", &emulator.url, "--credentials", mine.to_str().unwrap(), "--threshold", "gateway.v2.notification rate > 15"]);
    let parts = ["1/3", "2/3", "3/3"].map(|shard| (shard, path(&format!("part-{}.json", &shard[..1]))));
    let whole = path("whole.json");
    let merging: Vec<_> =
        words(&["load", "merge", "--json", &whole]).into_iter().chain(parts.iter().map(|(_, json)| json.clone())).collect();
    let merged = tokio::task::spawn_blocking(move || {
        for (shard, json) in &parts {
            let part = words(&["--shard", shard, "--json", json]);
            let ended = run([load.clone(), shared.clone(), part].concat());
            assert!(ended.out.contains("part") && !ended.out.contains("FAILED"), "{}{}", ended.out, ended.err);
        }
        let strange = words(&["--shard", "1/2", "--emulator", "http://127.0.0.1:1"]);
        run([load.clone(), strange].concat()).with_code(3).complaining(&["http://127.0.0.1:1 is no emulator"]);
        run([load.clone(), words(&["--shard", "1/2"])].concat()).with_code(3).complaining(&["--emulator"]);
        let few = words(&["--shard", "2/2", "--users", "1"]);
        run([load, shared, few].concat()).with_code(3).complaining(&["none is left for this part"]);
        run(merging)
    });
    let merged = merged.await.unwrap();
    let result: LoadResult = serde_json::from_str(&std::fs::read_to_string(&whole).unwrap()).unwrap();
    assert_eq!((result.shards.of, result.shards.parts.as_slice()), (3, [1, 2, 3].as_slice()));
    let arrivals = result.arrivals.unwrap();
    assert_eq!((arrivals.intended, arrivals.started, arrivals.dropped), (40, 40, 0), "{}", merged.out);
    let notifications = result.notifications.unwrap();
    assert_eq!((notifications.expected, notifications.once, notifications.lost), (40, 40, 0), "{}", merged.out);
    // The formats take turns over all parts, as in one process.
    assert_eq!(result.operations.iter().map(|operation| operation.requests).collect::<Vec<_>>(), [20, 20]);
    assert_eq!(result.findings, []);
    assert_eq!(result.thresholds[0].verdict, LoadVerdict::Passed, "a third of it would not do");
}
