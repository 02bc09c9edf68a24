//! The JSON Schema of a profile, for completion in editors.
//!
//! The types here only spell the syntax; [`super::read`] reads it. Tests hold the two together: every
//! profile in the repository is read by the one and valid by the other.

use schemars::JsonSchema;
use serde_json::Value;

/// A load profile: which scenarios are played, in what shape, and what must hold.
#[derive(JsonSchema)]
#[schemars(rename = "profile", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct File {
    /// What it is, in one sentence.
    title: String,
    /// The kind of load and its numbers.
    #[schemars(flatten)]
    shape: Shape,
    /// This much of the beginning is played and judged, but not measured: `5s`.
    #[schemars(regex(pattern = TIME))]
    warm_up: Option<String>,
    /// What is played, by weight.
    #[schemars(length(min = 1))]
    mix: Vec<Part>,
    /// What must hold of the numbers: `gateway.v2.status p99 < 50ms`, `errors < 1%`, `lost = 0`.
    thresholds: Option<Vec<String>>,
    /// When the load is ended early.
    killswitch: Option<Killswitch>,
    /// How notifications are counted.
    notifications: Option<Notifications>,
    /// How much is asked for again when the load is over: `off`, `complete`, `sampled 200`.
    #[schemars(regex(pattern = r"^(off|complete|sampled +[1-9][0-9]*)$"))]
    conservation: Option<String>,
}

/// How `30s` is spelt.
const TIME: &str = "^[0-9]+(ms|s|m|h)$";

/// How `50%` is spelt.
const SHARE: &str = r"^[0-9]+(\.[0-9]+)?%$";

/// The kinds of load.
#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "kebab-case")]
#[allow(dead_code, reason = "the variants are read by the derive only")]
enum Shape {
    /// So many users all the time, each as fast as it is answered.
    ConstantUsers {
        /// How many play at a time.
        #[schemars(range(min = 1, max = 10_000))]
        users: u32,
        /// How long: `30s`.
        #[schemars(regex(pattern = TIME))]
        r#for: String,
    },
    /// Users come and go, linearly within each stage, from none.
    RampingUsers {
        /// One after the other.
        #[schemars(length(min = 1, max = 1000))]
        stages: Vec<UserStage>,
    },
    /// So many iterations begun a second, whether answers come or not.
    ConstantArrivalRate {
        /// Iterations begun a second.
        #[schemars(extend("exclusiveMinimum" = 0), range(max = 1_000_000))]
        rate: f64,
        /// The most that play at a time.
        #[schemars(range(min = 1, max = 10_000))]
        users: u32,
        /// How long: `30s`.
        #[schemars(regex(pattern = TIME))]
        r#for: String,
    },
    /// The rate moves, linearly within each stage.
    RampingArrivalRate {
        /// Iterations begun a second when it starts; 0 without.
        #[schemars(range(min = 0, max = 1_000_000))]
        start: Option<f64>,
        /// The most that play at a time.
        #[schemars(range(min = 1, max = 10_000))]
        users: u32,
        /// One after the other.
        #[schemars(length(min = 1, max = 1000))]
        stages: Vec<RateStage>,
    },
    /// Looks for the highest rate at which all thresholds hold.
    CapacitySearch {
        /// Iterations a second of the first trial.
        #[schemars(extend("exclusiveMinimum" = 0), range(max = 1_000_000))]
        from: f64,
        /// The highest rate that is tried.
        #[schemars(extend("exclusiveMinimum" = 0), range(max = 1_000_000))]
        to: f64,
        /// How long each trial is: `5s`.
        #[schemars(regex(pattern = TIME))]
        hold: String,
        /// The search ends when it knows the rate to this share; 0.05 without.
        #[schemars(range(min = 0.01, max = 0.5))]
        precision: Option<f64>,
        /// The most that play at a time.
        #[schemars(range(min = 1, max = 10_000))]
        users: u32,
    },
    /// A constant rate over a long time; the end is held against the beginning.
    Soak {
        /// Iterations begun a second.
        #[schemars(extend("exclusiveMinimum" = 0), range(max = 1_000_000))]
        rate: f64,
        /// The most that play at a time.
        #[schemars(range(min = 1, max = 10_000))]
        users: u32,
        /// How long: `2h`.
        #[schemars(regex(pattern = TIME))]
        r#for: String,
        /// The p99 response time of the last tenth may be this many times that of the first tenth; 1.5 without.
        #[schemars(range(min = 1, max = 100))]
        drift: Option<f64>,
    },
}

/// Where the number of users goes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct UserStage {
    /// How many at the end of the stage.
    #[schemars(range(min = 0, max = 10_000))]
    users: u32,
    /// How long it takes: `30s`.
    #[schemars(regex(pattern = TIME))]
    r#for: String,
}

/// Where the rate goes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct RateStage {
    /// Iterations begun a second at the end of the stage.
    #[schemars(range(min = 0, max = 1_000_000))]
    rate: f64,
    /// How long it takes: `30s`.
    #[schemars(regex(pattern = TIME))]
    r#for: String,
}

/// A scenario of the mix.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Part {
    /// `gateway/a-paid-payment-is-notified`, or the path of a file, from where the profile stands.
    scenario: String,
    /// The row of its table; the first one without.
    case: Option<String>,
    /// How often, relative to the others; 1 without.
    #[schemars(range(min = 1, max = 1000))]
    weight: Option<u32>,
}

/// When the load is ended early.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Killswitch {
    /// The share of calls that may fail; 50% without, 100% never ends it.
    #[schemars(regex(pattern = SHARE))]
    errors: Option<String>,
    /// Not before this many calls; 100 without.
    #[schemars(range(min = 1))]
    after: Option<u64>,
}

/// How notifications are counted.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Notifications {
    /// One that takes longer is late; 1s without.
    #[schemars(regex(pattern = TIME))]
    late: Option<String>,
    /// One that has not come this long after the end is lost; 10s without.
    #[schemars(regex(pattern = TIME))]
    lost: Option<String>,
}

/// The JSON Schema of a profile.
pub fn schema() -> Value {
    schemars::schema_for!(File).to_value()
}
