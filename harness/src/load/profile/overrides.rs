//! Options of the command line that replace numbers of a profile.

use std::fmt;

use crate::base::source::{Diagnostic, Node, NodeKind, Problems, Source, Span};

/// The replacing options, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--rate 300`.
    pub rate: Option<String>,
    /// `--users 50`.
    pub users: Option<String>,
    /// `--for 30s`.
    pub duration: Option<String>,
    /// `--stage 30s:20`, once for each stage.
    pub stages: Vec<String>,
}

impl Overrides {
    /// Replaces keys of a profile. The values are read like those of a file; mistakes name the option.
    pub(super) fn lay_over(&self, profile: &mut Node, problems: &mut Problems) {
        let numbers = [("--rate", "rate", &self.rate), ("--users", "users", &self.users), ("--for", "for", &self.duration)];
        for (option, key, value) in numbers {
            if let Some(value) = value {
                replace(profile, (option, key), value.clone(), problems);
            }
        }
        if !self.stages.is_empty() {
            let to = if profile.get("kind").and_then(Node::text) == Some("ramping-users") { "users" } else { "rate" };
            match self.stages.iter().map(|stage| stage_of(stage, to).ok_or(stage)).collect::<Result<Vec<_>, _>>() {
                Ok(stages) => replace(profile, ("--stage", "stages"), format!("[{}]", stages.join(", ")), problems),
                Err(stage) => problems.add(no_stage(stage)),
            }
        }
    }
}

/// A stage as a profile writes it; `to` is the key of its end value.
fn stage_of(text: &str, to: &str) -> Option<String> {
    let (time, number) = text.split_once(':')?;
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    (plain(time) && plain(number)).then(|| format!("{{ for: {time}, {to}: {number} }}"))
}

/// The mistake in a stage, as it was typed.
fn no_stage(text: &str) -> Diagnostic {
    let whole = Span { start: 0, end: text.chars().count(), line: 1, column: 1 };
    Diagnostic::new(&Source::new("--stage", text), whole, "a stage is how long and where to, for example 30s:20".to_owned())
}

fn replace(profile: &mut Node, (option, key): (&str, &str), value: String, problems: &mut Problems) {
    let Some(value) = Source::new(option, value).parse(problems) else { return };
    let found = match &mut profile.kind {
        NodeKind::Map(entries) => entries.iter_mut().find(|entry| entry.key == key),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) | NodeKind::List(_) => None,
    };
    match found {
        Some(entry) => entry.value = value,
        None => {
            let place = profile.get("kind").unwrap_or(profile);
            problems.add(Diagnostic::at(place, format!("`{option}` replaces `{key}`, which this profile does not have")));
        }
    }
}

/// The options as they were typed.
impl fmt::Display for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |option, value: &Option<String>| value.as_ref().map(|value| format!("{option} {value}"));
        let numbers = [one("--rate", &self.rate), one("--users", &self.users), one("--for", &self.duration)];
        let stages = self.stages.iter().map(|stage| format!("--stage {stage}"));
        f.write_str(&numbers.into_iter().flatten().chain(stages).collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::load::profile::{Profile, builtin, parse_with};
    use crate::spec::contract::Contracts;
    use crate::spec::scenario;

    fn read(name: &str, overrides: &Overrides) -> Result<Profile, String> {
        let contracts = Contracts::shipped();
        let scenarios = scenario::shipped();
        parse_with(&builtin(name).unwrap(), overrides, &contracts, &scenarios).map_err(|problems| problems.render(false))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_command_line_replaces_numbers_of_a_profile() {
        let overrides = Overrides { rate: some("7.5"), users: some("3"), duration: some("4s"), stages: Vec::new() };
        let profile = read("journey", &overrides).unwrap();
        assert_eq!((profile.kind.highest_rate(), profile.kind.users()), (Some(7.5), 3));
        assert_eq!(profile.kind.duration(), Duration::from_secs(4));
        // Parts with different numbers are parts of different loads.
        assert_eq!(profile.name, "journey --rate 7.5 --users 3 --for 4s");
        assert_eq!(read("journey", &Overrides::default()).unwrap().name, "journey");
    }

    #[test]
    fn stages_are_replaced_together() {
        let overrides = Overrides { stages: vec!["10s:50".into(), "20s:0.5".into()], ..Overrides::default() };
        let kind = read("spike", &overrides).unwrap().kind;
        assert_eq!((kind.highest_rate(), kind.duration()), (Some(50.0), Duration::from_secs(30)));
    }

    #[test]
    fn a_number_that_does_not_fit_is_reported_with_its_option() {
        let refusal = |name: &str, overrides: Overrides| read(name, &overrides).unwrap_err();
        let none = Overrides::default;
        let messages = [
            refusal("journey", Overrides { rate: some("fast"), ..none() }),
            refusal("journey", Overrides { users: some("0"), ..none() }),
            refusal("journey", Overrides { duration: some("1s"), ..none() }),
            refusal("capacity", Overrides { rate: some("5"), ..none() }),
            refusal("journey", Overrides { stages: vec!["5s:1".into()], ..none() }),
            refusal("spike", Overrides { stages: vec!["5s".into()], ..none() }),
            refusal("spike", Overrides { stages: vec!["5s:{".into()], ..none() }),
        ];
        insta::assert_snapshot!(messages.join("\n"));
    }
}
