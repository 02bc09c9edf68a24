mod parser;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::load::meter::{Iteration, MeasuredCall, Meter, ResultCode, Tick};
use crate::load::metrics::families as families_of;
use crate::load::result::{ConnectionResult, ErrorKind, NotificationResult};

use self::parser::{Family, parse};

const ODD: &str = "a \"quoted\" \\ name\nof two lines";

fn meter() -> Meter {
    let meter = Meter::new(vec!["gateway.v2.create".to_owned(), ODD.to_owned()], vec!["gateway/paid".to_owned()], 2);
    for (service, late, error) in [(400, 0, None), (400, 100, Some(ErrorKind::Contract)), (5_000, 0, None), (11_000_000, 0, None)] {
        meter.call(
            0,
            MeasuredCall {
                service: Duration::from_micros(service),
                late: Duration::from_micros(late),
                error,
                status: Some(200),
                code: ResultCode::None,
            },
        );
    }
    meter.iteration(0, Iteration { service: Duration::from_secs(1), late: Duration::ZERO, passed: true });
    meter.started(Some(Duration::from_micros(30)), Duration::from_secs(1));
    meter.lag(Duration::from_millis(70));
    meter.tick(Tick { at: Duration::from_millis(1500), users: 8, intended: Some(3) }, |_| ());
    meter
}

fn families() -> Vec<Family> {
    let notifications = NotificationResult { expected: 9, once: 7, lost: 2, ..NotificationResult::default() };
    let connections = [ConnectionResult { protocol: "HTTP/2".to_owned(), opened: 4, streams: 3 }];
    parse(&text(&families_of(&meter().snapshot(), Some(&notifications), &connections)))
}

/// The value of the sample with these labels, in the order that they are written.
fn value(families: &[Family], name: &str, labels: &[(&str, &str)]) -> f64 {
    let samples = families.iter().flat_map(|family| &family.samples);
    let found: Vec<_> = samples
        .filter(|sample| sample.name == format!("paycheck_load_{name}"))
        .filter(|sample| sample.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(labels.iter().copied()))
        .collect();
    assert_eq!(found.len(), 1, "{name} {labels:?}");
    found[0].value
}

#[test]
fn every_count_is_in_the_text() {
    let families = families();
    let value_of = |name, labels: &[(&str, &str)]| value(&families, name, labels);
    let create = ("operation", "gateway.v2.create");
    assert_eq!(value_of("requests_total", &[create]), 4.0);
    assert_eq!(value_of("errors_total", &[create, ("kind", "contract")]), 1.0);
    assert_eq!(value_of("errors_total", &[create, ("kind", "transport")]), 0.0);
    assert_eq!(value_of("iterations_total", &[("scenario", "gateway/paid"), ("result", "passed")]), 1.0);
    assert_eq!(value_of("iterations_total", &[("scenario", "gateway/paid"), ("result", "failed")]), 0.0);
    assert_eq!((value_of("iterations_started_total", &[]), value_of("iterations_delayed_total", &[])), (1.0, 1.0));
    assert_eq!((value_of("iterations_intended_total", &[]), value_of("iterations_dropped", &[])), (3.0, 2.0));
    assert_eq!((value_of("users", &[]), value_of("measured_seconds", &[])), (8.0, 1.5));
    assert_eq!((value_of("notifications_expected", &[]), value_of("notifications", &[("result", "lost")])), (9.0, 2.0));
    let protocol = ("protocol", "HTTP/2");
    assert_eq!((value_of("connections_total", &[protocol]), value_of("streams_most", &[protocol])), (4.0, 3.0));
    assert_eq!((value_of("notification_lag_seconds_count", &[]), value_of("scheduling_seconds_count", &[])), (1.0, 1.0));
}

#[test]
fn times_are_in_the_buckets_up_to_whose_bounds_they_reach() {
    let families = families();
    let bucket = |metric: &str, bound: &str| {
        value(&families, &format!("{metric}_seconds_bucket"), &[("operation", "gateway.v2.create"), ("le", bound)])
    };
    assert_eq!(["0.0005", "0.0025", "0.005", "10", "+Inf"].map(|bound| bucket("response", bound)), [2.0, 2.0, 3.0, 3.0, 4.0]);
    assert_eq!(["0.0005", "0.0025", "0.005", "10", "+Inf"].map(|bound| bucket("service", bound)), [2.0, 2.0, 3.0, 3.0, 4.0]);
    let sum = |metric: &str| value(&families, &format!("{metric}_seconds_sum"), &[("operation", "gateway.v2.create")]);
    assert!((sum("response") - 11.0059).abs() < 0.011, "{}", sum("response"));
    assert!((sum("response") - sum("service") - 0.0001).abs() < 1e-9);
}

#[test]
fn a_label_can_hold_any_text() {
    assert_eq!(value(&families(), "requests_total", &[("operation", ODD)]), 0.0);
}

#[test]
fn closed_load_without_notifications_has_metrics_of_neither() {
    let meter = Meter::new(vec!["a".to_owned()], Vec::new(), 1);
    meter.tick(Tick { at: Duration::from_secs(1), users: 1, intended: None }, |_| ());
    let families = parse(&text(&families_of(&meter.snapshot(), None, &[])));
    let names: Vec<_> = families.iter().map(|family| family.name.trim_start_matches("paycheck_load_")).collect();
    assert!(!names.iter().any(|name| name.contains("intended") || name.contains("dropped") || name.starts_with("notifications")));
    assert_eq!(value(&families, "response_seconds_sum", &[("operation", "a")]), 0.0);
}

#[tokio::test]
async fn it_is_served_at_metrics_and_nowhere_else() {
    let exporter = serve((Ipv4Addr::LOCALHOST, 0).into(), Arc::new(|| "up 1\n".to_owned())).await.unwrap();
    let base = format!("http://{}", exporter.address());
    let client = reqwest::Client::new();
    let response = client.get(format!("{base}/metrics")).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.headers()["content-type"].to_str().unwrap()),
        (200, "text/plain; version=0.0.4; charset=utf-8")
    );
    assert_eq!(response.text().await.unwrap(), "up 1\n");
    assert_eq!(client.head(format!("{base}/metrics")).send().await.unwrap().status(), 200);
    assert_eq!(client.post(format!("{base}/metrics")).send().await.unwrap().status(), 405);
    assert_eq!(client.get(format!("{base}/")).send().await.unwrap().status(), 404);
    let address = exporter.address();
    let message = serve(address, Arc::new(String::new)).await.unwrap_err().to_string();
    assert!(message.starts_with(&format!("cannot listen at {address} for Prometheus: ")), "{message}");
}
