//! The text exposition format 0.0.4.

use std::fmt::{Display, Write};

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetricType {
    /// It only rises.
    Counter,
    /// It rises and falls.
    Gauge,
    /// Counts by bucket, their sum and their number.
    Histogram,
}

impl MetricType {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Writes metrics, one family after another.
#[derive(Debug, Default)]
pub(super) struct MetricFamilies {
    out: String,
    name: &'static str,
}

impl MetricFamilies {
    /// Begins a family; `help` is one line.
    pub(super) fn family(&mut self, name: &'static str, kind: MetricType, help: &str) {
        self.name = name;
        // Writing to memory does not fail.
        let _ = writeln!(self.out, "# HELP paycheck_load_{name} {help}\n# TYPE paycheck_load_{name} {}", kind.name());
    }

    /// Writes a sample of the last family.
    pub(super) fn sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let _ = write!(self.out, "paycheck_load_{}{suffix}", self.name);
        for (index, (name, value)) in labels.iter().enumerate() {
            let _ = write!(self.out, "{}{name}=\"{}\"", if index == 0 { '{' } else { ',' }, escaped(value));
        }
        let _ = writeln!(self.out, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}
