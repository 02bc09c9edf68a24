//! The text format itself.

use std::fmt::{Display, Write};

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Only rises.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts by bucket, sum and count.
    Histogram,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Metrics, one family after the other.
#[derive(Debug, Default)]
pub(super) struct Families {
    out: String,
    name: &'static str,
}

impl Families {
    /// Begins a family; `help` is one line.
    pub(super) fn family(&mut self, name: &'static str, kind: Kind, help: &str) {
        self.name = name;
        // Nothing that is written to memory fails.
        let _ = writeln!(self.out, "# HELP paycheck_load_{name} {help}\n# TYPE paycheck_load_{name} {}", kind.name());
    }

    /// A sample of the family that was begun last.
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
