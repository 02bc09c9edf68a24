//! Property tests of the sums that every result must satisfy (the table is in `docs/load-results.md`).

use std::time::Duration;

use proptest::prelude::*;

use super::{ResultPart, merge};
use crate::load::example_results;
use crate::load::ledger::Ledger;
use crate::load::meter::{Iteration, MeasuredCall, Meter, ResultCode, Tick};
use crate::load::profile::NotificationDeadlines;
use crate::load::result::{ErrorKind, LoadResult, LoadVerdict, Shards};

const DEADLINES: NotificationDeadlines = NotificationDeadlines { late: Duration::from_secs(1), lost: Duration::from_secs(10) };

/// What happens to a process that plays a part of a load.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Iterations come due.
    Due(u64),
    /// A free user starts the next one that is due, if one is.
    Start,
    Call(Option<ErrorKind>),
    /// A payment changes, and its notification comes this often.
    Notification {
        comes: u8,
        late: bool,
        acknowledged: bool,
    },
    /// An iteration that is under way ends, if one is.
    End {
        passed: bool,
    },
    Tick,
    WarmUpEnds,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let error = prop_oneof![Just(None), Just(Some(ErrorKind::Transport)), Just(Some(ErrorKind::Contract)), Just(Some(ErrorKind::Business))];
    let event = prop_oneof![
        3 => (0_u64..4).prop_map(Event::Due),
        6 => Just(Event::Start),
        4 => error.prop_map(Event::Call),
        4 => any::<bool>().prop_map(|passed| Event::End { passed }),
        4 => (0_u8..3, any::<bool>(), any::<bool>())
            .prop_map(|(comes, late, acknowledged)| Event::Notification { comes, late, acknowledged }),
        2 => Just(Event::Tick),
        1 => Just(Event::WarmUpEnds),
    ];
    prop::collection::vec(event, 0..60)
}

/// A model of a process that counts everything.
#[derive(Default)]
struct Model {
    at: Duration,
    /// Iterations that were due since the last tick.
    due: u64,
    /// Iterations that are due and have not started.
    waiting: u64,
    under_way: u64,
    calls: u64,
    /// Notifications that were due.
    notifications: u64,
    /// Those that were late or came again.
    untidy: u64,
}

impl Model {
    fn happens(&mut self, event: Event, meter: &Meter, ledger: &Ledger) {
        let time = Duration::from_millis(1);
        match event {
            Event::Due(more) => (self.due, self.waiting) = (self.due + more, self.waiting + more),
            Event::Start if self.waiting > 0 => {
                (self.waiting, self.under_way) = (self.waiting - 1, self.under_way + 1);
                meter.started(None, time);
            }
            Event::End { passed } if self.under_way > 0 => {
                self.under_way -= 1;
                meter.iteration(0, Iteration { service: time, late: time, passed });
            }
            Event::Call(error) => {
                self.calls += 1;
                let status = (error != Some(ErrorKind::Transport)).then_some(200);
                meter.call(0, MeasuredCall { service: time, late: time, error, status, code: ResultCode::None });
            }
            Event::Notification { comes, late, acknowledged } => {
                self.notifications += 1;
                self.untidy += u64::from((late && comes > 0) || (acknowledged && comes > 1));
                let (payment, at) = (format!("payment {}", self.notifications), if late { DEADLINES.late * 2 } else { time });
                ledger.due(&payment, "PAID", Duration::ZERO);
                for _ in 0..comes {
                    ledger.received(&payment, "PAID", at, acknowledged);
                }
            }
            Event::Tick => self.tick(meter),
            Event::WarmUpEnds => {
                (self.at, self.calls) = (Duration::ZERO, 0);
                meter.forget(Some(std::mem::take(&mut self.due)));
            }
            Event::Start | Event::End { .. } => {}
        }
    }

    fn tick(&mut self, meter: &Meter) {
        self.at += Duration::from_secs(1);
        meter.tick(Tick { at: self.at, users: 1, intended: Some(std::mem::take(&mut self.due)) }, |_| ());
    }
}

/// The result of a process, and what is known of it.
fn played(events: &[Event], part: u32, of: u32) -> (LoadResult, Model) {
    let meter = Meter::new(vec!["a.create".to_owned()], vec!["a/one".to_owned()], 1);
    let ledger = Ledger::new(DEADLINES);
    let mut model = Model::default();
    events.iter().for_each(|&event| model.happens(event, &meter, &ledger));
    model.tick(&meter);
    let measured = meter.finish(model.at);
    let result = LoadResult {
        shards: Shards { of, parts: vec![part] },
        seconds: model.at.as_secs_f64(),
        arrivals: measured.arrivals,
        iterations: measured.iterations,
        operations: measured.operations,
        scenarios: measured.scenarios,
        timeline: measured.timeline,
        notifications: Some(ledger.close(Duration::from_secs(3600)).result),
        ..example_results::empty()
    };
    (result, model)
}

fn adds_up(result: &LoadResult, untidy: u64) -> Result<(), TestCaseError> {
    let (arrivals, iterations) = (result.arrivals.clone().unwrap(), result.iterations);
    prop_assert_eq!(arrivals.intended, arrivals.started + arrivals.dropped);
    prop_assert!(arrivals.delayed <= arrivals.started);
    prop_assert_eq!(arrivals.started, iterations.started);
    let finished: u64 = result.scenarios.iter().map(|scenario| scenario.passed + scenario.failed).sum();
    prop_assert_eq!(iterations.carried + iterations.started, finished + iterations.cut_off);
    for operation in &result.operations {
        prop_assert_eq!((operation.requests, operation.requests), (operation.response.count, operation.service.count));
        prop_assert_eq!(operation.timeline.iter().map(|moment| moment.requests).sum::<u64>(), operation.requests);
        prop_assert_eq!(operation.timeline.iter().map(|moment| moment.errors).sum::<u64>(), operation.errors.values().sum::<u64>());
        prop_assert_eq!(operation.responses.iter().map(|response| response.calls).sum::<u64>(), operation.requests);
        let unanswered = operation.responses.iter().filter(|response| response.status.is_none()).map(|response| response.calls);
        prop_assert_eq!(unanswered.sum::<u64>(), operation.errors.get(&ErrorKind::Transport).copied().unwrap_or(0));
        prop_assert!(operation.errors.values().sum::<u64>() <= operation.requests);
    }
    let over_time = |count: fn(&crate::load::result::Moment) -> u64| result.timeline.iter().map(count).sum::<u64>();
    prop_assert_eq!(over_time(|moment| moment.requests), result.operations.iter().map(|operation| operation.requests).sum::<u64>());
    prop_assert_eq!(
        over_time(|moment| moment.errors),
        result.operations.iter().flat_map(|operation| operation.errors.values()).sum::<u64>()
    );
    prop_assert_eq!(over_time(|moment| moment.started), iterations.started);
    let notifications = result.notifications.as_ref().unwrap();
    prop_assert_eq!(notifications.expected, notifications.once + untidy + notifications.lost);
    prop_assert!(untidy <= notifications.late + notifications.duplicated && untidy >= notifications.late.max(notifications.duplicated));
    prop_assert_eq!(notifications.lag.count, notifications.expected - notifications.lost);
    Ok(())
}

proptest! {
    // Histograms are large: a debug build takes a second for that many.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_part_and_the_whole_add_up(parts in prop::collection::vec(events(), 1..4)) {
        let of = u32::try_from(parts.len()).unwrap();
        let (mut results, mut waiting, mut under_way, mut calls, mut notifications, mut untidy) = (Vec::new(), 0, 0, 0, 0, 0);
        for (events, part) in parts.iter().zip(1..) {
            let (result, model) = played(events, part, of);
            adds_up(&result, model.untidy)?;
            (waiting, under_way, calls) = (waiting + model.waiting, under_way + model.under_way, calls + model.calls);
            (notifications, untidy) = (notifications + model.notifications, untidy + model.untidy);
            results.push(ResultPart { file: format!("{part}.json"), result });
        }
        let whole = merge(results, |_| Vec::new(), |_| (LoadVerdict::Passed, Vec::new())).unwrap();
        adds_up(&whole, untidy)?;
        prop_assert_eq!(whole.notifications.as_ref().unwrap().expected, notifications);
        prop_assert_eq!(whole.arrivals.as_ref().unwrap().dropped, waiting);
        prop_assert_eq!(whole.iterations.cut_off, under_way);
        prop_assert_eq!(whole.operations[0].requests, calls);
    }
}
