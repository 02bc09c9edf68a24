use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn at(schedule: &Schedule, number: u64) -> f64 {
    schedule.start(number).as_secs_f64()
}

fn stage() -> impl Strategy<Value = RateStage> {
    let rate = prop_oneof![Just(0.0), 0.01..5.0, 5.0..2000.0];
    (rate, 1u64..20_000).prop_map(|(rate, ms)| RateStage { rate, duration: Duration::from_millis(ms) })
}

/// Schedules of some thousand slots, rates of 0 at the beginning, in the middle and at the end included.
fn schedule() -> impl Strategy<Value = (f64, Vec<RateStage>)> {
    (prop_oneof![Just(0.0), 0.01..500.0], prop::collection::vec(stage(), 1..5))
}

fn area(start: f64, stages: &[RateStage]) -> f64 {
    let mut from = start;
    let parts = stages.iter().map(|stage| {
        let part = (from + stage.rate) / 2.0 * stage.duration.as_secs_f64();
        from = stage.rate;
        part
    });
    parts.sum()
}

#[test]
fn a_constant_rate_starts_an_iteration_at_equal_distances() {
    let schedule = Schedule::constant(200.0, 60 * SECOND);
    assert_eq!(schedule.len(), 12_000);
    assert_eq!(schedule.start(0), Duration::ZERO);
    assert_eq!(schedule.start(1), Duration::from_millis(5));
    assert_eq!(schedule.start(11_999), Duration::from_millis(59_995));
    assert_eq!(schedule.start(12_000), 60 * SECOND);
    assert_eq!(schedule.iteration(12_000), None);
}

#[test]
fn a_rate_that_is_no_whole_number_is_kept_over_a_week() {
    let schedule = Schedule::constant(0.1, 604_800 * SECOND);
    assert_eq!(schedule.len(), 60_480);
    assert_eq!(schedule.start(60_479), 604_790 * SECOND);
}

#[test]
fn a_ramp_from_nothing_starts_by_the_square_root() {
    let ramp = [RateStage { rate: 10.0, duration: 10 * SECOND }];
    let schedule = Schedule::ramping(0.0, &ramp);
    assert_eq!(schedule.len(), 50);
    for number in 0..50u32 {
        assert!((at(&schedule, u64::from(number)) - (f64::from(number) * 2.0).sqrt()).abs() < 1e-8, "{number}");
    }
}

#[test]
fn a_ramp_to_nothing_is_the_mirror_of_one_from_nothing() {
    let schedule = Schedule::ramping(10.0, &[RateStage { rate: 0.0, duration: 10 * SECOND }]);
    assert_eq!(schedule.len(), 50);
    for number in 0..50u32 {
        let expected = 10.0 - ((50.0 - f64::from(number)) * 2.0).sqrt();
        assert!((at(&schedule, u64::from(number)) - expected).abs() < 1e-8, "{number}");
    }
}

#[test]
fn nothing_starts_while_the_rate_is_zero() {
    let stages = [
        RateStage { rate: 2.0, duration: 2 * SECOND },
        RateStage { rate: 0.0, duration: 2 * SECOND },
        RateStage { rate: 0.0, duration: 100 * SECOND },
        RateStage { rate: 4.0, duration: 2 * SECOND },
    ];
    let schedule = Schedule::ramping(2.0, &stages);
    assert_eq!(schedule.len(), 10);
    assert_eq!(schedule.intended_between(4 * SECOND, 104 * SECOND), 0);
    assert_eq!(schedule.intended_between(104 * SECOND, 106 * SECOND), 4);
}

#[test]
fn more_shards_than_iterations_leave_some_empty() {
    let shards = (1..=4).map(|part| Schedule::constant(3.0, SECOND).shard(Shard::new(part, 4).unwrap()).len());
    assert_eq!(shards.collect::<Vec<_>>(), [1, 1, 1, 0]);
}

#[test]
fn a_mix_of_one_plays_it_always() {
    assert_eq!((0..20).map(|k| MixOrder::weighing(&[7]).entry(1, k)).max(), Some(0));
}

#[test]
fn equal_weights_make_short_blocks() {
    assert_eq!(MixOrder::weighing(&[500, 1000]).block(), 3);
}

#[test]
fn blocks_are_shuffled_so_that_every_order_is_as_likely() {
    let mix = MixOrder::weighing(&[1, 1, 1, 1]);
    let mut orders = std::collections::BTreeMap::<Vec<usize>, u32>::new();
    (0..2400).for_each(|block| *orders.entry((0..4).map(|k| mix.entry(9, block * 4 + k)).collect()).or_default() += 1);
    assert_eq!(orders.len(), 24);
    assert!(orders.values().all(|count| (60..=140).contains(count)), "{orders:?}");
}

#[test]
fn another_seed_is_another_order() {
    let mix = MixOrder::weighing(&[1, 2, 3]);
    let order = |seed| (0..60).map(|k| mix.entry(seed, k)).collect::<Vec<_>>();
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

proptest! {
    #[test]
    fn as_many_iterations_as_the_integral_of_the_rate((start, stages) in schedule()) {
        let area = area(start, &stages);
        let length = Schedule::ramping(start, &stages).len() as f64;
        prop_assert!((area - 1e-6..=area + 1.0).contains(&length), "{length} slots, {area} expected");
    }

    #[test]
    fn starts_never_go_back_and_lie_within_the_load((start, stages) in schedule()) {
        let schedule = Schedule::ramping(start, &stages);
        let starts: Vec<Duration> = schedule.iter().map(|iteration| iteration.at).collect();
        prop_assert!(starts.is_sorted());
        prop_assert!(starts.iter().all(|at| *at <= schedule.duration()));
    }

    #[test]
    fn an_iteration_starts_where_the_integral_reaches_its_number((start, stages) in schedule(), share in 0.0..1.0) {
        let schedule = Schedule::ramping(start, &stages);
        prop_assume!(!schedule.is_empty());
        let number = (share * schedule.len() as f64) as u64;
        let at = schedule.start(number).as_secs_f64();
        // The integral up to then, by the trapezes of the profile rather than by the schedule's own formula.
        let (mut from, mut begins, mut integral) = (start, 0.0, 0.0);
        for stage in &stages {
            let length = stage.duration.as_secs_f64();
            let inside = (at - begins).clamp(0.0, length);
            let rate = from + (stage.rate - from) * inside / length;
            integral += (from + rate) / 2.0 * inside;
            (from, begins) = (stage.rate, begins + length);
        }
        // Starts are whole nanoseconds.
        prop_assert!((integral - number as f64).abs() < 1e-4, "{integral} at the start of {number}");
    }

    #[test]
    fn shards_are_exactly_the_whole((start, stages) in schedule(), of in 1u32..6) {
        let whole = Schedule::ramping(start, &stages);
        let shards: Vec<Schedule> = (1..=of).map(|part| whole.clone().shard(Shard::new(part, of).unwrap())).collect();
        prop_assert_eq!(shards.iter().map(Schedule::len).sum::<u64>(), whole.len());
        let mut together: Vec<ScheduledIteration> = shards.iter().flat_map(Schedule::iter).collect();
        for (index, shard) in shards.iter().enumerate() {
            prop_assert!(shard.iter().all(|iteration| iteration.number % u64::from(of) == index as u64));
            prop_assert_eq!(shard.iter().count() as u64, shard.len());
        }
        together.sort_by_key(|iteration| iteration.number);
        prop_assert_eq!(together, whole.iter().collect::<Vec<_>>());
    }

    #[test]
    fn iterations_intended_in_an_interval_start_in_it((start, stages) in schedule(), of in 1u32..4, cuts in (0u64..40_000, 0u64..40_000)) {
        let shard = Schedule::ramping(start, &stages).shard(Shard::new(of, of).unwrap());
        let (from, to) = (Duration::from_millis(cuts.0.min(cuts.1)), Duration::from_millis(cuts.0.max(cuts.1)));
        let counted = shard.iter().filter(|iteration| (from..to).contains(&iteration.at)).count() as u64;
        prop_assert_eq!(shard.intended_between(from, to), counted);
    }

    #[test]
    fn weights_are_exact_in_each_block(weights in prop::collection::vec(1u32..20, 1..6), seed: u64, block in 0u64..1_000_000) {
        let mix = MixOrder::weighing(&weights);
        let mut counted = vec![0u64; weights.len()];
        (0..mix.block()).for_each(|k| counted[mix.entry(seed, block * mix.block() + k)] += 1);
        let sum: u64 = weights.iter().map(|w| u64::from(*w)).sum();
        prop_assert_eq!(sum % mix.block(), 0);
        let expected: Vec<u64> = weights.iter().map(|w| u64::from(*w) * mix.block() / sum).collect();
        prop_assert_eq!(counted, expected);
    }
}
