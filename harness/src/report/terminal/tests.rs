use super::*;
use crate::base::place::{Message, Place};
use crate::base::skip::SkipReason;
use crate::base::source_place::SourcePlace;
use crate::base::text::columns;
use crate::engine::event::Standing;
use crate::engine::outcome::{Fact, Missing, OutputFile};
use crate::report::rendering::screen;
use crate::report::sample::{self, Full, Run, call, finding};
use proptest::prelude::*;

fn options() -> TerminalOptions {
    TerminalOptions { width: 100, ..TerminalOptions::default() }
}

fn play<W: io::Write + Send>(terminal: &mut Terminal<W>, run: &Run, files: usize) -> io::Result<()> {
    let mut outcome = run.outcome();
    outcome.files = vec![OutputFile { label: "JUnit", path: "target/paycheck/junit.xml".into() }; files];
    terminal.start(&outcome.heading)?;
    run.events().iter().try_for_each(|event| terminal.event(event))?;
    terminal.finish(&outcome)
}

fn output_with(run: &Run, options: TerminalOptions, files: usize) -> String {
    let mut out = Vec::new();
    play(&mut Terminal::new(&mut out, options), run, files).unwrap();
    String::from_utf8(out).unwrap()
}

fn output(run: &Run, options: TerminalOptions) -> String {
    output_with(run, options, 1)
}

fn good_run() -> Run {
    sample::run()
        .passed("create", 3)
        .passed("refund", 2)
        .clause("gateway.create.code.0", Standing::Passed { times: 3, injected: 0, in_passing: 0 })
        .clause("gateway.create.secret", Standing::Unchecked { reason: "only seen inside".into() })
        .clause("gateway.refund.late", Standing::Untouched)
        .row("payment/paid", 2)
        .row("payment/cancelled", 1)
}

#[test]
fn all_passed() {
    insta::assert_snapshot!(output(&good_run().skipped_for("pay", SkipReason::Needs("payer".into())), options()));
}

#[test]
fn failures_in_nine_groups() {
    let mut run = good_run();
    for number in 1..=9 {
        for again in 0..=(9 - number) / 3 {
            run = run.failed(&format!("limits-{number}-{again}"), vec![finding(&format!("gateway.create.limit.{number}"))]);
        }
    }
    for number in 0..30 {
        run = run.row(&format!("payment/row-{number}"), 0);
    }
    insta::assert_snapshot!(output(&run, options()));
}

#[test]
fn failures_beyond_a_screenful_are_counted() {
    let run = (0..50).fold(sample::run(), |run, n| run.failed(&format!("s{n}"), vec![finding("gateway.create.x")]));
    let text = output(&run, options());
    assert_eq!(text.matches("FAILED     gateway").count(), LIVE_FAILURES);
    assert!(text.contains("further failures"));
    assert!(text.ends_with("FAILED: the target breaks 1 clause in 50 cases\n"), "{text}");
}

#[test]
fn inconclusive() {
    let run = good_run()
        .broken("status", "the target could not be reached: connection refused")
        .broken("cancel", "the target could not be reached: connection refused")
        .inconclusive(Missing::Untouched { clauses: vec!["a".into(), "b".into()] });
    insta::assert_snapshot!(output(&run, options()));
}

#[test]
fn nothing_ran() {
    insta::assert_snapshot!(output(&sample::run(), options()));
}

#[test]
fn everything_skipped_is_not_a_pass() {
    let text = output(&sample::run().skipped("pay", "no payer"), options());
    assert!(text.ends_with("INCONCLUSIVE: nothing ran\n"), "{text}");
}

#[test]
fn a_case_with_several_findings_says_how_many() {
    let text = output(&good_run().failed("label", vec![finding("a"), finding("b")]), options());
    assert!(text.contains("2 findings, first: "), "{text}");
}

#[test]
fn assumed_findings_do_not_count() {
    insta::assert_snapshot!(output(&good_run().failed("transfer", vec![sample::assumed("transfers.path")]), options()));
}

#[test]
fn wide_values_are_cut_between_characters() {
    let mut wide = finding("gateway.create.label").compare("žluťoučký kůň ".repeat(40), "支払い💳".repeat(60));
    wide.message = "the label is not kept: \u{1b}[2Jpříliš \u{202e}dlouhý".repeat(4);
    wide.curl = Some(format!("curl -i -X POST --data-raw 'label={}' 'http://127.0.0.1:4010/v1.0/create'", "支払".repeat(80)));
    insta::assert_snapshot!(output(&good_run().failed("label", vec![wide]), TerminalOptions { width: 72, ..options() }));
}

#[test]
fn verbose_lists_every_case_and_colours_are_colours() {
    let run = good_run().skipped("pay", "no payer").failed("limits", vec![finding("gateway.create.limit")]);
    insta::assert_snapshot!(output(&run, TerminalOptions { verbose: true, colours: true, ..options() }).replace('\u{1b}', "ESC"));
}

#[test]
fn a_full_disk_is_an_error() {
    let run = sample::run().failed("x", vec![finding("y")]);
    let mut terminal = Terminal::new(Full, options());
    assert_eq!(terminal.start(&run.outcome().heading).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(terminal.finish(&run.outcome()).unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[test]
fn nothing_is_cut_in_a_pipe_and_with_verbose() {
    let mut wide = finding("gateway.create.label").compare("žluťoučký kůň ".repeat(12), 1);
    wide.curl = Some(format!("curl -i -X POST --data-raw 'label={}' 'http://127.0.0.1:4010/v1.0/create'", "x".repeat(300)));
    wide.message = "the label is not kept ".repeat(9);
    let run = good_run().failed("label", vec![wide.clone()]);
    for options in [TerminalOptions { width: 0, ..options() }, TerminalOptions { verbose: true, ..options() }] {
        let text = output(&run, options);
        assert!(!text.contains('…') && text.contains(wide.curl.as_deref().unwrap()), "{text}");
    }
}

#[test]
fn a_progress_line_is_cleared_before_other_output() {
    let text = output(&good_run(), TerminalOptions { live: true, ..options() });
    assert_eq!(text, output(&good_run(), options()));
}

#[test]
fn the_progress_line_moves_with_every_case() {
    let mut terminal = Terminal::new(Vec::new(), TerminalOptions { live: true, ..options() });
    let mut positions: Vec<_> = good_run()
        .events()
        .iter()
        .map(|event| {
            terminal.event(event).unwrap();
            terminal.progress.position()
        })
        .collect();
    positions.pop();
    terminal.finish(&good_run().outcome()).unwrap();
    positions.push(terminal.progress.position());
    let ended = u64::try_from(positions.len()).unwrap() - 2;
    let moving = (0..=ended).map(Some).chain([None]);
    assert_eq!(positions, moving.collect::<Vec<_>>());
}

/// Whether a line is there to be copied: it is never cut.
fn is_copied(line: &str) -> bool {
    line.starts_with("  again     ") || line.starts_with("JUnit: ")
}

#[test]
fn on_a_terminal_texts_are_wrapped_and_a_command_is_whole() {
    let mut long = finding("gateway.create.code.0");
    long.message = "the label is not kept ".repeat(9);
    let response = "{\n  \"code\": 1100,\n  \"message\": \"no\",\n  \"more\": 1\n}";
    let run = good_run().with_contracts().failed("label", vec![long.clone()]).record(vec![call(0, "/v1.0/create", "price=1", response)]);
    let text = output(&run, TerminalOptions { width: 72, ..options() });
    assert!(text.lines().any(|line| line == format!("  again     {}", long.curl.as_deref().unwrap())), "{text}");
    let summary = text.split("1 cause of failure found").nth(1).unwrap();
    assert_eq!(summary.matches("label is not").count(), 9, "{summary}");
    assert!(summary.contains("\"message\": \"no\"") && !summary.contains("\"more\""), "the first lines of a body: {summary}");
    assert!(summary.contains("in full"), "there is more of it: {summary}");
}

#[test]
fn of_a_long_body_the_lines_around_the_place_are_shown() {
    let items: Vec<_> = (0..40).map(|number| format!("{{\"id\": \"T{number}\", \"variableSymbol\": \"{number}\"}}")).collect();
    let found = finding("gateway.create.symbol").at(Place::value(Message::Response, "/transfers/37/variableSymbol"));
    for (between, before) in [(", ", "…"), (",\n", "            …\n            {\"id\": \"T37\", ")] {
        let response = format!("{{\"code\": 0, \"transfers\": [{}]}}", items.join(between));
        let run = good_run().failed("list", vec![found.clone()]).record(vec![call(0, "/v1.0/list", "", &response)]);
        let text = output(&run, TerminalOptions { width: 72, ..options() });
        assert!(text.contains(before) && text.contains("\"variableSymbol\": \"37\"}"), "{text}");
        assert!(!text.contains("T0\"") && text.contains("in full"), "{text}");
        let whole = output(&run, TerminalOptions { width: 0, ..options() });
        assert!(whole.contains("T0\"") && whole.contains("\"T39\""), "{whole}");
    }
}

#[test]
fn the_value_of_another_message_is_a_line() {
    let response = "{\"code\": 0}";
    let mut outcome = good_run().failed("price", vec![finding("gateway.create.price")]).record(vec![call(0, "/", "", response)]).outcome();
    outcome.causes[0].facts.push(Fact::Message(sample::value_sent()));
    for width in [0, 72] {
        let text = screen(&outcome, TerminalOptions { width, ..options() });
        assert!(text.contains("  sent in   POST /v1.0/create: price = 10000\n"), "{text}");
    }
}

#[test]
fn with_verbose_causes_that_do_not_count_have_their_facts_too() {
    let (known, assumed) = (sample::known("gateway.refund.late"), sample::assumed("gateway.path"));
    let run = good_run().failed("known", vec![known]).failed("assumed", vec![assumed]);
    let text = output(&run, TerminalOptions { verbose: true, ..options() });
    for part in [
        "\ngateway.refund.late  1 case, until 2026-12-31, Jana\n  the target does not keep gateway.refund.late\n  at        ",
        "\n  1 finding: the documents do not show the path\ngateway.path  1 case\n  the target does not keep gateway.path\n  at        ",
        ", first in gateway / assumed\n  expected  1100, got 0\n  again     curl",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let piped = output(&run, TerminalOptions { width: 0, ..options() });
    assert!(
        piped.contains("\n  gateway.refund.late, 1 case: until 2026-12-31, Jana: the target") && !piped.contains("again     curl"),
        "{piped}"
    );
    assert!(piped.contains("\n    gateway.path at gateway.v1.create, 1 case: the target does not keep gateway.path\n"), "{piped}");
}

proptest! {
    #[test]
    fn the_summary_fits_on_one_screen(
        texts in prop::collection::vec("(?s).{0,200}", 1..30),
        width in 20u16..160,
    ) {
        let mut run = sample::run();
        for (n, text) in texts.iter().enumerate() {
            let mut found = finding(text).compare(text.as_str(), text.as_str());
            (found.message, found.curl, found.step) = (text.clone(), Some(text.clone()), Some(SourcePlace::of_file(text.as_str())));
            let mut assumed = sample::assumed(&format!("{n}{text}"));
            assumed.assumed = Some(text.clone());
            run = run.failed(text, vec![found, assumed]).skipped(text, text.as_str()).broken(text, text).inconclusive(Missing::GeneratorLimited { why: text.clone() }).row(text, n % 2);
        }
        let text = output_with(&run, TerminalOptions { width, ..options() }, texts.len().min(9));
        for line in text.lines() {
            prop_assert!(columns(line) <= usize::from(width) || is_copied(line), "{line}");
        }
        prop_assert!(text.lines().last().unwrap().starts_with("FAILED"));
        let rows = |line: &str| columns(line).div_ceil(usize::from(width)).max(1);
        let summary: usize = text.lines().skip_while(|line| !line.is_empty()).map(rows).sum();
        prop_assert!((24..=MAX_LINES).contains(&summary) || texts.len() < 12 && summary <= MAX_LINES, "{summary} lines");
    }
}
