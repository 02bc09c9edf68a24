//! One reading of the metrics as the message that a collector takes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Text;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::load::metrics::{BOUNDS, Buckets, Family, MetricReading, MetricType, Point, Value};

/// What the metrics are of: attributes of their resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceAttributes {
    /// The name of the profile.
    pub profile: String,
    /// The title of the target.
    pub target: String,
    /// The seed.
    pub seed: u64,
    /// The part of a split load: `2/3`. Each is an instance of its own, whose counters don't mix with those of others.
    pub shard: String,
}

/// The time over which a value was counted, in nanoseconds of Unix time.
#[derive(Clone, Copy)]
struct Span {
    from: u64,
    to: u64,
}

/// A message with these metrics.
pub(super) fn message(reading: &MetricReading, origin: &ResourceAttributes) -> ExportMetricsServiceRequest {
    let until = reading.began.checked_add(reading.measured).unwrap_or(reading.began);
    let span = Span { from: nanoseconds(reading.began), to: nanoseconds(until) };
    let scope = InstrumentationScope { name: "paycheck".to_owned(), version: version(), ..Default::default() };
    let metrics = reading.families.iter().map(|family| metric(family, span)).collect();
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(resource(origin, span)),
            scope_metrics: vec![ScopeMetrics { scope: Some(scope), metrics, ..Default::default() }],
            ..Default::default()
        }],
    }
}

fn resource(origin: &ResourceAttributes, span: Span) -> Resource {
    let ResourceAttributes { profile, target, seed, shard } = origin;
    let instance = format!("{shard}@{}", span.from / 1_000_000_000);
    let attributes = [
        ("service.name", "paycheck".to_owned()),
        ("service.version", version()),
        ("service.instance.id", instance),
        ("paycheck.profile", profile.clone()),
        ("paycheck.target", target.clone()),
        ("paycheck.seed", seed.to_string()),
        ("paycheck.shard", shard.clone()),
    ];
    Resource { attributes: attributes.into_iter().map(|(key, value)| attribute(key, value)).collect(), ..Default::default() }
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

fn attribute(key: &str, value: String) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(Text::StringValue(value)) }), ..Default::default() }
}

fn metric(family: &Family, span: Span) -> Metric {
    let unit = if family.name.ends_with("_seconds") { "s" } else { "" };
    Metric {
        name: family.full_name(),
        description: family.help.to_owned(),
        unit: unit.to_owned(),
        data: Some(data(family, span)),
        ..Default::default()
    }
}

fn data(family: &Family, span: Span) -> Data {
    // Every message holds all that was counted: a lost one loses nothing.
    let aggregation_temporality = AggregationTemporality::Cumulative.into();
    let numbers = || family.points.iter().filter_map(|point| number(point, span)).collect();
    match family.kind {
        MetricType::Counter => Data::Sum(Sum { data_points: numbers(), aggregation_temporality, is_monotonic: true }),
        MetricType::Gauge => Data::Gauge(Gauge { data_points: numbers() }),
        MetricType::Histogram => {
            let data_points = family.points.iter().filter_map(|point| times(point, span)).collect();
            Data::Histogram(Histogram { data_points, aggregation_temporality })
        }
    }
}

fn attributes(point: &Point) -> Vec<KeyValue> {
    point.labels.iter().map(|(name, value)| attribute(name, value.clone())).collect()
}

fn number(point: &Point, span: Span) -> Option<NumberDataPoint> {
    let value = match &point.value {
        Value::Count(count) => Number::AsInt(i64::try_from(*count).unwrap_or(i64::MAX)),
        Value::Seconds(seconds) => Number::AsDouble(*seconds),
        Value::Times(_) => return None,
    };
    Some(NumberDataPoint {
        attributes: attributes(point),
        start_time_unix_nano: span.from,
        time_unix_nano: span.to,
        value: Some(value),
        ..Default::default()
    })
}

fn times(point: &Point, span: Span) -> Option<HistogramDataPoint> {
    let Value::Times(times) = &point.value else { return None };
    Some(HistogramDataPoint {
        attributes: attributes(point),
        start_time_unix_nano: span.from,
        time_unix_nano: span.to,
        count: times.len(),
        sum: Some(sum(times)),
        bucket_counts: times.counts.to_vec(),
        explicit_bounds: BOUNDS.iter().map(|bound| Duration::from_micros(*bound).as_secs_f64()).collect(),
        ..Default::default()
    })
}

#[expect(clippy::cast_precision_loss, reason = "a sum of times needs no more digits")]
fn sum(times: &Buckets) -> f64 {
    times.micros as f64 / 1_000_000.0
}

fn nanoseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
