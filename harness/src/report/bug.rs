//! A finding as plain text, for reports that hold plain text.

use crate::base::expected::compared;
use crate::base::text::bounded;
use crate::engine::outcome::{Cause, Evidence};

/// The finding as a bug report; each value and each message is cut to `most` bytes.
pub(super) fn bug_report(evidence: &Evidence, most: usize) -> String {
    let finding = &evidence.finding;
    let mut lines = vec![format!("{}: {}", finding.clauses.join(", "), finding.message)];
    lines.extend(evidence.rule.iter().map(|rule| format!("  rule     {} ({}; {})", rule.says, rule.source(), rule.place)));
    lines.extend(finding.assumed.iter().map(|why| format!("  assumed, does not count: {why}")));
    let known = finding.known.iter();
    lines.extend(known.map(|by| format!("  known, does not count: until {}, {}: {}", by.expires, by.owner, by.reason)));
    let at = finding.at.as_ref().map(|at| format!("{at} of ")).unwrap_or_default();
    lines.push(format!("  at       {at}{}", finding.operation));
    let [expected, got] = compared(finding.expected.as_ref(), finding.got.as_ref());
    lines.extend(expected.map(|words| format!("  expected {}", bounded(&words, most))));
    lines.extend(got.map(|words| format!("  got      {}", bounded(&words, most))));
    lines.extend(finding.contract.iter().map(|place| format!("  contract {place}")));
    lines.extend(finding.step.iter().map(|step| format!("  step     {step}")));
    for message in &evidence.messages {
        lines.push(format!("  {}", message.label));
        lines.extend(bounded(&message.text_for(most), most).lines().map(|line| format!("    {line}").trim_end().to_owned()));
    }
    lines.extend(finding.curl.iter().map(|curl| format!("  again    {curl}")));
    lines.extend(evidence.note().map(|note| format!("  note     {note}")));
    lines.join("\n") + "\n"
}

/// The first finding of a cause, and what else is known of the cause.
pub(super) fn bug_report_of(cause: &Cause, most: usize) -> Option<String> {
    let evidence = cause.evidence.as_deref()?;
    let further = cause.further_facts().map(|(label, text)| format!("  {label:<8} {}\n", bounded(&text, most)));
    Some(bug_report(evidence, most) + &further.collect::<String>())
}
