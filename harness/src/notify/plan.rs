//! What is done to the merchant: every case of every notification, in a fixed order.

use crate::contract::{Contracts, MerchantRules, Operation};
use crate::event::InstanceName;

use super::goods::Due;
use super::malformation::{self, Malformation};
use super::route::{Chain, Route, chain, routes};

/// One case.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Its name, unique in the plan.
    pub(super) name: InstanceName,
    /// Which notification.
    pub(super) notification: String,
    /// What is done.
    pub(super) probe: Probe,
}

/// What is done to the merchant.
#[derive(Clone, Debug)]
pub(super) enum Probe {
    /// One documented notification of this state.
    Valid(Route),
    /// The same notification several times at the same time.
    AtOnce(Route),
    /// The same notification again, after one of another payment.
    Again(Route),
    /// Two states of one payment, the later one first.
    Reordered(Chain),
    /// The push comes when the merchant may know the result from the status call already.
    Late(Route),
    /// A push that is not the gateway's.
    Forged(Forgery),
    /// A push that the documents don't know.
    Malformed(Malformation),
    /// The body comes slowly.
    Slow(Route),
    /// Many at the same time.
    Burst(Route),
    /// What goods were handed over until the end.
    Goods(Due),
}

/// What is false about a forged push. All are about a payment that is not paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forgery {
    /// The secret is not the merchant's.
    WrongSecret,
    /// The gateway does not know the payment.
    Unknown,
    /// It tells a state that the gateway contradicts.
    Contradicted,
    /// It tells a state that is none.
    NoState,
}

impl Forgery {
    const ALL: [(Self, &'static str); 4] = [
        (Self::WrongSecret, "a wrong secret"),
        (Self::Unknown, "a payment that the gateway does not know"),
        (Self::Contradicted, "a state that the gateway contradicts"),
        (Self::NoState, "a state that is none"),
    ];
}

/// Every case, format by format; then what goods were handed over.
pub(super) fn plan(contracts: &Contracts) -> Vec<Case> {
    let merchants = || contracts.notifications.values().filter(|notification| rules(notification).is_some());
    let pushes = merchants().flat_map(|notification| pushes(contracts, notification));
    let goods = merchants().flat_map(|notification| {
        Due::ALL.into_iter().map(|due| case(notification, format!("goods: {due}"), Probe::Goods(due))).collect::<Vec<_>>()
    });
    pushes.chain(goods).collect()
}

/// What the documents ask of a merchant that receives this.
pub(super) fn rules(notification: &Operation) -> Option<&MerchantRules> {
    notification.notification.as_ref()?.merchant.as_ref()
}

fn pushes(contracts: &Contracts, notification: &Operation) -> Vec<Case> {
    let routes = routes(contracts, notification);
    let is_due = |route: &&Route| rules(notification).is_some_and(|rules| rules.due.contains(&route.state));
    let mut cases: Vec<Case> =
        routes.iter().map(|route| case(notification, format!("valid: {}", route.state), Probe::Valid(route.clone()))).collect();
    let Some(paid) = routes.iter().find(is_due) else { return cases };
    let mut add = |name: String, probe: Probe| cases.push(case(notification, name, probe));
    add("duplicate: at once".to_owned(), Probe::AtOnce(paid.clone()));
    add("duplicate: later".to_owned(), Probe::Again(paid.clone()));
    if let Some(chain) = chain(contracts, notification) {
        add(format!("reordered: {} after what followed it", chain.first.state), Probe::Reordered(chain));
    }
    add("late: the status call has told the result".to_owned(), Probe::Late(paid.clone()));
    for (forgery, words) in Forgery::ALL {
        add(format!("forged: {words}"), Probe::Forged(forgery));
    }
    for malformation in malformation::all(notification) {
        add(format!("malformed: {malformation}"), Probe::Malformed(malformation));
    }
    add("slow: the body comes in pieces".to_owned(), Probe::Slow(paid.clone()));
    add("many at once".to_owned(), Probe::Burst(paid.clone()));
    cases
}

fn case(notification: &Operation, case: String, probe: Probe) -> Case {
    let name = InstanceName { api: notification.api.clone(), scenario: notification.id.clone(), case };
    Case { name, notification: notification.id.clone(), probe }
}

impl Case {
    /// The clauses that the case can prove.
    pub(super) fn clauses(&self, rules: &MerchantRules) -> Vec<String> {
        match &self.probe {
            Probe::Valid(_) => vec![rules.acknowledged.clone(), rules.implemented.clone()],
            Probe::Goods(due) => vec![due.clause(rules).to_owned()],
            Probe::AtOnce(_)
            | Probe::Again(_)
            | Probe::Reordered(_)
            | Probe::Late(_)
            | Probe::Forged(_)
            | Probe::Malformed(_)
            | Probe::Slow(_)
            | Probe::Burst(_) => vec![rules.acknowledged.clone()],
        }
    }
}

/// The clauses that a merchant is held to.
pub(super) fn asked(contracts: &Contracts) -> std::collections::BTreeSet<String> {
    let rules = contracts.notifications.values().filter_map(rules);
    let clauses = |r: &MerchantRules| [&r.acknowledged, &r.implemented, &r.once, &r.paid_only, &r.not_trusted].map(Clone::clone);
    rules.flat_map(clauses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Files;
    use std::collections::BTreeSet;

    #[test]
    fn the_plan_has_every_kind_of_case_in_both_formats_and_no_name_twice() {
        let contracts = Contracts::read(&Files::contracts()).unwrap();
        let plan = plan(&contracts);
        let names: BTreeSet<_> = plan.iter().map(|case| case.name.clone()).collect();
        assert_eq!(names.len(), plan.len());
        for notification in contracts.notifications.keys() {
            for kind in ["valid: ", "duplicate: ", "late: ", "forged: ", "malformed: ", "slow: ", "many", "goods: "] {
                assert!(names.iter().any(|n| n.scenario == *notification && n.case.starts_with(kind)), "{notification} {kind}");
            }
        }
    }

    #[test]
    fn what_a_merchant_is_held_to_is_checked_by_this_command() {
        let contracts = Contracts::read(&Files::contracts()).unwrap();
        let declared = contracts.clauses.values().filter(|c| c.checked_by.as_deref() == Some("notify")).map(|c| c.id.clone());
        assert_eq!(asked(&contracts), declared.collect());
    }
}
