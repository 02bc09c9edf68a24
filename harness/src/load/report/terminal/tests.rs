use super::*;
use crate::load::baseline::compare;
use crate::load::report::sample;
use crate::load::result::ErrorKind;
use proptest::prelude::*;

fn options() -> SummaryOptions<'static> {
    SummaryOptions {
        width: 120,
        details: vec!["json: target/load.json".into(), "html: target/load.html".into()],
        ..SummaryOptions::default()
    }
}

fn told(result: &LoadResult) -> String {
    summary(result, &options())
}

#[test]
fn passed() {
    insta::assert_snapshot!(told(&sample::passed()));
}

#[test]
fn failed_thresholds() {
    insta::assert_snapshot!(told(&sample::failed_thresholds()));
}

#[test]
fn findings() {
    insta::assert_snapshot!(told(&sample::findings()));
}

#[test]
fn inconclusive_by_the_generator() {
    insta::assert_snapshot!(told(&sample::limited()));
}

#[test]
fn interrupted() {
    insta::assert_snapshot!(told(&sample::interrupted()));
}

#[test]
fn empty() {
    insta::assert_snapshot!(told(&sample::judged(sample::empty())));
}

#[test]
fn a_capacity_search_with_part_of_the_load() {
    let mut result = sample::capacity();
    (result.shards.of, result.shards.parts) = (4, vec![1, 3]);
    insta::assert_snapshot!(told(&sample::judged(result)));
}

#[test]
fn one_operation_alone_has_a_table_without_a_sum() {
    let mut result = sample::passed();
    result.operations.truncate(1);
    let text = told(&result);
    assert_eq!(text.lines().filter(|line| line.starts_with("operation ") || line.starts_with("gateway.v1.create ")).count(), 2, "{text}");
    assert!(!text.lines().any(|line| line.starts_with("all ")), "{text}");
}

#[test]
fn against_an_earlier_run() {
    let (before, mut after) = (sample::passed(), sample::failed_thresholds());
    after.thresholds[1].rule = before.thresholds[1].rule.clone();
    after.operations[0].response = sample::spread(6000, 1800);
    after.target = "staging".into();
    let comparison = compare(&before, &after);
    insta::assert_snapshot!(summary(&after, &SummaryOptions { comparison: Some(&comparison), ..options() }));
}

#[test]
fn a_narrow_terminal_gets_fewer_columns_and_a_wide_one_all() {
    let heading = |width| {
        let text = summary(&sample::passed(), &SummaryOptions { width, ..options() });
        text.lines().find(|line| line.starts_with("operation")).unwrap().split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(heading(60), "requests errors p50 p99");
    assert_eq!(heading(80), "requests rate errors p50 p99 max");
    assert_eq!(heading(140), "requests rate errors p50 p90 p95 p99 p99.9 max service p99");
}

#[test]
fn colours_only_when_asked_for() {
    assert!(!told(&sample::everything()).contains('\u{1b}'));
    let text = summary(&sample::everything(), &SummaryOptions { colours: true, ..options() });
    insta::assert_snapshot!(text.replace('\u{1b}', "ESC"));
}

static EVERYTHING: std::sync::LazyLock<LoadResult> = std::sync::LazyLock::new(sample::everything);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_is_told_fits_on_one_screen_and_ends_with_the_verdict(
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
        let comparison = compare(&EVERYTHING, &result);
        let details = texts.iter().take(9).cloned().collect();
        let text = summary(&result, &SummaryOptions { width, details, comparison: compared.then_some(&comparison), colours: false });
        prop_assert!(text.lines().count() <= MAX_LINES, "{}", text);
        prop_assert!(text.lines().all(|line| columns(line) <= usize::from(width)), "{}", text);
        prop_assert!(text.lines().last().unwrap().starts_with("FAILED: "), "{}", text);
        prop_assert!(text.contains("gateway.v1.create"), "{}", text);
    }
}
