use super::*;
use proptest::prelude::*;

fn line(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), points }
}

fn over_time(up: Up, series: Vec<Series>) -> Chart {
    Chart {
        id: "c".into(),
        title: "Response time <of> \"all\" & more".into(),
        description: "p50 between 1 ms and 2 ms".into(),
        across_title: "since the measuring began",
        across: Across::Seconds,
        up,
        series,
    }
}

/// All coordinates: position attributes and paths.
fn coordinates(svg: &str) -> (Vec<f64>, Vec<f64>) {
    let (mut across, mut up) = (Vec::new(), Vec::new());
    for attribute in ["x", "y"] {
        for part in svg.split(&format!(" {attribute}=\"")).skip(1) {
            let number = part.split('"').next().unwrap().parse().unwrap();
            if attribute == "x" { across.push(number) } else { up.push(number) }
        }
    }
    for path in svg.split(" d=\"").skip(1).map(|part| part.split('"').next().unwrap()) {
        for step in path.split(['M', 'L']).filter(|step| !step.is_empty()) {
            let step = step.split('h').next().unwrap();
            let (x, rest) = step.split_once(' ').unwrap();
            across.push(x.parse().unwrap());
            match rest.split_once(['H', 'V']) {
                Some((y, end)) if rest.contains('H') => (up.push(y.parse().unwrap()), across.push(end.parse().unwrap())),
                Some((y, end)) => (up.push(y.parse().unwrap()), up.push(end.parse().unwrap())),
                None => (up.push(rest.parse().unwrap()), ()),
            };
        }
    }
    (across, up)
}

fn paths(svg: &str) -> Vec<&str> {
    svg.split("class=\"line ").skip(1).filter_map(|part| part.split(" d=\"").nth(1)?.split('"').next()).collect()
}

#[test]
fn one_chart_in_whole() {
    let up = (0..6).map(|n| (f64::from(n) * 10.0, 900.0 * 3f64.powi(n))).collect();
    let gap = vec![(0.0, 1500.0), (10.0, f64::NAN), (20.0, 40_000.0), (30.0, 50_000.0)];
    insta::assert_snapshot!(chart(&over_time(Up::Microseconds, vec![line("p50", up), line("p99", gap)])));
}

#[test]
fn nothing_and_a_single_point_are_drawn_too() {
    let nothing = chart(&over_time(Up::PerSecond, vec![line("errors", Vec::new())]));
    assert!(nothing.contains("nothing was measured"), "{nothing}");
    let one = chart(&over_time(Up::PerSecond, vec![line("errors", vec![(0.5, 3.0)])]));
    assert!(!one.contains("nothing was measured"));
    assert!(paths(&one).iter().any(|path| path.ends_with("h0")), "{one}");
}

#[test]
fn what_is_no_number_interrupts_the_line() {
    let points = vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, f64::INFINITY), (4.0, 3.0), (5.0, -1.0)];
    let svg = chart(&over_time(Up::PerSecond, vec![line("rate", points)]));
    let path = paths(&svg)[1];
    assert_eq!((path.matches('M').count(), path.matches('L').count(), path.matches("h0").count()), (2, 1, 1), "{path}");
}

#[test]
fn of_many_points_the_peak_survives() {
    let points = (0..100_000).map(|n| (f64::from(n), if n == 77_777 { 5000.0 } else { 1.0 })).collect();
    let svg = chart(&over_time(Up::PerSecond, vec![line("rate", points)]));
    let path = paths(&svg)[1];
    assert!(path.matches('L').count() < MAX_POINTS, "{}", path.len());
    let highest = path.split(['M', 'L']).filter_map(|place| place.split(' ').nth(1)?.parse::<f64>().ok()).fold(BOTTOM, f64::min);
    assert!(highest < TOP + 0.2 * (BOTTOM - TOP), "the peak is near the top: {highest}");
}

#[test]
fn marks_are_round() {
    let marks = |scale: Scale| scale.ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>().join("|");
    assert_eq!(marks(Scale::across(Across::Seconds, [59.5].into_iter())), "0 s|10 s|20 s|30 s|40 s|50 s");
    assert_eq!(marks(Scale::across(Across::Seconds, [86_400.0].into_iter())), "0 h|6 h|12 h|18 h|24 h");
    assert_eq!(marks(Scale::up(Up::PerSecond, [0.0, 437.0].into_iter())), "0|100|200|300|400|500");
    assert_eq!(marks(Scale::up(Up::PerSecond, [0.0].into_iter())), "0|0.2|0.4|0.6|0.8|1");
    assert_eq!(marks(Scale::up(Up::Microseconds, [870.0, 4400.0].into_iter())), "100 µs|200 µs|500 µs|1 ms|2 ms|5 ms|10 ms");
    assert_eq!(marks(Scale::up(Up::Microseconds, [8.0, 4.4e6].into_iter())), "1 µs|10 µs|100 µs|1 ms|10 ms|100 ms|1 s|10 s");
    assert_eq!(marks(Scale::across(Across::Quantiles, [0.9995].into_iter())), "0 %|50 %|90 %|99 %|99.9 %");
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -10.0..1e9, Just(f64::NAN), Just(f64::INFINITY), Just(0.0), Just(f64::MAX), Just(f64::MIN_POSITIVE)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_the_points_every_place_is_a_number_within_the_drawing(
        series in prop::collection::vec(prop::collection::vec((any_number(), any_number()), 0..1200), 0..4),
        across in prop_oneof![Just(Across::Seconds), Just(Across::Quantiles)],
        up in prop_oneof![Just(Up::Microseconds), Just(Up::PerSecond)],
    ) {
        let series = series.into_iter().map(|points| line("a name", points)).collect();
        let svg = chart(&Chart { across, ..over_time(up, series) });
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{}", svg);
        let (xs, ys) = coordinates(&svg);
        prop_assert!(xs.iter().all(|x| (0.0..=WIDTH).contains(x)), "{:?}", xs);
        prop_assert!(ys.iter().all(|y| (0.0..=HEIGHT).contains(y)), "{:?}", ys);
    }
}
