use super::*;
use crate::base::exit::Exit;
use crate::base::text::columns;
use crate::engine::outcome::OutputFile;
use crate::load::baseline::compare;
use crate::load::example_results as sample;
use crate::report::TerminalOptions;
use crate::report::rendering::screen;
use crate::report::terminal::MAX_LINES;
use proptest::prelude::*;

fn options() -> TerminalOptions {
    TerminalOptions { width: 120, ..TerminalOptions::default() }
}

fn files(names: impl IntoIterator<Item = &'static str>) -> Vec<OutputFile> {
    names.into_iter().map(|name| OutputFile { label: "JSON", path: name.into() }).collect()
}

fn with_files(result: &LoadResult) -> Outcome {
    Outcome { files: files(["target/load.json", "target/load.html"]), ..outcome(result, false) }
}

fn shown(result: &LoadResult) -> String {
    screen(&with_files(result), options())
}

#[test]
fn passed() {
    insta::assert_snapshot!(shown(&sample::passed()));
}

#[test]
fn failed_thresholds() {
    insta::assert_snapshot!(shown(&sample::failed_thresholds()));
}

#[test]
fn findings() {
    insta::assert_snapshot!(shown(&sample::findings()));
}

#[test]
fn inconclusive_by_the_generator() {
    insta::assert_snapshot!(shown(&sample::limited()));
}

#[test]
fn interrupted() {
    insta::assert_snapshot!(shown(&sample::interrupted()));
}

#[test]
fn empty() {
    insta::assert_snapshot!(shown(&sample::judged(sample::empty())));
}

#[test]
fn a_capacity_search_with_part_of_the_load() {
    let mut result = sample::capacity();
    (result.shards.of, result.shards.parts) = (4, vec![1, 3]);
    insta::assert_snapshot!(shown(&sample::judged(result)));
}

#[test]
fn one_operation_alone_has_a_table_without_a_sum() {
    let mut result = sample::passed();
    result.operations.truncate(1);
    let text = shown(&result);
    assert_eq!(text.lines().filter(|line| line.starts_with("operation ") || line.starts_with("gateway.v1.create ")).count(), 2, "{text}");
    assert!(!text.lines().any(|line| line.starts_with("all ")), "{text}");
}

#[test]
fn against_an_earlier_run() {
    let (before, mut after) = (sample::passed(), sample::failed_thresholds());
    after.thresholds[1].rule = before.thresholds[1].rule.clone();
    after.operations[0].response = sample::spread(6000, 1800);
    after.target = "staging".into();
    let mut compared = with_files(&after);
    compared.sections.push(baseline(&compare(&before, &after)));
    insta::assert_snapshot!(screen(&compared, options()));
}

#[test]
fn a_narrow_terminal_gets_fewer_columns_and_a_wide_one_all() {
    let heading = |width| {
        let text = screen(&with_files(&sample::passed()), TerminalOptions { width, ..options() });
        text.lines().find(|line| line.starts_with("operation")).unwrap().split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(heading(60), "requests errors p50 p99");
    assert_eq!(heading(80), "requests rate errors p50 p99 max");
    assert_eq!(heading(0), heading(140), "nothing is left out where there is no terminal");
    assert_eq!(heading(140), "requests rate errors p50 p90 p95 p99 p99.9 max service p99");
}

#[test]
fn colours_only_when_asked_for() {
    assert!(!shown(&sample::everything()).contains('\u{1b}'));
    let text = screen(&with_files(&sample::everything()), TerminalOptions { colours: true, ..options() });
    insta::assert_snapshot!(text.replace('\u{1b}', "ESC"));
}

static EVERYTHING: std::sync::LazyLock<LoadResult> = std::sync::LazyLock::new(sample::everything);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_outcome_fits_on_one_screen_and_ends_with_the_verdict(
        texts in prop::collection::vec("(?s).{0,200}", 0..20),
        width in 60u16..200,
        compared in any::<bool>(),
    ) {
        let mut result = EVERYTHING.clone();
        for text in &texts {
            result.operations.push(sample::operation(text, 10, 5000));
            result.findings.push(sample::cause(text, ErrorKind::Contract, 3));
            result.thresholds.push(sample::threshold(text, crate::load::result::Unit::Count, Some(1.0), LoadVerdict::Failed));
            result.title.push_str(text);
        }
        result.generator.limit = texts.first().cloned();
        let result = sample::judged(result);
        let mut all = with_files(&result);
        all.files = files(["a.json"; 9]);
        all.sections.extend(compared.then(|| baseline(&compare(&EVERYTHING, &result))));
        let text = screen(&all, TerminalOptions { width, ..options() });
        // The heading precedes the screen.
        prop_assert!(text.lines().count() <= MAX_LINES + 1, "{}", text);
        prop_assert!(text.lines().all(|line| columns(line) <= usize::from(width)), "{}", text);
        prop_assert!(text.lines().last().unwrap().starts_with("FAILED: "), "{}", text);
        prop_assert!(text.contains("gateway.v1.create"), "{}", text);
    }
}

#[test]
fn the_exit_code_follows_from_what_failed_and_what_is_missing() {
    let split = || {
        let mut split = sample::passed();
        split.shards = result::Shards { of: 9, parts: vec![2, 4] };
        split
    };
    let codes = [
        (sample::passed(), Exit::Passed),
        (sample::failed_thresholds(), Exit::Findings),
        (sample::findings(), Exit::Findings),
        (sample::limited(), Exit::Inconclusive),
        (sample::interrupted(), Exit::Interrupted),
        (LoadResult { ended_early: Some(Early::Killswitch), ..sample::passed() }, Exit::Findings),
        (split(), Exit::Inconclusive),
        (sample::capacity(), Exit::Passed),
        (sample::empty(), Exit::Inconclusive),
    ];
    for (result, exit) in codes {
        assert_eq!(outcome(&result, false).exit(), exit, "{}", result.title);
    }
    let interrupted = LoadResult { ended_early: Some(Early::Interrupted), ..sample::failed_thresholds() };
    assert_eq!((outcome(&interrupted, true).exit(), outcome(&interrupted, true).verdict()), (Exit::Interrupted, Exit::Findings));
    assert_eq!(outcome(&sample::empty(), true).exit(), Exit::Unreachable);
}
