//! Explains how the calls of a profile are judged under load: judging by records costs the generator more than the fast path.

use super::profile::{MixEntry, Profile, Script};
use crate::base::text::columns;
use crate::engine::runner::{Case, ExplainedStep, JudgedBy, explain, is_whole};
use crate::spec::contract::Contracts;
use crate::spec::target::Target;

/// Explains every entry of a profile's mix. Nothing is sent.
pub fn text(contracts: &Contracts, target: &Target, profile: &Profile, scripts: &[Script]) -> String {
    let entries = profile.mix.iter().zip(scripts).map(|(entry, script)| {
        let case = script.clone().into_case();
        explained(entry, &case, &explain(contracts, target, &case))
    });
    entries.collect::<Vec<_>>().join("\n\n")
}

/// One entry: how its iterations are judged, then its steps.
fn explained(entry: &MixEntry, case: &Case, steps: &[ExplainedStep]) -> String {
    let is_whole = is_whole(steps.iter().filter(|step| !step.once).map(|step| &step.by));
    let how = if is_whole {
        "slow path: every iteration is recorded, and judged as in verify"
    } else {
        "fast path: each response is judged alone, every hundredth iteration as in verify"
    };
    let width = steps.iter().map(|step| columns(&step.what)).max().unwrap_or_default();
    let lines = steps.iter().map(|step| {
        let padding = " ".repeat(width.saturating_sub(columns(&step.what)));
        format!("  {}{padding}  {}", step.what, judged(step, is_whole))
    });
    let name = case.name.to_string().replace(" / ", "/");
    std::iter::once(format!("{name} (weight {})\n  {how}", entry.weight)).chain(lines).collect::<Vec<_>>().join("\n")
}

fn judged(step: &ExplainedStep, is_whole: bool) -> String {
    match &step.by {
        _ if step.once => "once by each user, before the load".to_owned(),
        JudgedBy::Whole(reason) => format!("needs the slow path: {reason}"),
        JudgedBy::Bytes | JudgedBy::Event if is_whole => "recorded with its iteration".to_owned(),
        JudgedBy::Record(reason) if is_whole => format!("recorded with its iteration: {reason}"),
        JudgedBy::Event if step.what == "world" => "played as it is".to_owned(),
        JudgedBy::Event => "by its fields, and the call that confirms it; recorded only where these don't settle it".to_owned(),
        JudgedBy::Bytes => "by its bytes; recorded only where these don't settle it".to_owned(),
        JudgedBy::Record(reason) => format!("recorded every time: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::Source;
    use crate::engine::testing::TARGET;
    use crate::load::profile;
    use crate::spec::{scenario, target};

    /// The snapshot shows a call that no longer takes the fast path.
    #[test]
    fn the_profiles_in_the_binary_are_explained() {
        let contracts = Contracts::shipped();
        let scenarios = scenario::shipped();
        let text_of_target = TARGET.replace("BASE", "http://127.0.0.1:9");
        let target = target::parse(&Source::new("target.yaml", text_of_target), &contracts, &|_| None).unwrap();
        let explained = profile::names().into_iter().map(|name| {
            let profile = profile::parse(&profile::builtin(&name).unwrap(), &contracts, &scenarios).unwrap();
            let scripts = profile::scripts(&profile, &contracts, &scenarios).unwrap();
            format!("# {name}\n\n{}\n", text(&contracts, &target, &profile, &scripts))
        });
        insta::assert_snapshot!(explained.collect::<Vec<_>>().join("\n"));
    }
}
