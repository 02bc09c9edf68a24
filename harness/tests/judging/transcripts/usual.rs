//! Which lines nearly all bodies of an operation have. A transcript leaves them out, and names those that are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// An operation and the arrow of the side: what was asked, or what came back.
type Key = (String, char);

/// A body that occurs in fewer scenarios than this is shown whole.
const SCENARIOS: usize = 3;
/// Of a hundred bodies, how many have a line that becomes usual, and how many one that stays so. The two are apart so that a few new
/// scenarios, which move every share a little, do not rewrite the transcripts of all others.
const BECOMES_USUAL: usize = 75;
const STAYS_USUAL: usize = 55;
/// A label that tells the things of a scenario apart.
static LABEL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[(\w+)-\d+\]").unwrap());

/// All bodies of an API, by what they belong to.
#[derive(Default)]
pub struct Bodies(BTreeMap<Key, Vec<(String, Vec<String>)>>);

impl Bodies {
    /// Takes what a scenario's first case sent and received.
    pub fn add(&mut self, scenario: &str, case: &str) {
        for block in case.split("\n\n") {
            for (key, body) in bodies(block) {
                self.0.entry(key).or_default().push((scenario.to_owned(), body.iter().map(|&line| line.to_owned()).collect()));
            }
        }
    }

    /// What is usual, where this was so far.
    pub fn usual(&self, so_far: &SoFar) -> Usual {
        let often =
            |bodies: &[(String, Vec<String>)]| bodies.iter().map(|(scenario, _)| scenario).collect::<BTreeSet<_>>().len() >= SCENARIOS;
        let several = self.0.iter().filter(|(_, bodies)| often(bodies));
        let usual = several.map(|(key, bodies)| {
            let bodies: Vec<_> = bodies.iter().map(|(_, body)| body.as_slice()).collect();
            (key.clone(), UsualBody::common_to(&bodies, so_far.0.get(key)))
        });
        Usual(usual.filter(|(_, usual)| !usual.lines.is_empty()).collect())
    }
}

/// The lines that an accepted `usual-bodies.snap` calls usual.
#[derive(Default)]
pub struct SoFar(BTreeMap<Key, BTreeSet<String>>);

impl SoFar {
    /// Reads what [`Usual`] displays.
    pub fn read(accepted: &str) -> Self {
        let mut lines: BTreeMap<Key, BTreeSet<String>> = BTreeMap::new();
        let mut of: Option<Key> = None;
        for line in accepted.lines() {
            match (line.split_once(' '), &of) {
                (Some((arrow @ ("→" | "←" | "⇐" | "⇒"), operation)), _) => {
                    of = arrow.chars().next().map(|arrow| (operation.to_owned(), arrow))
                }
                (_, Some(of)) if line.starts_with(' ') => drop(lines.entry(of.clone()).or_default().insert(line.to_owned())),
                _ => {}
            }
        }
        Self(lines)
    }
}

/// The lines that stand in nearly all bodies of an operation.
pub struct Usual(BTreeMap<Key, UsualBody>);

impl Usual {
    /// The transcript of a case without the lines that are usual.
    pub fn left_out_of(&self, case: &str) -> String {
        // The parameters of an action are few.
        let is_action = |block: &str| block.lines().any(|line| line.starts_with('•'));
        let shown = |block| if is_action(block) { block.to_owned() } else { self.left_out_of_block(block) };
        case.split("\n\n").map(shown).collect::<Vec<_>>().join("\n\n")
    }

    fn left_out_of_block(&self, block: &str) -> String {
        let bodies = bodies(block);
        let mut shown: Vec<String> = Vec::new();
        let mut bodies = bodies.iter();
        for line in block.lines().filter(|line| !line.starts_with("    ")) {
            shown.push(line.to_owned());
            if !line.starts_with(['→', '←', '⇐', '⇒']) {
                continue;
            }
            if let Some((key, body)) = bodies.next() {
                let usual = self.0.get(key).and_then(|usual| usual.left_out_of(body));
                shown.extend(usual.unwrap_or_else(|| body.iter().map(|&line| line.to_owned()).collect()));
            }
        }
        shown.join("\n")
    }
}

impl fmt::Display for Usual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "What nearly all bodies have, and the transcripts beside this file leave out.")?;
        for ((operation, arrow), usual) in &self.0 {
            writeln!(f, "\n{arrow} {operation}\n{}", usual.lines.join("\n"))?;
        }
        Ok(())
    }
}

struct UsualBody {
    /// In the order of the body that has most of them.
    lines: Vec<String>,
    /// Fields that come and go together.
    together: Vec<Vec<String>>,
}

impl UsualBody {
    /// What most bodies have; a missing body is none.
    fn common_to(bodies: &[&[String]], so_far: Option<&BTreeSet<String>>) -> Self {
        let bodies: Vec<_> = bodies.iter().filter(|body| !body.is_empty()).collect();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for line in bodies.iter().flat_map(|body| body.iter()) {
            *times.entry(line).or_default() += 1;
        }
        let least = |line: &String| if so_far.is_some_and(|usual| usual.contains(line)) { STAYS_USUAL } else { BECOMES_USUAL };
        let usual = |line: &&String| times.get(line.as_str()).is_some_and(|times| times * 100 >= bodies.len() * least(line));
        let most = bodies.iter().rev().max_by_key(|body| body.iter().filter(usual).count());
        let lines: Vec<String> = most.map(|body| body.iter().filter(usual).cloned().collect()).unwrap_or_default();
        let mut together: Vec<(Vec<bool>, Vec<String>)> = Vec::new();
        for field in lines.iter().map(|line| field(line)) {
            let present: Vec<bool> = bodies.iter().map(|body| body.iter().any(|line| self::field(line) == field)).collect();
            match together.iter_mut().find(|(group, _)| *group == present) {
                Some((_, fields)) => fields.push(field.to_owned()),
                None => together.push((present, vec![field.to_owned()])),
            }
        }
        Self { lines, together: together.into_iter().map(|(_, fields)| fields).collect() }
    }

    /// What is left of a body; nothing if the body is another one altogether, and best read whole.
    fn left_out_of(&self, body: &[&str]) -> Option<Vec<String>> {
        let shared: Vec<&str> = body.iter().copied().filter(|line| self.lines.iter().any(|usual| usual == line)).collect();
        let in_order: Vec<&str> = self.lines.iter().map(String::as_str).filter(|usual| shared.contains(usual)).collect();
        if shared.len() * 2 < self.lines.len() || shared != in_order {
            return None;
        }
        let mut left: Vec<String> =
            body.iter().filter(|line| !shared.contains(line) || is_interesting(line)).map(|&line| line.to_owned()).collect();
        let missing: Vec<String> = self.missing(body).collect();
        if !missing.is_empty() {
            left.push(format!("    (without {})", missing.join(", ")));
        }
        left.push("    (else as usual)".to_owned());
        Some(left)
    }

    /// Usual fields that a body does not have; of those that come and go together, the first.
    fn missing(&self, body: &[&str]) -> impl Iterator<Item = String> {
        let absent = |name: &str| !body.iter().any(|line| field(line) == name);
        let groups = self.together.iter().filter(move |fields| fields.first().is_some_and(|first| absent(first)));
        groups.map(|fields| fields.first().cloned().unwrap_or_default() + if fields.len() > 1 { " …" } else { "" })
    }
}

/// Does an identifier make this line worth being seen, however usual?
fn is_interesting(line: &str) -> bool {
    LABEL.captures_iter(line).any(|label| !matches!(&label[1], "vs" | "date"))
}

/// The name in a line `    name: value`.
fn field(line: &str) -> &str {
    line.trim_start().split_once(": ").map_or(line, |(name, _)| name)
}

/// The bodies of an exchange, in the order of their arrows, without the arrows' own lines.
fn bodies(block: &str) -> Vec<(Key, Vec<&str>)> {
    let mut operation = "";
    let mut bodies: Vec<(Key, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match (line.chars().next(), bodies.last_mut()) {
            (Some(arrow @ ('→' | '⇐')), _) => {
                operation =
                    line.rsplit_once('(').map_or("", |(_, about)| about.trim_end_matches(')').split(',').next().unwrap_or_default());
                bodies.push(((operation.to_owned(), arrow), Vec::new()));
            }
            (Some(arrow @ ('←' | '⇒')), _) => bodies.push(((operation.to_owned(), arrow), Vec::new())),
            (Some(' '), Some((_, body))) => body.push(line),
            (Some(_) | None, _) => {}
        }
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scenarios that ask for one status each.
    fn asked<const N: usize>(statuses: [&str; N]) -> Vec<(String, String)> {
        let case = |(index, status): (usize, &&str)| {
            (format!("scenario-{index}"), format!("== title ==\n→ GET /status (a.status, as main)\n← 200\n{status}"))
        };
        statuses.iter().enumerate().map(case).collect()
    }

    fn shown(scenarios: &[(String, String)]) -> (String, Vec<String>) {
        shown_after("", scenarios)
    }

    /// What is shown where this was usual before.
    fn shown_after(accepted: &str, scenarios: &[(String, String)]) -> (String, Vec<String>) {
        let mut bodies = Bodies::default();
        scenarios.iter().for_each(|(scenario, case)| bodies.add(scenario, case));
        let usual = bodies.usual(&SoFar::read(accepted));
        (usual.to_string(), scenarios.iter().map(|(_, case)| usual.left_out_of(case)).collect())
    }

    const PAID: &str = "    status: \"PAID\"\n    price: 100\n    order: 7\n    fee: 1\n    rate: 2\n    id: [transId-1]";
    const PENDING: &str = "    status: \"PENDING\"\n    price: 100\n    id: [transId-2]";

    #[test]
    fn what_differs_is_shown_and_what_is_missing_named() {
        let (usual, cases) =
            shown(&asked([PAID, PAID, PAID, "    status: \"PENDING\"\n    price: 100\n    order: 7\n    id: [transId-1]"]));
        assert!(usual.ends_with(&format!("\n← a.status\n{PAID}\n")), "{usual}");
        assert_eq!(cases[0], "== title ==\n→ GET /status (a.status, as main)\n← 200\n    id: [transId-1]\n    (else as usual)");
        let pending = "    status: \"PENDING\"\n    id: [transId-1]\n    (without fee …)\n    (else as usual)";
        assert!(cases[3].ends_with(&format!("← 200\n{pending}")), "{}", cases[3]);
    }

    #[test]
    fn an_action_is_shown_whole() {
        let case =
            |index: usize| (format!("scenario-{index}"), "== title ==\n• payer.pays\n    transId: [transId-1]\n    late: 1".to_owned());
        let (_, cases) = shown(&[case(0), case(1), case(2)]);
        assert_eq!(cases[0], case(0).1);
    }

    #[test]
    fn another_body_altogether_is_shown_whole() {
        let (_, cases) = shown(&asked([PAID, PAID, PAID, PENDING]));
        assert!(cases[3].ends_with(PENDING), "{}", cases[3]);
    }

    #[test]
    fn fields_in_another_order_are_shown() {
        let turned = PAID.lines().rev().collect::<Vec<_>>().join("\n");
        let (_, cases) = shown(&asked([PAID, PAID, PAID, &turned]));
        assert!(cases[3].ends_with(&turned), "{}", cases[3]);
    }

    #[test]
    fn a_new_field_of_an_operation_changes_no_scenario() {
        let more = PAID.replace("    fee", "    more: true\n    fee");
        let before = shown(&asked([PAID; 4]));
        let after = shown(&asked([&more; 4]));
        assert_ne!(before.0, after.0);
        assert_eq!(before.1, after.1);
    }

    #[test]
    fn what_is_usual_stays_so_longer_than_it_takes_to_become_usual() {
        let three_of_five = asked([PAID, PAID, PAID, "    other: 1", "    other: 2"]);
        let (at_first, _) = shown(&three_of_five);
        assert!(!at_first.contains("PAID"), "{at_first}");
        let (before, cases) = shown(&asked([PAID; 5]));
        assert!(before.contains("PAID"));
        let (after, later) = shown_after(&before, &three_of_five);
        assert_eq!((&after, &later[..3]), (&before, &cases[..3]));
        let (half, _) = shown_after(&before, &asked([PAID, PAID, "    other: 1", "    other: 2"]));
        assert!(!half.contains("PAID"), "{half}");
    }
}
