//! The payments of a test terminal end by themselves after about ten seconds. A shop whose responses come so slowly that a case takes
//! longer is no liar: what the case expects of something pending is not judged then.

use std::sync::Arc;
use std::time::Duration;

use harness::base::verdict::Verdict;
use harness::spec::contract::{Contracts, Files};

use crate::live_shop::{PAYER, judged_by};
use crate::support::live::Shop;
use crate::support::proxy::{Message, ObservedRequest, Tamper};
use crate::support::{contracts, findings, shipped};

const CASES: &[&str] = &["qr / a-method-may-be-changed-many-times"];

/// Any time that passes is longer.
const AT_ONCE: Duration = Duration::from_nanos(1);

/// No method is changed.
fn changes_nothing(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.operation == "qr.change-method" {
        message.objects(asked, 409, "");
    }
}

/// Nor is it, because the payment has ended, as its status says.
fn has_ended(asked: &ObservedRequest<'_>, message: &mut Message) {
    changes_nothing(asked, message);
    if asked.operation == "qr.status" {
        message.set("status", "PAID");
    }
}

/// The verdict where test payments may end so soon; a merchant may have none.
async fn verdict(shop: fn(&ObservedRequest<'_>, &mut Message), after: Duration, is_test: bool) -> Verdict {
    let mut contracts = Contracts::read(&Files::contracts()).unwrap();
    contracts.resources.values_mut().filter_map(|known| known.ending.as_mut()).for_each(|ending| ending.after = after);
    let shop = Shop::open_broken(Tamper { response: Some(shop), ..Tamper::default() }).await;
    let (finished, _) = judged_by(Arc::new(contracts), &shop, PAYER, shipped(CASES), 1, |target| {
        if !is_test {
            target.settings = production();
        }
    })
    .await;
    let [case] = finished.as_slice() else { panic!("{} cases", finished.len()) };
    if let Verdict::Failed { .. } = case.verdict {
        assert_eq!(findings(case)[0].clause(), "qr.change-method.unlimited");
    }
    case.verdict.clone()
}

fn production() -> harness::spec::target::Settings {
    let text = "title: t\nbase: http://x.invalid\ncredentials: { main: {} }\nsettings: { merchants: { main: { qr-test: false } } }\n";
    let source = harness::base::source::Source::new("target.yaml", text);
    harness::spec::target::parse(&source, &contracts(), &|_| None).unwrap().settings
}

#[tokio::test]
async fn what_ended_by_itself_while_a_case_waited_is_not_judged() {
    let Verdict::NotJudged { reason } = verdict(has_ended, AT_ONCE, true).await else { panic!("judged") };
    assert!(
        reason
            .to_string()
            .starts_with("what qr.change-method is about has ended by itself meanwhile: a test payment ends about 10 seconds"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_payment_that_can_not_have_ended_is_judged() {
    let hour = Duration::from_secs(3_600);
    for (shop, after, is_test) in [
        // Too soon.
        (has_ended as fn(&ObservedRequest<'_>, &mut Message), hour, true),
        // It is still pending.
        (changes_nothing, AT_ONCE, true),
        // The terminal is no test one.
        (has_ended, AT_ONCE, false),
    ] {
        assert!(matches!(verdict(shop, after, is_test).await, Verdict::Failed { .. }), "{after:?} {is_test}");
    }
}
