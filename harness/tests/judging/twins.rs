//! Two equal requests at the same moment: it does not matter which one the target takes first.

use harness::base::verdict::Verdict;

use crate::support::proxy::Tamper;
use crate::support::{emulator, findings, judge_through, scripted, story};

/// A refund of more than half of what was paid, and what is expected of it and of its twin.
fn refunded(expected: &str) -> String {
    format!(
        "title: T\nclauses: [gateway.refund.sum]\nsteps:\n  - call: gateway.v2.create\n    with: {{ test: false, price: 10000 }}\n    \
         keep: {{ payment: transId }}\n  - world: payer.pays\n    with: {{ transId: '{{{{ payment }}}}' }}\n  - call: gateway.v2.refund\n    \
         with: {{ transId: '{{{{ payment }}}}', amount: 6000, test: false }}\n    {expected}\n"
    )
}

#[tokio::test]
async fn either_of_the_two_may_be_the_one_that_is_accepted() {
    let emulator = emulator().await;
    for expected in ["twin: { expect: { code: 1402 } }", "expect: { code: 1402 }\n    twin: { expect: { code: 0 } }"] {
        let judged = judge_through(&emulator, Tamper::default(), scripted(&refunded(expected)), 1).await;
        assert!(judged.iter().all(|case| case.verdict == Verdict::Passed), "{}", story(&judged[0]));
        let codes: Vec<_> = judged[0].record.iter().filter(|exchange| exchange.operation == "gateway.v2.refund").collect();
        let codes: Vec<_> = codes.iter().filter_map(|exchange| exchange.response_value()?.get("code")?.as_i64()).collect();
        assert_eq!(codes, [0, 1402], "what is accepted is recorded first");
    }
}

#[tokio::test]
async fn two_that_are_both_refused_or_both_accepted_are_found() {
    let emulator = emulator().await;
    for (both, expected) in [("code: 1402", "expect: { code: 1402 }\n    twin: { expect: { code: 1402 } }"), ("code: 0", "twin: {}")] {
        let judged = judge_through(&emulator, Tamper::default(), scripted(&refunded(expected)), 1).await;
        assert_eq!(findings(&judged[0]).len(), 1, "{both}: {}", story(&judged[0]));
    }
}
