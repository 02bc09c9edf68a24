//! The text exposition format 0.0.4.

use std::fmt::{Display, Write};

use crate::load::metrics::{BOUNDS, Buckets, Family, MetricType, Point, Value};

/// Writes metrics, one family after another.
pub fn text(families: &[Family]) -> String {
    let mut out = String::new();
    for family in families {
        let name = family.full_name();
        // Writing to memory does not fail.
        let _ = writeln!(out, "# HELP {name} {}\n# TYPE {name} {}", family.help, word(family.kind));
        for Point { labels, value } in &family.points {
            match value {
                Value::Count(count) => sample(&mut out, &name, (labels, None), count),
                Value::Seconds(seconds) => sample(&mut out, &name, (labels, None), seconds),
                Value::Times(times) => histogram(&mut out, &name, labels, times),
            }
        }
    }
    out
}

fn word(kind: MetricType) -> &'static str {
    match kind {
        MetricType::Counter => "counter",
        MetricType::Gauge => "gauge",
        MetricType::Histogram => "histogram",
    }
}

type Labels = [(&'static str, String)];

/// Writes a histogram. Buckets of this format are cumulative.
fn histogram(out: &mut String, name: &str, labels: &Labels, times: &Buckets) {
    let bounds = BOUNDS.iter().map(|bound| seconds(u128::from(*bound))).chain(["+Inf".to_owned()]);
    let mut sum = 0;
    for (bound, count) in bounds.zip(times.counts) {
        sum += count;
        sample(out, &format!("{name}_bucket"), (labels, Some(&bound)), sum);
    }
    sample(out, &format!("{name}_sum"), (labels, None), seconds(times.micros));
    sample(out, &format!("{name}_count"), (labels, None), sum);
}

fn sample(out: &mut String, name: &str, (labels, bound): (&Labels, Option<&str>), value: impl Display) {
    let labels = labels.iter().map(|(name, value)| (*name, value.as_str())).chain(bound.map(|bound| ("le", bound)));
    let labels: Vec<_> = labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _ = writeln!(out, "{name}{labels} {value}");
}

/// Microseconds as seconds, exactly.
fn seconds(micros: u128) -> String {
    let mut text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    text
}

fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_written_exactly() {
        assert_eq!([0, 500, 10_000_000, 1_000_001, 120].map(seconds), ["0", "0.0005", "10", "1.000001", "0.00012"]);
    }
}
