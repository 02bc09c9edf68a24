//! JUnit XML, as CI systems read it.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::findings::{only_assumed, only_known};
use super::text::{counted, first_bytes, fit};
use super::{Reporter, Tally, write_whole};
use crate::event::{Event, InstanceFinished, RunFinished};
use crate::exit::Exit;
use crate::verdict::{Finding, Verdict};

/// The most that one test case tells.
const MAX_TEXT_BYTES: usize = 8 * 1024;
/// The most that one finding tells, so that the first does not hide the others.
const MAX_FINDING_BYTES: usize = 2 * 1024;
/// Findings told of one test case.
const MAX_FINDINGS: usize = 20;
/// Columns of the message that CI systems show in their lists.
const MESSAGE: usize = 300;

/// How the file is written.
#[derive(Clone, Debug)]
pub struct JunitOptions {
    /// The file; its folders are created.
    pub path: PathBuf,
    /// Whether wall times are written. Without them the same run gives the same bytes.
    pub timings: bool,
}

/// Collects test cases and writes them when the run has ended.
pub struct Junit {
    options: JunitOptions,
    suites: IndexMap<String, Suite>,
    tally: Tally,
}

/// The test cases of one scenario.
#[derive(Default)]
struct Suite {
    cases: Vec<TestCase>,
    /// How often a name was given, because CI systems lose test cases of the same name.
    names: HashMap<String, usize>,
    elapsed: Duration,
}

impl Junit {
    /// A reporter that writes one file.
    pub fn new(options: JunitOptions) -> Self {
        Self { options, suites: IndexMap::new(), tally: Tally::default() }
    }

    fn instance(&mut self, instance: &InstanceFinished) {
        let name = &instance.name;
        let class = format!("{} / {}", name.api, name.scenario);
        let suite = self.suites.entry(class.clone()).or_default();
        let shown = if name.case.is_empty() { &name.scenario } else { &name.case };
        let mut case = TestCase::new(unique(&mut suite.names, shown), status(&instance.verdict));
        case.set_classname(class);
        if let Verdict::Failed { findings } = &instance.verdict
            && (only_assumed(findings) || only_known(findings))
        {
            case.set_system_out(told(findings));
        }
        if self.options.timings {
            case.set_time(instance.elapsed);
            suite.elapsed += instance.elapsed;
        }
        suite.cases.push(case);
    }

    fn write(&mut self, run: &RunFinished) -> io::Result<()> {
        let mut report = Report::new("paycheck");
        for (name, suite) in std::mem::take(&mut self.suites) {
            report.add_test_suite(self.suite(name, suite));
        }
        report.add_test_suites(self.missing());
        if self.options.timings {
            report.set_time(run.elapsed);
        }
        let text = report.to_string().map_err(io::Error::other)?;
        write_whole(&self.options.path, text.as_bytes())
    }

    fn suite(&self, name: String, from: Suite) -> TestSuite {
        let mut suite = TestSuite::new(name);
        suite.add_test_cases(from.cases);
        if self.options.timings {
            suite.set_time(from.elapsed);
        }
        suite
    }

    /// A file without failures is green to CI, so evidence that is missing gets a test case of its own.
    fn missing(&self) -> Option<TestSuite> {
        if self.tally.exit() == Exit::Passed {
            return None;
        }
        let reasons = self.tally.missing();
        let first = reasons.first()?;
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("inconclusive").set_message(fit(first, MESSAGE)).set_description(bounded(&reasons.join("\n"), MAX_TEXT_BYTES));
        let mut case = TestCase::new("everything asked for was judged", status);
        case.set_classname("paycheck / run");
        let mut suite = TestSuite::new("paycheck / run");
        suite.add_test_case(case);
        Some(suite)
    }
}

impl Reporter for Junit {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        self.tally.take(event);
        match event {
            Event::RunStarted(_) => Ok(()),
            Event::InstanceFinished(instance) => {
                self.instance(instance);
                Ok(())
            }
            Event::RunFinished(run) => self.write(run),
        }
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

fn status(verdict: &Verdict) -> TestCaseStatus {
    match verdict {
        Verdict::Passed => TestCaseStatus::success(),
        // It does not fail the run, so it must not turn CI red either.
        Verdict::Failed { findings } if only_assumed(findings) => TestCaseStatus::success(),
        Verdict::Failed { findings } if only_known(findings) => skipped(&known(findings)),
        Verdict::Failed { findings } => failure(findings),
        Verdict::Skipped { reason } => skipped(reason),
        Verdict::Broken { reason } => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("not-judged").set_message(fit(reason, MESSAGE)).set_description(bounded(reason, MAX_TEXT_BYTES));
            status
        }
    }
}

fn skipped(reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(fit(reason, MESSAGE));
    status
}

/// The first finding that is accepted, by whom and until when.
fn known(findings: &[Finding]) -> String {
    let first = findings.iter().find_map(|finding| Some((finding, finding.known.as_ref()?)));
    first
        .map(|(finding, by)| format!("known until {}, {}: {}: {}", by.expires, by.owner, finding.clause(), finding.message))
        .unwrap_or_default()
}

fn failure(findings: &[Finding]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    if let Some(first) = findings.iter().find(|f| f.counts()).or_else(|| findings.first()) {
        status.set_type(fit(first.clause(), MESSAGE)).set_message(fit(&first.message, MESSAGE));
    }
    status.set_description(told(findings));
    status
}

/// The findings in words, those that count first, as many as there is room for.
fn told(findings: &[Finding]) -> String {
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

/// Bytes kept for the line that says what is left out.
const ROOM_FOR_THE_REST: usize = 80;

fn paragraph(finding: &Finding) -> String {
    let mut lines = vec![format!("{}: {}", finding.clauses.join(", "), finding.message)];
    lines.extend(finding.assumed.iter().map(|why| format!("  assumed, does not count: {why}")));
    let known = finding.known.iter();
    lines.extend(known.map(|by| format!("  known, does not count: until {}, {}: {}", by.expires, by.owner, by.reason)));
    let at = finding.at.as_deref().map(|at| format!("{at} of ")).unwrap_or_default();
    lines.push(format!("  at       {at}{}", finding.operation));
    lines.extend(finding.expected.iter().map(|value| format!("  expected {}", bounded(&value.to_string(), 400))));
    lines.extend(finding.got.iter().map(|value| format!("  got      {}", bounded(&value.to_string(), 400))));
    lines.extend(finding.contract.iter().map(|place| format!("  contract {place}")));
    lines.extend(finding.step.iter().map(|step| format!("  step     {step}")));
    lines.extend(finding.curl.iter().map(|curl| format!("  again    {curl}")));
    lines.join("\n") + "\n"
}

/// At most so many bytes, and in words how many are left out.
fn bounded(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let kept = first_bytes(text, limit.saturating_sub(ROOM_FOR_THE_REST));
    format!("{kept}… ({} left out here)", counted(text.len() - kept.len(), "more byte"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{self, Run, finding};

    fn written(run: &Run, timings: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reports/junit.xml");
        let mut junit = Junit::new(JunitOptions { path: path.clone(), timings });
        for event in run.events() {
            assert!(!path.exists(), "written before the end");
            junit.take(&event).unwrap();
        }
        std::fs::read_to_string(path).unwrap()
    }

    fn every_verdict() -> Run {
        sample::run()
            .passed("create", 2)
            .failed("limits", vec![finding("gateway.create.limit"), sample::assumed("gateway.path")])
            .failed("path", vec![sample::assumed("gateway.path")])
            .skipped("pay", "the target has no way to play the payer")
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
            let text = told(&findings);
            assert!(text.len() <= MAX_TEXT_BYTES, "{}", text.len());
        }
        assert!(told(&vec![finding("y"); 500]).contains("more findings, left out here"));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut junit = Junit::new(JunitOptions { path: folder.path().to_owned(), timings: false });
        let results: Vec<_> = sample::run().events().iter().map(|event| junit.take(event)).collect();
        assert!(results.last().unwrap().is_err());
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_found_it_is_bounded(texts in proptest::collection::vec(".{0,3000}", 0..8)) {
            let findings: Vec<_> = texts.iter().map(|text| finding(text).compare(text.as_str(), text.as_str())).collect();
            proptest::prop_assert!(told(&findings).len() <= MAX_TEXT_BYTES);
        }
    }
}
