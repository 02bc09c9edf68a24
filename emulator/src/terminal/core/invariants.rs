//! What holds for a terminal after any actions in any order.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::batch::Sum;
use super::*;
use crate::common::{Identifiers, TerminalStatus, TransId, TransactionId};

#[derive(Debug, Clone)]
enum Action {
    Pay { price: i64, currency: Currency },
    Refund { price: i64, currency: Currency },
    Complete(usize),
    Fail(usize),
    Cancel(usize),
    Return { which: usize, amount: i64 },
    Close,
    Wait { minutes: i64 },
}

fn action() -> impl Strategy<Value = Action> {
    let currency = || prop_oneof![Just(Currency::Czk), Just(Currency::Eur)];
    let which = || 0..12_usize;
    prop_oneof![
        (100..5_000_i64, currency()).prop_map(|(price, currency)| Action::Pay { price, currency }),
        (100..5_000_i64, currency()).prop_map(|(price, currency)| Action::Refund { price, currency }),
        which().prop_map(Action::Complete),
        which().prop_map(Action::Complete),
        which().prop_map(Action::Fail),
        which().prop_map(Action::Cancel),
        (which(), 1..6_000_i64).prop_map(|(which, amount)| Action::Return { which, amount }),
        Just(Action::Close),
        (0..900_i64).prop_map(|minutes| Action::Wait { minutes }),
    ]
}

/// A terminal, and beside it a plain account of what happened there.
struct Play {
    terminal: Terminal,
    ids: Vec<TransactionId>,
    now: Timestamp,
    came: Vec<(Currency, i64)>,
    went: Vec<(Currency, i64)>,
    closings: u32,
}

impl Play {
    fn new() -> Self {
        let now = "2026-03-28T12:00:00Z".parse().unwrap();
        Self { terminal: Terminal::new(None), ids: vec![], now, came: vec![], went: vec![], closings: 0 }
    }

    fn next_ids(&self) -> Identifiers {
        let sequence = self.ids.len() as u64;
        Identifiers { id: TransId::from_random(sequence), variable_symbol: 7, sequence }
    }

    fn money(&mut self, id: TransactionId) -> (Currency, i64) {
        match id {
            TransactionId::Payment(id) => {
                let order = &self.terminal.payment(id, self.now).unwrap().order;
                (order.currency, order.price)
            }
            TransactionId::Refund(id) => {
                let order = &self.terminal.refund(id, self.now).unwrap().order;
                (order.currency, order.price)
            }
        }
    }

    fn perform(&mut self, action: &Action) {
        let id = |which: usize| self.ids.get(which).copied();
        match *action {
            Action::Pay { price, currency } => {
                let order = PaymentOrder { price, tip: None, currency, ref_id: "".into() };
                let id = self.terminal.create_payment(&order, self.next_ids(), self.now).unwrap();
                self.ids.push(TransactionId::Payment(id));
            }
            Action::Refund { price, currency } => {
                let order = RefundOrder { price, currency, ref_id: "".into() };
                let id = self.terminal.create_refund(&order, self.next_ids(), self.now).unwrap();
                self.ids.push(TransactionId::Refund(id));
            }
            Action::Complete(which) => id(which).into_iter().for_each(|id| self.complete(id)),
            Action::Fail(which) => {
                let _ = id(which).map(|id| self.terminal.fail(id, None, self.now));
            }
            Action::Cancel(which) => id(which).into_iter().for_each(|id| self.cancel(id)),
            Action::Return { which, amount } => {
                if let Some(TransactionId::Payment(id)) = id(which) {
                    let _ = self.terminal.return_money(id, amount, self.now);
                }
            }
            Action::Close => self.close(),
            Action::Wait { minutes } => self.now += SignedDuration::from_mins(minutes),
        }
    }

    fn complete(&mut self, id: TransactionId) {
        if self.terminal.complete(id, None, self.now).is_ok() {
            let money = self.money(id);
            let side = if matches!(id, TransactionId::Payment(_)) { &mut self.came } else { &mut self.went };
            side.push(money);
        }
    }

    fn cancel(&mut self, id: TransactionId) {
        let done = match id {
            TransactionId::Payment(id) => self.terminal.cancel_payment(id, self.now),
            TransactionId::Refund(id) => self.terminal.cancel_refund(id, self.now),
        };
        if done.is_ok() {
            let money = self.money(id);
            let side = if matches!(id, TransactionId::Payment(_)) { &mut self.went } else { &mut self.came };
            side.push(money);
        }
    }

    fn close(&mut self) {
        self.closings += 1;
        let closing = self.terminal.close(TerminalStatus::Online).unwrap();
        assert_eq!(closing.number, self.closings);
        for currency in Currency::ALL {
            let sum = |side: &[(Currency, i64)]| {
                side.iter()
                    .filter(|(of, _)| of == currency)
                    .fold(Sum::default(), |sum, (_, amount)| Sum { amount: sum.amount + amount, count: sum.count + 1 })
            };
            let happened = (sum(&self.came), sum(&self.went));
            let reported = closing.totals.iter().find(|totals| totals.currency == *currency);
            assert_eq!(
                reported.map(|totals| (totals.credits, totals.debits)),
                Some(happened).filter(|(came, went)| came.count + went.count > 0)
            );
        }
        self.came.clear();
        self.went.clear();
    }
}

proptest! {
    #[test]
    fn closings_add_up_to_what_happened_and_final_states_stay(actions in prop::collection::vec(action(), 0..60)) {
        let mut play = Play::new();
        for action in &actions {
            let before = states(&mut play);
            play.perform(action);
            let after = states(&mut play);
            for (before, after) in before.iter().zip(&after) {
                prop_assert!(before == after || *before == "PENDING", "{} became {}", before, after);
            }
            let pending = after.contains(&"PENDING");
            prop_assert_eq!(play.terminal.status(TerminalStatus::Online, play.now) == TerminalStatus::Busy, pending);
        }
        play.close();
    }

    #[test]
    fn no_more_goes_back_than_was_paid(actions in prop::collection::vec(action(), 0..60)) {
        let mut play = Play::new();
        actions.iter().for_each(|action| play.perform(action));
        for id in play.ids.clone() {
            let TransactionId::Payment(id) = id else { continue };
            let payment = play.terminal.payment(id, play.now).unwrap();
            let Some(charge) = payment.charge() else { continue };
            let returned: i64 = charge.returns.iter().map(|returned| returned.amount).sum();
            prop_assert!(returned <= payment.order.price);
            prop_assert!(!charge.reversed || returned == payment.order.price);
        }
    }
}

fn states(play: &mut Play) -> Vec<&'static str> {
    let now = play.now;
    let terminal = &mut play.terminal;
    let state = |id: &TransactionId| match *id {
        TransactionId::Payment(id) => terminal.payment(id, now).unwrap().state.as_str(),
        TransactionId::Refund(id) => terminal.refund(id, now).unwrap().state.as_str(),
    };
    play.ids.iter().map(state).collect()
}
