//! What holds for every payment after any actions in any order.

use jiff::SignedDuration;
use proptest::prelude::*;

use super::examples::{creation, payment_of};
use super::payer::Payer;
use super::refunded::total;
use super::{Cancellation, Capture, Creation, Effect, Payment, Reason, Refund, Release, State};
use crate::common::examples::noon;

#[derive(Debug, Clone)]
enum Action {
    Pay,
    Fail,
    Cancel,
    Capture { amount: i64 },
    Release,
    Refund { amount: i64, test: bool },
    Wait { hours: i64 },
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Pay),
        Just(Action::Fail),
        Just(Action::Cancel),
        (-10..12_000_i64).prop_map(|amount| Action::Capture { amount }),
        Just(Action::Release),
        (-10..12_000_i64, any::<bool>()).prop_map(|(amount, test)| Action::Refund { amount, test }),
        (0..30_i64).prop_map(|hours| Action::Wait { hours }),
    ]
}

fn apply(payment: &mut Payment, action: &Action) -> &'static [Effect] {
    match action {
        Action::Pay => payment.pay(Payer::default(), noon()).unwrap_or_default(),
        Action::Fail => payment.fail(Reason::NoFunds).unwrap_or_default(),
        Action::Cancel => Cancellation.apply(payment).unwrap_or_default(),
        Action::Capture { amount } => Capture { amount: Some(*amount) }.apply(payment).unwrap_or_default(),
        Action::Release => Release.apply(payment).unwrap_or_default(),
        Action::Refund { amount, test } => {
            Refund { amount: Some(*amount), test: Some(*test), ..Refund::default() }.apply(payment, noon()).unwrap_or_default()
        }
        Action::Wait { hours } => payment.expire(noon() + SignedDuration::from_hours(*hours)),
    }
}

fn refunded(payment: &Payment) -> i64 {
    match &payment.state {
        State::Paid { refunds, taken, .. } => total(refunds) + payment.order.price - taken,
        State::Pending | State::Authorized { .. } | State::Cancelled { .. } => 0,
    }
}

proptest! {
    #[test]
    fn refunds_never_exceed_the_price_and_final_states_stay(preauth: bool, test: bool, actions in prop::collection::vec(action(), 0..30)) {
        let mut payment = payment_of(&Creation { preauth, test, ..creation() });
        for action in actions {
            let before = payment.state.as_str();
            let effects = apply(&mut payment, &action);
            let after = payment.state.as_str();
            prop_assert!(refunded(&payment) <= payment.order.price);
            let open = before == "PENDING" || before == "AUTHORIZED";
            prop_assert!(before == after || open, "{} became {}", before, after);
            prop_assert!(before == after || after != "PENDING");
            prop_assert!(!preauth || before != "PENDING" || after != "PAID", "a pre-authorized payment is authorized first");
            prop_assert_eq!(effects.contains(&Effect::Notify), before != after, "every change of state is notified, nothing else is");
        }
    }
}
