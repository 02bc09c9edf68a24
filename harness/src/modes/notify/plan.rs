//! The cases of every notification, in a fixed order.

use crate::engine::event::CaseName;
use crate::spec::contract::{Contracts, MerchantRules, Operation};

use super::delivery_oracle::DeliveryRule;
use super::malformation::{self, Malformation};
use crate::engine::push::route::{Chain, Route, chain, routes};
use crate::engine::push::rules::rules;

/// A case: what is sent to the merchant, and about which payment.
#[derive(Clone, Debug)]
pub(super) struct PushCase {
    /// Its name, unique in the plan.
    pub(super) name: CaseName,
    /// The format of the notification.
    pub(super) notification: String,
    /// What is sent.
    pub(super) kind: CaseKind,
}

/// What a case sends.
#[derive(Clone, Debug)]
pub(super) enum CaseKind {
    /// One documented notification about a payment in this state.
    Valid(Route),
    /// The same notification several times at once.
    ConcurrentDuplicates(Route),
    /// The same notification again, after one about another payment.
    LaterDuplicates(Route),
    /// Two states of one payment, as they follow each other.
    InOrder(Chain),
    /// Two states of one payment, the later one first.
    Reordered(Chain),
    /// The notification, at a time when the merchant can know the result from the status call.
    Late(Route),
    /// The notification, while the calls fail by which the merchant could learn the state.
    Failing(Route),
    /// A notification that the gateway did not send.
    Forged(Forgery),
    /// A notification that the gateway did not send, about a payment that reaches this state afterwards and is notified then.
    ForgedTooEarly(Route),
    /// A notification that breaks the contract.
    Malformed(Malformation),
    /// The same about a payment that is not paid, reported as if it were.
    MalformedForgery(Malformation),
    /// The notification with a slow body.
    Slow(Route),
    /// Many notifications at once.
    Burst(Route),
    /// Nothing: judges the goods that were handed over until the end.
    Deliveries(DeliveryRule),
}

/// What is false in a forged notification. None of the payments is a paid one of the merchant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forgery {
    /// The secret is not the merchant's.
    WrongSecret,
    /// The gateway does not know the payment.
    Unknown,
    /// The gateway reports another state.
    Contradicted,
    /// No document has such a state.
    UnknownState,
    /// The payment is paid, but another merchant's, whose credentials it carries.
    Foreign,
}

impl Forgery {
    const ALL: [(Self, &'static str); 5] = [
        (Self::WrongSecret, "a wrong secret"),
        (Self::Unknown, "a payment that the gateway does not know"),
        (Self::Contradicted, "a state that the gateway contradicts"),
        (Self::UnknownState, "a state that no document has"),
        (Self::Foreign, "a paid payment of another merchant"),
    ];
}

/// Every case, format by format; then those that judge the goods.
pub(super) fn plan(contracts: &Contracts) -> Vec<PushCase> {
    let formats = || contracts.notifications.values().filter(|notification| rules(notification).is_some());
    let pushes = formats().flat_map(|notification| pushes(contracts, notification));
    let goods = formats().flat_map(|notification| {
        DeliveryRule::ALL
            .into_iter()
            .map(|rule| case(notification, format!("goods: {rule}"), CaseKind::Deliveries(rule)))
            .collect::<Vec<_>>()
    });
    pushes.chain(goods).collect()
}

fn pushes(contracts: &Contracts, notification: &Operation) -> Vec<PushCase> {
    let routes = routes(contracts, notification);
    let is_due = |route: &&Route| rules(notification).is_some_and(|rules| rules.due.contains(&route.state));
    let mut cases: Vec<PushCase> =
        routes.iter().map(|route| case(notification, format!("valid: {}", route.state), CaseKind::Valid(route.clone()))).collect();
    let Some(paid) = routes.iter().find(is_due) else { return cases };
    let mut add = |name: String, kind: CaseKind| cases.push(case(notification, name, kind));
    add("duplicate: at once".to_owned(), CaseKind::ConcurrentDuplicates(paid.clone()));
    add("duplicate: later".to_owned(), CaseKind::LaterDuplicates(paid.clone()));
    if let Some(chain) = chain(contracts, notification) {
        add(format!("in order: {}, then what followed it", chain.first.state), CaseKind::InOrder(chain.clone()));
        add(format!("reordered: {} after what followed it", chain.first.state), CaseKind::Reordered(chain));
    }
    add("late: the status call has told the result".to_owned(), CaseKind::Late(paid.clone()));
    if rules(notification).is_some_and(|rules| !rules.failing.is_empty()) {
        add("failing: the status call ends in an error".to_owned(), CaseKind::Failing(paid.clone()));
    }
    for (forgery, words) in Forgery::ALL {
        add(format!("forged: {words}"), CaseKind::Forged(forgery));
    }
    add(format!("forged: {} before it is true", paid.state), CaseKind::ForgedTooEarly(paid.clone()));
    for malformation in malformation::malformations(notification) {
        add(format!("malformed: {malformation}"), CaseKind::Malformed(malformation));
    }
    for malformation in malformation::of_the_state(notification) {
        add(format!("malformed: {malformation}, not paid"), CaseKind::MalformedForgery(malformation));
    }
    add("slow: the body comes in pieces".to_owned(), CaseKind::Slow(paid.clone()));
    add("many at once".to_owned(), CaseKind::Burst(paid.clone()));
    cases
}

fn case(notification: &Operation, case: String, kind: CaseKind) -> PushCase {
    let name = CaseName { api: notification.api.clone(), scenario: notification.id.clone(), case };
    PushCase { name, notification: notification.id.clone(), kind }
}

impl PushCase {
    /// The clauses that the case can prove.
    pub(super) fn clauses(&self, rules: &MerchantRules) -> Vec<String> {
        match &self.kind {
            CaseKind::Valid(_) => vec![rules.acknowledged.clone(), rules.implemented.clone()],
            CaseKind::Deliveries(rule) => vec![rule.clause(rules).to_owned()],
            CaseKind::ConcurrentDuplicates(_)
            | CaseKind::LaterDuplicates(_)
            | CaseKind::InOrder(_)
            | CaseKind::Reordered(_)
            | CaseKind::Late(_)
            | CaseKind::Failing(_)
            | CaseKind::Forged(_)
            | CaseKind::ForgedTooEarly(_)
            | CaseKind::Malformed(_)
            | CaseKind::MalformedForgery(_)
            | CaseKind::Slow(_)
            | CaseKind::Burst(_) => vec![rules.acknowledged.clone()],
        }
    }
}

/// The clauses that bind a merchant.
pub(super) fn merchant_clauses(contracts: &Contracts) -> std::collections::BTreeSet<String> {
    let rules = contracts.notifications.values().filter_map(rules);
    let clauses = |r: &MerchantRules| [&r.acknowledged, &r.implemented, &r.once, &r.paid_only, &r.not_trusted].map(Clone::clone);
    rules.flat_map(clauses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_plan_has_every_kind_of_case_in_both_formats_and_no_name_twice() {
        let contracts = Contracts::shipped();
        let plan = plan(&contracts);
        let names: BTreeSet<_> = plan.iter().map(|case| case.name.clone()).collect();
        assert_eq!(names.len(), plan.len());
        for notification in contracts.notifications.keys() {
            let kinds =
                ["valid: ", "duplicate: ", "in order: ", "late: ", "failing: ", "forged: ", "malformed: ", "slow: ", "many", "goods: "];
            for kind in kinds {
                assert!(names.iter().any(|n| n.scenario == *notification && n.case.starts_with(kind)), "{notification} {kind}");
            }
        }
    }

    /// `--filter` takes what the page says.
    #[test]
    fn the_guide_names_the_cases_as_the_run_does() {
        let page = include_str!("../../../../docs/notify.md");
        let contracts = Contracts::shipped();
        for case in plan(&contracts).iter().filter(|case| !matches!(case.kind, CaseKind::Valid(_) | CaseKind::Deliveries(_))) {
            let (kind, words) = case.name.case.split_once(": ").unwrap_or((&case.name.case, ""));
            let mut rows = page.lines().filter(|line| line.starts_with(&format!("| {kind}")));
            assert!(rows.any(|row| kind == "malformed" || row.contains(words)), "{}", case.name.case);
        }
    }

    #[test]
    fn this_command_checks_every_clause_that_binds_a_merchant() {
        let contracts = Contracts::shipped();
        let declared = contracts.clauses.values().filter(|c| c.checked_by.as_deref() == Some("notify")).map(|c| c.id.clone());
        assert_eq!(merchant_clauses(&contracts), declared.collect());
    }
}
