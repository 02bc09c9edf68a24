use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Text;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::metrics::v1::{Metric, NumberDataPoint};
use prost::Message;
use url::Url;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::load::meter::{MeasuredCall, Meter, ResultCode, Tick};
use crate::load::metrics::{MetricsPage, families};
use crate::load::prometheus;
use crate::load::result::{ErrorKind, NotificationResult};

/// Three calls, of which one failed; seven seconds were measured.
fn meter() -> Meter {
    let meter = Meter::new(vec!["shop.pay".to_owned()], vec!["shop/one".to_owned()], 1);
    for (micros, error) in [(400, None), (5_000, Some(ErrorKind::Contract)), (11_000_000, None)] {
        let service = Duration::from_micros(micros);
        meter.call(0, MeasuredCall { service, late: Duration::ZERO, error, status: Some(200), code: ResultCode::None });
    }
    meter.started(None, Duration::ZERO);
    meter.tick(Tick { at: Duration::from_secs(7), users: 3, intended: Some(1) }, |_| ());
    meter
}

fn origin() -> ResourceAttributes {
    ResourceAttributes { profile: "spike".to_owned(), target: "a shop".to_owned(), seed: 7, shard: "2/3".to_owned() }
}

fn notifications() -> NotificationResult {
    NotificationResult { expected: 4, once: 3, lost: 1, ..NotificationResult::default() }
}

/// A collector that responds with this status.
async fn collector(status: u16) -> MockServer {
    let server = MockServer::start().await;
    let push = Mock::given(method("POST")).and(path("/otel/v1/metrics")).and(header("content-type", "application/x-protobuf"));
    push.respond_with(ResponseTemplate::new(status)).mount(&server).await;
    server
}

fn at(server: &MockServer) -> Url {
    Url::parse(&format!("{}/otel/", server.uri())).unwrap()
}

fn texts(attributes: &[KeyValue]) -> Vec<(String, String)> {
    let text = |attribute: &KeyValue| match attribute.value.clone().and_then(|value| value.value) {
        Some(Text::StringValue(text)) => (attribute.key.clone(), text),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(text).collect()
}

fn numbers(metric: &Metric) -> &[NumberDataPoint] {
    match &metric.data {
        Some(Data::Sum(sum)) => &sum.data_points,
        Some(Data::Gauge(gauge)) => &gauge.data_points,
        other => panic!("{other:?}"),
    }
}

fn named<'m>(metrics: &'m [Metric], name: &str) -> &'m Metric {
    metrics.iter().find(|metric| metric.name == format!("paycheck_load_{name}")).unwrap_or_else(|| panic!("no {name}"))
}

#[tokio::test]
async fn a_collector_gets_the_last_metrics_of_a_load() {
    let server = collector(200).await;
    let page = Arc::new(MetricsPage::default());
    let push = MetricsPush::start(&at(&server), Arc::clone(&page), origin()).await.unwrap();
    page.update_at(UNIX_EPOCH + Duration::from_secs(1_700_000_007), &meter().snapshot(), Some(&notifications()), &[]);
    push.end().await.unwrap();
    let requests = server.received_requests().await.unwrap();
    let [first, last] = requests.as_slice() else { panic!("{}", requests.len()) };
    assert!(first.body.is_empty(), "it asks whether anybody is there");
    let message = ExportMetricsServiceRequest::decode(last.body.as_slice()).unwrap();
    let [of_load] = message.resource_metrics.as_slice() else { panic!("{message:?}") };
    let attributes = texts(&of_load.resource.as_ref().unwrap().attributes);
    let has = |key: &str, value: &str| assert!(attributes.contains(&(key.to_owned(), value.to_owned())), "{key}: {attributes:?}");
    has("service.name", "paycheck");
    has("service.instance.id", "2/3@1700000000");
    has("paycheck.profile", "spike");
    let metrics = &of_load.scope_metrics[0].metrics;
    let [errors_transport, errors_contract, _] = numbers(named(metrics, "errors_total")) else { panic!() };
    assert_eq!((&errors_transport.value, &errors_contract.value), (&Some(Number::AsInt(0)), &Some(Number::AsInt(1))));
    assert_eq!(
        texts(&errors_contract.attributes),
        [("operation", "shop.pay"), ("kind", "contract")].map(|(k, v)| (k.to_owned(), v.to_owned()))
    );
    let requests = &numbers(named(metrics, "requests_total"))[0];
    assert_eq!((requests.start_time_unix_nano, requests.time_unix_nano), (1_700_000_000_000_000_000, 1_700_000_007_000_000_000));
    assert_eq!(numbers(named(metrics, "measured_seconds"))[0].value, Some(Number::AsDouble(7.0)));
    let Some(Data::Histogram(response)) = &named(metrics, "response_seconds").data else { panic!() };
    let times = &response.data_points[0];
    assert_eq!((times.count, times.bucket_counts.len(), times.explicit_bounds.len()), (3, 15, 14));
    let filled: Vec<_> = times.bucket_counts.iter().enumerate().filter(|(_, count)| **count > 0).collect();
    assert_eq!(filled, [(0, &1), (3, &1), (14, &1)], "up to 0.5 ms, up to 5 ms, above 10 s");
    assert!((times.sum.unwrap() - 11.0054).abs() < 0.02, "{:?}", times.sum);
}

#[test]
fn names_and_units_are_those_for_prometheus() {
    let snapshot = meter().snapshot();
    let page = MetricsPage::default();
    page.update_at(SystemTime::now(), &snapshot, Some(&notifications()), &[]);
    let message = message::message(&page.reading().unwrap(), &origin());
    let metrics = &message.resource_metrics[0].scope_metrics[0].metrics;
    let text = prometheus::text(&families(&snapshot, Some(&notifications()), &[]));
    let kind = |metric: &Metric| match &metric.data {
        Some(Data::Sum(sum)) if sum.is_monotonic => "counter",
        Some(Data::Gauge(_)) => "gauge",
        Some(Data::Histogram(_)) => "histogram",
        other => panic!("{other:?}"),
    };
    let ours: Vec<_> = metrics.iter().map(|metric| format!("# TYPE {} {}", metric.name, kind(metric))).collect();
    let theirs: Vec<_> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
    assert_eq!(ours, theirs);
    assert!(metrics.iter().all(|metric| metric.name.ends_with("_seconds") == (metric.unit == "s")), "{metrics:?}");
}

#[test]
fn a_count_that_goes_on_keeps_its_beginning_and_a_new_one_has_its_own() {
    let page = MetricsPage::default();
    let began = |now: u64, at: u64| {
        let snapshot = crate::load::meter::Snapshot { at: Duration::from_secs(at), ..meter().snapshot() };
        page.update_at(UNIX_EPOCH + Duration::from_secs(now), &snapshot, None, &[]);
        page.reading().unwrap().began.duration_since(UNIX_EPOCH).unwrap().as_secs()
    };
    assert_eq!((began(100, 1), began(103, 2), began(110, 0), began(112, 2)), (99, 99, 110, 110));
}

#[tokio::test]
async fn a_collector_that_takes_nothing_is_told_before_the_load() {
    let page = Arc::new(MetricsPage::default());
    let start = async |url: Url| MetricsPush::start(&url, Arc::clone(&page), origin()).await;
    let server = collector(415).await;
    let refused = start(at(&server)).await.unwrap_err().to_string();
    let said = "does not accept metrics: it responds 415 Unsupported Media Type; name one that takes OTLP over HTTP";
    assert_eq!(refused, format!("the collector at {}/otel/v1/metrics {said}", server.uri()));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let refused = start(gone.clone()).await.unwrap_err().to_string();
    assert!(refused.starts_with(&format!("the collector at {gone}v1/metrics does not accept metrics: ")), "{refused}");
    for unusable in ["ftp://127.0.0.1", "http://me:secret@127.0.0.1", "mailto:me"] {
        assert!(matches!(start(Url::parse(unusable).unwrap()).await, Err(OtlpError::Address(_))), "{unusable}");
    }
}
