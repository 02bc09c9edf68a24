//! Common Test Report Format: one JSON document that many CI tools read.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Reporter;
use super::bug::bug_report;
use super::format::{Format, FormatOptions};
use crate::base::output::write_whole;
use crate::base::text::bounded;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::{CaseFinished, Event, RunStarted};
use crate::engine::outcome::{Check, CheckResult, Evidence, Outcome, is_assumed, is_known};

pub(super) const FORMAT: Format = Format {
    name: "ctrf",
    label: "CTRF",
    help: "Writes a CTRF report (Common Test Report Format, JSON)",
    needs_exchanges: false,
    reporter: |options| Ok(Box::new(Ctrf::new(options))),
};

/// The version of the format.
const SPECIFICATION: &str = "1.0.0";
/// The longest text of one test.
const MAX_TEXT_BYTES: usize = 32 * 1024;
/// The longest value or message in it.
const MAX_PART_BYTES: usize = 4 * 1024;
/// Findings described in one test.
const MAX_FINDINGS: usize = 20;

/// Collects tests, and writes them when the command ends.
struct Ctrf {
    options: FormatOptions,
    started: Option<RunStarted>,
    tests: Vec<Value>,
    elapsed: Duration,
}

impl Ctrf {
    fn new(options: FormatOptions) -> Self {
        Self { options, started: None, tests: Vec::new(), elapsed: Duration::ZERO }
    }

    fn case(&mut self, case: &CaseFinished) {
        let shown = if case.name.case.is_empty() { &case.name.scenario } else { &case.name.case };
        let mut test = test(shown, &[&case.name.api, &case.name.scenario]);
        let (status, raw, message) = status(&case.verdict);
        test.insert("status".into(), status.into());
        test.insert("rawStatus".into(), raw.into());
        test.insert("testId".into(), case.name.to_string().into());
        test.insert("duration".into(), self.milliseconds(case.elapsed).into());
        test.extend(message.map(|message| ("message".to_owned(), bounded(&message, MAX_PART_BYTES).into())));
        if let Verdict::Failed { findings } = &case.verdict {
            test.insert("trace".into(), self.described(case, findings).into());
            let step =
                findings.iter().filter_map(|finding| finding.step.as_ref()).find_map(|step| Some((step.file(), step.line_and_column()?)));
            if let Some((file, (line, _))) = step {
                test.extend([("filePath".to_owned(), file.into()), ("line".to_owned(), line.into())]);
            }
            let clauses: Vec<&str> = findings.iter().map(Finding::clause).filter(|clause| !clause.is_empty()).take(MAX_FINDINGS).collect();
            test.insert("tags".into(), clauses.into());
        }
        self.tests.push(Value::Object(test));
    }

    fn described(&self, case: &CaseFinished, findings: &[Finding]) -> String {
        let Some(run) = &self.started else { return String::new() };
        let evidence = |finding| Evidence::new(&run.contracts, &case.name, finding, &case.record, run.judged.alone);
        let texts: Vec<_> = findings.iter().take(MAX_FINDINGS).map(|finding| bug_report(&evidence(finding), MAX_PART_BYTES)).collect();
        bounded(&texts.join("\n"), MAX_TEXT_BYTES)
    }

    fn check(&mut self, check: &Check) {
        let (status, message) = match &check.result {
            CheckResult::Passed => ("passed", None),
            CheckResult::Skipped(reason) => ("skipped", Some(reason.clone())),
            CheckResult::Failed { message, details, .. } => ("failed", Some(format!("{message}\n{details}"))),
            CheckResult::NotJudged(reasons) => ("other", Some(reasons.join("\n"))),
        };
        let mut test = test(&check.name, &[&check.suite]);
        test.extend([("status".to_owned(), status.into()), ("duration".to_owned(), 0.into())]);
        test.extend(message.map(|message| ("message".to_owned(), bounded(&message, MAX_TEXT_BYTES).into())));
        self.tests.push(Value::Object(test));
    }

    fn milliseconds(&self, elapsed: Duration) -> u64 {
        if self.options.timings { u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX) } else { 0 }
    }

    fn document(&self, outcome: &Outcome) -> Value {
        let count = |status: &str| self.tests.iter().filter(|test| test.get("status").is_some_and(|own| own == status)).count();
        let stop = self.milliseconds(self.elapsed);
        let summary = json!({
            "tests": self.tests.len(), "passed": count("passed"), "failed": count("failed"), "skipped": count("skipped"),
            "pending": 0, "other": count("other"), "start": 0, "stop": stop, "duration": stop,
        });
        let (_, word, sentence, _) = outcome.conclusion();
        json!({
            "reportFormat": "CTRF",
            "specVersion": SPECIFICATION,
            "generatedBy": "paycheck",
            "results": {
                "tool": { "name": "paycheck", "version": env!("CARGO_PKG_VERSION") },
                "summary": summary,
                "tests": self.tests,
                "environment": { "extra": {
                    "command": outcome.heading.verb.name(),
                    "target": outcome.heading.target,
                    "size": outcome.heading.size,
                } },
                "extra": {
                    "verdict": word,
                    "because": sentence,
                    "missing": outcome.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
                },
            },
        })
    }
}

fn test(name: &str, suite: &[&String]) -> Map<String, Value> {
    let name = if name.is_empty() { "case" } else { name };
    Map::from_iter([("name".to_owned(), name.into()), ("suite".to_owned(), json!(suite))])
}

/// The status, Paycheck's own word for it, and the reason.
fn status(verdict: &Verdict) -> (&'static str, &'static str, Option<String>) {
    let first = |findings: &[Finding]| findings.iter().find(|f| f.counts()).or_else(|| findings.first()).map(|f| f.message.clone());
    match verdict {
        Verdict::Passed => ("passed", "passed", None),
        Verdict::Failed { findings } if is_assumed(findings) => ("passed", "assumed", first(findings)),
        Verdict::Failed { findings } if is_known(findings) => ("skipped", "known", first(findings)),
        Verdict::Failed { findings } => ("failed", "failed", first(findings)),
        Verdict::Skipped { reason } => ("skipped", "skipped", Some(reason.to_string())),
        Verdict::NotJudged { reason } => ("other", "not judged", Some(reason.to_string())),
    }
}

impl Reporter for Ctrf {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(run) => self.started = Some(run.clone()),
            Event::CaseFinished(case) => self.case(&Arc::clone(case)),
            Event::RunFinished(run) => self.elapsed = run.elapsed,
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        super::junit::checks(outcome, self.started.is_some()).iter().for_each(|check| self.check(check));
        let mut bytes = serde_json::to_vec_pretty(&self.document(outcome))?;
        bytes.push(b'\n');
        write_whole(&self.options.to, &bytes)
    }
}
