//! Parses thresholds strictly.

use std::fmt;

use super::rule::{Comparator, Metric, Threshold};
use crate::base::source::{Diagnostic, Node, Problems, nearest};
use crate::base::values::{of_percent, parse_decimal, parse_share};
use crate::load::result::Unit;
use crate::spec::contract::Contracts;

/// The metrics of thresholds, for advice; a `p` may have any quantile.
const METRICS: [&str; 16] = [
    "p50",
    "p90",
    "p95",
    "p99",
    "p99.9",
    "max",
    "mean",
    "service p99",
    "lag p99",
    "errors",
    "error count",
    "rate",
    "dropped",
    "lost",
    "duplicated",
    "late",
];

/// The comparisons, longer ones first, because `<` is the beginning of `<=`.
const COMPARISONS: [(&str, Comparator); 5] =
    [("<=", Comparator::AtMost), (">=", Comparator::AtLeast), ("<", Comparator::Below), (">", Comparator::Above), ("=", Comparator::Equal)];

/// What is wrong with a threshold, and how to put it right.
#[derive(Debug)]
pub struct ThresholdError {
    message: String,
    advice: Advice,
}

impl fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.advice {
            Advice::Help(help) => write!(f, "; {help}"),
            Advice::Nearest(name, valid) => match nearest(name, valid.iter().map(String::as_str)) {
                Some(near) => write!(f, "; did you mean `{near}`?"),
                None => Ok(()),
            },
        }
    }
}

impl std::error::Error for ThresholdError {}

impl ThresholdError {
    fn help(message: impl Into<String>, help: &'static str) -> Self {
        Self { message: message.into(), advice: Advice::Help(help) }
    }

    fn nearest(message: String, name: &str, valid: impl IntoIterator<Item = String>) -> Self {
        Self { message, advice: Advice::Nearest(name.to_owned(), valid.into_iter().collect()) }
    }

    fn at(self, node: &Node) -> Diagnostic {
        let problem = Diagnostic::at(node, self.message);
        match self.advice {
            Advice::Help(help) => problem.help(help),
            Advice::Nearest(name, valid) => problem.names(&name, valid.iter().map(String::as_str)),
        }
    }
}

#[derive(Debug)]
enum Advice {
    /// This sentence.
    Help(&'static str),
    /// The valid name that is nearest to this one.
    Nearest(String, Vec<String>),
}

/// Reads a threshold of a profile; a mistake is added at its place. `open` says whether the load is open, if that is known.
pub(crate) fn read(node: &Node, open: Option<bool>, contracts: &Contracts, problems: &mut Problems) -> Option<Threshold> {
    let Some(rule) = node.text() else {
        let problem = Diagnostic::at(node, format!("a threshold is a text, but this is {}", node.describe()));
        problems.add(problem.help("for example `errors < 1%`"));
        return None;
    };
    let read = parse(rule, contracts).and_then(|threshold| fits(threshold, open));
    read.map_err(|error| problems.add(error.at(node))).ok()
}

fn fits(threshold: Threshold, open: Option<bool>) -> Result<Threshold, ThresholdError> {
    if threshold.metric == Metric::Dropped && open == Some(false) {
        let message = "`dropped` counts iterations that were due; users of closed load start one when the last one is over";
        return Err(ThresholdError::help(message, "it is for kinds with a rate"));
    }
    Ok(threshold)
}

/// Reads a threshold.
///
/// # Errors
/// When the rule is invalid, or names an unknown operation.
pub fn parse(rule: &str, contracts: &Contracts) -> Result<Threshold, ThresholdError> {
    parse_with(rule, |operation| known(operation, contracts))
}

/// Reads a rule in a result, whatever operations there are; `None` if this version does not know it.
pub(crate) fn parse_written(rule: &str) -> Option<Threshold> {
    Threshold::recorded_drift(rule).or_else(|| parse_with(rule, |_| Ok(())).ok())
}

fn parse_with(rule: &str, known: impl FnOnce(&str) -> Result<(), ThresholdError>) -> Result<Threshold, ThresholdError> {
    let split = COMPARISONS.iter().filter_map(|(sign, comparison)| Some((rule.split_once(sign)?, *comparison)));
    // `=` splits `<=` too: the leftmost sign counts, and of `<` and `<=` the longer one.
    let split = split.min_by_key(|((left, _), _)| left.len());
    let Some(((left, right), comparison)) = split else {
        return Err(ThresholdError::help("a threshold has one of <, <=, =, >=, >", "for example `gateway.v2.status p99 < 50ms`"));
    };
    let words: Vec<&str> = left.split_whitespace().collect();
    let (operation, metric) = subject(&words)?;
    if let Some(operation) = operation {
        known(operation)?;
        if !metric.is_of_operations() {
            let message = format!("`{}` is a metric of the whole load, not of an operation", words.get(1..).unwrap_or_default().join(" "));
            return Err(ThresholdError::help(message, "leave the operation out"));
        }
    }
    let bound = bound(metric.unit(), right.trim())?;
    Ok(Threshold { rule: rule.to_owned(), operation: operation.map(str::to_owned), metric, comparison, bound })
}

/// The operation, if any, and the metric.
fn subject<'w>(words: &[&'w str]) -> Result<(Option<&'w str>, Metric), ThresholdError> {
    if let Some(metric) = Metric::parse(words) {
        return Ok((None, metric));
    }
    if let [operation, rest @ ..] = words
        && let Some(metric) = Metric::parse(rest)
    {
        return Ok((Some(operation), metric));
    }
    // The name of an operation has a dot; anything else should be a metric.
    let rest = match words {
        [first, rest @ ..] if first.contains('.') && !first.starts_with('p') => rest.join(" "),
        all => all.join(" "),
    };
    let message = if rest.is_empty() { "a threshold names a metric".to_owned() } else { format!("there is no metric `{rest}`") };
    Err(ThresholdError::nearest(message, &rest, METRICS.map(str::to_owned)))
}

fn known(operation: &str, contracts: &Contracts) -> Result<(), ThresholdError> {
    if contracts.operations.contains_key(operation) || contracts.notifications.contains_key(operation) {
        return Ok(());
    }
    let valid = contracts.operations.keys().chain(contracts.notifications.keys()).cloned().chain(["service".to_owned(), "lag".to_owned()]);
    Err(ThresholdError::nearest(format!("there is no operation `{operation}`"), operation, valid))
}

impl Metric {
    fn parse(words: &[&str]) -> Option<Self> {
        match words {
            ["mean"] => Some(Self::Mean),
            ["errors"] => Some(Self::Errors),
            ["error", "count"] => Some(Self::ErrorCount),
            ["rate"] => Some(Self::Rate),
            ["dropped"] => Some(Self::Dropped),
            ["lost"] => Some(Self::Lost),
            ["duplicated"] => Some(Self::Duplicated),
            ["late"] => Some(Self::Late),
            ["service", quantile] => self::quantile(quantile).map(Self::Service),
            ["lag", quantile] => self::quantile(quantile).map(Self::Lag),
            [quantile] => self::quantile(quantile).map(Self::Response),
            _ => None,
        }
    }

    /// Whether each operation has this metric.
    fn is_of_operations(self) -> bool {
        match self {
            Self::Response(_) | Self::Service(_) | Self::Mean | Self::Errors | Self::ErrorCount | Self::Rate => true,
            Self::Lag(_) | Self::Dropped | Self::Lost | Self::Duplicated | Self::Late | Self::Drift => false,
        }
    }
}

/// `p99.9` or `max` as a share of the samples.
fn quantile(word: &str) -> Option<f64> {
    if word == "max" {
        return Some(1.0);
    }
    let percent = parse_decimal(word.strip_prefix('p')?)?;
    (percent > 0.0 && percent < 100.0).then(|| of_percent(percent))
}

/// Reads a bound of this unit.
fn bound(unit: Unit, text: &str) -> Result<f64, ThresholdError> {
    let (read, what, example) = match unit {
        Unit::Microseconds => (microseconds(text), "a time is a number and a unit", "for example 800us, 50ms, 1.5s, 1m"),
        Unit::Share if text == "0" => (Some(0.0), "", ""),
        Unit::Share => (parse_share(text), "a share is a number of percent", "for example 0.1%, or 0"),
        Unit::Count => (parse_decimal(text).filter(|number| number.fract() == 0.0), "a count is a whole number", "for example 0"),
        Unit::PerSecond => (parse_decimal(text), "a rate is a number of calls a second", "for example 500"),
        Unit::Times => (parse_decimal(text), "a factor is a number", "for example 1.5"),
    };
    read.ok_or_else(|| ThresholdError::help(format!("{what}, but this is `{text}`"), example))
}

fn microseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.')?);
    let factor = match unit {
        "us" | "µs" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "m" => 60e6,
        _ => return None,
    };
    parse_decimal(number).map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    static NONE: std::sync::OnceLock<Contracts> = std::sync::OnceLock::new();

    fn read(rule: &str, contracts: &Contracts) -> Option<(Option<String>, Metric, Comparator, f64)> {
        parse(rule, contracts).ok().map(|t| (t.operation, t.metric, t.comparison, t.bound))
    }

    #[test]
    fn every_documented_form_is_read() {
        let contracts = Contracts::shipped();
        let status = Some("gateway.v2.status".to_owned());
        let forms = [
            ("gateway.v2.status p99 < 50ms", (status.clone(), Metric::Response(0.99), Comparator::Below, 50_000.0)),
            ("gateway.v2.status service p95<=1.5s", (status.clone(), Metric::Service(0.95), Comparator::AtMost, 1_500_000.0)),
            ("gateway.v2.status rate >= 500", (status.clone(), Metric::Rate, Comparator::AtLeast, 500.0)),
            ("gateway.v2.status errors = 0", (status.clone(), Metric::Errors, Comparator::Equal, 0.0)),
            ("gateway.v2.status error count = 0", (status, Metric::ErrorCount, Comparator::Equal, 0.0)),
            ("p99.9 < 800us", (None, Metric::Response(0.999), Comparator::Below, 800.0)),
            ("max < 1m", (None, Metric::Response(1.0), Comparator::Below, 60_000_000.0)),
            ("service max < 1s", (None, Metric::Service(1.0), Comparator::Below, 1_000_000.0)),
            ("mean < 5ms", (None, Metric::Mean, Comparator::Below, 5000.0)),
            ("errors < 0.1%", (None, Metric::Errors, Comparator::Below, 0.001)),
            ("error count <= 5", (None, Metric::ErrorCount, Comparator::AtMost, 5.0)),
            ("lag p99 < 1s", (None, Metric::Lag(0.99), Comparator::Below, 1_000_000.0)),
            ("rate > 99.5", (None, Metric::Rate, Comparator::Above, 99.5)),
            ("dropped < 0.1%", (None, Metric::Dropped, Comparator::Below, 0.001)),
            ("lost = 0", (None, Metric::Lost, Comparator::Equal, 0.0)),
            ("duplicated = 0", (None, Metric::Duplicated, Comparator::Equal, 0.0)),
            ("late <= 3", (None, Metric::Late, Comparator::AtMost, 3.0)),
        ];
        for (rule, expected) in forms {
            let found = read(rule, &contracts).unwrap_or_else(|| panic!("{rule}"));
            assert_eq!((&found.0, found.1, found.2), (&expected.0, expected.1, expected.2), "{rule}");
            assert!((found.3 - expected.3).abs() < 1e-9, "{rule}: {}", found.3);
        }
    }

    #[test]
    fn what_is_no_threshold_is_refused() {
        let contracts = Contracts::shipped();
        for wrong in [
            "",
            "<",
            "p99",
            "p99 <",
            "p99 < 50",
            "p99 < -5ms",
            "p100 < 1s",
            "p0 < 1s",
            "p < 1s",
            "errors < 101%",
            "errors < 0.5",
            "lost = 0.5",
            "lost = many",
            "rate >= 1e9",
            "rate >= inf",
            "p99 < 1s < 2s",
            "gateway.v2.status lost = 0",
            "p99 == 5ms",
            "gateway.v2.status lag p99 < 1s",
            "gateway.v9.status p99 < 1s",
            "service < 1s",
            "lag mean < 1s",
        ] {
            assert_eq!(read(wrong, &contracts), None, "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_is_read_or_refused(rule in "[a-z0-9.<=>% µ-]{0,30}|.{0,30}") {
            let contracts = NONE.get_or_init(Contracts::default);
            if let Ok(threshold) = parse(&rule, contracts) {
                proptest::prop_assert!(threshold.bound.is_finite() && threshold.bound >= 0.0, "{rule}");
            }
        }
    }

    #[test]
    fn a_share_of_what_was_due_needs_load_that_has_a_rate() {
        let contracts = Contracts::shipped();
        let fits = |rule, open| fits(parse(rule, &contracts).unwrap(), open).is_ok();
        assert!(!fits("dropped = 0", Some(false)));
        assert!(fits("errors = 0", Some(false)) && fits("dropped = 0", Some(true)) && fits("dropped = 0", None));
    }
}
