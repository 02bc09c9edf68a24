//! The other outputs of a load besides its JSON.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use harness::load::latency::{add, decode, histogram};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use super::server::Server;
use super::stage::{Behind, Stage, interrupt, run, text};
use super::support::binary::paycheck;
use super::support::free_address;
use super::support::proxy::Tamper;

const PROFILE: &str = "kind: constant-arrival-rate
rate: 100
users: 4
for: 3s
conservation: off
mix: [{ scenario: ./gateway/creation.yaml }]
";

#[tokio::test(flavor = "multi_thread")]
async fn the_interval_log_adds_up_to_the_result() {
    let server = Server::slow(Duration::from_millis(2)).await;
    let stage = Stage::at(&server.url);
    let path = stage.path("log/intervals.hlog");
    let loaded = stage.load(PROFILE, &["--hlog", &text(&path)]).await;
    loaded.ended_with(0);
    let bytes = std::fs::read(path).unwrap();
    let mut sums: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    let mut intervals = 0;
    for entry in IntervalLogIterator::new(&bytes) {
        if let LogEntry::Interval(interval) = entry.unwrap() {
            let sum = sums.entry(interval.tag().unwrap().to_string()).or_insert_with(histogram);
            add(sum, &decode(interval.encoded_histogram()).unwrap());
            intervals += 1;
        }
    }
    assert!(intervals >= 4, "two intervals at least, each with response and service times: {intervals}");
    let [create] = loaded.result.operations.as_slice() else { panic!("{:?}", loaded.result.operations) };
    assert_eq!(create.requests, server.asked());
    assert_eq!(sums["gateway.v2.create"], create.response.times().unwrap());
    assert_eq!(sums["gateway.v2.create:service"], create.service.times().unwrap());
}

/// The response at an address; `None` while nothing is served there.
async fn get(client: &reqwest::Client, url: &str) -> Option<(u16, String)> {
    let response = client.get(url).send().await.ok()?;
    Some((response.status().as_u16(), response.text().await.ok()?))
}

/// The number of requests on the page for Prometheus.
fn requests(page: &str) -> Option<f64> {
    let line = page.lines().find(|line| line.starts_with("paycheck_load_requests_total{") && line.contains("\"gateway.v2.create\""))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_and_gooses_dashboard_are_served_while_it_runs() {
    let server = Server::slow(Duration::from_millis(2)).await;
    let stage = Stage::at(&server.url);
    let [metrics, dashboard] = [free_address(), free_address()].map(|address| address.to_string());
    let served = ["--prometheus", &metrics, "--goose-dashboard", &dashboard];
    let arguments = stage.arguments(&PROFILE.replace("for: 3s", "for: 10m"), &served);
    // goose writes a folder into the current one.
    let mut child = paycheck(arguments).current_dir(stage.path("")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(2)).build().unwrap();
    let (mut counts, mut dashboards) = (Vec::new(), Vec::new());
    // Until both have answered, and the counts have been seen to rise.
    while counts.first() >= counts.last() || dashboards.is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its time");
        let page = get(&client, &format!("http://{metrics}/metrics")).await;
        counts.extend(page.filter(|(status, _)| *status == 200).and_then(|(_, page)| requests(&page)));
        dashboards.extend(get(&client, &format!("http://{dashboard}/")).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let loaded = stage.loaded(interrupt(child).await);
    assert!(counts.is_sorted(), "{counts:?}");
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let all = loaded.requests() as f64;
    assert!(counts.last().unwrap() <= &all && counts.last().unwrap() > &0.0, "{counts:?} of {all}");
    let (status, page) = dashboards.last().expect("the dashboard never answered");
    assert_eq!(*status, 200);
    assert!(page.contains("<html"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_runs_nothing_and_fetches_nothing() {
    let server = Server::slow(Duration::from_millis(2)).await;
    let stage = Stage::at(&server.url);
    let path = stage.path("report.html");
    let loaded = stage.load(&PROFILE.replace("for: 3s", "for: 1s"), &["--html", &text(&path)]).await;
    loaded.ended_with(0);
    let html = std::fs::read_to_string(path).unwrap();
    assert!(html.contains("gateway.v2.create") && html.contains("</html>"));
    for active in ["<script", "<iframe", "<object", "<link", "<img", "javascript:", "@import", " src=", " onload="] {
        assert!(!html.contains(active), "`{active}` is in the report");
    }
    let addresses = html.split("http").skip(1).filter(|rest| rest.starts_with("://") || rest.starts_with("s://"));
    let foreign: Vec<_> = addresses.filter(|rest| !rest.starts_with("://www.w3.org/") && !rest.starts_with("://127.0.0.1")).collect();
    assert!(foreign.is_empty(), "{:?}", foreign.iter().map(|rest| rest.get(..60)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_is_as_the_published_schema_says() {
    let published = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/load.schema.json")).unwrap();
    let printed = run(vec!["schema".to_owned(), "load".to_owned()]).await.with_code(0).out;
    assert_eq!(printed, published);
    let validator = jsonschema::validator_for(&serde_json::from_str(&published).unwrap()).unwrap();
    // A result with notifications, findings, thresholds and a re-checked iteration.
    let behind = Behind::a_proxy(Tamper { push: Some(|_, push| push.message.set("price", "1")), ..Tamper::default() }).await;
    let journeys = PROFILE.replace("rate: 100", "rate: 10").replace("for: 3s", "for: 1s").replace("conservation: off\n", "");
    let journeys = journeys.replace("./gateway/creation.yaml", "gateway/a-paid-payment-is-notified-and-reads-as-paid");
    let loaded = behind.stage.load(&format!("thresholds: [errors = 0]\nnotifications: {{ late: 500ms, lost: 1s }}\n{journeys}"), &[]).await;
    loaded.ended_with(1);
    let value = serde_json::from_str(&loaded.json).unwrap();
    assert_eq!(validator.iter_errors(&value).map(|error| error.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    assert!(loaded.result.notifications.is_some() && loaded.result.conservation.is_some() && !loaded.result.findings.is_empty());
}
