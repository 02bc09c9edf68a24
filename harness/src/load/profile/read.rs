//! Reads a profile strictly: all mistakes are reported together, each at its place, before the first request. The JSON Schema of a
//! profile is generated from the same declarations.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Conservation, GeneratorBounds, Killswitch, NotificationDeadlines, Overrides, Profile, mix};
use crate::base::figures::span;
use crate::base::source::{Diagnostic, Problems, Source};
use crate::load::keys::{Keys, describe};
use crate::load::kinds::{KINDS, KindDefinition, LoadKind};
use crate::load::threshold::{self, Threshold};
use crate::spec::contract::Contracts;
use crate::spec::scenario::Scenario;
use crate::spec::target::HttpChoice;

/// Reads a profile from a source. `scenarios` are those that its mix may name. The error holds all mistakes of the file.
pub fn parse(source: &Arc<Source>, contracts: &Contracts, scenarios: &[Arc<Scenario>]) -> Result<Profile, Problems> {
    parse_with(source, &Overrides::default(), contracts, scenarios)
}

/// The same, with the numbers that the command line replaces.
pub fn parse_with(
    source: &Arc<Source>,
    overrides: &Overrides,
    contracts: &Contracts,
    scenarios: &[Arc<Scenario>],
) -> Result<Profile, Problems> {
    let mut problems = Problems::new();
    let read = profile(source, overrides, KnownNames { contracts, scenarios }, &mut problems);
    // `profile` is `None` only if there are problems, and then `or` has returned.
    problems.or(read)?.ok_or_else(Problems::new)
}

/// The JSON Schema of a profile, for completion in editors.
pub fn schema() -> Value {
    let known = KnownNames { contracts: &Contracts::default(), scenarios: &[] };
    let about = "A load profile: which scenarios are played, in what shape, and what must hold.";
    let file = describe(about, |keys| drop(common(keys, "", None, known)));
    let kinds = KINDS.iter().map(|kind| (kind.name, describe(kind.about, |keys| drop((kind.read)(keys)))));
    file.with_variants("profile", "kind", kinds)
}

/// The names that a profile may use.
#[derive(Clone, Copy)]
struct KnownNames<'k> {
    contracts: &'k Contracts,
    scenarios: &'k [Arc<Scenario>],
}

fn profile(source: &Arc<Source>, overrides: &Overrides, known: KnownNames<'_>, problems: &mut Problems) -> Option<Profile> {
    let mut node = source.parse(problems)?;
    overrides.lay_over(&mut node, problems);
    let mut keys = Keys::reading(&node, "a profile", problems)?;
    let definition = kind(&mut keys);
    let profile = common(&mut keys, &source.path, definition, known);
    // The keys of an unknown kind can't be checked.
    if definition.is_some() {
        keys.finish();
    }
    profile.map(|profile| Profile { name: format!("{} {overrides}", profile.name).trim_end().to_owned(), ..profile })
}

/// The kind that a profile names.
fn kind(keys: &mut Keys<'_, '_>) -> Option<&'static KindDefinition> {
    let node = keys.tag("kind")?;
    let name = node.text().unwrap_or_default();
    let found = KINDS.iter().find(|kind| kind.name == name);
    if found.is_none() {
        let problem = Diagnostic::at(node, format!("`kind` is a kind of load, but this is {}", node.describe()));
        keys.problems().add(problem.names(name, KINDS.iter().map(|kind| kind.name)));
    }
    found
}

/// The keys that all profiles have, and those of its kind.
fn common(keys: &mut Keys<'_, '_>, path: &str, definition: Option<&KindDefinition>, known: KnownNames<'_>) -> Option<Profile> {
    let title = keys.text("title", "What it is, in one sentence.");
    let kind = definition.and_then(|definition| (definition.read)(keys));
    let warm_up = warm_up(keys, kind.as_deref());
    let mix = mix::read(keys, known.scenarios);
    let thresholds = thresholds(keys, kind.as_deref(), known.contracts);
    let killswitch = killswitch(keys);
    let notifications = notifications(keys);
    let conservation = conservation(keys);
    let generator = generator(keys);
    let http = http(keys);
    let connections = connections(keys, http);
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (path, title, kind, mix) = (path.to_owned(), title?, kind?, mix?);
    Some(Profile {
        name,
        path,
        title,
        kind,
        warm_up,
        mix,
        thresholds,
        killswitch,
        notifications,
        conservation,
        generator,
        http,
        connections,
    })
}

fn warm_up(keys: &mut Keys<'_, '_>, kind: Option<&dyn LoadKind>) -> Duration {
    let time = keys.time_or_zero("warm-up", "This much of the beginning is played and judged, but not measured: `5s`.");
    if let Some(whole) = kind.map(LoadKind::duration).filter(|whole| *whole <= time) {
        let whole = span(whole.as_secs_f64());
        keys.refuse("warm-up", format!("the warm-up takes all of the {whole} of this load: nothing would be measured; load for longer"));
    }
    time
}

fn thresholds(keys: &mut Keys<'_, '_>, kind: Option<&dyn LoadKind>, contracts: &Contracts) -> Vec<Threshold> {
    let about = "What must hold of the numbers: `gateway.v2.status p99 < 50ms`, `errors < 1%`, `lost = 0`.";
    let schema = json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let items = keys.optional_list("thresholds", schema);
    items.iter().filter_map(|item| threshold::read(item, kind.map(LoadKind::is_open), contracts, keys.problems())).collect()
}

fn killswitch(keys: &mut Keys<'_, '_>) -> Killswitch {
    let default = Killswitch::default();
    let read = keys.optional_mapping("killswitch", ("Killswitch", "When the load is ended early."), |keys| {
        let errors = keys.optional_share("errors", "The share of calls that may fail; default 50%. 100% never ends it.");
        let after = keys.whole_number_or("after", default.after, 1..=u64::MAX, "Not before this many calls; default 100.");
        Some(Killswitch { errors: errors.unwrap_or(default.errors), after: after.unwrap_or(default.after) })
    });
    read.unwrap_or(default)
}

fn notifications(keys: &mut Keys<'_, '_>) -> NotificationDeadlines {
    let default = NotificationDeadlines::default();
    let read = keys.optional_mapping("notifications", ("Notifications", "How notifications are counted."), |keys| {
        let late = keys.optional_time("late", "One that takes longer is late; default 1s.");
        let lost = keys.optional_time("lost", "One that has not come this long after the end is lost; default 10s.");
        Some(NotificationDeadlines { late: late.unwrap_or(default.late), lost: lost.unwrap_or(default.lost) })
    });
    read.unwrap_or(default)
}

fn generator(keys: &mut Keys<'_, '_>) -> GeneratorBounds {
    let default = GeneratorBounds::default();
    let read = keys.optional_mapping("generator", ("Generator", "When the generator is the limit and the run inconclusive."), |keys| {
        let late = keys.optional_time("late", "How late iterations of free users may start (p99); default 10ms.");
        let busy = keys.optional_share("busy", "The share of the cores that closed load may use; default 95%. 100% is never reached.");
        Some(GeneratorBounds { late: late.unwrap_or(default.late), busy: busy.unwrap_or(default.busy) })
    });
    read.unwrap_or(default)
}

fn http(keys: &mut Keys<'_, '_>) -> Option<HttpChoice> {
    let node = keys.optional_node("http", HttpChoice::schema())?;
    HttpChoice::read(node, keys.problems())
}

fn connections(keys: &mut Keys<'_, '_>, http: Option<HttpChoice>) -> Option<usize> {
    let shared = keys.shared_connections("How many connections of HTTP/2 all users share; by default each user has its own.")?;
    if http == Some(HttpChoice::One) {
        let message = "users share connections of HTTP/2 only: HTTP/1.1 has one request at a time on each; leave `connections` out, or \
                       ask for `http: 2`";
        keys.refuse("connections", message);
    }
    Some(shared)
}

fn conservation(keys: &mut Keys<'_, '_>) -> Conservation {
    let about = "How much is asked for again when the load is over: `off`, `complete`, `sampled 200`.";
    let schema = json!({ "type": "string", "description": about, "pattern": r"^(off|complete|sampled +[1-9][0-9]*)$" });
    let Some(node) = keys.optional_node("conservation", schema) else { return Conservation::default() };
    let words: Vec<&str> = node.text().unwrap_or_default().split_whitespace().collect();
    match words.as_slice() {
        ["off"] => return Conservation::Off,
        ["complete"] => return Conservation::Complete,
        ["sampled", number] => {
            if let Some(most) = number.parse().ok().filter(|most| *most > 0) {
                return Conservation::Sampled(most);
            }
        }
        _ => {}
    }
    let problem =
        Diagnostic::at(node, format!("`conservation` is off, complete, or sampled with a number, but this is {}", node.describe()));
    keys.problems().add(problem.help("for example conservation: sampled 200"));
    Conservation::default()
}
