//! What holds for every payment after any actions in any order.

use proptest::prelude::*;

use super::examples::{creation, payment_of, seconds};
use super::method_change::MethodChange;
use super::refund::given_back;
use super::{Cancellation, Extension, QrPayment, RefundRequest, Rejection};
use crate::common::TransId;
use crate::common::examples::noon;

#[derive(Debug, Clone)]
enum Action {
    Pay,
    Reject,
    Cancel,
    Change { method: &'static str },
    Extend,
    RefundRequest { amount: i64 },
    Wait { seconds: i64 },
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Pay),
        Just(Action::Reject),
        Just(Action::Cancel),
        prop::sample::select(vec!["BANK_CZ_T_OTHER", "BANK_CZ_T_PB", "BANK_EUR_T_OTHER", "NOPE"])
            .prop_map(|method| Action::Change { method }),
        Just(Action::Extend),
        (-1..12_000_i64).prop_map(|amount| Action::RefundRequest { amount }),
        prop_oneof![0..12_i64, 0..1000_i64, 0..700_000_i64].prop_map(|seconds| Action::Wait { seconds }),
    ]
}

fn apply(payment: &mut QrPayment, action: &Action, later: &mut i64) -> bool {
    let now = noon() + seconds(*later);
    let done = match action {
        Action::Pay => payment.pay(),
        Action::Reject => payment.reject(Rejection::BY_PAYER),
        Action::Cancel => Cancellation.apply(payment),
        Action::Change { method } => MethodChange { method: Some(method) }.apply(payment, seconds(900), now),
        Action::Extend => Extension { note: None }.apply(payment, now),
        Action::RefundRequest { amount } => {
            RefundRequest { amount: Some(*amount), created: Some("2026-01-15"), ref_id: None }.apply(payment, TransId::from_random(1), now)
        }
        Action::Wait { seconds: more } => {
            *later += more;
            payment.update(noon() + seconds(*later));
            Ok(())
        }
    };
    done.is_ok()
}

proptest! {
    #[test]
    fn refunds_never_exceed_the_amount_expiry_never_shortens_and_final_states_stay(
        test: bool,
        actions in prop::collection::vec(action(), 0..40),
    ) {
        let mut payment = payment_of(&creation(), test);
        let mut later = 0;
        for action in actions {
            let before = payment.clone();
            let done = apply(&mut payment, &action, &mut later);
            prop_assert!(given_back(payment.refunds()) <= payment.order.amount);
            prop_assert!(payment.expires >= before.expires);
            prop_assert!(payment.state.as_str() == before.state.as_str() || before.state.as_str() == "PENDING");
            prop_assert!(done || payment == before, "what is refused writes nothing");
            prop_assert_eq!(payment.payment_data().is_none(), payment.state.as_str() == "CANCELLED");
            prop_assert_eq!(payment.rejected_reason().is_some(), payment.state.as_str() == "CANCELLED");
        }
    }

    #[test]
    fn looking_often_or_once_shows_the_same(test: bool, looks in prop::collection::vec(0..2000_i64, 0..10)) {
        let (mut often, mut once) = (payment_of(&creation(), test), payment_of(&creation(), test));
        let mut looks = looks;
        looks.sort_unstable();
        for later in &looks {
            often.update(noon() + seconds(*later));
        }
        once.update(noon() + seconds(looks.last().copied().unwrap_or_default()));
        prop_assert_eq!(often, once);
    }

    #[test]
    fn nothing_changes_before_the_next_change(test: bool) {
        let mut payment = payment_of(&creation(), test);
        let at = payment.next_change().unwrap();
        payment.update(at - seconds(1));
        prop_assert_eq!(&payment, &payment_of(&creation(), test));
        payment.update(at);
        prop_assert_ne!(&payment, &payment_of(&creation(), test));
    }
}
