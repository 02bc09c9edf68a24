//! Decides whether the generator, and not the target, was the limit of a run.

use std::time::Duration;

use super::profile::GeneratorBounds;
use super::result::{Generator, Latency};
use crate::base::figures::{percent, time};

/// What to do about it.
pub(super) const ADVICE: &str = "use fewer users or a lower rate, give it another core, or split the load over machines (`--shard`)";

/// How a run was played, as far as it says what its generator may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedLoad {
    pub(super) seconds: f64,
    /// Whether the load is open.
    pub(super) open: bool,
    /// Whether the target runs in this process, so that its CPU time is part of the generator's.
    pub(super) embedded: bool,
}

/// Why a run is generator-limited, if it is.
pub(super) fn limit(generator: &Generator, played: PlayedLoad, bounds: GeneratorBounds) -> Option<String> {
    started_late(generator, bounds.late).or_else(|| used_all_cores(generator, played, bounds.busy))
}

fn started_late(generator: &Generator, bound: Duration) -> Option<String> {
    let why = late_starts("iterations", "users", &generator.scheduling, bound)?;
    Some(format!("{why}, or set the bound (`generator: {{ late: … }}`)"))
}

/// Why a load is generator-limited, if too many starts were later than `bound`. `what` started late though `free` were free: iterations
/// and users.
pub(super) fn late_starts(what: &str, free: &str, scheduling: &Latency, bound: Duration) -> Option<String> {
    // With too few starts for a p99, the latest counts.
    let (late, which) = scheduling.p99.map_or((scheduling.max, "the latest"), |p99| (p99, "p99"));
    let late = Duration::from_micros(late);
    let shown = |duration: Duration| time(duration.as_secs_f64() * 1e6);
    (late > bound).then(|| {
        let (late, bound) = (shown(late), shown(bound));
        format!("{what} started up to {late} late ({which}, bound {bound}) though {free} were free: this machine was too busy; {ADVICE}")
    })
}

fn used_all_cores(generator: &Generator, played: PlayedLoad, bound: f64) -> Option<String> {
    let share = generator.cpu_seconds / (played.seconds * f64::from(generator.cores)).max(f64::MIN_POSITIVE);
    let counts = !played.open && !played.embedded && bound < 1.0;
    (counts && share >= bound).then(|| {
        let (share, bound) = (percent(share), percent(bound));
        format!(
            "the generator itself used {share} of this machine's cores (bound {bound}); {ADVICE}, or set the bound (`generator: {{ busy: … }}`)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSED: PlayedLoad = PlayedLoad { seconds: 10.0, open: false, embedded: false };

    fn generator(late: u64, cpu_seconds: f64) -> Generator {
        Generator { scheduling: Latency { p99: Some(late), ..Latency::default() }, cpu_seconds, cores: 2, ..Generator::default() }
    }

    #[test]
    fn it_says_what_to_do() {
        let bounds = GeneratorBounds::default();
        let late = limit(&generator(14_200, 1.0), CLOSED, bounds).unwrap();
        assert!(late.starts_with("iterations started up to 14.2 ms late (p99, bound 10.0 ms) though users were free"), "{late}");
        let busy = limit(&generator(10_000, 19.5), CLOSED, bounds).unwrap();
        assert!(busy.starts_with("the generator itself used 97.5 % of this machine's cores (bound 95 %)"), "{busy}");
        assert!([late, busy].iter().all(|why| why.contains("fewer users") && why.contains("another core") && why.contains("`--shard`")));
    }

    #[test]
    fn of_few_starts_the_latest_counts() {
        let scheduling = Latency { count: 40, max: 14_200, ..Latency::default() };
        let why = limit(&Generator { scheduling, ..generator(0, 1.0) }, CLOSED, GeneratorBounds::default()).unwrap();
        assert!(why.starts_with("iterations started up to 14.2 ms late (the latest, bound 10.0 ms)"), "{why}");
    }

    #[test]
    fn the_profile_sets_the_bounds() {
        let wide = GeneratorBounds { late: Duration::from_millis(50), busy: 1.0 };
        assert_eq!(limit(&generator(14_200, 20.0), CLOSED, wide), None, "100% is never reached");
        assert!(limit(&generator(50_001, 0.0), CLOSED, wide).is_some());
        let narrow = GeneratorBounds { late: Duration::from_millis(1), busy: 0.5 };
        assert!(limit(&generator(1_001, 0.0), CLOSED, narrow).is_some());
        assert!(limit(&generator(0, 10.0), CLOSED, narrow).is_some());
    }

    #[test]
    fn cores_are_no_limit_of_open_load_or_beside_the_target() {
        for played in [PlayedLoad { open: true, ..CLOSED }, PlayedLoad { embedded: true, ..CLOSED }] {
            assert_eq!(limit(&generator(0, 20.0), played, GeneratorBounds::default()), None);
        }
    }
}
