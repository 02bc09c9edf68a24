//! What a user can do about a run against a target that proves less than was asked for.

use std::path::Path;

use crate::base::exit::Exit;
use crate::base::shell_words::word;
use crate::engine::known_filter::RunScope;
use crate::engine::outcome::{Missing, Outcome};

/// The name of the file that `coverage --write` is advised to write, beside the target file.
const REACH: &str = "reach.yaml";

/// One line about an inconclusive run that only what the target lacks has made so. A `reach` counts in a run of everything alone.
pub(super) fn on(outcome: &Outcome, target: &Path, scope: RunScope) -> Option<String> {
    if outcome.exit() != Exit::Inconclusive {
        return None;
    }
    let all = |is_so: fn(&Missing) -> bool| outcome.missing.iter().all(is_so);
    let by_reach = (scope == RunScope::Whole && all(Missing::may_be_out_of_reach)).then(|| reach(target));
    let by_option = all(Missing::may_be_tolerated).then(|| "`--allow-skipped` accepts what is missing here".to_owned());
    let advice: Vec<String> = by_reach.into_iter().chain(by_option).collect();
    (!advice.is_empty()).then(|| format!("what to do: {}", advice.join("; or ")))
}

fn reach(target: &Path) -> String {
    let [named, file] = [target, &target.with_file_name(REACH)].map(|path| word(&path.display().to_string()));
    format!(
        "`paycheck coverage --target {named} --write {file}` writes down what this target lets a run judge, and with `reach: {REACH}` in \
         {} only that counts",
        target.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::skip::SkipReason;
    use crate::engine::outcome::{Heading, Verb};

    fn advice(missing: Vec<Missing>, scope: RunScope) -> Option<String> {
        let outcome = Outcome { missing, ..Outcome::new(Heading::new(Verb::Verify, "a shop")) };
        on(&outcome, Path::new("shops/a.yaml"), scope)
    }

    fn skipped() -> Missing {
        Missing::Skipped { cases: 2, clauses: 1, reason: SkipReason::NoInbox }
    }

    const BY_REACH: &str = "`paycheck coverage --target shops/a.yaml --write shops/reach.yaml` writes down what this target lets a run \
                            judge, and with `reach: reach.yaml` in shops/a.yaml only that counts";
    const BY_OPTION: &str = "`--allow-skipped` accepts what is missing here";

    #[test]
    fn what_a_target_lacks_may_be_written_down_or_accepted() {
        let whole = advice(vec![skipped()], RunScope::Whole).unwrap();
        assert_eq!(whole, format!("what to do: {BY_REACH}; or {BY_OPTION}"));
        let untouched = Missing::Untouched { clauses: vec!["a".to_owned()] };
        assert_eq!(advice(vec![skipped(), untouched], RunScope::Whole).unwrap(), format!("what to do: {BY_REACH}"));
        assert_eq!(advice(vec![skipped()], RunScope::Part).unwrap(), format!("what to do: {BY_OPTION}"));
    }

    #[test]
    fn a_shell_reads_the_command_as_it_is_meant() {
        let outcome = Outcome { missing: vec![skipped()], ..Outcome::new(Heading::new(Verb::Verify, "a shop")) };
        let advice = on(&outcome, Path::new("our shops/a.yaml"), RunScope::Whole).unwrap();
        assert!(advice.contains("`paycheck coverage --target 'our shops/a.yaml' --write 'our shops/reach.yaml'` writes"), "{advice}");
        assert!(advice.contains("in our shops/a.yaml only"), "{advice}");
    }

    #[test]
    fn where_neither_helps_neither_is_advised() {
        let not_judged = || Missing::NotJudged { cases: 1, clauses: 0, reason: "no connection".into() };
        assert_eq!(advice(vec![skipped(), not_judged()], RunScope::Whole), None);
        assert_eq!(advice(Vec::new(), RunScope::Whole), None, "it passed");
    }
}
