//! JUnit XML, as CI systems read it.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Reporter;
use super::bug::{bug_report, bug_report_of};
use super::format::{Format, FormatOptions};
use crate::base::output::write_whole;
use crate::base::text::{ROOM_FOR_THE_REST, bounded, counted, fit};
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::{CaseFinished, Event, RunStarted};
use crate::engine::outcome::{Cause, Check, CheckResult, Evidence, Outcome, Verb, Weight, is_assumed, is_known};
use crate::spec::contract::Contracts;

pub(super) const FORMAT: Format = Format {
    name: "junit",
    label: "JUnit",
    help: "Writes a JUnit report",
    needs_exchanges: false,
    reporter: |options| Ok(Box::new(Junit::new(options))),
};

/// The longest text of one test case.
const MAX_TEXT_BYTES: usize = 32 * 1024;
/// The longest text of one finding, so that the first does not hide the others.
const MAX_FINDING_BYTES: usize = 16 * 1024;
/// The longest value or message in it.
const MAX_PART_BYTES: usize = 4 * 1024;
/// Findings described in one test case.
const MAX_FINDINGS: usize = 20;
/// Columns of the message that CI systems show in their lists.
const MESSAGE: usize = 300;
/// The suite for missing evidence.
const RUN: &str = "paycheck / run";

/// Collects test cases, from played cases as they end and from the outcome, and writes them when the command ends.
pub(super) struct Junit {
    options: FormatOptions,
    started: Option<RunStarted>,
    suites: IndexMap<String, Suite>,
    elapsed: Duration,
}

/// The test cases of one suite.
#[derive(Default)]
struct Suite {
    cases: Vec<TestCase>,
    /// How often each name was used: CI systems lose test cases with equal names.
    names: HashMap<String, usize>,
    elapsed: Duration,
}

impl Junit {
    /// A reporter that writes one file.
    pub(super) fn new(options: FormatOptions) -> Self {
        Self { options, started: None, suites: IndexMap::new(), elapsed: Duration::ZERO }
    }

    fn case(&mut self, case: &CaseFinished) {
        let name = &case.name;
        let described = match &case.verdict {
            Verdict::Failed { findings } => self.described(case, findings),
            Verdict::Passed | Verdict::Skipped { .. } | Verdict::NotJudged { .. } => String::new(),
        };
        let class = format!("{} / {}", name.api, name.scenario);
        let suite = self.suites.entry(class.clone()).or_default();
        let shown = if name.case.is_empty() { &name.scenario } else { &name.case };
        let mut test_case = TestCase::new(unique(&mut suite.names, shown), status(&case.verdict, &described));
        test_case.set_classname(class);
        if let Verdict::Failed { findings } = &case.verdict
            && (is_assumed(findings) || is_known(findings))
        {
            test_case.set_system_out(described);
        }
        if self.options.timings {
            test_case.set_time(case.elapsed);
            suite.elapsed += case.elapsed;
        }
        suite.cases.push(test_case);
    }

    fn described(&self, case: &CaseFinished, findings: &[Finding]) -> String {
        let evidence = |finding: &Finding| match &self.started {
            Some(run) => Evidence::new(&run.contracts, &case.name, finding, &case.record, run.judged.alone),
            None => Evidence::new(&Contracts::default(), &case.name, finding, &case.record, false),
        };
        described(findings, |finding| bug_report(&evidence(finding), MAX_PART_BYTES))
    }

    fn check(&mut self, check: &Check) {
        let status = match &check.result {
            CheckResult::Passed => TestCaseStatus::success(),
            CheckResult::Skipped(reason) => skipped(reason),
            CheckResult::Failed { kind, message, details } => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(*kind).set_message(fit(message, MESSAGE)).set_description(bounded(details, MAX_TEXT_BYTES));
                status
            }
            CheckResult::NotJudged(reasons) => error("inconclusive", reasons),
        };
        let mut test_case = TestCase::new(fit(&check.name, MESSAGE), status);
        test_case.set_classname(check.class.as_str());
        self.suites.entry(check.suite.clone()).or_default().cases.push(test_case);
    }

    fn write(&mut self, verb: Verb) -> io::Result<()> {
        let mut report = Report::new(match verb {
            Verb::Verify | Verb::Notify => "paycheck".to_owned(),
            verb => format!("paycheck {}", verb.name()),
        });
        for (name, from) in std::mem::take(&mut self.suites) {
            let mut suite = TestSuite::new(name);
            suite.add_test_cases(from.cases);
            if self.options.timings {
                suite.set_time(from.elapsed);
            }
            report.add_test_suite(suite);
        }
        if self.options.timings {
            report.set_time(self.elapsed);
        }
        let text = report.to_string().map_err(io::Error::other)?;
        write_whole(&self.options.to, without_skipped(&text).as_bytes())
    }
}

/// Removes what the root element may not have: Jenkins' schema counts skipped cases in suites only.
fn without_skipped(text: &str) -> String {
    let counted = text.find("<testsuites ").and_then(|root| {
        let tag = text.get(root..root + text.get(root..)?.find('>')?)?;
        let begin = root + tag.find(" skipped=\"")?;
        let value = begin + " skipped=\"".len();
        Some((begin, value + text.get(value..)?.find('"')? + 1))
    });
    counted.map_or_else(|| text.to_owned(), |(begin, end)| [text.get(..begin), text.get(end..)].into_iter().flatten().collect())
}

/// The checks of a report: the command's own, or else, if it reports no cases, its causes; and one for missing evidence.
pub(super) fn checks(outcome: &Outcome, has_cases: bool) -> Vec<Check> {
    let by_cause = !has_cases && outcome.checks.is_empty();
    let causes = outcome.causes.iter().filter(|_| by_cause).map(|cause| check_of(cause, outcome.heading.verb));
    outcome.checks.iter().cloned().chain(causes).chain(missing(outcome)).collect()
}

/// A cause as a check.
fn check_of(cause: &Cause, verb: Verb) -> Check {
    let result = match &cause.weight {
        Weight::Fails => CheckResult::Failed {
            kind: "finding",
            message: cause.message.clone(),
            details: bug_report_of(cause, MAX_PART_BYTES).unwrap_or_default(),
        },
        Weight::Known(by) => CheckResult::Skipped(format!("known {by}: {}", cause.message)),
        Weight::Assumed(why) => CheckResult::Skipped(format!("assumed: {why}: {}", cause.message)),
        Weight::Noted => CheckResult::Passed,
    };
    let operation = cause.evidence.as_ref().map(|evidence| format!(", {}", evidence.finding.operation)).unwrap_or_default();
    Check { suite: verb.name().to_owned(), class: verb.name().to_owned(), name: format!("{}{operation}", cause.name), result }
}

/// CI reports a file without failures as green, so missing evidence gets a test case of its own, unless the command has one for
/// it.
fn missing(outcome: &Outcome) -> Option<Check> {
    let has_own = outcome.checks.iter().any(|check| matches!(check.result, CheckResult::NotJudged(_)));
    let reasons: Vec<_> = outcome.missing.iter().map(ToString::to_string).collect();
    (!has_own && !reasons.is_empty()).then(|| Check {
        suite: RUN.to_owned(),
        class: RUN.to_owned(),
        name: "everything asked for was judged".to_owned(),
        result: CheckResult::NotJudged(reasons),
    })
}

impl Reporter for Junit {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(run) => self.started = Some(run.clone()),
            Event::CaseFinished(case) => self.case(case),
            Event::RunFinished(run) => self.elapsed = run.elapsed,
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        checks(outcome, self.started.is_some()).iter().for_each(|check| self.check(check));
        self.write(outcome.heading.verb)
    }
}

fn unique(names: &mut HashMap<String, usize>, name: &str) -> String {
    let count = names.entry(name.to_owned()).or_default();
    *count += 1;
    if *count == 1 {
        return name.to_owned();
    }
    let numbered = format!("{name} ({count})");
    unique(names, &numbered)
}

fn status(verdict: &Verdict, described: &str) -> TestCaseStatus {
    match verdict {
        Verdict::Passed => TestCaseStatus::success(),
        // It does not fail the run, so it must not turn CI red either.
        Verdict::Failed { findings } if is_assumed(findings) => TestCaseStatus::success(),
        Verdict::Failed { findings } if is_known(findings) => skipped(&known(findings)),
        Verdict::Failed { findings } => failure(findings, described),
        Verdict::Skipped { reason } => skipped(&reason.to_string()),
        // What the user may tolerate is red in the suite's own test case only.
        Verdict::NotJudged { reason } if reason.excused().is_some() => skipped(&reason.to_string()),
        Verdict::NotJudged { reason } => error("not-judged", &[reason.to_string()]),
    }
}

/// The reasons why something was not judged; the first one is the message.
fn error(kind: &str, reasons: &[String]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let first = reasons.first().map_or("", String::as_str);
    status.set_type(kind).set_message(fit(first, MESSAGE)).set_description(bounded(&reasons.join("\n"), MAX_TEXT_BYTES));
    status
}

fn skipped(reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(fit(reason, MESSAGE));
    status
}

/// The first accepted finding, with its owner and expiry.
fn known(findings: &[Finding]) -> String {
    let first = findings.iter().find_map(|finding| Some((finding, finding.known.as_ref()?)));
    first
        .map(|(finding, by)| format!("known until {}, {}: {}: {}", by.expires, by.owner, finding.clause(), finding.message))
        .unwrap_or_default()
}

fn failure(findings: &[Finding], described: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    if let Some(first) = findings.iter().find(|f| f.counts()).or_else(|| findings.first()) {
        status.set_type(fit(first.clause(), MESSAGE)).set_message(fit(&first.message, MESSAGE));
    }
    status.set_description(described);
    status
}

/// The findings in words, those that count first, as many as fit.
fn described(findings: &[Finding], paragraph: impl Fn(&Finding) -> String) -> String {
    let (counting, others): (Vec<_>, Vec<_>) = findings.iter().partition(|f| f.counts());
    let mut text = String::new();
    let mut left = findings.len();
    for finding in counting.into_iter().chain(others).take(MAX_FINDINGS) {
        let next = bounded(&paragraph(finding), MAX_FINDING_BYTES);
        if text.len() + next.len() + ROOM_FOR_THE_REST > MAX_TEXT_BYTES {
            break;
        }
        text.push_str(&next);
        text.push('\n');
        left -= 1;
    }
    if left > 0 {
        text.push_str(&format!("… and {}, left out here", counted(left, "more finding")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::skip::SkipReason;
    use crate::report::sample::{self, Run, finding};

    fn written(run: &Run, timings: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reports/junit.xml");
        let mut junit = Junit::new(FormatOptions { to: path.clone(), timings });
        for event in run.events() {
            junit.event(&event).unwrap();
            assert!(!path.exists(), "written before the end");
        }
        junit.finish(&run.outcome()).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    fn text(finding: &Finding) -> String {
        let evidence = Evidence::new(&Contracts::default(), &crate::engine::event::CaseName::default(), finding, &[], false);
        bug_report(&evidence, MAX_PART_BYTES)
    }

    fn every_verdict() -> Run {
        sample::run()
            .passed("create", 2)
            .failed("limits", vec![finding("gateway.create.limit"), sample::assumed("gateway.path")])
            .failed("path", vec![sample::assumed("gateway.path")])
            .skipped_for("pay", SkipReason::Needs("payer".into()))
            .broken("status", "connection refused")
    }

    #[test]
    fn every_verdict_has_its_place() {
        insta::assert_snapshot!(written(&every_verdict(), false));
    }

    #[test]
    fn what_is_accepted_is_skipped_and_says_by_whom() {
        let text = written(&sample::run().passed("a", 1).failed("b", vec![sample::known("gateway.x")]), false);
        assert!(text.contains("skipped=\"1\"") && text.contains("failures=\"0\""), "{text}");
        assert!(text.contains("known until 2026-12-31, Jana: gateway.x: the target does not keep gateway.x"), "{text}");
        let counting = sample::run().failed("b", vec![sample::known("gateway.x"), finding("gateway.y")]);
        let text = written(&counting, false);
        assert!(text.contains("failures=\"1\"") && text.contains("type=\"gateway.y\"") && text.contains("fixed in 4.2"), "{text}");
    }

    #[test]
    fn times_are_written_only_when_asked_for() {
        assert!(!written(&every_verdict(), false).contains("time"));
        assert!(written(&every_verdict(), true).contains("time=\"0.012\""));
    }

    #[test]
    fn a_run_in_which_nothing_ran_is_not_green() {
        let text = written(&sample::run(), false);
        assert!(text.contains("errors=\"1\"") && text.contains("nothing ran"), "{text}");
    }

    #[test]
    fn names_are_unique() {
        let text = written(&sample::run().passed("a", 1).passed("a", 1).passed("a", 1), false);
        for name in ["\"case-1\"", "\"case-1 (2)\"", "\"case-1 (3)\""] {
            assert_eq!(text.matches(name).count(), 1, "{text}");
        }
    }

    #[test]
    fn characters_that_xml_forbids_do_not_reach_it() {
        let mut bad = finding("x").compare("a\u{0}b", "c\u{1b}[0md");
        bad.message = "zero \u{0} escape \u{1b} & <tag> ]]> end".into();
        let text = written(&sample::run().failed("s\u{0}\u{1b}", vec![bad]).skipped("t", "\u{0}\u{ffff}"), false);
        assert!(!text.contains(|c: char| matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}')), "{text:?}");
        assert!(text.contains("&lt;tag&gt;") && !text.contains("]]> end"), "{text}");
    }

    #[test]
    fn a_flood_of_findings_is_bounded_and_says_so() {
        let mut long = finding("x");
        long.message = "příliš dlouhé ".repeat(1000);
        for findings in [vec![finding("y"); 500], vec![long; 3], vec![]] {
            let text = described(&findings, text);
            assert!(text.len() <= MAX_TEXT_BYTES, "{}", text.len());
        }
        assert!(described(&vec![finding("y"); 500], text).contains("more findings, left out here"));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let mut junit = Junit::new(FormatOptions { to: folder.path().to_owned(), timings: false });
        assert!(junit.finish(&sample::run().outcome()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_found_it_is_bounded(texts in proptest::collection::vec(".{0,3000}", 0..8)) {
            let findings: Vec<_> = texts.iter().map(|text| finding(text).compare(text.as_str(), text.as_str())).collect();
            proptest::prop_assert!(described(&findings, text).len() <= MAX_TEXT_BYTES);
        }
    }
}
