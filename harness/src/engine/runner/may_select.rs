//! Which scenarios may hold a selected case, by what their files say. To parse every file is half of what a command does that plays a
//! few cases; to look for words in them is next to nothing.

use super::plan::Selection;

impl Selection {
    /// Whether the scenario with this name, of this API, whose file has this text may hold a selected case. What holds one is never denied.
    ///
    /// The name of a case is made of its API, its scenario and the columns of its row, and its clauses are those that the file names.
    /// Only generated violations have names and clauses that no file says.
    pub fn may_select_from(&self, api: &str, scenario: &str, text: &str) -> bool {
        if text.contains("violations:") {
            return true;
        }
        let is_said = |word: &str| api.contains(word) || scenario.contains(word) || text.contains(word);
        let is_named = self.names.only.is_empty() || self.names.only.iter().any(|part| words(part).all(is_said));
        let is_carried = self.clauses.is_empty() || self.clauses.iter().any(|clause| text.contains(clause.as_str()));
        is_named && is_carried
    }
}

/// What stands between spaces and punctuation: a file may write other punctuation than the name has (`price: 100`, "price 100"), but for
/// hyphens.
fn words(part: &str) -> impl Iterator<Item = &str> {
    part.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name_filter::NameFilter;
    use crate::engine::runner::plan;
    use crate::spec::contract::{Contracts, Files};
    use crate::spec::scenario::shipped;

    fn named(part: &str) -> Selection {
        Selection { names: NameFilter { only: vec![part.to_owned()], except: Vec::new() }, ..Selection::default() }
    }

    /// What selects a case by a part of its name has no words but parts of the words here.
    #[test]
    fn no_case_in_the_binary_is_denied_by_its_name_or_by_a_clause() {
        let files = Files::scenarios();
        for case in plan(&shipped(), &Contracts::shipped(), &Selection::default()) {
            let (api, scenario) = (case.name.api.as_str(), case.name.scenario.as_str());
            let text = &files.get(&format!("{api}/{scenario}.yaml")).unwrap().text;
            assert!(named(&case.name.to_string()).may_select_from(api, scenario, text), "{}", case.name);
            for clause in case.clauses() {
                let about = Selection { clauses: vec![clause.clone()], ..Selection::default() };
                assert!(about.may_select_from(api, scenario, text), "{}: {clause}", case.name);
            }
        }
    }

    #[test]
    fn what_can_hold_no_selected_case_is_denied() {
        let text = "clauses: [qr.create.price]\ncases:\n  - { price: 100, curr: CZK }\nsteps: []";
        let may = |selection: &Selection| selection.may_select_from("qr", "a-price", text);
        for part in ["", "qr / a-pr", "price 100, cu", "rice / price 10", "/"] {
            assert!(may(&named(part)), "{part}");
        }
        for part in ["gateway", "a-prices", "price 1000", "price 100, curr EUR"] {
            assert!(!may(&named(part)), "{part}");
        }
        let about = |clause: &str| Selection { clauses: vec![clause.to_owned()], ..Selection::default() };
        assert!(may(&about("qr.create.price")) && !may(&about("qr.create.curr")));
        assert!(!may(&Selection { clauses: vec!["qr.create.price".to_owned()], ..named("gateway") }));
        assert!(named("gateway").may_select_from("qr", "refusals", "steps: [{ violations: qr.create }]"));
    }
}
