//! What holds for every payment, whatever is done to it in whatever order.

use jiff::SignedDuration;
use proptest::prelude::*;

use super::examples::{creation, noon, payment_of};
use super::payer::Payer;
use super::refund::total;
use super::{Cancellation, Capture, Creation, Effect, Payment, Reason, Refund, Release, State};

#[derive(Debug, Clone)]
enum Deed {
    Pay,
    Fail,
    Cancel,
    Capture { amount: i64 },
    Release,
    Refund { amount: i64, test: bool },
    Wait { hours: i64 },
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        Just(Deed::Pay),
        Just(Deed::Fail),
        Just(Deed::Cancel),
        (-10..12_000_i64).prop_map(|amount| Deed::Capture { amount }),
        Just(Deed::Release),
        (-10..12_000_i64, any::<bool>()).prop_map(|(amount, test)| Deed::Refund { amount, test }),
        (0..30_i64).prop_map(|hours| Deed::Wait { hours }),
    ]
}

fn does(payment: &mut Payment, deed: &Deed) -> &'static [Effect] {
    match deed {
        Deed::Pay => payment.pay(Payer::default(), noon()).unwrap_or_default(),
        Deed::Fail => payment.fail(Reason::NoFunds).unwrap_or_default(),
        Deed::Cancel => Cancellation.apply(payment).unwrap_or_default(),
        Deed::Capture { amount } => Capture { amount: Some(*amount) }.apply(payment).unwrap_or_default(),
        Deed::Release => Release.apply(payment).unwrap_or_default(),
        Deed::Refund { amount, test } => {
            Refund { amount: Some(*amount), test: *test, ref_id: None }.apply(payment, noon()).unwrap_or_default()
        }
        Deed::Wait { hours } => payment.expire(noon() + SignedDuration::from_hours(*hours)),
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
    fn refunds_never_exceed_the_price_and_final_states_stay(preauth: bool, test: bool, deeds in prop::collection::vec(deed(), 0..30)) {
        let mut payment = payment_of(&Creation { preauth, test, ..creation() });
        for deed in deeds {
            let before = payment.state.word();
            let effects = does(&mut payment, &deed);
            let after = payment.state.word();
            prop_assert!(refunded(&payment) <= payment.order.price);
            let open = before == "PENDING" || before == "AUTHORIZED";
            prop_assert!(before == after || open, "{} became {}", before, after);
            prop_assert!(before == after || after != "PENDING");
            prop_assert!(!preauth || before != "PENDING" || after != "PAID", "a pre-authorized payment is authorized first");
            prop_assert_eq!(effects.contains(&Effect::Notify), before != after, "every change of state is notified, nothing else is");
        }
    }
}
