//! What must hold of the numbers: `gateway.v2.status p99 < 50ms`.

use super::{Comparison, Kind, Metric, Threshold};
use crate::contract::Contracts;
use crate::source::{Diagnostic, Node, Problems};
use crate::values::{of_percent, parse_decimal, parse_share};

/// The numbers a threshold may speak of, for advice; every `p` takes any quantile.
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
    "missed",
    "lost",
    "duplicated",
    "late",
];

/// The longer ones first: `<` is the beginning of `<=`.
const COMPARISONS: [(&str, Comparison); 5] =
    [("<=", Comparison::AtMost), (">=", Comparison::AtLeast), ("<", Comparison::Below), (">", Comparison::Above), ("=", Comparison::Equal)];

/// What is wrong with a threshold, and advice.
type Wrong = (String, Advice);

/// How a mistake is put right.
enum Advice {
    /// In these words.
    Say(&'static str),
    /// By the nearest of some names to this one.
    Near(String, Vec<String>),
}

/// Reads one threshold; what is wrong with it is noted.
pub(super) fn read(node: &Node, kind: Option<&Kind>, contracts: &Contracts, problems: &mut Problems) -> Option<Threshold> {
    let Some(rule) = node.text() else {
        let problem = Diagnostic::at(node, format!("a threshold is a text, but this is {}", node.describe()));
        problems.add(problem.help("for example `errors < 1%`"));
        return None;
    };
    match parse(rule, kind, contracts) {
        Ok(threshold) => Some(threshold),
        Err((message, advice)) => {
            let problem = Diagnostic::at(node, message);
            problems.add(match advice {
                Advice::Say(help) => problem.help(help),
                Advice::Near(name, valid) => problem.names(&name, valid.iter().map(String::as_str)),
            });
            None
        }
    }
}

/// Reads the rule that a result repeats; none where it is not one of this version.
pub fn rule(text: &str, contracts: &Contracts) -> Option<Threshold> {
    parse(text, None, contracts).ok()
}

/// The factor of the rule that a soak is held to, if that is what it is.
pub fn drift_of(rule: &str) -> Option<f64> {
    rule.strip_prefix("drift <= ")?.parse().ok()
}

/// Reads one threshold that stands alone, of open load. The error is a sentence with advice.
pub(crate) fn alone(rule: &str, contracts: &Contracts) -> Result<Threshold, String> {
    parse(rule, None, contracts).map_err(|(message, advice)| match advice {
        Advice::Say(help) => format!("{message}; {help}"),
        Advice::Near(name, valid) => match crate::source::nearest(&name, valid.iter().map(String::as_str)) {
            Some(near) => format!("{message}; did you mean `{near}`?"),
            None => message,
        },
    })
}

fn parse(rule: &str, kind: Option<&Kind>, contracts: &Contracts) -> Result<Threshold, Wrong> {
    let split = COMPARISONS.iter().filter_map(|(sign, comparison)| Some((rule.split_once(sign)?, *comparison)));
    // `=` splits `<=` too: the sign that stands first counts, and of `<` and `<=` the longer one.
    let split = split.min_by_key(|((left, _), _)| left.len());
    let Some(((left, right), comparison)) = split else {
        return Err(("a threshold has one of <, <=, =, >=, >".to_owned(), Advice::Say("for example `gateway.v2.status p99 < 50ms`")));
    };
    let words: Vec<&str> = left.split_whitespace().collect();
    let (operation, metric) = subject(&words)?;
    if let Some(operation) = operation {
        known(operation, contracts)?;
        if !metric.is_of_operations() {
            let message = format!("`{}` is a number of the whole load, not of an operation", words.get(1..).unwrap_or_default().join(" "));
            return Err((message, Advice::Say("leave the operation out")));
        }
    }
    if metric == Metric::Missed && kind.is_some_and(|kind| !kind.is_open()) {
        let message = "`missed` counts iterations that were due; users of closed load begin one when the last one is over".to_owned();
        return Err((message, Advice::Say("it is for kinds with a rate")));
    }
    let bound = metric.unit().bound(right.trim())?;
    Ok(Threshold { rule: rule.to_owned(), operation: operation.map(str::to_owned), metric, comparison, bound })
}

/// The operation, if any, and the number.
fn subject<'w>(words: &[&'w str]) -> Result<(Option<&'w str>, Metric), Wrong> {
    if let Some(metric) = Metric::of(words) {
        return Ok((None, metric));
    }
    if let [operation, rest @ ..] = words
        && let Some(metric) = Metric::of(rest)
    {
        return Ok((Some(operation), metric));
    }
    // An operation has a dot in its name; what is left of the rest should have been a number.
    let rest = match words {
        [first, rest @ ..] if first.contains('.') && !first.starts_with('p') => rest.join(" "),
        all => all.join(" "),
    };
    let message =
        if rest.is_empty() { "a threshold says which number it is of".to_owned() } else { format!("there is no number `{rest}`") };
    Err((message, Advice::Near(rest, METRICS.map(str::to_owned).to_vec())))
}

fn known(operation: &str, contracts: &Contracts) -> Result<(), Wrong> {
    if contracts.operations.contains_key(operation) || contracts.notifications.contains_key(operation) {
        return Ok(());
    }
    let valid = contracts.operations.keys().chain(contracts.notifications.keys()).cloned().chain(["service".to_owned(), "lag".to_owned()]);
    Err((format!("there is no operation `{operation}`"), Advice::Near(operation.to_owned(), valid.collect())))
}

impl Metric {
    fn of(words: &[&str]) -> Option<Self> {
        match words {
            ["mean"] => Some(Self::Mean),
            ["errors"] => Some(Self::Errors),
            ["error", "count"] => Some(Self::ErrorCount),
            ["rate"] => Some(Self::Rate),
            ["missed"] => Some(Self::Missed),
            ["lost"] => Some(Self::Lost),
            ["duplicated"] => Some(Self::Duplicated),
            ["late"] => Some(Self::Late),
            ["service", quantile] => self::quantile(quantile).map(Self::Service),
            ["lag", quantile] => self::quantile(quantile).map(Self::Lag),
            [quantile] => self::quantile(quantile).map(Self::Response),
            _ => None,
        }
    }

    /// Whether it is known of each operation.
    fn is_of_operations(self) -> bool {
        match self {
            Self::Response(_) | Self::Service(_) | Self::Mean | Self::Errors | Self::ErrorCount | Self::Rate => true,
            Self::Lag(_) | Self::Missed | Self::Lost | Self::Duplicated | Self::Late => false,
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::Response(_) | Self::Service(_) | Self::Lag(_) | Self::Mean => Unit::Time,
            Self::Errors | Self::Missed => Unit::Share,
            Self::ErrorCount | Self::Lost | Self::Duplicated | Self::Late => Unit::Count,
            Self::Rate => Unit::Rate,
        }
    }
}

/// `p99.9` and `max`, as a share of the samples.
fn quantile(word: &str) -> Option<f64> {
    if word == "max" {
        return Some(1.0);
    }
    let percent = parse_decimal(word.strip_prefix('p')?)?;
    (percent > 0.0 && percent < 100.0).then(|| of_percent(percent))
}

/// In what a bound is given.
enum Unit {
    Time,
    Share,
    Count,
    Rate,
}

impl Unit {
    fn bound(&self, text: &str) -> Result<f64, Wrong> {
        let (read, what, example) = match self {
            Self::Time => (microseconds(text), "a time is a number and a unit", "for example 800us, 50ms, 1.5s, 1m"),
            Self::Share if text == "0" => (Some(0.0), "", ""),
            Self::Share => (parse_share(text), "a share is a number of percent", "for example 0.1%, or 0"),
            Self::Count => (parse_decimal(text).filter(|number| number.fract() == 0.0), "a count is a whole number", "for example 0"),
            Self::Rate => (parse_decimal(text), "a rate is a number of calls a second", "for example 500"),
        };
        read.ok_or_else(|| (format!("{what}, but this is `{text}`"), Advice::Say(example)))
    }
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
    use crate::contract::Files;

    static NONE: std::sync::OnceLock<Contracts> = std::sync::OnceLock::new();

    fn contracts() -> Contracts {
        Contracts::read(&Files::contracts()).unwrap()
    }

    fn read(rule: &str, contracts: &Contracts) -> Option<(Option<String>, Metric, Comparison, f64)> {
        parse(rule, None, contracts).ok().map(|t| (t.operation, t.metric, t.comparison, t.bound))
    }

    #[test]
    fn every_documented_form_is_read() {
        let contracts = contracts();
        let status = Some("gateway.v2.status".to_owned());
        let forms = [
            ("gateway.v2.status p99 < 50ms", (status.clone(), Metric::Response(0.99), Comparison::Below, 50_000.0)),
            ("gateway.v2.status service p95<=1.5s", (status.clone(), Metric::Service(0.95), Comparison::AtMost, 1_500_000.0)),
            ("gateway.v2.status rate >= 500", (status.clone(), Metric::Rate, Comparison::AtLeast, 500.0)),
            ("gateway.v2.status errors = 0", (status.clone(), Metric::Errors, Comparison::Equal, 0.0)),
            ("gateway.v2.status error count = 0", (status, Metric::ErrorCount, Comparison::Equal, 0.0)),
            ("p99.9 < 800us", (None, Metric::Response(0.999), Comparison::Below, 800.0)),
            ("max < 1m", (None, Metric::Response(1.0), Comparison::Below, 60_000_000.0)),
            ("service max < 1s", (None, Metric::Service(1.0), Comparison::Below, 1_000_000.0)),
            ("mean < 5ms", (None, Metric::Mean, Comparison::Below, 5000.0)),
            ("errors < 0.1%", (None, Metric::Errors, Comparison::Below, 0.001)),
            ("error count <= 5", (None, Metric::ErrorCount, Comparison::AtMost, 5.0)),
            ("lag p99 < 1s", (None, Metric::Lag(0.99), Comparison::Below, 1_000_000.0)),
            ("rate > 99.5", (None, Metric::Rate, Comparison::Above, 99.5)),
            ("missed < 0.1%", (None, Metric::Missed, Comparison::Below, 0.001)),
            ("lost = 0", (None, Metric::Lost, Comparison::Equal, 0.0)),
            ("duplicated = 0", (None, Metric::Duplicated, Comparison::Equal, 0.0)),
            ("late <= 3", (None, Metric::Late, Comparison::AtMost, 3.0)),
        ];
        for (rule, expected) in forms {
            let found = read(rule, &contracts).unwrap_or_else(|| panic!("{rule}"));
            assert_eq!((&found.0, found.1, found.2), (&expected.0, expected.1, expected.2), "{rule}");
            assert!((found.3 - expected.3).abs() < 1e-9, "{rule}: {}", found.3);
        }
    }

    #[test]
    fn what_is_no_threshold_is_refused() {
        let contracts = contracts();
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
            if let Ok(threshold) = parse(&rule, None, contracts) {
                proptest::prop_assert!(threshold.bound.is_finite() && threshold.bound >= 0.0, "{rule}");
            }
        }
    }

    #[test]
    fn a_share_of_what_was_due_needs_load_that_has_a_rate() {
        let closed = Kind::ConstantUsers { users: 1, duration: std::time::Duration::from_secs(1) };
        assert!(parse("missed = 0", Some(&closed), &contracts()).is_err());
        assert!(parse("errors = 0", Some(&closed), &contracts()).is_ok());
    }
}
