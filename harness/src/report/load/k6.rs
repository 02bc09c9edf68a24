//! The result in the format of k6's summary (`k6 run --summary-export`), for tools that read it.
//!
//! Times are milliseconds. `http_req_duration` counts from the sending, as in k6; our response time, from the intended start, is
//! `paycheck_response_time`. A threshold is `true` if it failed, as in k6.

use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};

use crate::base::figures::Unit;
use crate::load::histogram::{quantile, sum};
use crate::load::result::{Latency, LoadResult, LoadVerdict, OperationResult};

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
    if let Some(notifications) = result.notifications.as_ref().filter(|notifications| notifications.lag.count > 0) {
        metrics.insert("paycheck_notification_lag".to_owned(), trend([&notifications.lag].into_iter()));
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

/// Adds each threshold to its metric.
fn thresholds(metrics: &mut Map<String, Value>, result: &LoadResult) {
    for threshold in &result.thresholds {
        let metric = match threshold.unit {
            Unit::Microseconds | Unit::Times => "paycheck_response_time",
            Unit::PerSecond => "http_reqs",
            Unit::Share | Unit::Count => "http_req_failed",
        };
        let failed = threshold.verdict != LoadVerdict::Passed;
        if let Some(metric) = metrics.get_mut(metric).and_then(Value::as_object_mut) {
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

/// Times in milliseconds; zero where nothing was measured, as in k6.
fn trend<'l>(latencies: impl Iterator<Item = &'l Latency> + Clone) -> Value {
    let times: Option<Histogram<u64>> = sum(latencies).ok();
    let ms = |micros: f64| micros / 1000.0;
    let at = |share: f64| times.as_ref().and_then(|times| quantile(times, share)).map_or(0.0, |micros| ms(micros as f64));
    let of = |number: fn(&Histogram<u64>) -> f64| times.as_ref().filter(|times| !times.is_empty()).map_or(0.0, |times| ms(number(times)));
    json!({
        "avg": of(Histogram::mean),
        "min": of(|times| times.min() as f64),
        "med": at(0.5),
        "max": of(|times| times.max() as f64),
        "p(90)": at(0.9),
        "p(95)": at(0.95),
        "p(99)": at(0.99),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
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
        assert_eq!(metrics["paycheck_response_time"]["thresholds"], json!({ "gateway.v1.create p99 < 50ms": false }));
        assert_eq!(metrics["http_reqs{name:terminal.refund.cancel}"]["count"], 1200);
        let create = &metrics["http_req_duration{name:gateway.v1.create}"];
        let keys: Vec<_> = create.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)"]);
        assert!((create["med"].as_f64().unwrap() - 0.9).abs() < 0.01, "milliseconds: {create}");
        assert_eq!((&metrics["iterations"]["count"], &metrics["dropped_iterations"]["count"]), (&json!(6000), &json!(0)));
        assert_eq!(metrics["vus"], json!({ "value": 12, "min": 12, "max": 12 }));
        let check = &summary["root_group"]["checks"]["terminal/a-refund-is-cancelled"];
        assert_eq!((&check["passes"], &check["path"]), (&json!(1200), &json!("::terminal/a-refund-is-cancelled")));
    }

    #[test]
    fn nothing_measured_is_all_zero() {
        let summary = summary(&example_results::empty());
        assert_eq!(summary["metrics"]["http_req_duration"]["p(95)"], 0.0);
        assert_eq!(summary["metrics"].get("dropped_iterations"), None, "closed load drops nothing");
    }
}
