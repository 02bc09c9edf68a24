//! A comparison as JUnit XML: a test case for each cause, red where it fails the command.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{name, place, shown};
use crate::compare::{Comparison, Difference, Standing};
use crate::report::text::{counted, fit};

/// Columns of the message that CI systems show in their lists.
const MESSAGE: usize = 300;

/// The report. An error is a fault of ours.
pub fn junit(comparison: &Comparison, allow_changes: bool) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("paycheck compare");
    let mut suite = TestSuite::new("compare");
    let told = comparison.differences.iter().filter(|difference| difference.standing != Standing::Freedom);
    suite.add_test_cases(told.map(|difference| case(difference, allow_changes)));
    suite.add_test_case(whole(comparison));
    report.add_test_suite(suite);
    report.to_string()
}

fn case(difference: &Difference, allow_changes: bool) -> TestCase {
    let status = match difference.standing {
        Standing::Break => failure("break", difference),
        Standing::Changed if !allow_changes => failure("changed", difference),
        Standing::Known | Standing::Changed | Standing::Freedom => {
            let by = difference.known.as_ref().map(|by| format!("known until {}, {}: ", by.expires, by.owner)).unwrap_or_default();
            let mut status = TestCaseStatus::skipped();
            status.set_message(fit(&format!("{by}{}", difference.why), MESSAGE));
            status
        }
    };
    let kind = serde_json::to_value(difference.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
    let broken_by = difference.broken_by.map(|side| format!(", {} breaks", name(side))).unwrap_or_default();
    let why = if difference.broken_by.is_none() { format!(", {}", difference.why) } else { String::new() };
    let mut case = TestCase::new(fit(&format!("{}, {kind}{broken_by}{why}", place(difference)), MESSAGE), status);
    case.set_classname("compare");
    case
}

fn failure(kind: &str, difference: &Difference) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(kind).set_message(fit(&difference.why, MESSAGE)).set_description(told(difference));
    status
}

fn told(difference: &Difference) -> String {
    let mut lines = vec![format!("{} in {}", place(difference), counted(difference.instances, "instance"))];
    lines.extend((!difference.clauses.is_empty()).then(|| format!("clauses {}", difference.clauses.join(", "))));
    for example in &difference.examples {
        let step = example.step.as_ref().map(|step| format!(", {step}")).unwrap_or_default();
        lines.push(format!("in {}{step}", example.instance));
        lines.push(format!("  A {}", shown(example.a.as_ref())));
        lines.push(format!("  B {}", shown(example.b.as_ref())));
    }
    lines.join("\n")
}

/// A file without failures is green to CI, so what could not be compared is red here.
fn whole(comparison: &Comparison) -> TestCase {
    let status = match comparison.missing.first() {
        None => TestCaseStatus::success(),
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("inconclusive").set_message(fit(first, MESSAGE)).set_description(comparison.missing.join("\n"));
            status
        }
    };
    let mut case = TestCase::new("everything asked for was compared", status);
    case.set_classname("compare");
    case
}
