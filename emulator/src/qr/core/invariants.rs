//! What holds for every payment, whatever is done to it in whatever order.

use proptest::prelude::*;

use super::examples::{creation, noon, payment_of, seconds};
use super::refund::given_back;
use super::{Cancellation, Extension, MethodChange, QrPayment, Refund, Rejection};
use crate::gateway::core::TransId;

#[derive(Debug, Clone)]
enum Deed {
    Pay,
    Reject,
    Cancel,
    Change { method: &'static str },
    Extend,
    Refund { amount: i64 },
    Wait { seconds: i64 },
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        Just(Deed::Pay),
        Just(Deed::Reject),
        Just(Deed::Cancel),
        prop::sample::select(vec!["BANK_CZ_T_OTHER", "BANK_CZ_T_PB", "BANK_EUR_T_OTHER", "NOPE"])
            .prop_map(|method| Deed::Change { method }),
        Just(Deed::Extend),
        (-1..12_000_i64).prop_map(|amount| Deed::Refund { amount }),
        prop_oneof![0..12_i64, 0..1000_i64, 0..700_000_i64].prop_map(|seconds| Deed::Wait { seconds }),
    ]
}

fn does(payment: &mut QrPayment, deed: &Deed, later: &mut i64) -> bool {
    let now = noon() + seconds(*later);
    let done = match deed {
        Deed::Pay => payment.pay(),
        Deed::Reject => payment.reject(Rejection::BY_PAYER),
        Deed::Cancel => Cancellation.apply(payment),
        Deed::Change { method } => MethodChange { method: Some(method) }.apply(payment, seconds(900), now),
        Deed::Extend => Extension { note: None }.apply(payment, now),
        Deed::Refund { amount } => {
            Refund { amount: Some(*amount), created: Some("2026-01-15"), ref_id: None }.apply(payment, TransId::from_random(1), now)
        }
        Deed::Wait { seconds: more } => {
            *later += more;
            payment.pass(noon() + seconds(*later));
            Ok(())
        }
    };
    done.is_ok()
}

proptest! {
    #[test]
    fn refunds_never_exceed_the_amount_expiry_never_shortens_and_final_states_stay(
        test: bool,
        deeds in prop::collection::vec(deed(), 0..40),
    ) {
        let mut payment = payment_of(&creation(), test);
        let mut later = 0;
        for deed in deeds {
            let before = payment.clone();
            let done = does(&mut payment, &deed, &mut later);
            prop_assert!(given_back(payment.refunds()) <= payment.order.amount);
            prop_assert!(payment.expires >= before.expires);
            prop_assert!(payment.state.word() == before.state.word() || before.state.word() == "PENDING");
            prop_assert!(done || payment == before, "what is refused writes nothing");
            prop_assert_eq!(payment.payment_data().is_none(), payment.state.word() == "CANCELLED");
            prop_assert_eq!(payment.rejected_reason().is_some(), payment.state.word() == "CANCELLED");
        }
    }

    #[test]
    fn looking_often_or_once_shows_the_same(test: bool, looks in prop::collection::vec(0..2000_i64, 0..10)) {
        let (mut often, mut once) = (payment_of(&creation(), test), payment_of(&creation(), test));
        let mut looks = looks;
        looks.sort_unstable();
        for later in &looks {
            often.pass(noon() + seconds(*later));
        }
        once.pass(noon() + seconds(looks.last().copied().unwrap_or_default()));
        prop_assert_eq!(often, once);
    }

    #[test]
    fn nothing_changes_before_the_next_change(test: bool) {
        let mut payment = payment_of(&creation(), test);
        let at = payment.next_change().unwrap();
        payment.pass(at - seconds(1));
        prop_assert_eq!(&payment, &payment_of(&creation(), test));
        payment.pass(at);
        prop_assert_ne!(&payment, &payment_of(&creation(), test));
    }
}
