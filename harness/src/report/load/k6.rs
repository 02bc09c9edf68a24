//! The result in the format of k6's summary (`k6 run --summary-export`), for tools that read it.
//!
//! Times are milliseconds. `http_req_duration` counts from the sending, as in k6; our response time, from the intended start, is
//! `paycheck_response_time`. A threshold is `true` if it failed, as in k6.

use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};

use crate::load::histogram::sum;
use crate::load::percentile::percentile;
use crate::load::result::{Latency, LoadResult, LoadVerdict, NotificationResult, OperationResult};
use crate::load::threshold::{Metric, Threshold, parse_written};

/// The id of k6's root group: the MD5 of an empty name.
const ROOT_ID: &str = "d41d8cd98f00b204e9800998ecf8427e";

/// The summary. An error is a fault of Paycheck.
pub fn k6(result: &LoadResult) -> serde_json::Result<String> {
    let mut metrics = Map::new();
    calls(&mut metrics, "", &result.operations.iter().collect::<Vec<_>>(), result.seconds);
    for operation in &result.operations {
        calls(&mut metrics, &format!("{{name:{}}}", operation.operation), &[operation], result.seconds);
    }
    iterations(&mut metrics, result);
    users(&mut metrics, result);
    if let Some(measured) = &result.notifications {
        notifications(&mut metrics, measured, result.seconds);
    }
    thresholds(&mut metrics, result);
    let summary = json!({ "metrics": metrics, "root_group": root_group(result) });
    Ok(format!("{}\n", serde_json::to_string_pretty(&summary)?))
}

/// The metrics of some operations; `tags` is the suffix of their names.
fn calls(metrics: &mut Map<String, Value>, tags: &str, operations: &[&OperationResult], seconds: f64) {
    let requests: u64 = operations.iter().map(|operation| operation.requests).sum();
    let failed: u64 = operations.iter().flat_map(|operation| operation.errors.values()).sum();
    let named = |name: &str| format!("{name}{tags}");
    metrics.insert(named("http_reqs"), counter(requests, seconds));
    // `passes` of a k6 rate counts the true values: here the failures.
    metrics.insert(named("http_req_failed"), share(failed, requests));
    metrics.insert(named("http_req_duration"), trend(operations.iter().map(|operation| &operation.service)));
    metrics.insert(named("paycheck_response_time"), trend(operations.iter().map(|operation| &operation.response)));
}

fn iterations(metrics: &mut Map<String, Value>, result: &LoadResult) {
    let passed: u64 = result.scenarios.iter().map(|scenario| scenario.passed).sum();
    let failed: u64 = result.scenarios.iter().map(|scenario| scenario.failed).sum();
    metrics.insert("iterations".to_owned(), counter(passed + failed, result.seconds));
    metrics.insert("iteration_duration".to_owned(), trend(result.scenarios.iter().map(|scenario| &scenario.response)));
    metrics.insert("checks".to_owned(), share(passed, passed + failed));
    if let Some(arrivals) = &result.arrivals {
        metrics.insert("dropped_iterations".to_owned(), counter(arrivals.dropped, result.seconds));
    }
}

fn users(metrics: &mut Map<String, Value>, result: &LoadResult) {
    let users = || result.timeline.iter().map(|moment| moment.users);
    let (last, least, most) = (users().next_back().unwrap_or(0), users().min().unwrap_or(0), users().max().unwrap_or(0));
    metrics.insert("vus".to_owned(), json!({ "value": last, "min": least, "max": most }));
    metrics.insert("vus_max".to_owned(), json!({ "value": most, "min": most, "max": most }));
}

fn notifications(metrics: &mut Map<String, Value>, measured: &NotificationResult, seconds: f64) {
    if measured.lag.count > 0 {
        metrics.insert(LAG.to_owned(), trend([&measured.lag].into_iter()));
    }
    for (name, count) in [("lost", measured.lost), ("duplicated", measured.duplicated), ("late", measured.late)] {
        metrics.insert(counted(name), counter(count, seconds));
    }
}

const LAG: &str = "paycheck_notification_lag";

/// The name of a count of notifications.
fn counted(which: &str) -> String {
    format!("paycheck_notifications_{which}")
}

/// The metric that a threshold is about; for one operation, that of its calls. A rule that this version does not know is about the
/// iterations.
fn metric_of(rule: &str) -> String {
    let Some(Threshold { operation, metric, .. }) = parse_written(rule) else { return "iterations".to_owned() };
    let metric = match metric {
        Metric::Lost => counted("lost"),
        Metric::Duplicated => counted("duplicated"),
        Metric::Late => counted("late"),
        Metric::Lag(_) => LAG.to_owned(),
        Metric::Dropped => "dropped_iterations".to_owned(),
        Metric::Service(_) => "http_req_duration".to_owned(),
        Metric::Response(_) | Metric::Mean | Metric::Drift => "paycheck_response_time".to_owned(),
        Metric::Rate => "http_reqs".to_owned(),
        Metric::Errors | Metric::ErrorCount => "http_req_failed".to_owned(),
    };
    match operation {
        Some(operation) => format!("{metric}{{name:{operation}}}"),
        None => metric,
    }
}

/// Adds each threshold to its metric.
fn thresholds(metrics: &mut Map<String, Value>, result: &LoadResult) {
    for threshold in &result.thresholds {
        let failed = threshold.verdict != LoadVerdict::Passed;
        // What was not measured has a threshold all the same.
        let metric = metrics.entry(metric_of(&threshold.rule)).or_insert_with(|| json!({}));
        if let Some(metric) = metric.as_object_mut() {
            let all = metric.entry("thresholds").or_insert_with(|| json!({}));
            if let Some(all) = all.as_object_mut() {
                all.insert(threshold.rule.clone(), failed.into());
            }
        }
    }
}

/// Scenarios are checks: an iteration passes or fails.
fn root_group(result: &LoadResult) -> Value {
    let check = |scenario: &crate::load::result::ScenarioResult| {
        let name = &scenario.scenario;
        (name.clone(), json!({ "name": name, "path": format!("::{name}"), "passes": scenario.passed, "fails": scenario.failed }))
    };
    let checks: Map<String, Value> = result.scenarios.iter().map(check).collect();
    json!({ "name": "", "path": "", "id": ROOT_ID, "groups": {}, "checks": checks })
}

fn counter(count: u64, seconds: f64) -> Value {
    json!({ "count": count, "rate": if seconds > 0.0 { count as f64 / seconds } else { 0.0 } })
}

fn share(part: u64, of: u64) -> Value {
    let value = if of == 0 { 0.0 } else { part as f64 / of as f64 };
    json!({ "passes": part, "fails": of.saturating_sub(part), "value": value })
}

/// Times in milliseconds; zero where nothing was measured, as in k6. A percentile of too few times is left out.
fn trend<'l>(latencies: impl Iterator<Item = &'l Latency> + Clone) -> Value {
    let times: Option<Histogram<u64>> = sum(latencies).ok();
    let ms = |micros: f64| micros / 1000.0;
    let of = |number: fn(&Histogram<u64>) -> f64| times.as_ref().filter(|times| !times.is_empty()).map_or(0.0, |times| ms(number(times)));
    let numbers = [("avg", of(Histogram::mean)), ("min", of(|times| times.min() as f64)), ("max", of(|times| times.max() as f64))];
    let at = |share: f64| Some(ms(percentile(times.as_ref()?, share)? as f64));
    let percentiles = [("med", 0.5), ("p(90)", 0.9), ("p(95)", 0.95), ("p(99)", 0.99)];
    let known = percentiles.into_iter().filter_map(|(name, share)| Some((name, at(share)?)));
    let trend: Map<String, Value> = numbers.into_iter().chain(known).map(|(name, ms)| (name.to_owned(), ms.into())).collect();
    Value::Object(trend)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::base::figures::Unit;
    use crate::load::example_results;

    fn summary(result: &LoadResult) -> Value {
        serde_json::from_str(&k6(result).unwrap()).unwrap()
    }

    #[test]
    fn a_summary_is_as_k6_exports_one() {
        let summary = summary(&example_results::findings());
        let metrics = &summary["metrics"];
        assert_eq!(metrics["http_reqs"], json!({ "count": 13_200, "rate": 220.0 }));
        assert_eq!((&metrics["http_req_failed"]["passes"], &metrics["http_req_failed"]["fails"]), (&json!(18), &json!(13_182)));
        assert_eq!(metrics["http_req_failed"]["thresholds"], json!({ "errors < 0.1%": true }));
        let times = &metrics["paycheck_response_time{name:gateway.v1.create}"];
        assert_eq!(times["thresholds"], json!({ "gateway.v1.create p99 < 50ms": false }));
        assert_eq!(metrics["http_reqs{name:terminal.refund.cancel}"]["count"], 1200);
        let create = &metrics["http_req_duration{name:gateway.v1.create}"];
        let keys: Vec<_> = create.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["avg", "min", "max", "med", "p(90)", "p(95)", "p(99)"]);
        assert!((create["med"].as_f64().unwrap() - 0.9).abs() < 0.01, "milliseconds: {create}");
        assert_eq!((&metrics["iterations"]["count"], &metrics["dropped_iterations"]["count"]), (&json!(6000), &json!(0)));
        assert_eq!(metrics["vus"], json!({ "value": 12, "min": 12, "max": 12 }));
        let check = &summary["root_group"]["checks"]["terminal/a-refund-is-cancelled"];
        assert_eq!((&check["passes"], &check["path"]), (&json!(1200), &json!("::terminal/a-refund-is-cancelled")));
    }

    /// The fields of each kind of metric in files that k6 0.54 has written with `--summary-export`; `p(99)` is there where
    /// `summaryTrendStats` asks for it, `thresholds` where there are some.
    const SHAPES: [&[&str]; 4] = [
        &["avg", "max", "med", "min", "p(90)", "p(95)", "p(99)"],
        &["count", "rate"],
        &["fails", "passes", "value"],
        &["max", "min", "value"],
    ];

    #[test]
    fn each_metric_has_the_fields_of_its_kind() {
        let summary = summary(&example_results::findings());
        let metrics = summary["metrics"].as_object().unwrap();
        let shape = |name: &str| {
            let mut fields: Vec<_> = metrics[name].as_object().unwrap().keys().filter(|key| *key != "thresholds").collect();
            fields.sort();
            SHAPES.iter().position(|shape| fields == *shape).unwrap_or_else(|| panic!("{name}: {fields:?}"))
        };
        let kinds = ["http_req_duration", "iteration_duration", "http_reqs", "iterations", "http_req_failed", "checks", "vus", "vus_max"];
        assert_eq!(kinds.map(shape), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert!(metrics.keys().all(|name| shape(name) < SHAPES.len()));
    }

    #[test]
    fn a_threshold_is_at_the_metric_that_it_is_about() {
        let threshold = |rule: &str, unit| example_results::threshold(rule, unit, None, LoadVerdict::Failed);
        let result = example_results::findings();
        for (rule, unit, metric) in [
            ("lag p99 < 1s", Unit::Microseconds, "paycheck_notification_lag"),
            ("dropped < 1%", Unit::Share, "dropped_iterations"),
            ("lost = 0", Unit::Count, "paycheck_notifications_lost"),
            ("duplicated = 0", Unit::Count, "paycheck_notifications_duplicated"),
            ("late = 0", Unit::Count, "paycheck_notifications_late"),
            ("service p99 < 1s", Unit::Microseconds, "http_req_duration"),
            ("p99 < 1s", Unit::Microseconds, "paycheck_response_time"),
            ("drift <= 2", Unit::Times, "paycheck_response_time"),
            ("rate >= 5", Unit::PerSecond, "http_reqs"),
            ("error count = 0", Unit::Count, "http_req_failed"),
            ("a number of a later version < 1", Unit::Count, "iterations"),
            ("terminal.refund.cancel errors < 1%", Unit::Share, "http_req_failed{name:terminal.refund.cancel}"),
        ] {
            let result = LoadResult { thresholds: vec![threshold(rule, unit)], ..result.clone() };
            assert_eq!(summary(&result)["metrics"][metric]["thresholds"], json!({ rule: true }), "{rule}");
        }
    }

    #[test]
    fn nothing_measured_is_zero_and_percentiles_of_too_few_times_are_left_out() {
        let few = LoadResult { operations: vec![example_results::operation("shop.pay", 40, 900)], ..example_results::empty() };
        let times = summary(&few)["metrics"]["http_req_duration"].clone();
        assert!(times["p(95)"].is_number() && times["p(99)"].is_null(), "{times}");
        let summary = summary(&example_results::empty());
        assert_eq!(summary["metrics"]["http_req_duration"]["max"], 0.0);
        assert!(summary["metrics"]["http_req_duration"]["med"].is_null());
        assert_eq!(summary["metrics"].get("dropped_iterations"), None, "closed load drops nothing");
    }
}
